// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_OPENAPI_HPP
#define SLUICE_PARAMS_OPENAPI_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/base/parse_limits.hpp>
#include <sluice/params/param.hpp>
#include <sluice/params/table.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/time/expression.hpp>

/// OpenAPI of parameter tables, and the patterns of their values.
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

/// Returns the pattern of one value of a filter: `info.pattern`, or one of the choices. If a
/// function decides, or a collation with parts, it is the pattern of any value.
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
        case param_type::real:
        case param_type::condition:
        case param_type::order:
        case param_type::expression: return {};
    }
    return {};
}

namespace detail {

/// Returns JSON Schema's `type` for a parameter.
inline constexpr std::string_view json_schema_type(param_type type) noexcept {
    switch (type) {
        case param_type::list: return "array";
        case param_type::boolean: return "boolean";
        case param_type::integer: return "integer";
        case param_type::real: return "number";
        case param_type::filter:
        case param_type::text:
        case param_type::choice:
        case param_type::time:
        case param_type::time_zone:
        case param_type::sort:
        case param_type::cursor:
        case param_type::value:
        case param_type::condition:
        case param_type::order:
        case param_type::expression: return "string";
    }
    return "string";
}

/// Writes the default of an OpenAPI schema as a JSON value of the parameter's type. `absent` is its
/// text; empty if there is no default.
inline void write_default(json_writer& json, const param_info& info, std::string_view absent) {
    if (absent.empty()) return;
    const std::string_view type = json_schema_type(info.type);
    const bool is_text = type == "string" || type == "array";
    is_text ? json.member("default", absent) : json.raw_member("default", absent);
}

inline void write_choices(json_writer& json, const param_info& info) {
    json.key("enum").begin_array();
    for (const std::string_view choice : info.choices) json.value(choice);
    json.end_array();
}

inline void write_range(json_writer& json, const param_info& info) {
    using limits = std::numeric_limits<std::int64_t>;
    if (info.minimum != limits::min()) json.member("minimum", info.minimum);
    const bool is_capped = info.style != page_style::plain && info.role == param_role::page_size;
    if (info.maximum != limits::max() && !is_capped) json.member("maximum", info.maximum);
}

/// Returns a text that the parameter accepts: its own example, or one for its type. Empty if
/// neither exists, or if the schema lists all values.
inline std::string example_of(const param_info& info) {
    if (!info.example.empty()) return std::string(info.example);
    switch (info.type) {
        case param_type::filter: {
            if (info.accepts_value != nullptr) return {};
            const auto few = info.choices.first(std::min<std::size_t>(info.choices.size(), 2));
            return to_string(filter(filter_values(few)));
        }
        case param_type::time: return "2026-08-21";
        case param_type::time_zone: return "Europe/Berlin";
        case param_type::sort: return std::string("-").append(info.choices.front());
        case param_type::expression: return "metadata['plan']:'pro'";
        case param_type::condition:
        case param_type::order: return info.syntax(info).example;
        case param_type::list:
        case param_type::text:
        case param_type::choice:
        case param_type::boolean:
        case param_type::integer:
        case param_type::cursor:
        case param_type::value: return {};
        case param_type::real: return "0.5";
    }
    return {};
}

/// Writes the example as a JSON value of the parameter's type.
inline void write_examples(json_writer& json, const param_info& info) {
    const auto example = example_of(info);
    if (example.empty()) return;
    json.key("examples").begin_array();
    if (json_schema_type(info.type) == "string") {
        json.value(example);
    } else if (info.type == param_type::list) {
        json.begin_array();
        const auto items = parse_list(example).value_or(std::vector<std::string>());
        for (const std::string& item : items) json.value(item);
        json.end_array();
    } else {
        json.raw(example);
    }
    json.end_array();
}

/// Writes the `schema` of a parameter. `absent` is the text of its default, or empty.
inline void write_schema(json_writer& json, const param_info& info, std::string_view absent) {
    json.key("schema").begin_object().member("type", json_schema_type(info.type));
    if (info.type == param_type::list) {
        json.key("items").begin_object().member("type", "string").end_object();
        json.member("maxItems", static_cast<std::int64_t>(list_max_items));
    }
    if (info.type == param_type::choice) write_choices(json, info);
    if (info.type == param_type::integer) write_range(json, info);
    // maxLength counts characters, the limits bytes and UTF-16 code units, of which a character
    // takes at least one: no accepted text is longer.
    if (info.type == param_type::filter) {
        json.member("maxLength", static_cast<std::int64_t>(filter_max_bytes));
    }
    if (info.type == param_type::expression) {
        json.member("maxLength", static_cast<std::int64_t>(metadata_query_max_length));
    }
    if (info.grammar != nullptr) {
        json.member("maxLength", static_cast<std::int64_t>(expression_max_bytes));
    }
    const std::string pattern = pattern_of(info);
    if (!pattern.empty()) json.member("pattern", pattern);
    if (!info.format.empty()) json.member("format", info.format);
    write_default(json, info, absent);
    write_examples(json, info);
    json.end_object();
}

/// Returns a note on the syntax of a parameter type; empty if it needs none.
inline constexpr std::string_view syntax_note(param_type type) noexcept {
    switch (type) {
        case param_type::filter: return "a value, a list `a,b`, or all but `-a,b`";
        case param_type::list: return "a list `a,b`, and/or repeated";
        case param_type::expression: return "`metadata['key']:'value'`, AND, OR, NOT";
        case param_type::time: return "RFC 3339, a date, epoch time, or words such as `7 days ago`";
        case param_type::sort: return "columns `a,-b`, each once, descending after `-`";
        case param_type::cursor: return "as the links to other pages have it; not with a page";
        case param_type::text:
        case param_type::choice:
        case param_type::boolean:
        case param_type::integer:
        case param_type::real:
        case param_type::value:
        case param_type::condition:
        case param_type::order:
        case param_type::time_zone: return "";
    }
    return "";
}

/// Returns a note on the rows that a parameter's test selects; empty for tests that its type or
/// name says.
inline constexpr std::string_view test_note(const param_info& info) {
    switch (info.test) {
        case test_kind::contains: return "rows whose text contains it";
        case test_kind::starts_with: return "rows whose text starts with it";
        case test_kind::ends_with: return "rows whose text ends with it";
        case test_kind::is_null: return "true: rows without a value; false: rows with one";
        case test_kind::any_of:
        case test_kind::none_of:
        case test_kind::all_of:
        case test_kind::bounds:
        case test_kind::is:
        case test_kind::any:
        case test_kind::matches: return "";
    }
    return "";
}

/// Returns the description of a parameter: its help, the values it accepts, and their syntax.
inline std::string description_of(const param_info& info) {
    std::string description(info.help);
    const std::string_view accepted =
        info.type == param_type::filter ? info.accepts : std::string_view();
    const bool is_search = !info.searched.empty() && info.type == param_type::text;
    const std::string_view words = is_search ? "words, of which rows have any" : "";
    const std::string syntax = info.syntax == nullptr ? "" : info.syntax(info).note;
    for (const std::string_view more :
         {accepted, syntax_note(info.type), test_note(info), words, std::string_view(syntax)}) {
        if (!description.empty() && !more.empty()) description.append("; ");
        description.append(more);
    }
    return description;
}

/// Writes a Parameter Object of OpenAPI. `absent` is the text of the default, or empty.
inline void write_openapi_parameter(json_writer& json, const param_info& info,
                                    std::string_view absent) {
    json.begin_object().member("name", info.name).member("in", "query");
    json.member("description", description_of(info));
    json.member("required", info.required);
    if (info.deprecated) json.member("deprecated", true);
    if (info.type == param_type::list) json.member("style", "form").member("explode", false);
    write_schema(json, info, absent);
    json.end_object();
}

}  // namespace detail

/// Returns the `parameters` of an OpenAPI 3.1 operation for a parameter table: a JSON array.
///
/// ```
/// openapi_parameters(table);  // [{"name":"page","in":"query","description":…,"schema":…},…]
/// ```
template <parameter_table Table>
[[nodiscard]] std::string openapi_parameters(const Table& table) {
    std::string text;
    detail::json_writer json(text);
    json.begin_array();
    for (const auto& row : table) {
        detail::write_openapi_parameter(json, row.info, row.default_text());
    }
    json.end_array();
    return text;
}

}  // namespace sluice

#endif
