// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_PATTERN_HPP
#define SLUICE_PARAMS_PATTERN_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/parse_limits.hpp>
#include <sluice/params/param.hpp>
#include <sluice/params/values.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/time/expression.hpp>

/// Regular expressions of the values of parameters.
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

/// Returns `(?:a|b)`. `append(pattern, item)` appends the pattern of an item.
template <class Items, class Append>
std::string any_of_pattern(const Items& items, Append append) {
    std::string pattern = "(?:";
    for (const auto& item : items) {
        if (pattern.back() != ':') pattern.push_back('|');
        append(pattern, item);
    }
    return pattern.append(")");
}

/// Appends a value as it is written in a filter: a comma and a backslash are escaped, and a leading
/// dash if it would exclude; other dashes may be.
inline void append_filter_value(std::string& pattern, std::string_view value,
                                const param_info& info) {
    const bool ignores_case = record_of(info.how).ignores_case;
    for (std::size_t at = 0; at < value.size(); ++at) {
        const char byte = value[at];
        const bool is_optional = byte == '-' && (at > 0 || info.excludes != exclusion::dash);
        if (byte == ',' || byte == '\\' || byte == '-') pattern.append(R"(\\)");
        if (is_optional) pattern.push_back('?');
        append_literal(pattern, byte, ignores_case);
    }
}

/// Returns true if a filter accepts its choices and nothing else.
inline bool has_exact_choices(const param_info& info) {
    return info.pattern.empty() && !info.choices.empty() && info.accepts_value == nullptr &&
           !record_of(info.how).part;
}

/// Returns the pattern of one value of a filter: `info.pattern`, or one of the choices. If a
/// function decides, or a collation with parts, it is the pattern of any value. The dash that
/// begins a value has no escape if it excludes nothing.
inline std::string filter_value_pattern(const param_info& info) {
    const bool has_dash = info.excludes == exclusion::dash;
    if (has_exact_choices(info)) {
        return any_of_pattern(info.choices, [&](std::string& pattern, std::string_view choice) {
            append_filter_value(pattern, choice, info);
        });
    }
    if (info.pattern.empty()) {
        return has_dash ? R"((?:[^,\\-]|\\[,\\-])(?:[^,\\]|\\[,\\-])*)" : R"((?:[^,\\]|\\[,\\-])+)";
    }
    std::string pattern = std::string("(?:").append(info.pattern).append(")");
    constexpr std::string_view escaped = R"(\\-)", optional = R"(\\?-)";
    std::size_t at = has_dash ? pattern.npos : pattern.find(escaped);
    for (; at != pattern.npos; at = pattern.find(escaped, at + optional.size())) {
        pattern.replace(at, escaped.size(), optional);
    }
    return pattern;
}

/// Returns the pattern of `-a,b`; see filter. Empty items are ignored.
inline std::string filter_pattern(const param_info& info) {
    const std::string value = filter_value_pattern(info);
    const std::string more = std::to_string(filter_max_values - 1);
    return (info.excludes == exclusion::dash ? "-?,*(?:" : ",*(?:") + value + "(?:,+" + value +
           "){0," + more + "},*)?";
}

/// Returns the pattern of sort keys; see parse_sort(). It accepts repeated columns too.
inline std::string sort_pattern(const param_info& info) {
    const auto [name, prefix, separator] = record_of(info.sorts);
    std::string key = any_of_pattern(info.choices, [](std::string& pattern, std::string_view text) {
        append_literal(pattern, text);
    });
    if (!prefix.empty()) key.insert(0, std::string(prefix) + "?");
    if (!separator.empty()) {
        constexpr std::string_view directions = "(?:[Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])";
        std::string before;
        append_literal(before, separator);
        key.append("(?:").append(before).append("+").append(directions).append(")?");
    }
    if (info.sorts == sort_form::space) key = " *" + key + " *";
    return key + "(?:," + key + "){0," + std::to_string(info.choices.size() - 1) + "}";
}

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
        periods, [&](std::string& output, const auto& period) { any_case(output, period.name); }));
    pattern.append("|[0-9]+ ").append(any_of_pattern(time_unit_names, any_case));
    any_case(pattern.append("[Ss]?"), " ago");
    return pattern;
}

/// Returns the pattern of a text parameter that starts with `prefix`. It also matches the empty
/// text, which counts as an absent parameter. Without a prefix any text is accepted, and there is
/// no pattern: returns "".
inline std::string prefix_pattern(std::string_view prefix) {
    if (prefix.empty()) return {};
    std::string pattern = "^(?:";
    append_literal(pattern, prefix);
    return pattern.append("|$)");
}

/// Returns the pattern of a cursor, in two parts, since engines such as RE2 take at most 1,000
/// repeats.
inline std::string cursor_pattern() {
    constexpr std::size_t shortest = ((cursor_head + cursor_check) * 4 + 2) / 3;  // in Base64
    const auto digits = [](std::size_t least) {
        return "[A-Za-z0-9_-]{" + std::to_string(least) + "," +
               std::to_string(cursor_max_length / 2) + "}";
    };
    return digits(shortest) + digits(0);
}

}  // namespace detail

/// Returns the regular expression of the texts that a parameter accepts, for OpenAPI's `pattern`:
/// ECMA-262 without lookaround or backreferences, so that other engines read it alike. Empty if the
/// schema's type, bounds or list of values say it all, or if any text is accepted.
[[nodiscard]] inline std::string pattern_of(const param_info& info) {
    const auto whole = [](const std::string& pattern) { return "^(?:" + pattern + ")$"; };
    switch (info.type) {
        case param_type::filter:
            if (info.lists == list_form::repeated) return {};
            return "^" + detail::filter_pattern(info) + "$";
        case param_type::sort: return "^" + detail::sort_pattern(info) + "$";
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
        case param_type::real:
        case param_type::condition:
        case param_type::order:
        case param_type::expression: return {};
    }
    return {};
}

}  // namespace sluice

#endif
