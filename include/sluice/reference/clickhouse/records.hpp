// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_RECORDS_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_RECORDS_HPP

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/reference/clickhouse/request.hpp>
#include <sluice/reference/clickhouse/tables.hpp>
#include <sluice/reference/lists/record_rows.hpp>

/// Queries for the records of a workspace in ClickHouse. A list reads all of its rows and searches
/// them like rows in memory: databases don't ignore the case of all Unicode letters.
namespace sluice::reference::clickhouse {

/// The name of a list in the table of records, such as `tags`.
template <class Record>
inline constexpr std::string_view list_name = Record::file.substr(0, Record::file.find('.'));

/// Reads the rows of a workspace's list. Error: store_unavailable.
template <class Record>
[[nodiscard]] result<std::vector<std::string>> find_rows(const statement_runner& run,
                                                         std::string_view workspace) {
    auto cells = ask(run,
                     {"SELECT cells, json FROM records FINAL "
                      "WHERE workspace = {p1:String} AND list = {p2:String}",
                      {std::string(workspace), std::string(list_name<Record>)}},
                     2);
    if (!cells) return tl::unexpected(cells.error());
    std::vector<std::string> rows;
    for (const answer_row& row : *cells) {
        auto values = sluice::detail::from_base64url(row[0]);
        if (!values) return fail(rule::store_unavailable);
        rows.push_back(std::move(values->append(row[1])));
    }
    return rows;
}

/// Reads the ids of the customers with leads or sales of a link. Error: store_unavailable.
[[nodiscard]] inline result<std::set<std::string, std::less<>>> customers_of(
    const statement_runner& run, std::string_view workspace, std::string_view link_id) {
    const sql::mapping events = events_mapping();
    const std::string& customer = events.find("customer.id")->expression;
    auto rows = ask(run,
                    {"SELECT DISTINCT arrayJoin(" + customer + ") FROM " + events.table +
                         " WHERE workspace = {p1:String} AND kind IN ('leads', 'sales') AND " +
                         events.find("link.id")->expression + " = {p2:String}",
                     {std::string(workspace), std::string(link_id)}},
                    1);
    if (!rows) return tl::unexpected(rows.error());
    std::set<std::string, std::less<>> ids;
    for (answer_row& row : *rows) ids.insert(std::move(row[0]));
    return ids;
}

/// A text that changes whenever the records or events of a workspace do; part of a query's
/// canonical text.
[[nodiscard]] inline result<std::string> version_of_records(const statement_runner& run,
                                                            std::string_view workspace) {
    const std::string counts = "(SELECT (count(), sum(added)) FROM ";
    const std::string of_workspace = " WHERE workspace = {p1:String})";
    const auto state = ask_one(run,
                               {"SELECT toString(" + counts + "records" + of_workspace +
                                    "), toString(" + counts + "events" + of_workspace + ")",
                                {std::string(workspace)}},
                               2);
    if (!state) return tl::unexpected(state.error());
    return (*state)[0] + " " + (*state)[1] + " " + std::string(workspace);
}

}  // namespace sluice::reference::clickhouse

#endif
