// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_EXPRESSION_TEXT_HPP
#define SLUICE_GRAMMARS_DETAIL_EXPRESSION_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/real.hpp>
#include <sluice/grammars/detail/condition_maker.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/column_test.hpp>

/// Texts that several grammars write alike.
namespace sluice::detail {

/// The words of a grammar, with the spaces around them; empty for one that it lacks, or writes in
/// another way.
struct expression_words {
    comparison_spellings comparisons;
    std::string_view comparison_space = " ";  ///< on both sides of a comparison
    std::string_view conjunction, disjunction;
    std::string_view negation = {};
    std::string_view is_null = {}, is_there = {};  ///< after a name
    std::string_view any_of = {}, none_of = {};    ///< after a name, before values and `)`
    std::string_view every_row = {}, no_row = {};  ///< a condition by itself
    std::string (*quoted)(std::string_view text);
    bool ranks_groups = true;  ///< an AND in an OR needs no parentheses
    bool has_scopes = false;   ///< conditions on records name their columns only
};

[[nodiscard]] inline std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text.append(part);
    return text;
}
/// Writes some values with commas between them, after one text and before another.
[[nodiscard]] inline std::string listed(std::string_view before,
                                        const std::vector<std::string>& values,
                                        std::string_view after) {
    std::string text(before);
    for (std::size_t at = 0; at < values.size(); ++at) {
        if (at > 0) text.push_back(',');
        text.append(values[at]);
    }
    return text.append(after);
}
/// Writes a text in single quotes, doubled within it.
[[nodiscard]] inline std::string with_doubled_quotes(std::string_view text) {
    std::string doubled = "'";
    for (const char byte : text) doubled.append(byte == '\'' ? 2 : 1, byte);
    return doubled.append("'");
}
/// Writes a text of JSON.
[[nodiscard]] inline std::string with_json_quotes(std::string_view text) {
    std::string json;
    json_writer(json).value(text);
    return json;
}
/// Writes a text in double quotes; a backslash comes before these and another backslash.
[[nodiscard]] inline std::string with_escaped_quotes(std::string_view text) {
    std::string escaped = "\"";
    for (const char byte : text) {
        if (byte == '"' || byte == '\\') escaped.push_back('\\');
        escaped.push_back(byte);
    }
    return escaped.append("\"");
}
/// Writes a text in a kind of quotes: a backslash comes before that and another backslash, and
/// before a star at an end, which would stand for any text.
[[nodiscard]] inline std::string with_escaped_stars(std::string_view text, char quote) {
    std::string escaped(1, quote);
    for (const char byte : text) {
        if (byte == quote || byte == '\\' || byte == '*') escaped.push_back('\\');
        escaped.push_back(byte);
    }
    return escaped.append(1, quote);
}
/// Writes a part of a text as a pattern: `any` stands for any text, and a backslash comes before
/// each byte that is special.
[[nodiscard]] inline std::string with_wildcards(part_place place, std::string_view part, char any,
                                                std::string_view special) {
    std::string text(place == part_place::at_start ? 0 : 1, any);
    for (const char byte : part) {
        if (special.find(byte) != std::string_view::npos) text.push_back('\\');
        text.push_back(byte);
    }
    return text.append(place == part_place::at_end ? 0 : 1, any);
}
/// Puts the stars of a part_test into a value, within its quotes if it has them.
[[nodiscard]] inline std::string starred(std::string value, part_place place) {
    const std::size_t quote = value.starts_with('\'') || value.starts_with('"') ? 1 : 0;
    if (place != part_place::at_end) value.insert(value.size() - quote, "*");
    if (place != part_place::at_start) value.insert(quote, "*");
    return value;
}

/// Returns true if a range has both ends, and they belong to it.
template <class T>
[[nodiscard]] bool is_closed(const bounds<T>& range) noexcept {
    return range.least && range.most && !range.excludes_least && !range.excludes_most;
}

/// Returns the text of a bound.
[[nodiscard]] inline std::string bound_text(std::int64_t bound) { return std::to_string(bound); }
[[nodiscard]] inline std::string bound_text(const decimal_number& bound) { return bound.text(); }
[[nodiscard]] inline std::string bound_text(instant bound) { return format_timestamp(bound); }
[[nodiscard]] inline std::string bound_text(double bound) { return real_text(bound); }
[[nodiscard]] inline std::string bound_text(calendar_day bound) { return format_day(bound); }
[[nodiscard]] inline std::string bound_text(const std::string& bound) { return bound; }

/// Returns the comparison of an operator of metadata expressions.
[[nodiscard]] inline expression_comparison comparison_of(metadata_operator op) noexcept {
    switch (op) {
        case metadata_operator::equal: return expression_comparison::equal;
        case metadata_operator::not_equal: return expression_comparison::not_equal;
        case metadata_operator::greater: return expression_comparison::more_than;
        case metadata_operator::greater_equal: return expression_comparison::at_least;
        case metadata_operator::less: return expression_comparison::less_than;
        case metadata_operator::less_equal: break;
    }
    return expression_comparison::at_most;
}

}  // namespace sluice::detail

#endif
