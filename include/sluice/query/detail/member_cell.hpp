// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_MEMBER_CELL_HPP
#define SLUICE_QUERY_DETAIL_MEMBER_CELL_HPP

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ratio>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <sluice/base/decimal.hpp>
#include <sluice/base/scaled_number.hpp>
#include <sluice/metadata/lookup.hpp>
#include <sluice/query/cell.hpp>
#include <sluice/query/decimal_number.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

/// The cells of values of C++ types.
namespace sluice {

/// Memory for the parts of a cell that its object doesn't hold, reused from cell to cell.
struct cell_buffer {
    std::string text{};
    std::vector<std::string_view> texts{};
    std::vector<std::int64_t> numbers{};
};

namespace detail {

template <class T>
struct without_optional {
    using type = T;
    static constexpr bool is_optional = false;
};
template <class T>
struct without_optional<std::optional<T>> {
    using type = T;
    static constexpr bool is_optional = true;
};

template <class T>
concept member_text = std::is_class_v<T> && std::convertible_to<const T&, std::string_view>;
template <class T>
concept member_integer =
    std::integral<T> && !std::same_as<T, bool> && std::numeric_limits<T>::digits < 64;
template <class T>
concept member_list = !member_text<T> && requires(const T& items) {
    std::begin(items);
    std::end(items);
};
template <class T>
inline constexpr bool is_sys_time = false;
template <class Duration>
inline constexpr bool is_sys_time<std::chrono::sys_time<Duration>> = true;

/// Returns the types of columns that a single value can be read for.
template <class T>
[[nodiscard]] constexpr column_types types_of_value() noexcept {
    using enum column_type;
    if constexpr (std::same_as<T, bool>) return set_of(boolean);
    if constexpr (member_integer<T>) return set_of(integer, decimal, real);
    if constexpr (std::floating_point<T>) return set_of(real);
    if constexpr (member_text<T>) return set_of(text, decimal, json, uuid, choice);
    if constexpr (std::same_as<T, sluice::uuid>) return set_of(uuid);
    if constexpr (std::same_as<T, decimal_number> || std::same_as<T, scaled_number>) {
        return set_of(decimal);
    }
    if constexpr (std::is_enum_v<T>) return set_of(choice);
    if constexpr (std::same_as<T, std::chrono::sys_days>) return set_of(time, date);
    if constexpr (is_sys_time<T>) return set_of(time);
    if constexpr (std::same_as<T, calendar_day> || std::same_as<T, std::chrono::year_month_day>) {
        return set_of(date);
    }
    if constexpr (std::same_as<T, scalar_lookup>) return set_of(json);
    return 0;
}
/// Returns the types of list columns that a container with items of a type can be read for.
template <class Item>
[[nodiscard]] constexpr column_types types_of_items() noexcept {
    using enum column_type;
    if constexpr (member_integer<Item>) return set_of(integer);
    if constexpr (member_text<Item>) return set_of(text, uuid, choice);
    if constexpr (std::same_as<Item, sluice::uuid>) return set_of(uuid);
    if constexpr (std::is_enum_v<Item>) return set_of(choice);
    return 0;
}

/// Returns a time floored to milliseconds; the first or last instant for one beyond them.
template <class Duration>
[[nodiscard]] constexpr instant floor_to_instant(std::chrono::sys_time<Duration> at) noexcept {
    using milliseconds = std::chrono::milliseconds;
    if constexpr (std::integral<typename Duration::rep> &&
                  std::ratio_greater_v<typename Duration::period, std::milli>) {
        using wide = std::chrono::duration<std::int64_t, typename Duration::period>;
        constexpr wide most = std::chrono::duration_cast<wide>(milliseconds::max());
        const wide since(at.time_since_epoch());
        if (since > most) return instant::max();
        if (since < -most) return instant::min();
    }
    return std::chrono::floor<milliseconds>(at);
}

/// A lookup of a JSON text. A value that it returns views it until its next use.
class json_text_lookup {
public:
    explicit json_text_lookup(std::string_view json) noexcept : json_(json) {}
    json_text_lookup(const json_text_lookup& other) noexcept : json_(other.json_) {}
    json_text_lookup& operator=(const json_text_lookup&) = delete;

    [[nodiscard]] std::optional<scalar> operator()(json_path path) {
        last_.emplace(std::span(&path, 1));
        last_->read(json_);
        return last_->at(0).value;
    }

private:
    std::string_view json_;
    std::optional<document_lookup> last_{};
};

/// Reads the cells of single values; see types_of_value().
struct value_cell {
    const column& of;
    cell_buffer& buffer;

    template <std::same_as<bool> Flag>
    [[nodiscard]] cell operator()(Flag flag) const noexcept {
        return flag;
    }
    template <member_integer Number>
    [[nodiscard]] cell operator()(Number number) const noexcept {
        return static_cast<std::int64_t>(number);
    }
    template <std::floating_point Number>
    [[nodiscard]] cell operator()(Number number) const noexcept {
        if (number != number) return std::monostate();
        return static_cast<double>(number);
    }
    [[nodiscard]] cell operator()(std::string_view text) const {
        switch (of.type) {
            case column_type::decimal: return of_decimal(text);
            case column_type::json: return scalar_lookup(json_text_lookup(text));
            case column_type::choice:
                if (place_of_choice(of, text) == of.choices.size()) return std::monostate();
                return text;
            case column_type::text:
            case column_type::uuid:
            case column_type::integer:
            case column_type::real:
            case column_type::time:
            case column_type::date:
            case column_type::boolean:
            case column_type::records: break;
        }
        return text;
    }
    [[nodiscard]] cell operator()(const uuid& id) const noexcept {
        return std::string_view(id.text());
    }
    [[nodiscard]] cell operator()(const scaled_number& number) const noexcept { return number; }
    [[nodiscard]] cell operator()(const decimal_number& number) const noexcept {
        if (number.scaled()) return *number.scaled();
        return std::string_view(number.text());
    }
    template <class Choice>
        requires std::is_enum_v<Choice>
    [[nodiscard]] cell operator()(Choice choice) const noexcept {
        const auto place = static_cast<std::size_t>(choice);
        if (place >= of.choices.size()) return std::monostate();
        return of.choices[place];
    }
    template <class Duration>
    [[nodiscard]] cell operator()(std::chrono::sys_time<Duration> at) const noexcept {
        const instant floored = floor_to_instant(at);
        if (of.type == column_type::time) return floored;
        return calendar_day(std::chrono::floor<std::chrono::days>(at).time_since_epoch());
    }
    [[nodiscard]] cell operator()(calendar_day day) const noexcept { return day; }
    [[nodiscard]] cell operator()(std::chrono::year_month_day day) const noexcept {
        if (!day.ok()) return std::monostate();
        return calendar_day(day);
    }
    [[nodiscard]] cell operator()(const scalar_lookup& lookup) const { return lookup; }

private:
    [[nodiscard]] static cell of_decimal(std::string_view text) {
        const auto number = parse_decimal(text);
        if (!number) return std::monostate();
        if (const auto scaled = to_scaled(*number)) return *scaled;
        return text;
    }
};

/// Returns the cell of a list's items, which the buffer may hold.
template <class Items>
[[nodiscard]] cell list_cell(const Items& items, const column& of, cell_buffer& buffer) {
    using item = std::remove_cvref_t<decltype(*std::begin(items))>;
    if constexpr (member_integer<item>) {
        buffer.numbers.clear();
        for (const item& number : items) {
            buffer.numbers.push_back(static_cast<std::int64_t>(number));
        }
        return std::span<const std::int64_t>(buffer.numbers);
    } else {
        buffer.texts.clear();
        for (const item& value : items) {
            const cell read = value_cell{of, buffer}(value);
            const auto* const text = std::get_if<std::string_view>(&read);
            if (text != nullptr) buffer.texts.push_back(*text);
        }
        return std::span<const std::string_view>(buffer.texts);
    }
}

/// Returns the sentence for a member that a column can't be read from.
[[nodiscard]] constexpr const char* member_sentence(const column& of) noexcept {
    if (of.is_list) {
        return "the values of this list column are read from a container of texts, integers, "
               "sluice::uuid or enumerators: give the member such a type, as the column's .type";
    }
    switch (of.type) {
        case column_type::text:
            return "this column of texts is read from a std::string or std::string_view: give the "
                   "member such a type, or correct the column's .type";
        case column_type::integer:
            return "this column of integers is read from one of at most 64 bits with a sign: give "
                   "the member such a type, or correct the column's .type";
        case column_type::decimal:
            return "this column of decimals is read from a sluice::decimal_number, an integer and "
                   "its scale as in sluice::member<&item::cents, 2>, or a text: give the member "
                   "such a type; a double isn't exact";
        case column_type::time:
            return "this column of times is read from a std::chrono::sys_time, such as "
                   "sluice::instant: give the member such a type";
        case column_type::boolean:
            return "this column of booleans is read from a bool: give the member this type";
        case column_type::json:
            return "this column of JSON is read from a text or a sluice::scalar_lookup: give the "
                   "member such a type";
        case column_type::real:
            return "this column of reals is read from a float, a double or an integer: give the "
                   "member such a type, or correct the column's .type";
        case column_type::date:
            return "this column of dates is read from a sluice::calendar_day, std::chrono::"
                   "year_month_day or std::chrono::sys_days: give the member such a type";
        case column_type::uuid:
            return "this column of UUIDs is read from a sluice::uuid or a text: give the member "
                   "such a type";
        case column_type::choice:
            return "this column of choices is read from an enum or a text: give the member such a "
                   "type";
        case column_type::records:
            return "this column of records is read from a container of structs: name their "
                   "accessors, as in sluice::member<&order::lines, line_accessors>";
    }
    return "";
}

}  // namespace detail

}  // namespace sluice

#endif
