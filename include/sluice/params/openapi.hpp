// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_OPENAPI_HPP
#define SLUICE_PARAMS_OPENAPI_HPP

#include <algorithm>
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
#include <sluice/params/pattern.hpp>
#include <sluice/params/table.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/time/expression.hpp>

/// OpenAPI of parameter tables.
namespace sluice {

namespace detail {

/// Returns JSON Schema's `type` for a parameter.
inline constexpr std::string_view json_schema_type(const param_info& info) noexcept {
    if (info.lists == list_form::repeated) return "array";
    switch (info.type) {
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

/// Writes the items of a list's text as a JSON array.
inline void write_items(json_writer& json, const param_info& info, std::string_view text) {
    const auto items = info.lists == list_form::commas
                           ? parse_list(text).value_or(std::vector<std::string>())
                           : items_of(text);
    json.begin_array();
    for (const std::string& item : items) json.value(std::string_view(item));
    json.end_array();
}

/// Writes the default of an OpenAPI schema as a JSON value of the parameter's type. `absent` is its
/// text; empty if there is no default.
inline void write_default(json_writer& json, const param_info& info, std::string_view absent) {
    if (absent.empty()) return;
    const std::string_view type = json_schema_type(info);
    if (info.lists == list_form::repeated) return write_items(json.key("default"), info, absent);
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
        case param_type::sort: return param_text(info, sort_choices{{0, sort_order::descending}});
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
    if (json_schema_type(info) == "string") {
        json.value(example);
    } else if (json_schema_type(info) == "array") {
        write_items(json, info, example);
    } else {
        json.raw(example);
    }
    json.end_array();
}

/// Writes the `schema` of a parameter. `absent` is the text of its default, or empty.
inline void write_schema(json_writer& json, const param_info& info, std::string_view absent) {
    const bool is_filter = info.type == param_type::filter;
    const bool is_array = json_schema_type(info) == "array";
    json.key("schema").begin_object().member("type", json_schema_type(info));
    if (is_array) {
        json.key("items").begin_object().member("type", "string");
        if (is_filter && has_exact_choices(info) && info.how == collation::exact) {
            write_choices(json, info);
        }
        json.end_object();
        json.member("maxItems",
                    static_cast<std::int64_t>(is_filter ? filter_max_values : list_max_items));
    }
    if (info.type == param_type::choice) write_choices(json, info);
    if (info.type == param_type::integer) write_range(json, info);
    // maxLength counts characters. The limits count bytes and UTF-16 code units, of which a
    // character takes one or more, so that no accepted text has more characters.
    if (is_filter && !is_array) {
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

/// Returns a note on the syntax of a filter, by its exclusion and the form of its lists.
inline constexpr std::string_view filter_note(const param_info& info) noexcept {
    const bool is_repeated = info.lists == list_form::repeated;
    switch (info.excludes) {
        case exclusion::dash:
            return is_repeated ? "a value, and/or repeated"
                               : "a value, a list `a,b`, or all but `-a,b`";
        case exclusion::never:
            return is_repeated ? "a value, and/or repeated" : "a value, or a list `a,b`";
        case exclusion::always:
            return is_repeated ? "a value to leave out, and/or repeated"
                               : "a value to leave out, or a list `a,b`";
    }
    return "";
}

/// Returns a note on the syntax of a list.
inline constexpr std::string_view list_note(const param_info& info) noexcept {
    if (info.excludes == exclusion::always) return filter_note(info);
    return info.lists == list_form::commas ? "a list `a,b`, and/or repeated"
                                           : "a value, and/or repeated";
}

/// Returns a note on the words of a search.
inline constexpr std::string_view search_note(search_form form) noexcept {
    switch (form) {
        case search_form::any: return "words; rows have any of them";
        case search_form::all: return "words; rows have all of them";
        case search_form::phrase: return "text that rows contain";
        case search_form::odata: return "words and \"phrases\"; rows have all of them";
    }
    return "";
}

/// Returns a note on the syntax of sort keys.
inline constexpr std::string_view sort_note(sort_form form) noexcept {
    switch (form) {
        case sort_form::dash: return "columns `a,-b`, each once, descending after `-`";
        case sort_form::space: return "columns `a,b desc`, each once, ascending without `desc`";
        case sort_form::colon: return "columns `a,b:desc`, each once, ascending without `desc`";
        case sort_form::dot: return "columns `a,b.desc`, each once, ascending without `desc`";
        case sort_form::bare: return "names `a,b`, each once";
    }
    return "";
}

/// Returns a note on the syntax of a parameter; empty if it needs none.
inline constexpr std::string_view syntax_note(const param_info& info) noexcept {
    switch (info.type) {
        case param_type::filter: return filter_note(info);
        case param_type::list: return list_note(info);
        case param_type::expression: return "`metadata['key']:'value'`, AND, OR, NOT";
        case param_type::time: return "RFC 3339, a date, epoch time, or words such as `7 days ago`";
        case param_type::sort: return sort_note(info.sorts);
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

/// Returns a note on the rows that a parameter's test selects; empty if its type or its name
/// makes that clear.
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
    const std::string_view words = is_search ? search_note(info.words) : "";
    const std::string syntax = info.syntax == nullptr ? "" : info.syntax(info).note;
    for (const std::string_view more :
         {accepted, syntax_note(info), test_note(info), words, std::string_view(syntax)}) {
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
    if (json_schema_type(info) == "array") {
        json.member("style", "form").member("explode", info.lists == list_form::repeated);
    }
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
