// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_LITERAL_HPP
#define SLUICE_GRAMMARS_DETAIL_LITERAL_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/where.hpp>

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
    bool is_prefix = false;  ///< a group begins with its AND or OR, and has commas in it
    bool is_spaced = false;  ///< space is around words, and none at the ends of the text
};

}  // namespace sluice::detail

#endif
