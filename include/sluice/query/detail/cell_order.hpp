// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_CELL_ORDER_HPP
#define SLUICE_QUERY_DETAIL_CELL_ORDER_HPP

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <sluice/base/ascii.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/scaled_number.hpp>
#include <sluice/query/cell.hpp>
#include <sluice/query/decimal_number.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/time/day.hpp>

/// The order of cells, and their keys in cursors.
namespace sluice::detail {

/// Returns true if the values of a column have an order.
[[nodiscard]] constexpr bool is_sortable(const column& of) noexcept {
    return !of.is_list && of.type != column_type::json && of.type != column_type::records;
}

/// Returns the alternative of a cell. Expects that it has this one.
template <class T>
[[nodiscard]] const T& value_in(const cell& of) noexcept {
    return *std::get_if<T>(&of);
}

/// Compares the UUIDs of two texts, in any case.
[[nodiscard]] inline std::weak_ordering compare_ids(std::string_view a,
                                                    std::string_view b) noexcept {
    const std::size_t size = std::min(a.size(), b.size());
    for (std::size_t at = 0; at < size; ++at) {
        const auto left = static_cast<unsigned char>(to_lower(a[at]));
        const auto right = static_cast<unsigned char>(to_lower(b[at]));
        if (left != right) return left <=> right;
    }
    return a.size() <=> b.size();
}
/// Compares two decimals, as scaled numbers or texts of longer ones.
[[nodiscard]] inline std::weak_ordering compare_decimals(const cell& a, const cell& b) {
    const auto number_of = [](const cell& of) {
        const auto* const whole = std::get_if<std::int64_t>(&of);
        if (whole != nullptr) return decimal_number(*whole);
        const auto* const scaled = std::get_if<scaled_number>(&of);
        if (scaled != nullptr) return decimal_number(*scaled);
        return parse_decimal_number(value_in<std::string_view>(of)).value_or(decimal_number());
    };
    const auto* const left = std::get_if<scaled_number>(&a);
    const auto* const right = std::get_if<scaled_number>(&b);
    if (left != nullptr && right != nullptr) return *left <=> *right;
    return number_of(a) <=> number_of(b);
}
[[nodiscard]] inline double real_in(const cell& of) noexcept {
    const auto* const whole = std::get_if<std::int64_t>(&of);
    return whole != nullptr ? static_cast<double>(*whole) : value_in<double>(of);
}
[[nodiscard]] inline std::weak_ordering compare_reals(double a, double b) noexcept {
    if (a == b) return std::weak_ordering::equivalent;
    return a < b ? std::weak_ordering::less : std::weak_ordering::greater;
}

/// Compares two values of a column, as the store orders them: missing ones first, numbers by their
/// value, choices by their places, texts by their bytes, false before true. Expects cells without
/// a value or with one of the column's type; see is_value_of() and is_sortable().
[[nodiscard]] inline std::weak_ordering compare_cells(const column& of, const cell& a,
                                                      const cell& b) {
    const bool has_left = a.index() != 0, has_right = b.index() != 0;
    if (!has_left || !has_right) return has_left <=> has_right;
    const auto compare = [&]<class T>(const T*) -> std::weak_ordering {
        return value_in<T>(a) <=> value_in<T>(b);
    };
    switch (of.type) {
        case column_type::text: return compare(static_cast<const std::string_view*>(nullptr));
        case column_type::uuid:
            return compare_ids(value_in<std::string_view>(a), value_in<std::string_view>(b));
        case column_type::choice:
            return place_of_choice(of, value_in<std::string_view>(a)) <=>
                   place_of_choice(of, value_in<std::string_view>(b));
        case column_type::integer: return compare(static_cast<const std::int64_t*>(nullptr));
        case column_type::decimal: return compare_decimals(a, b);
        case column_type::real: return compare_reals(real_in(a), real_in(b));
        case column_type::time: return compare(static_cast<const instant*>(nullptr));
        case column_type::date: return compare(static_cast<const calendar_day*>(nullptr));
        case column_type::boolean: return compare(static_cast<const bool*>(nullptr));
        case column_type::json:
        case column_type::records: break;  // see is_sortable()
    }
    return std::weak_ordering::equivalent;
}

/// Writes a day as a cursor's key: those that format_day() can't write as days since 1970.
[[nodiscard]] inline std::string to_day_key(calendar_day day) {
    if (day >= earliest_day && day <= latest_day) return format_day(day);
    return std::to_string(day.time_since_epoch().count());
}
/// Parses a day that to_day_key() wrote; nullopt for another text.
[[nodiscard]] inline std::optional<calendar_day> parse_day_key(std::string_view key) {
    if (const auto day = parse_day(key)) return *day;
    const auto since = parse_int64(key);
    using days = std::chrono::days;
    if (!since || *since < days::min().count() || *since > days::max().count()) return std::nullopt;
    const calendar_day day{days(static_cast<days::rep>(*since))};
    return day < earliest_day || day > latest_day ? std::optional(day) : std::nullopt;
}

/// Returns true if an object may have a cursor's key in a column; see is_key_of().
[[nodiscard]] inline bool is_cell_key(const column& of, const std::optional<std::string>& key) {
    if (key && of.type == column_type::date) return parse_day_key(*key).has_value();
    return is_key_of(of, key);
}

/// Returns a value as a cursor's key; nullopt for a missing one.
[[nodiscard]] inline std::optional<std::string> key_of_cell(const column& of, const cell& value) {
    if (value.index() == 0 || !is_sortable(of)) return std::nullopt;
    if (const auto* const text = std::get_if<std::string_view>(&value)) {
        return of.type == column_type::uuid ? to_lower(*text) : std::string(*text);
    }
    if (of.type == column_type::real) return real_text(real_in(value));
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const auto* const scaled = std::get_if<scaled_number>(&value)) {
        return to_string(decimal_number(*scaled));
    }
    if (const auto* const at = std::get_if<instant>(&value)) {
        return to_time_key(at->time_since_epoch().count());
    }
    if (const auto* const day = std::get_if<calendar_day>(&value)) return to_day_key(*day);
    return value_in<bool>(value) ? "true" : "false";
}

/// Returns the value of a cursor's key, which it views. Expects a key that passes is_cell_key().
[[nodiscard]] inline cell cell_of_key(const column& of, const std::optional<std::string>& key) {
    if (!key) return std::monostate();
    switch (of.type) {
        case column_type::integer: return parse_int64(*key).value_or(0);
        case column_type::decimal: {
            const auto scaled = to_scaled(parse_decimal(*key).value_or(decimal()));
            return scaled ? cell(*scaled) : cell(std::string_view(*key));
        }
        case column_type::time:
            return instant(std::chrono::milliseconds(parse_time_key(*key).value_or(0)));
        case column_type::boolean: return *key == "true";
        case column_type::real: return parse_any_real(*key).value_or(0);
        case column_type::date: return parse_day_key(*key).value_or(calendar_day());
        case column_type::text:
        case column_type::uuid:
        case column_type::choice:
        case column_type::json:
        case column_type::records: break;
    }
    return std::string_view(*key);
}

}  // namespace sluice::detail

#endif
