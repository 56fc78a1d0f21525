// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_TABLES_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_TABLES_HPP

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/reference/events/events_schema.hpp>
#include <sluice/sql/mapping.hpp>

namespace sluice::reference::clickhouse {

/// The columns that separate workspaces and kinds of events within one table.
inline constexpr sluice::column workspace_column{.name = "workspace"};
inline constexpr sluice::column kind_column{.name = "kind"};

/// The columns of the events table that conditions refer to.
inline constexpr auto event_columns_there = [] {
    constexpr columns_view events = events_schema;
    std::array<sluice::column, 2 + events.size()> all{workspace_column, kind_column};
    std::ranges::copy(events, all.begin() + 2);
    return all;
}();

/// The mapping of events to their table: each row is an event, and `json` the event as listed.
[[nodiscard]] inline sql::mapping events_mapping() {
    auto made = sql::table_mapping(event_columns_there, "events", sql::dialect::clickhouse);
    made.table += " FINAL";  // of duplicate rows, the latest
    made.selects = "json";
    return made;
}

/// The sorting key of the events table, which identifies a row.
inline constexpr std::array<std::string_view, 4> events_key{"workspace", "kind", "timestamp", "id"};

namespace detail {

/// Returns true if many rows share each text of a column, such as a country, so that a dictionary
/// (LowCardinality) saves memory.
[[nodiscard]] constexpr bool has_few_texts(const sluice::column& of) noexcept {
    return of.name == workspace_column.name || of.name == kind_column.name ||
           of.how == collation::ignore_case;
}

/// The SQL type of a column; for JSON the type of each of its two maps.
[[nodiscard]] constexpr std::string_view type_there(const sluice::column& of) noexcept {
    if (of.is_list) return "Array(String)";
    switch (of.type) {
        case column_type::integer:
        case column_type::time: return "Int64";
        case column_type::json: return "Map(String, String)";
        default: break;
    }
    if (has_few_texts(of)) {
        return of.is_nullable ? "LowCardinality(Nullable(String))" : "LowCardinality(String)";
    }
    return of.is_nullable ? "Nullable(String)" : "String";
}

/// A column of a ClickHouse table.
struct column_there {
    std::string name;
    std::string_view type = "String";
};

/// A ClickHouse table with its sorting key, which identifies rows.
struct table_there {
    std::string_view name;
    std::string key;
    std::vector<column_there> columns;

    /// The names of the columns, each followed by `tail(column)`, separated by commas.
    template <class Tail>
    [[nodiscard]] std::string list(const Tail& tail) const {
        std::string all;
        for (const column_there& each : columns) {
            all.append(all.empty() ? "" : ", ").append(each.name).append(tail(each));
        }
        return all;
    }
    [[nodiscard]] std::string names() const {
        return list([](const column_there&) { return ""; });
    }
    [[nodiscard]] std::string definitions() const {
        return list([](const column_there& of) { return " " + std::string(of.type); });
    }
};

[[nodiscard]] inline std::string joined_names(std::span<const std::string_view> names) {
    std::string all;
    for (const std::string_view each : names) all.append(all.empty() ? "" : ", ").append(each);
    return all;
}
[[nodiscard]] inline table_there events_table() {
    const auto places = events_mapping();
    table_there made{"events", joined_names(events_key), {}};
    for (const sluice::column& each : event_columns_there) {
        const sql::mapped_column& place = *places.find(each.name);
        for (const std::string& name : {place.expression, place.numbers}) {
            if (!name.empty()) made.columns.push_back({name, type_there(each)});
        }
    }
    made.columns.push_back({"json"});
    made.columns.push_back({"mark"});
    return made;
}
[[nodiscard]] inline table_there tags_table() {
    return {
        "tags", "workspace, id", {{"workspace"}, {"id"}, {"name"}, {"created", "Int64"}, {"json"}}};
}

}  // namespace detail

/// The statements that create the tables if they are missing. Of rows with the same key, a table
/// keeps the latest:
///
/// ```
/// events  workspace, kind, time, id   what filters ask for, and the event's JSON
/// tags    workspace, id               the tag's JSON
/// ```
///
/// With the name of a cluster, each node stores a part of the rows, by a hash of the id, in
/// `…_part`, and has a table over all parts. Run the statements on each node.
[[nodiscard]] inline std::vector<std::string> table_statements(std::string_view cluster = {}) {
    std::vector<std::string> all;
    for (const detail::table_there& each : {detail::events_table(), detail::tags_table()}) {
        const std::string name(each.name), part = cluster.empty() ? name : name + "_part";
        const std::string make = "CREATE TABLE IF NOT EXISTS ";
        all.push_back(make + part + " (" + each.definitions() +
                      ", added Int64 DEFAULT toUnixTimestamp64Micro(now64(6))) "
                      "ENGINE = ReplacingMergeTree(added) ORDER BY (" +
                      each.key + ")");
        if (cluster.empty()) continue;
        all.push_back(make + name + " AS " + part + " ENGINE = Distributed(" +
                      sql::quoted(cluster, sql::dialect::clickhouse) + ", currentDatabase(), " +
                      part + ", cityHash64(id))");
    }
    return all;
}

}  // namespace sluice::reference::clickhouse

#endif
