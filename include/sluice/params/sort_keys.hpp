// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_SORT_KEYS_HPP
#define SLUICE_PARAMS_SORT_KEYS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/errors/choice.hpp>
#include <sluice/params/name_style.hpp>
#include <sluice/query/page.hpp>

/// Sort keys of requests, in any form.
namespace sluice {

/// A sort column that a request names, and its direction.
struct sort_choice {
    std::size_t column = 0;  ///< index of its name in the parameter's choices
    sort_order direction = sort_order::ascending;

    friend bool operator==(const sort_choice&, const sort_choice&) = default;
};
using sort_choices = std::vector<sort_choice>;

namespace detail {

/// A sort key with its direction in words, such as `total desc`, which is refused with advice.
struct worded_key {
    rule broken = rule::choice_unknown;  ///< sort_descending or sort_ascending
    std::string_view column{};           ///< one of the columns; empty if the key has another form
};
/// Recognises a column followed by a space, a dot or a colon and a direction in words, in any case.
[[nodiscard]] constexpr worded_key find_worded_key(
    std::string_view key, std::span<const std::string_view> columns) noexcept {
    constexpr std::array<std::pair<std::string_view, rule>, 4> words{
        {{"desc", rule::sort_descending},
         {"descending", rule::sort_descending},
         {"asc", rule::sort_ascending},
         {"ascending", rule::sort_ascending}}};
    const std::size_t end = key.find_last_of(" .:");
    if (end == std::string_view::npos) return {};
    for (const auto& [word, broken] : words) {
        if (!equal_ignoring_case(key.substr(end + 1), word)) continue;
        for (const std::string_view column : columns) {
            if (equal_ignoring_case(key.substr(0, end), column)) return {broken, column};
        }
    }
    return {};
}

/// A sort key in a text: its column, its direction, and the offset of the column.
struct sort_key_text {
    std::string_view column;
    bool is_descending = false;
    std::size_t offset = 0;
};

/// Splits a sort key into its column and its direction. Spaces around it aren't part of it if the
/// form has spaces.
[[nodiscard]] constexpr sort_key_text split_key(std::string_view key, sort_form form) noexcept {
    const auto [name, prefix, separator] = record_of(form);
    if (separator.empty()) {
        const bool is_descending = !prefix.empty() && key.starts_with(prefix);
        const std::size_t first = is_descending ? prefix.size() : 0;
        return {key.substr(first), is_descending, first};
    }
    std::size_t begin = 0;
    if (form == sort_form::space) {
        begin = std::min(key.find_first_not_of(' '), key.size());
        key = key.substr(begin, key.find_last_not_of(' ') + 1 - begin);
    }
    const std::size_t at = key.rfind(separator);
    if (at == key.npos) return {key, false, begin};
    const std::string_view direction = key.substr(at + 1);
    const bool is_descending = equal_ignoring_case(direction, "desc");
    if (!is_descending && !equal_ignoring_case(direction, "asc")) return {key, false, begin};
    key = key.substr(0, at);
    return {key.substr(0, key.find_last_not_of(separator) + 1), is_descending, begin};
}

}  // namespace detail

/// Parses sort keys: names of columns, each with its direction in a form.
///
/// ```
/// sort = key *( "," key )
/// key  = [ "-" ] column                                ; dash
///      / column                                        ; bare
///      / column [ separator ( "asc" / "desc" ) ]       ; others; spaces around keys of space
/// ```
///
/// Errors: choice_unknown for an unknown column, sort_repeated for a repeated one, and for a
/// direction in words of the form dash sort_descending (`total desc`) or sort_ascending
/// (`total asc`).
[[nodiscard]] inline result<sort_choices> parse_sort(std::string_view text,
                                                     std::span<const std::string_view> columns,
                                                     sort_form form = sort_form::dash) {
    sort_choices keys;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const detail::sort_key_text key = detail::split_key(text.substr(begin, end - begin), form);
        const auto column = parse_choice(key.column, columns);
        if (!column) {
            const detail::worded_key worded = detail::find_worded_key(key.column, columns);
            if (form == sort_form::dash && !worded.column.empty()) {
                auto refused = fail(worded.broken, begin, end - begin);
                refused.value().suggestion = worded.column;
                return refused;
            }
            error why = column.error();
            why.offset = static_cast<std::uint32_t>(begin + key.offset);
            return tl::unexpected<error>(why);
        }
        const auto same = [&](const sort_choice& known) { return known.column == *column; };
        if (std::any_of(keys.begin(), keys.end(), same)) {
            return fail(rule::sort_repeated, begin, end - begin);
        }
        keys.push_back(
            {*column, key.is_descending ? sort_order::descending : sort_order::ascending});
        begin = end + 1;
    }
    return keys;
}

}  // namespace sluice

#endif
