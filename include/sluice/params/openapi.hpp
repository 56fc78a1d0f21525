// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_OPENAPI_HPP
#define SLUICE_PARAMS_OPENAPI_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/params/pattern.hpp>
#include <sluice/params/table.hpp>

namespace sluice {

namespace detail {

/// Writes the default of an OpenAPI schema as a JSON value of the parameter's type.
inline void write_default(json_writer& json, const param_info& info, std::string_view absent) {
    if (absent.empty()) return;
    const bool is_text = info.type != param_type::integer && info.type != param_type::boolean;
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
    if (info.maximum != limits::max()) json.member("maximum", info.maximum);
}

inline constexpr std::string_view json_schema_type(param_type type) noexcept {
    switch (type) {
        case param_type::list: return "array";
        case param_type::boolean: return "boolean";
        case param_type::integer: return "integer";
        case param_type::filter:
        case param_type::text:
        case param_type::choice:
        case param_type::time:
        case param_type::time_zone:
        case param_type::sort:
        case param_type::cursor:
        case param_type::value:
        case param_type::expression: return "string";
    }
    return "string";
}

/// Returns a text that the parameter accepts: its own example, or one of its type. Empty if there
/// is none, or the schema lists all values.
template <std::same_as<param_info> Info>
std::string example_of(const Info& info) {
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
        case param_type::list:
        case param_type::text:
        case param_type::choice:
        case param_type::boolean:
        case param_type::integer:
        case param_type::cursor:
        case param_type::value: return {};
    }
    return {};
}

// Templates, so that only programs that use OpenAPI compile them.

/// Writes the example as a JSON value of the parameter's type.
template <class Writer, std::same_as<param_info> Info>
void write_examples(Writer& json, const Info& info) {
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

template <class Writer>
void write_schema(Writer& json, const param_info& info, std::string_view absent) {
    json.key("schema").begin_object().member("type", json_schema_type(info.type));
    if (info.type == param_type::list) {
        json.key("items").begin_object().member("type", "string").end_object();
        json.member("maxItems", static_cast<std::int64_t>(list_max_items));
    }
    if (info.type == param_type::choice) write_choices(json, info);
    if (info.type == param_type::integer) write_range(json, info);
    // maxLength counts characters; each takes at least one byte or code unit of these limits.
    if (info.type == param_type::filter) {
        json.member("maxLength", static_cast<std::int64_t>(filter_max_bytes));
    }
    if (info.type == param_type::expression) {
        json.member("maxLength", static_cast<std::int64_t>(metadata_query_max_length));
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
        case param_type::value:
        case param_type::time_zone: return "";
    }
    return "";
}

/// Returns the description of a parameter: its help, the values it accepts, and their syntax.
inline std::string description_of(const param_info& info) {
    std::string description(info.help);
    const std::string_view accepted =
        info.type == param_type::filter ? info.accepts : std::string_view();
    for (const std::string_view more : {accepted, syntax_note(info.type)}) {
        if (!description.empty() && !more.empty()) description.append("; ");
        description.append(more);
    }
    return description;
}

template <class Writer>
void write_openapi_parameter(Writer& json, const param_info& info, std::string_view absent) {
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
