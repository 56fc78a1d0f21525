// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_LITERAL_HPP
#define SLUICE_GRAMMARS_DETAIL_LITERAL_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/where.hpp>
#include <sluice/time/instant.hpp>

/// Values and comparisons of expressions, and the ways in which grammars differ.
namespace sluice::detail {

/// A value in the text of a condition.
struct literal {
    std::string text{};  ///< without quotes and escapes
    bool is_quoted = false;
    text_place place{};
    std::optional<column_type> type{};  ///< where the expression says it, as `DATE('2026-08-21')`
};

/// The comparisons of an expression: those of bounds, and inequality.
enum class expression_comparison : std::uint8_t {
    equal,
    at_least,
    more_than,
    at_most,
    less_than,
    not_equal,
};

/// The spellings of the comparisons in a grammar, in the order of the enumeration.
using comparison_spellings = std::array<std::string_view, 6>;

/// Returns the advice on a name in the place of a value, before a byte: empty for a function.
[[nodiscard]] inline std::string_view name_advice(char next) noexcept {
    if (next == '(') return {};
    return "put a text in single quotes; columns aren't compared with columns";
}

/// A value with stars at its ends, which stand for any text. One star alone is before it.
struct starred_literal {
    literal value{};
    bool is_open_before = false;
    bool is_open_after = false;
    bool has_inner_stars = false;  ///< which would stand for any text, too
};

/// Takes the stars at its ends off a text, in which `escaped` stars stand for themselves; the first
/// one is noted.
[[nodiscard]] inline starred_literal without_stars(starred_literal read, std::ptrdiff_t escaped,
                                                   bool is_last_star) {
    std::string& text = read.value.text;
    if (read.is_open_before) text.erase(0, 1);
    read.is_open_after = is_last_star && !text.empty();
    if (read.is_open_after) text.pop_back();
    read.has_inner_stars = std::ranges::count(text, '*') > escaped;
    return read;
}

/// Properties in which grammars differ.
struct grammar_style {
    column_types quoted = all_column_types();    ///< types of values with quotes
    column_types bare = all_column_types();      ///< types of values without
    where_kind outer = where_kind::disjunction;  ///< the looser of AND and OR
    std::string_view end_advice = {};            ///< what may follow an operand: static text
    std::span<const std::string_view> beyond{};  ///< operators that aren't supported
    bool names_have_case = true;                 ///< a name in another case is another name
    bool is_prefix = false;         ///< a group begins with its AND or OR, and has commas in it
    bool is_spaced = false;         ///< space is around words, and none at the ends of the text
    bool may_omit_seconds = false;  ///< of times, as in `2026-08-21T02:30Z`
    std::string_view time_advice = "expected a time such as 2026-08-21T02:30:15Z";  ///< static
    std::string_view date_advice = "expected a day such as 2026-08-21";             ///< static
};

/// Returns the advice on a value that isn't one of a type.
[[nodiscard]] inline std::string_view value_advice(column_type type,
                                                   const grammar_style& style) noexcept {
    switch (type) {
        case column_type::text: return "expected a text";
        case column_type::integer: return "expected a whole number such as 2";
        case column_type::decimal:
        case column_type::real: return "expected a number such as 1.5";
        case column_type::time: return style.time_advice;
        case column_type::boolean: return "expected true or false";
        case column_type::date: return style.date_advice;
        case column_type::uuid:
            return "expected a UUID such as 0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e";
        case column_type::choice: return "expected one of the documented values";
        case column_type::json: return "expected a key after the column's name";
        case column_type::records: return "expected a column of the records";
    }
    return {};
}

/// Parses a time as a grammar has it; see parse_timestamp().
[[nodiscard]] inline result<instant> time_of(std::string_view text, const grammar_style& style) {
    constexpr std::size_t minutes_end = std::string_view("2026-08-21T02:30").size();
    const std::string_view offset = text.substr(std::min(minutes_end, text.size()));
    const bool has_seconds = offset.find_first_of("Zz+-") != 0;
    if (has_seconds || !style.may_omit_seconds) return parse_timestamp(text);
    return parse_timestamp(std::string(text.substr(0, minutes_end)).append(":00").append(offset));
}

}  // namespace sluice::detail

#endif
