// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_ANALYTICS_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_ANALYTICS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <sluice/reference/analytics/analytics_json.hpp>
#include <sluice/reference/clickhouse/queries.hpp>
#include <sluice/reference/clickhouse/records.hpp>
#include <sluice/sql/aggregate.hpp>

/// `GET /analytics` from ClickHouse.
namespace sluice::reference::clickhouse {

/// The events of a workspace in ClickHouse, as a source of rows; see analytics_source. Borrows its
/// arguments. Errors of its functions: those of sql::compile_aggregate(); store_unavailable.
class queried_analytics {
public:
    queried_analytics(const statement_runner& run, std::string_view workspace) noexcept
        : run_(run), workspace_(workspace) {}

    /// Returns the groups of the events of a kind; null is the empty text. Error: list_too_long for
    /// more than aggregate_groups_max groups.
    [[nodiscard]] result<aggregate_result> aggregate(event_kind kind, aggregate_query query) const {
        const std::int64_t limit = query.limit;
        query.limit = aggregate_limit_max;
        query.rows = detail::scoped_rows(workspace_, kind, std::move(query.rows));
        const sql::mapping columns = mapping_for(query);
        auto statement = sql::compile_aggregate(query, columns, sql::dialect::clickhouse);
        if (!statement) return tl::unexpected(statement.error());
        statement->parameters.back() = limit + 1;  // the limit is bound last
        statement->text = texts_of(query) + " FROM (" + statement->text + ")";
        const std::size_t cells = query.group_by.size() + query.measures.size();
        const auto rows = ask(run_, *std::move(statement), cells);
        if (!rows) return tl::unexpected(rows.error());
        aggregate_result groups;
        for (const answer_row& row : *rows) {
            auto read = read_group(query, row);
            if (!read) return tl::unexpected(read.error());
            groups.push_back(*std::move(read));
        }
        query.limit = limit;
        return sluice::detail::finish_aggregate(query, std::move(groups));
    }
    /// Returns the time of the first event of a kind that meets conditions.
    [[nodiscard]] result<std::optional<instant>> first_time(event_kind kind,
                                                            const where& rows) const {
        list_query query{.rows = rows};
        query.wanted.size = 1;
        for (const std::string_view name : {"timestamp", "id"})
            query.order.push_back({*events_schema.find(name), sort_order::ascending});
        query.order.back().is_unique = true;
        const auto first =
            detail::page_rows(run_, detail::scoped_query(workspace_, kind, std::move(query)));
        if (!first) return tl::unexpected(first.error());
        if (first->empty()) return std::nullopt;
        const auto time = parse_int64(first->front()[1]);
        if (!time) return fail(rule::store_unavailable);
        return instant(std::chrono::milliseconds(*time));
    }
    /// Returns the records that groups of a query name.
    [[nodiscard]] result<records_by_id> find_records(analytics_group group,
                                                     std::span<const analytics_row> rows) const {
        if (group == analytics_group::top_link_tags) return listed_records<tag>();
        if (group == analytics_group::top_folders) return listed_records<folder>();
        records_by_id known;
        if (group == analytics_group::top_links) {
            std::vector<std::string> ids;
            std::size_t bytes = 0;
            for (const analytics_row& row : rows) {
                bytes += row.group.front().size() + 3;  // quotes and a comma
                ids.push_back(row.group.front());
                if (bytes < id_list_bytes && &row != &rows.back()) continue;
                auto added = add_links(known, std::exchange(ids, {}));
                if (!added) return tl::unexpected(added.error());
                bytes = 0;
            }
        }
        return known;
    }

private:
    static constexpr sluice::column item_column{.name = "item"};

    template <class Record>
    [[nodiscard]] result<records_by_id> listed_records() const {
        return find_rows<Record>(run_, workspace_).map([](const std::vector<std::string>& rows) {
            return reference::detail::listed_records<Record>(rows);
        });
    }

    /// Returns the places of the columns of a query. A list is grouped by its items, each of which
    /// is a row; the query then names their column.
    [[nodiscard]] static sql::mapping mapping_for(aggregate_query& query) {
        sql::mapping columns = events_mapping();
        columns.columns.push_back({base_url_name, "splitByChar('?', click_url)[1]"});
        columns.columns.push_back({sale_amount_column.name, "JSONExtractInt(json, 'saleAmount')"});
        for (group_key& group : query.group_by) {
            if (!group.by.is_list) continue;
            columns.table = "(SELECT *, arrayJoin(arrayDistinct(" +
                            columns.find(group.by.name)->expression + ")) AS item FROM " +
                            columns.table + ")";
            columns.columns.push_back({item_column.name, "item"});
            group.by = item_column;
        }
        return columns;
    }
    /// Returns the start of a statement that reads the groups and measures of another one as texts.
    [[nodiscard]] static std::string texts_of(const aggregate_query& query) {
        std::string cells;
        const auto add = [&](std::string_view kind, std::size_t at) {
            cells.append(cells.empty() ? "SELECT " : ", ").append("ifNull(toString(sluice_");
            cells.append(kind).append("_").append(std::to_string(at + 1)).append("), '')");
        };
        for (std::size_t at = 0; at < query.group_by.size(); ++at) add("group", at);
        for (std::size_t at = 0; at < query.measures.size(); ++at) add("measure", at);
        return cells;
    }
    [[nodiscard]] static result<aggregate_row> read_group(const aggregate_query& query,
                                                          const answer_row& row) {
        aggregate_row group;
        for (std::size_t at = 0; at < row.size(); ++at) {
            const bool is_group = at < query.group_by.size();
            if (is_group && !query.group_by[at].bucket) {
                group.groups.emplace_back(row[at]);
                continue;
            }
            const auto number = parse_int64(row[at]);
            if (is_group && number) {
                group.groups.emplace_back(instant(std::chrono::milliseconds(*number)));
            } else if (number) {
                group.measures.emplace_back(*number);
            } else {
                const auto sum = parse_decimal_number(row[at]);  // beyond 64 bits
                if (is_group || !sum) return fail(rule::store_unavailable);
                group.measures.emplace_back(*sum);
            }
        }
        return group;
    }
    /// Adds links as the latest load of any of their events has them.
    [[nodiscard]] result<void> add_links(records_by_id& known, std::vector<std::string> ids) const {
        const auto rows = ask(
            run_,
            {"SELECT link_id, argMax(json, added) FROM events WHERE workspace = {p1:String} AND "
             "link_id IN (SELECT arrayJoin({p2:Array(String)})) GROUP BY link_id",
             {std::string(workspace_), std::move(ids)}},
            2);
        if (!rows) return tl::unexpected(rows.error());
        simdjson::dom::parser parser;
        for (const answer_row& row : *rows) {
            simdjson::dom::object link;
            if (parser.parse(row[1])["link"].get(link) != simdjson::SUCCESS)
                return fail(rule::store_unavailable);
            known.emplace(row[0], simdjson::minify(link));
        }
        return {};
    }

    const statement_runner& run_;
    std::string_view workspace_;
};

/// Returns the body of `GET /analytics` for a workspace's query, equal to that of an in-memory
/// store. Errors: those of find_analytics_rows(); store_unavailable.
[[nodiscard]] inline result<std::string> measure_events(const statement_runner& run,
                                                        std::string_view workspace,
                                                        const analytics_query& query) {
    const queried_analytics source(run, workspace);
    const auto rows = find_analytics_rows(source, query);
    if (!rows) return tl::unexpected(rows.error());
    return source.find_records(query.group_by, *rows).map([&](const records_by_id& known) {
        return analytics_json(query.group_by, *rows, known);
    });
}

/// Like canonical_text() of a query for events, for a query of analytics.
[[nodiscard]] inline result<std::string> canonical_text(const statement_runner& run,
                                                        std::string_view workspace,
                                                        const analytics_query& query) {
    std::string text = canonical_query_string(analytics_params, query, event_window_names);
    for (const event_kind kind : query.kinds()) {
        const auto state = detail::state_text(run, workspace, kind, query.window);
        if (!state) return tl::unexpected(state.error());
        text.append(*state);
    }
    if (names_listed_records(query.group_by)) {
        const auto records = version_of_records(run, workspace);
        if (!records) return tl::unexpected(records.error());
        text.append(" ").append(*records);
    }
    return text.append(buckets_text(query));
}

}  // namespace sluice::reference::clickhouse

#endif
