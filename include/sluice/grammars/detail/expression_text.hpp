// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_EXPRESSION_TEXT_HPP
#define SLUICE_GRAMMARS_DETAIL_EXPRESSION_TEXT_HPP

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/query/column_test.hpp>

/// Texts that several grammars write alike.
namespace sluice::detail {

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
/// Writes a text in a kind of quotes: a backslash comes before that and another backslash, and
/// before a star at an end, which would stand for any text.
[[nodiscard]] inline std::string with_escaped_stars(std::string_view text, char quote) {
    std::string escaped(1, quote);
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_end = at == 0 || at + 1 == text.size();
        if (text[at] == quote || text[at] == '\\' || (is_end && text[at] == '*')) {
            escaped.push_back('\\');
        }
        escaped.push_back(text[at]);
    }
    return escaped.append(1, quote);
}
/// Puts the stars of a part_test into a value, within its quotes if it has them.
[[nodiscard]] inline std::string starred(std::string value, part_place place) {
    const std::size_t quote = value.starts_with('\'') || value.starts_with('"') ? 1 : 0;
    if (place != part_place::at_end) value.insert(value.size() - quote, "*");
    if (place != part_place::at_start) value.insert(quote, "*");
    return value;
}

}  // namespace sluice::detail

#endif
