// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_JSONB_FILTER_HPP
#define SLUICE_SQL_DETAIL_JSONB_FILTER_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/sql/detail/text_writer.hpp>
#include <sluice/sql/prepare.hpp>

/// Tests of PostgreSQL's jsonb by `@>`, which an index serves: of equality, and prefilters, which
/// every row meets that meets the exact test beside them.
namespace sluice::sql::detail {

/// Returns a number as text for PostgreSQL's numeric; nullopt if that can't hold it.
[[nodiscard]] inline std::optional<std::string> numeric_text(std::string_view number) {
    constexpr std::int64_t most_whole_digits = 131'072, most_decimals = 16'383;
    const auto read = sluice::detail::parse_decimal(number);
    if (!read) return std::nullopt;
    const auto count = static_cast<std::int64_t>(read->digit_count());
    if (count == 0) return "0";
    const std::int64_t whole = count_whole_digits(*read);
    if (whole > most_whole_digits || count - whole > most_decimals) return std::nullopt;
    return (read->negative ? "-" : "") + digits_of(*read) + "e" + std::to_string(whole - count);
}

/// JSON texts, one of which a column contains.
using contained_texts = std::vector<std::string>;

/// Returns the JSON of a value in objects within each other. `json` is the value's JSON.
[[nodiscard]] inline std::string nested_json(std::span<const std::string> path,
                                             std::string_view json) {
    std::string text;
    for (const std::string& key : path) {
        sluice::detail::json_writer(text.append("{")).value(key);
        text.push_back(':');
    }
    return text.append(json).append(path.size(), '}');
}
[[nodiscard]] inline std::string string_json(std::string_view value) {
    std::string text;
    sluice::detail::json_writer(text).value(value);
    return text;
}

/// Adds the JSON of the values at a path that equal a text: a number, a string or a boolean. The
/// number comes first, since what reads as one mostly is one; then the others aren't tried.
inline void add_texts(contained_texts& texts, std::span<const std::string> path,
                      std::string_view value) {
    if (const auto number = numeric_text(value)) texts.push_back(nested_json(path, *number));
    texts.push_back(nested_json(path, string_json(value)));
    if (value == "true" || value == "false") texts.push_back(nested_json(path, value));
}

/// Returns true if a path may lead through an array, whose items `@>` compares in any place.
[[nodiscard]] inline bool has_index(std::span<const std::string> path) {
    return std::ranges::any_of(
        path, [](const std::string& key) { return parse_array_index(key).has_value(); });
}

/// Returns the texts of an equality in metadata whose path has no index.
[[nodiscard]] inline contained_texts texts_of(const metadata_condition& comparison,
                                              const parameters& bound) {
    const auto can_hold = [&](std::string_view text) { return bound.can_hold(text); };
    contained_texts texts;
    if (std::ranges::all_of(comparison.path, can_hold) && can_hold(comparison.value)) {
        add_texts(texts, comparison.path, comparison.value);
    }
    return texts;
}

/// Returns the test that a column contains one of some texts.
[[nodiscard]] inline std::string contains_any(const std::string& column, contained_texts texts,
                                              parameters& bound) {
    return column + " @> ANY(" + bound.add(std::move(texts)) + "::jsonb[])";
}

}  // namespace sluice::sql::detail

#endif
