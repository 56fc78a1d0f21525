// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_QUERIES_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_QUERIES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/reference/clickhouse/request.hpp>
#include <sluice/reference/clickhouse/tables.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/search/list_page.hpp>
#include <sluice/sql/compile.hpp>

/// Queries for events of a workspace in ClickHouse.
namespace sluice::reference::clickhouse {

namespace detail {

/// A condition that a column equals `text`; no row meets it if the text is empty, because a filter
/// of an empty text accepts all rows.
[[nodiscard]] inline where only(const sluice::column& tested, std::string_view text) {
    if (text.empty()) return where::any({});
    return where(leaf{tested, text_test{filter({text})}});
}

/// Conditions on the rows of a workspace's events of one kind in the table, which holds those of
/// all workspaces.
[[nodiscard]] inline where scoped_rows(std::string_view workspace, event_kind kind, where rows) {
    const std::string_view kind_name = event_kind_names[static_cast<std::size_t>(kind)];
    std::vector<where> all{only(workspace_column, workspace), only(kind_column, kind_name)};
    all.push_back(std::move(rows));
    return where::all(std::move(all));
}

/// Rewrites a workspace's query for one kind of event into a query of the table. A cursor stays
/// valid, because the list is the same: it gets the mark of the new query, and loses its repeat
/// count (the rank among rows with equal keys), because the table has no two such rows.
[[nodiscard]] inline list_query scoped_query(std::string_view workspace, event_kind kind,
                                             list_query query) {
    query.rows = scoped_rows(workspace, kind, std::move(query.rows));
    if (query.from) query.from->query_mark = query_mark(query);
    if (query.from) query.from->repeat = 0;
    return query;
}

/// The statement for the rows of a page, in order, and one more if there is one: `json`, time and
/// id. ClickHouse keeps outdated versions of a row until it merges them. If `most_versions` isn't
/// 0, the statement reads at most so many: it is fast but may return too few rows; see
/// sql::row_versions.
[[nodiscard]] inline result<sql::statement> page_statement(const list_query& query,
                                                           std::int64_t most_versions) {
    sql::mapping columns = events_mapping();
    columns.and_next = true;
    columns.versions = {"events", {events_key.begin(), events_key.end()}, most_versions};
    return sql::compile(query, columns, sql::dialect::clickhouse);
}

/// The number of row versions to read for a page: twice the number of its last row, as some may be
/// outdated. 0, for the last version of all rows, if the page is too far from the start.
[[nodiscard]] constexpr std::int64_t versions_for(const list_query& query) noexcept {
    constexpr std::int64_t farthest = 10'000;
    const std::int64_t before = query.from ? 0 : query.wanted.offset();
    if (before > farthest) return 0;
    return 2 * (before + std::max<std::int64_t>(query.wanted.size, 0) + 1);
}

/// Builds the page from the rows of page_statement().
[[nodiscard]] inline json_page page_of_rows(std::vector<answer_row> rows, const list_query& query) {
    const auto size = static_cast<std::size_t>(query.wanted.size);
    const bool is_before = query.from && query.from->is_before;
    const bool has_more = rows.size() > size;
    if (has_more) rows.erase(is_before ? rows.begin() : rows.end() - 1);
    json_page page{
        {is_before || has_more, query.from ? !is_before || has_more : query.wanted.number > 1},
        "["};
    for (const answer_row& row : rows) page.body.append(&row == &rows[0] ? "" : ",").append(row[0]);
    page.body.push_back(']');
    const auto place = [&](const answer_row& row, bool before) {
        return cursor{before, query_mark(query), 0, {row[1], row[2]}};
    };
    if (!rows.empty() && page.has_next) page.next = place(rows.back(), false);
    if (!rows.empty() && page.has_previous) page.previous = place(rows.front(), true);
    return page;
}

/// Counts the rows on all pages of a query. Error: store_unavailable.
[[nodiscard]] inline result<std::int64_t> count_rows(
    const statement_runner& run, const list_query& query,
    const sql::mapping& columns = events_mapping()) {
    auto statement = sql::compile(query, columns, sql::dialect::clickhouse, sql::form::count);
    if (!statement) return tl::unexpected(statement.error());
    const auto row = ask_one(run, *std::move(statement), 1);
    if (!row) return tl::unexpected(row.error());
    const auto count = parse_int64(row->front());
    if (!count) return fail(rule::store_unavailable);
    return *count;
}

/// Runs page_statement().
[[nodiscard]] inline result<std::vector<answer_row>> ask_page(const statement_runner& run,
                                                              const list_query& query,
                                                              std::int64_t most_versions) {
    auto statement = page_statement(query, most_versions);
    if (!statement) return tl::unexpected(statement.error());
    return ask(run, *std::move(statement), 3);
}

/// Counts the row versions that meet a query's conditions, including outdated ones.
[[nodiscard]] inline result<std::int64_t> count_versions(const statement_runner& run,
                                                         const list_query& query) {
    sql::mapping versions = events_mapping();
    versions.table = "events";
    return count_rows(run, query, versions);
}

/// The rows of a page, and the next one, read from as few row versions as possible.
///
/// ```
/// the first versions ---> a full page
///     '-- fewer rows ---> how many versions there are ---> none: no row
///                             '-- a few ---> the page by all of them
///                             '-- many ----> the page by the last versions of all rows
/// ```
[[nodiscard]] inline result<std::vector<answer_row>> page_rows(const statement_runner& run,
                                                               const list_query& query) {
    constexpr std::int64_t few = 100'000, all = std::numeric_limits<std::int64_t>::max();
    const std::int64_t first = versions_for(query);
    if (first == 0) return ask_page(run, query, 0);
    auto rows = ask_page(run, query, first);
    if (!rows || static_cast<std::int64_t>(rows->size()) > query.wanted.size) return rows;
    const auto count = count_versions(run, query);
    if (!count) return tl::unexpected(count.error());
    return *count == 0 ? std::move(rows) : ask_page(run, query, *count <= few ? all : 0);
}

}  // namespace detail

/// Returns a page of a workspace's events, equal to the page of an in-memory store.
[[nodiscard]] inline result<json_page> list_events(const statement_runner& run,
                                                   std::string_view workspace,
                                                   const events_query& query) {
    const list_query listing = to_list_query(events_params, query);
    const list_query scoped = detail::scoped_query(workspace, query.event, listing);
    auto rows = detail::page_rows(run, scoped);
    if (!rows) return tl::unexpected(rows.error());
    json_page page = detail::page_of_rows(*std::move(rows), listing);
    if (!query.count) return page;
    const auto total = detail::count_rows(run, scoped);
    if (!total) return tl::unexpected(total.error());
    page.total = *total;
    return page;
}

namespace detail {

/// A text that identifies the state of a workspace's events of one kind, and of those in a window.
/// Every added row changes the number of rows or the sum of their times. Error: store_unavailable.
[[nodiscard]] inline result<std::string> state_text(const statement_runner& run,
                                                    std::string_view workspace, event_kind kind,
                                                    const time_range& window) {
    using limits = std::numeric_limits<std::int64_t>;
    const auto& [start, end] = window;
    const std::string rows = " FROM events WHERE workspace = {p1:String} AND kind = {p2:String}";
    sql::statement statement{
        "SELECT count(), sum(added), (SELECT count()" + rows +
            " AND timestamp < {p3:Int64}), "
            "(SELECT count()" +
            rows + " AND timestamp <= {p4:Int64})" + rows,
        {std::string(workspace), std::string(event_kind_names[static_cast<std::size_t>(kind)]),
         start ? std::int64_t{start->time_since_epoch().count()} : limits::min(),
         end ? std::int64_t{end->time_since_epoch().count()} : limits::max()}};
    const auto state = ask_one(run, std::move(statement), 4);
    if (!state) return tl::unexpected(state.error());
    std::string text;
    for (const std::string& number : *state) text.append(" ").append(number);
    return text.append(" ").append(workspace);
}

}  // namespace detail

/// A text that identifies a query for events and the state of the data: queries with the same
/// answer have the same text; see canonical_text() of a view.
[[nodiscard]] inline result<std::string> canonical_text(const statement_runner& run,
                                                        std::string_view workspace,
                                                        const events_query& query) {
    return detail::state_text(run, workspace, query.event, query.window)
        .map([&](const std::string& state) {
            return canonical_query_string(events_params, query, event_window_names) + state;
        });
}

}  // namespace sluice::reference::clickhouse

#endif
