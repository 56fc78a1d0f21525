// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_CLICKHOUSE_ANSWER_HPP
#define SLUICE_API_CLICKHOUSE_ANSWER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <sluice/error.hpp>
#include <sluice/sql/statement.hpp>

namespace sluice::api::clickhouse {

/// Has a statement run by a server and gives its answer, or store_unavailable: all the I/O there
/// is. Any thread.
using statement_runner = std::function<result<std::string>(const sql::statement&)>;
/// The same, which ends early once it is asked to stop.
using stoppable_runner =
    std::function<result<std::string>(const sql::statement&, const std::stop_token&)>;

/// What ends every question: an answer without a shard that is lost would be a part of it.
inline constexpr std::string_view question_end =
    " SETTINGS skip_unavailable_shards = 0, output_format_json_quote_64bit_integers = 1 "
    "FORMAT JSONCompact";

using answer_row = std::vector<std::string>;

namespace detail {

[[nodiscard]] inline result<answer_row> read_row(simdjson::dom::element given,
                                                 std::size_t columns) {
    simdjson::dom::array cells;
    answer_row row;
    if (given.get(cells) != simdjson::SUCCESS) return fail(rule::store_unavailable);
    for (const simdjson::dom::element cell : cells) {
        std::string_view text;
        if (cell.get(text) != simdjson::SUCCESS) return fail(rule::store_unavailable);
        row.emplace_back(text);
    }
    if (row.size() != columns) return fail(rule::store_unavailable);
    return row;
}

}  // namespace detail

/// Reads an answer, each row of so many texts or 64-bit numbers. An answer that isn't whole is
/// refused: one that breaks off, that tells an exception, or has other rows than it says.
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
    for (const simdjson::dom::element each : data) {
        auto row = detail::read_row(each, columns);
        if (!row) return tl::unexpected(row.error());
        rows.push_back(*std::move(row));
    }
    if (rows.size() != count) return fail(rule::store_unavailable);
    return rows;
}

/// The rows that a question finds.
[[nodiscard]] inline result<std::vector<answer_row>> ask(const statement_runner& run,
                                                         sql::statement question,
                                                         std::size_t columns) {
    question.text.append(question_end);
    const result<std::string> answer = run(question);
    if (!answer) return tl::unexpected(answer.error());
    return read_answer(*answer, columns);
}
/// Of a question that has one row.
[[nodiscard]] inline result<answer_row> ask_one(const statement_runner& run,
                                                sql::statement question, std::size_t columns) {
    auto rows = ask(run, std::move(question), columns);
    if (!rows) return tl::unexpected(rows.error());
    if (rows->size() != 1) return fail(rule::store_unavailable);
    return std::move(rows->front());
}

/// Whether the server answers, and has the tables.
[[nodiscard]] inline result<void> check_health(const statement_runner& run) {
    const auto row = ask_one(run, {"SELECT count() FROM (SELECT 1 FROM events LIMIT 1)", {}}, 1);
    if (!row) return tl::unexpected(row.error());
    return {};
}

}  // namespace sluice::api::clickhouse

#endif
