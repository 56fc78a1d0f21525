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

/// A value with stars at its ends, which stand for any text.
struct starred_literal {
    literal value{};
    bool is_open_before = false;
    bool is_open_after = false;
};

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
};

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
