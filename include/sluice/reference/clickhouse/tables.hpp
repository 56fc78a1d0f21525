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

/// The tables of events and records in ClickHouse.
namespace sluice::reference::clickhouse {

/// The columns that separate workspaces and kinds of events within one table.
inline constexpr sluice::column workspace_column{.name = "workspace"};
inline constexpr sluice::column kind_column{.name = "kind"};

/// The columns of the events table that conditions refer to.
inline constexpr auto event_table_columns = [] {
    constexpr columns_view events = events_schema;
    std::array<sluice::column, 2 + events.size()> all{workspace_column, kind_column};
    std::ranges::copy(events, all.begin() + 2);
    return all;
}();

/// The mapping of events to their table: a row is an event, and its column `json` the event as
/// lists show it.
[[nodiscard]] inline sql::mapping events_mapping() {
    auto mapping = sql::table_mapping(event_table_columns, "events", sql::dialect::clickhouse);
    mapping.table += " FINAL";  // of duplicate rows, the latest
    mapping.selects = "json";
    return mapping;
}

/// The sorting key of the events table, which identifies a row.
inline constexpr std::array<std::string_view, 4> events_key{"workspace", "kind", "timestamp", "id"};

namespace detail {

/// Returns true if many rows share each text of a column, such as a country, so that a dictionary
/// (LowCardinality) saves memory.
[[nodiscard]] constexpr bool has_few_texts(const sluice::column& column) noexcept {
    return column.name == workspace_column.name || column.name == kind_column.name ||
           column.how == collation::ignore_case;
}

/// The SQL type of a column; for JSON the type of each of its two maps.
[[nodiscard]] constexpr std::string_view clickhouse_type(const sluice::column& column) noexcept {
    if (column.is_list) return "Array(String)";
    switch (column.type) {
        case column_type::integer:
        case column_type::time: return "Int64";
        case column_type::json: return "Map(String, String)";
        case column_type::text:
        case column_type::decimal:
        case column_type::boolean:
        case column_type::real:
        case column_type::date:
        case column_type::uuid:
        case column_type::choice:
        case column_type::records: break;
    }
    if (has_few_texts(column)) {
        return column.is_nullable ? "LowCardinality(Nullable(String))" : "LowCardinality(String)";
    }
    return column.is_nullable ? "Nullable(String)" : "String";
}

/// A column of a ClickHouse table.
struct table_column {
    std::string name;
    std::string_view type = "String";
};

/// A ClickHouse table with its sorting key, which identifies rows.
struct table_definition {
    std::string_view name;
    std::string key;
    std::vector<table_column> columns;

    /// The names of the columns, each followed by `tail(column)`, separated by commas.
    template <class Tail>
    [[nodiscard]] std::string list(const Tail& tail) const {
        std::string all;
        for (const table_column& column : columns) {
            all.append(all.empty() ? "" : ", ").append(column.name).append(tail(column));
        }
        return all;
    }
    /// The names of the columns: `id, name`.
    [[nodiscard]] std::string names() const {
        return list([](const table_column&) { return ""; });
    }
    /// The columns of a CREATE TABLE statement: `id String, name String`.
    [[nodiscard]] std::string definitions() const {
        return list([](const table_column& column) { return " " + std::string(column.type); });
    }
};

/// The names, separated by commas.
[[nodiscard]] inline std::string joined_names(std::span<const std::string_view> names) {
    std::string all;
    for (const std::string_view name : names) all.append(all.empty() ? "" : ", ").append(name);
    return all;
}
/// The table of events: the columns of its mapping (two maps for JSON), the listed JSON, the mark.
[[nodiscard]] inline table_definition events_table() {
    const auto mapping = events_mapping();
    table_definition table{"events", joined_names(events_key), {}};
    for (const sluice::column& column : event_table_columns) {
        const sql::mapped_column& mapped = *mapping.find(column.name);
        for (const std::string& name : {mapped.expression, mapped.numbers}) {
            if (!name.empty()) table.columns.push_back({name, clickhouse_type(column)});
        }
    }
    table.columns.push_back({"json"});
    table.columns.push_back({"mark"});  // see event_row
    return table;
}
/// The table of records: rows of lists, see packed_row; the values of columns in base64url.
[[nodiscard]] inline table_definition records_table() {
    return {
        "records", "workspace, list, id", {{"workspace"}, {"list"}, {"id"}, {"cells"}, {"json"}}};
}

}  // namespace detail

/// The statements that create the tables if they are missing. Of rows with the same key, a table
/// keeps the one with the largest `added`, the time of its insertion in microseconds since 1970:
///
/// ```
/// events   workspace, kind, time, id   the columns of filters, and the event's JSON
/// records  workspace, list, id         the columns of the list, and the record's JSON
/// ```
///
/// With the name of a cluster, each node stores a part of the rows, by a hash of the id, in
/// `…_part`, and has a table over all parts. Run the statements on each node.
[[nodiscard]] inline std::vector<std::string> table_statements(std::string_view cluster = {}) {
    std::vector<std::string> all;
    for (const detail::table_definition& table :
         {detail::events_table(), detail::records_table()}) {
        const std::string name(table.name), part = cluster.empty() ? name : name + "_part";
        const std::string make = "CREATE TABLE IF NOT EXISTS ";
        all.push_back(make + part + " (" + table.definitions() +
                      ", added Int64 DEFAULT toUnixTimestamp64Micro(now64(6))) "
                      "ENGINE = ReplacingMergeTree(added) ORDER BY (" +
                      table.key + ")");
        if (cluster.empty()) continue;
        all.push_back(make + name + " AS " + part + " ENGINE = Distributed(" +
                      sql::quoted(cluster, sql::dialect::clickhouse) + ", currentDatabase(), " +
                      part + ", cityHash64(id))");
    }
    return all;
}

}  // namespace sluice::reference::clickhouse

#endif
