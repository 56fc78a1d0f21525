// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_PATTERN_HPP
#define SLUICE_PARAMS_PATTERN_HPP

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/parse_limits.hpp>
#include <sluice/params/info.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/time/expression.hpp>

namespace sluice {

namespace detail {

/// Appends a byte to a parameter's pattern, in both cases if case is ignored.
inline void append_literal(std::string& pattern, char byte, bool ignores_case = false) {
    constexpr std::string_view syntax = R"(^$\.*+?()[]{}|)";
    const char lower = to_lower(byte);
    if (ignores_case && is_letter(byte)) {
        pattern.append({'[', static_cast<char>(lower - 'a' + 'A'), lower, ']'});
        return;
    }
    if (syntax.find(byte) != std::string_view::npos) pattern.push_back('\\');
    pattern.push_back(byte);
}
inline void append_literal(std::string& pattern, std::string_view text, bool ignores_case = false) {
    for (const char byte : text) append_literal(pattern, byte, ignores_case);
}

/// Returns `(?:a|b)`; `append(pattern, item)` writes an item.
template <class Items, class Append>
std::string any_of_pattern(const Items& items, Append append) {
    std::string pattern = "(?:";
    for (const auto& item : items) {
        if (pattern.back() != ':') pattern.push_back('|');
        append(pattern, item);
    }
    return pattern.append(")");
}

/// Appends a value as it is written in a filter: a comma, a backslash and a leading dash are
/// escaped, other dashes may be.
inline void append_filter_value(std::string& pattern, std::string_view value, bool ignores_case) {
    for (std::size_t at = 0; at < value.size(); ++at) {
        const char byte = value[at];
        if (byte == ',' || byte == '\\' || byte == '-') pattern.append(R"(\\)");
        if (byte == '-' && at > 0) pattern.push_back('?');
        append_literal(pattern, byte, ignores_case);
    }
}

/// Returns the pattern of one value of a filter: that of any value if only a function or the
/// collation determines the accepted ones.
inline std::string filter_value_pattern(const param_info& info) {
    if (!info.pattern.empty()) return std::string("(?:").append(info.pattern).append(")");
    const collation_record& record = record_of(info.how);
    if (info.choices.empty() || info.accepts_value != nullptr || record.part) {
        return R"((?:[^,\\-]|\\[,\\-])(?:[^,\\]|\\[,\\-])*)";
    }
    return any_of_pattern(info.choices, [&](std::string& pattern, std::string_view choice) {
        append_filter_value(pattern, choice, record.ignores_case);
    });
}

/// Returns the pattern of `-a,b`; see filter. Empty items are ignored.
inline std::string filter_pattern(const param_info& info) {
    const std::string value = filter_value_pattern(info);
    const std::string more = std::to_string(filter_max_values - 1);
    return "-?,*(?:" + value + "(?:,+" + value + "){0," + more + "},*)?";
}

/// Returns the pattern of `a,-b`; see parse_sort(). It accepts repeated columns too.
inline std::string sort_pattern(std::span<const std::string_view> columns) {
    const std::string key =
        "-?" + any_of_pattern(columns, [](std::string& pattern, std::string_view column) {
            append_literal(pattern, column);
        });
    return key + "(?:," + key + "){0," + std::to_string(columns.size() - 1) + "}";
}

/// Pattern of a Gregorian date: months of 31 and of 30 days, February, leap days.
inline constexpr std::string_view day_pattern =
    R"((?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|)"
    R"((?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|)"
    R"((?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29))";
/// Pattern of an optional time of day after a date; with seconds it may have an offset.
inline constexpr std::string_view time_of_day_pattern =
    R"((?:[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9])"
    R"((?::(?:[0-5][0-9]|60)(?:\.[0-9]{1,9})?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?)?)";

/// Returns the pattern of a time in any form; see parse_time_expression(). It also accepts the few
/// times that an offset moves out of the years 0000 to 9999.
inline std::string time_pattern() {
    const auto any_case = [](std::string& pattern, std::string_view word) {
        append_literal(pattern, word, true);
    };
    std::string pattern(day_pattern);
    pattern.append(time_of_day_pattern).append("|[0-9]{10}|[0-9]{13}|");
    any_case(pattern, "now");
    pattern.append("|").append(any_of_pattern(
        periods, [&](std::string& to, const auto& period) { any_case(to, period.name); }));
    pattern.append("|[0-9]+ ").append(any_of_pattern(time_unit_names, any_case));
    any_case(pattern.append("[Ss]?"), " ago");
    return pattern;
}

/// Returns the pattern of texts that are empty or start with a prefix.
inline std::string prefix_pattern(std::string_view prefix) {
    if (prefix.empty()) return {};
    std::string pattern = "^(?:";
    append_literal(pattern, prefix);
    return pattern.append("|$)");
}

/// Returns the pattern of a cursor, in two parts, since engines such as RE2 take at most 1,000
/// repeats.
inline std::string cursor_pattern() {
    constexpr std::size_t shortest = ((cursor_head + cursor_check) * 4 + 2) / 3;
    const std::string half = std::to_string(cursor_max_length / 2) + "}", digit = "[A-Za-z0-9_-]{";
    return digit + std::to_string(shortest) + "," + half + digit + "0," + half;
}

}  // namespace detail

/// Returns the regular expression of the texts that a parameter accepts, for OpenAPI's `pattern`:
/// ECMA-262 without lookaround or backreferences, which other engines read alike. Empty if its type
/// says all, or any text is accepted.
[[nodiscard]] inline std::string pattern_of(const param_info& info) {
    const auto whole = [](const std::string& pattern) { return "^(?:" + pattern + ")$"; };
    switch (info.type) {
        case param_type::filter: return "^" + detail::filter_pattern(info) + "$";
        case param_type::sort: return "^" + detail::sort_pattern(info.choices) + "$";
        case param_type::cursor: return "^" + detail::cursor_pattern() + "$";
        case param_type::time: return whole(detail::time_pattern());
        case param_type::time_zone: return "^[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*$";
        case param_type::text: return detail::prefix_pattern(info.prefix);
        case param_type::value:
            return info.pattern.empty() ? std::string() : whole(std::string(info.pattern));
        case param_type::list:
        case param_type::choice:
        case param_type::boolean:
        case param_type::integer:
        case param_type::expression: return {};
    }
    return {};
}

}  // namespace sluice

#endif
