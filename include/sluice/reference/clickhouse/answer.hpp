// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_ANSWER_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_ANSWER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <sluice/errors/error.hpp>
#include <sluice/sql/statement.hpp>

namespace sluice::reference::clickhouse {

/// Runs a statement on a server and returns its answer, or store_unavailable. Does all I/O of these
/// headers. Callable from any thread.
using statement_runner = std::function<result<std::string>(const sql::statement&)>;
/// Like statement_runner, but returns early when a stop is requested.
using stoppable_runner =
    std::function<result<std::string>(const sql::statement&, const std::stop_token&)>;

/// Suffix of every statement. Fails instead of returning partial rows if a shard is down.
inline constexpr std::string_view statement_suffix =
    " SETTINGS skip_unavailable_shards = 0, output_format_json_quote_64bit_integers = 1 "
    "FORMAT JSONCompact";

using answer_row = std::vector<std::string>;

namespace detail {

[[nodiscard]] inline result<answer_row> read_row(simdjson::dom::element element,
                                                 std::size_t columns) {
    simdjson::dom::array cells;
    answer_row row;
    if (element.get(cells) != simdjson::SUCCESS) return fail(rule::store_unavailable);
    for (const simdjson::dom::element cell : cells) {
        std::string_view text;
        if (cell.get(text) != simdjson::SUCCESS) return fail(rule::store_unavailable);
        row.emplace_back(text);
    }
    if (row.size() != columns) return fail(rule::store_unavailable);
    return row;
}

}  // namespace detail

/// Parses an answer whose rows have `columns` cells, texts or quoted 64-bit numbers. Error:
/// store_unavailable if the answer is incomplete: truncated, with an exception, or with another
/// number of rows than it states.
///
/// ```
/// {"meta":[…], "data":[["…","1787279415123"],…], "rows":100, "statistics":{…}}
/// ```
[[nodiscard]] inline result<std::vector<answer_row>> read_answer(const std::string& text,
                                                                 std::size_t columns) {
    simdjson::dom::parser parser;
    simdjson::dom::object answer;
    simdjson::dom::array data;
    std::uint64_t count = 0;
    if (parser.parse(text).get(answer) != simdjson::SUCCESS ||
        answer["data"].get(data) != simdjson::SUCCESS ||
        answer["rows"].get(count) != simdjson::SUCCESS ||
        answer["exception"].error() == simdjson::SUCCESS) {
        return fail(rule::store_unavailable);
    }
    std::vector<answer_row> rows;
    for (const simdjson::dom::element element : data) {
        auto row = detail::read_row(element, columns);
        if (!row) return tl::unexpected(row.error());
        rows.push_back(*std::move(row));
    }
    if (rows.size() != count) return fail(rule::store_unavailable);
    return rows;
}

/// Runs a query and returns its rows. Error: store_unavailable.
[[nodiscard]] inline result<std::vector<answer_row>> ask(const statement_runner& run,
                                                         sql::statement statement,
                                                         std::size_t columns) {
    statement.text.append(statement_suffix);
    const result<std::string> answer = run(statement);
    if (!answer) return tl::unexpected(answer.error());
    return read_answer(*answer, columns);
}
/// Runs a query that returns exactly one row. Error: store_unavailable.
[[nodiscard]] inline result<answer_row> ask_one(const statement_runner& run,
                                                sql::statement statement, std::size_t columns) {
    auto rows = ask(run, std::move(statement), columns);
    if (!rows) return tl::unexpected(rows.error());
    if (rows->size() != 1) return fail(rule::store_unavailable);
    return std::move(rows->front());
}

/// Checks that the server answers and has the events table.
[[nodiscard]] inline result<void> check_health(const statement_runner& run) {
    const auto row = ask_one(run, {"SELECT count() FROM (SELECT 1 FROM events LIMIT 1)", {}}, 1);
    if (!row) return tl::unexpected(row.error());
    return {};
}

}  // namespace sluice::reference::clickhouse

#endif
