// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_CELL_HPP
#define SLUICE_QUERY_CELL_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <sluice/base/decimal.hpp>
#include <sluice/base/scaled_number.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/column_test.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

/// Cells: the values of rows, and their tests.
namespace sluice {

/// Returns the scalar at a path of a row's JSON; nullopt if there is none.
using scalar_lookup = std::function<std::optional<scalar>(std::span<const std::string> path)>;
/// Returns true if at least one record of a row meets a condition.
using record_lookup = std::function<bool(const where& wanted)>;

/// The value of a row in a column. It views the row. See is_value_of().
///
/// ```
/// alternative             column types
/// std::monostate          any: the row has no value
/// std::string_view        text, uuid, choice; decimal: a JSON number; json: the JSON itself
/// std::span<const ...>    lists: of integers, or of texts, UUIDs or choices
/// std::int64_t            integer, decimal, real
/// instant                 time
/// bool                    boolean
/// scalar_lookup           json
/// double                  real
/// calendar_day            date
/// record_lookup           records
/// scaled_number           decimal
/// ```
using cell = std::variant<std::monostate, std::string_view, std::span<const std::string_view>,
                          std::int64_t, instant, bool, scalar_lookup, double, calendar_day,
                          std::span<const std::int64_t>, record_lookup, scaled_number>;

/// A function that returns the cell of a row in a column; see where::matches.
template <class CellOf>
concept cell_source = std::is_invocable_r_v<cell, CellOf&, const column&>;

/// Returns true if a cell has a value of a column's type. JSON is a lookup or a text; NaN is no
/// value.
[[nodiscard]] inline bool is_value_of(const column& subject, const cell& value) noexcept {
    const bool is_text = std::holds_alternative<std::string_view>(value);
    const bool is_whole = std::holds_alternative<std::int64_t>(value);
    if (subject.is_list) {
        return subject.type == column_type::integer
                   ? std::holds_alternative<std::span<const std::int64_t>>(value)
                   : std::holds_alternative<std::span<const std::string_view>>(value);
    }
    switch (subject.type) {
        case column_type::text:
        case column_type::uuid:
        case column_type::choice: return is_text;
        case column_type::integer: return is_whole;
        case column_type::decimal:
            return is_text || is_whole || std::holds_alternative<scaled_number>(value);
        case column_type::time: return std::holds_alternative<instant>(value);
        case column_type::boolean: return std::holds_alternative<bool>(value);
        case column_type::json: return is_text || std::holds_alternative<scalar_lookup>(value);
        case column_type::real: {
            const auto* const number = std::get_if<double>(&value);
            return is_whole || (number && *number == *number);  // not NaN
        }
        case column_type::date: return std::holds_alternative<calendar_day>(value);
        case column_type::records: return std::holds_alternative<record_lookup>(value);
    }
    return false;
}

namespace detail {

/// Returns true if a cell meets a test. A cell of another type than the test's column counts as
/// absent.
struct cell_test {
    const cell& value;
    const column& subject;

    bool operator()(const text_test& test) const {
        if (const auto* const texts = std::get_if<std::span<const std::string_view>>(&value)) {
            return test.wanted.matches_any(*texts, collation_of(subject));
        }
        if (const auto* const numbers = std::get_if<std::span<const std::int64_t>>(&value)) {
            return test.wanted.matches_any(texts_of(*numbers), subject.how);
        }
        const auto* const number = std::get_if<std::int64_t>(&value);
        if (number != nullptr && subject.type == column_type::integer) {
            return test.wanted.matches(std::string_view(std::to_string(*number)), subject.how);
        }
        const auto* const day = std::get_if<calendar_day>(&value);
        if (day != nullptr && subject.type == column_type::date) {
            return test.wanted.matches(std::string_view(format_day(*day)));
        }
        const auto* const text = std::get_if<std::string_view>(&value);
        return test.wanted.matches(text ? std::optional(*text) : std::nullopt,
                                   collation_of(subject));
    }
    bool operator()(const all_of_test& test) const {
        if (const auto* const numbers = std::get_if<std::span<const std::int64_t>>(&value)) {
            return has_all(test, texts_of(*numbers));
        }
        const auto* const texts = std::get_if<std::span<const std::string_view>>(&value);
        return texts != nullptr && has_all(test, *texts);
    }
    bool operator()(const part_test& test) const {
        const auto meets = [&](std::string_view text) { return test.is_met_by(text, subject.how); };
        if (const auto* const texts = std::get_if<std::span<const std::string_view>>(&value)) {
            for (const std::string_view text : *texts) {
                if (meets(text)) return true;
            }
            return false;
        }
        const auto* const text = std::get_if<std::string_view>(&value);
        return text != nullptr && meets(*text);
    }
    bool operator()(const bounds<std::int64_t>& test) const noexcept {
        const auto* const number = std::get_if<std::int64_t>(&value);
        return number != nullptr && test.contains(*number);
    }
    bool operator()(const bounds<decimal_number>& test) const {
        const auto* const scaled = std::get_if<scaled_number>(&value);
        if (scaled != nullptr) return test.contains(*scaled);
        const auto* const whole = std::get_if<std::int64_t>(&value);
        if (whole != nullptr) return test.contains(scaled_number{.digits = *whole});
        const auto* const text = std::get_if<std::string_view>(&value);
        const auto read = parse_decimal(text ? *text : std::string_view());
        if (!read) return false;
        const auto small = to_scaled(*read);
        return small ? test.contains(*small) : test.contains(*parse_decimal_number(*text));
    }
    bool operator()(const bounds<double>& test) const noexcept {
        const auto* const whole = std::get_if<std::int64_t>(&value);
        if (whole != nullptr) return test.contains(static_cast<double>(*whole));
        const auto* const number = std::get_if<double>(&value);
        return number != nullptr && *number == *number && test.contains(*number);
    }
    bool operator()(const bounds<instant>& test) const noexcept {
        const auto* const at = std::get_if<instant>(&value);
        return at != nullptr && test.contains(*at);
    }
    bool operator()(const bounds<calendar_day>& test) const noexcept {
        const auto* const day = std::get_if<calendar_day>(&value);
        return day != nullptr && test.contains(*day);
    }
    bool operator()(const bounds<std::string>& test) const noexcept {
        const auto* const text = std::get_if<std::string_view>(&value);
        if (text == nullptr) return false;
        return subject.type == column_type::choice ? is_between_choices(test, *text)
                                                   : test.contains(*text);
    }
    bool operator()(const boolean_test& test) const noexcept {
        const auto* const flag = std::get_if<bool>(&value);
        return flag != nullptr && *flag == test.wanted;
    }
    bool operator()(const null_test& test) const noexcept {
        return is_value_of(subject, value) != test.wanted;
    }
    bool operator()(const record_test& test) const {
        const auto* const lookup = std::get_if<record_lookup>(&value);
        return lookup != nullptr && (*lookup)(test.wanted());
    }
    bool operator()(const metadata_query& test) const {
        const auto* const lookup = std::get_if<scalar_lookup>(&value);
        return test.matches([&](std::span<const std::string> path) {
            return lookup ? (*lookup)(path) : std::nullopt;
        });
    }

private:
    static std::vector<std::string> texts_of(std::span<const std::int64_t> numbers) {
        std::vector<std::string> texts;
        for (const std::int64_t number : numbers) texts.push_back(std::to_string(number));
        return texts;
    }
    template <text_list Items>
    bool has_all(const all_of_test& test, const Items& items) const {
        for (const std::string_view wanted : test.wanted) {
            if (!has_text(items, wanted)) return false;
        }
        return true;
    }
    template <text_list Items>
    bool has_text(const Items& items, std::string_view wanted) const {
        for (const std::string_view item : items) {
            if (equal(item, wanted, collation_of(subject))) return true;
        }
        return false;
    }
    /// Compares texts by their places among the column's choices. Returns false if the text or one
    /// of the bounds isn't a choice of the column.
    bool is_between_choices(const bounds<std::string>& test, std::string_view text) const noexcept {
        const std::size_t none = subject.choices.size();
        const std::size_t at = place_of_choice(subject, text);
        const std::size_t least = test.least ? place_of_choice(subject, *test.least) : 0;
        const std::size_t most = test.most ? place_of_choice(subject, *test.most) : none - 1;
        if (at == none || least == none || most == none) return false;
        return at >= least && at <= most && !(at == least && test.least && test.excludes_least) &&
               !(at == most && test.most && test.excludes_most);
    }
};

}  // namespace detail

}  // namespace sluice

#endif
