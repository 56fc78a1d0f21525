// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_AGGREGATE_WRITER_HPP
#define SLUICE_QUERY_AGGREGATE_WRITER_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/base/json_writer.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/json_writer.hpp>

namespace sluice {

namespace detail {

inline void write_group(json_writer& json, const group_key& group) {
    json.begin_object().member("column", group.by.name);
    if (!group.path.empty()) {
        json.key("path").begin_array();
        for (const std::string& key : group.path) json.value(std::string_view(key));
        json.end_array();
    }
    if (group.bucket) json.member("bucket", to_string(*group.bucket));
    if (group.bucket && group.by.type == column_type::time) json.member("zone", group.zone.name());
    if (!group.name.empty()) json.member("as", std::string_view(group.name));
    json.end_object();
}
inline void write_measure(json_writer& json, const measure& of) {
    json.begin_object().member("measure", to_string(of.kind));
    if (of.kind != measure_kind::count) json.member("column", of.of.name);
    if (!of.name.empty()) json.member("as", std::string_view(of.name));
    json.end_object();
}

}  // namespace detail

/// Writes an aggregate query as JSON, in terms of the schema's columns.
///
/// ```
/// query   = { "resource": name,                          ; only where there is one
///             "where": where,                            ; as in a list query
///             "group_by": [ group … ], "measures": [ measure … ],
///             "order": [ key … ], "limit": 1000 }
/// group   = { "column": name, "path": [ key … ],         ; a path only of a JSON column
///             "bucket": "hour" / "day" / "week" / "month" / "quarter" / "year",
///             "zone": "Europe/Paris",                    ; only of a time's bucket
///             "as": name }                               ; if it isn't the default
/// measure = { "measure": "count" / "sum" / "min" / "max" / "average" / "count_distinct" /
///                        "approx_count_distinct",
///             "column": name,                            ; not of count
///             "as": name }
/// key     = { "group": name / "measure": name, "direction": "asc" / "desc" }
/// ```
///
/// parse_aggregate_query() parses it back.
[[nodiscard]] inline std::string to_json(const aggregate_query& query) {
    std::string text;
    detail::json_writer json(text);
    json.begin_object();
    if (!query.resource.empty()) json.member("resource", query.resource);
    json.key("where");
    detail::query_writer(json).write(query.rows);
    json.key("group_by").begin_array();
    for (const group_key& group : query.group_by) detail::write_group(json, group);
    json.end_array().key("measures").begin_array();
    for (const measure& of : query.measures) detail::write_measure(json, of);
    json.end_array().key("order").begin_array();
    for (const aggregate_key& key : query.order) {
        const std::string name = key.is_measure ? name_of(query.measures[key.index])
                                                : name_of(query.group_by[key.index]);
        json.begin_object().member(key.is_measure ? "measure" : "group", std::string_view(name));
        json.member("direction", sort_order_names[static_cast<std::size_t>(key.direction)]);
        json.end_object();
    }
    json.end_array().member("limit", query.limit).end_object();
    return text;
}

}  // namespace sluice

#endif
