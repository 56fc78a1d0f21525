// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_REQUEST_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_REQUEST_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/base/real.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/sql/statement.hpp>

/// Statements as HTTP requests to a ClickHouse server, and its answers. A statement_runner, which
/// the program supplies, does the I/O.
namespace sluice::reference::clickhouse {

/// A query as an HTTP request to a ClickHouse server:
///
/// ```
/// POST /?database=…&max_execution_time=5&…&param_p1=…&param_p2=… HTTP/1.1    target
///
/// SELECT … {p1:String} … {p2:Array(String)} …                                body
/// ```
struct http_query {
    std::string target;
    std::string body;
};

namespace detail {

/// Appends a text with the escapes that tab-separated fields and literals share.
inline void append_escaped(std::string& out, std::string_view text) {
    constexpr std::string_view bytes("\\'\t\n\r\0", 6), letters("\\'tnr0");
    for (const char byte : text) {
        const std::size_t at = bytes.find(byte);
        if (at == std::string_view::npos) {
            out.push_back(byte);
        } else {
            out.append({'\\', letters[at]});
        }
    }
}

/// Writes the value of a parameter: as a tab-separated field, within lists as a literal.
struct parameter_writer {
    std::string operator()(std::monostate) const { return "\\N"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return sluice::detail::real_text(number); }
    std::string operator()(const std::string& text) const {
        std::string field;
        append_escaped(field, text);
        return field;
    }
    template <class T>
    std::string operator()(const std::vector<T>& list) const {
        const std::string_view quote = std::is_same_v<T, std::string> ? "'" : "";
        std::string all = "[";
        for (const T& item : list) {
            all.append(&item == list.data() ? "" : ",").append(quote);
            all.append((*this)(item)).append(quote);
        }
        return all + ']';
    }
};

/// The name of an error, which stands at the end of its text before the version; empty if there is
/// none: `… (UNKNOWN_TABLE) (version 26.7.3.1)`.
[[nodiscard]] inline std::string_view error_name_in(std::string_view text) noexcept {
    const auto is_name_byte = [](char byte) {
        return byte == '_' || sluice::detail::is_digit(byte) || (byte >= 'A' && byte <= 'Z');
    };
    text = text.substr(0, text.rfind(" (version "));
    text = text.substr(0, text.find_last_not_of(" \r\n") + 1);
    const std::size_t begin = text.rfind('(') + 1;
    if (begin == 0 || !text.ends_with(')')) return {};
    const std::string_view name = text.substr(begin, text.size() - 1 - begin);
    return std::ranges::all_of(name, is_name_byte) ? name : std::string_view();
}

}  // namespace detail

/// Builds the request for a read-only query with a time limit, rounded up to whole seconds. The
/// server sends its answer only once it is complete, so that the status is reliable, and ends the
/// query when the client disconnects.
[[nodiscard]] inline http_query to_http(const sql::statement& statement, std::string_view database,
                                        std::chrono::milliseconds at_most) {
    const auto seconds = std::max(std::chrono::ceil<std::chrono::seconds>(at_most).count(),
                                  std::chrono::seconds::rep{1});
    std::string parameters = to_query_string(
        std::vector<name_value>{{"database", database},
                                {"wait_end_of_query", "1"},
                                {"readonly", "2"},
                                {"cancel_http_readonly_queries_on_client_close", "1"},
                                {"max_execution_time", std::to_string(seconds)}});
    std::size_t number = 0;
    for (const sql::value& value : statement.parameters) {
        const std::string name = "param_p" + std::to_string(++number);
        sluice::detail::append_pair(parameters,
                                    {name, std::visit(detail::parameter_writer{}, value)});
    }
    return {"/?" + std::move(parameters), statement.text};
}

/// Describes a failed query by ClickHouse's error number, which is in a header, and its name. The
/// rest of the text is left out, because it may quote values of the query.
///
/// ```
/// failure_in(404, "60", "Code: 60. DB::Exception: … (UNKNOWN_TABLE) (version 26.7.3.1)");
/// // error 60 of ClickHouse, UNKNOWN_TABLE
/// ```
[[nodiscard]] inline std::string failure_in(int status, std::string_view code,
                                            std::string_view text) {
    constexpr std::size_t max_digits = 6;
    if (code.empty() || code.size() > max_digits ||
        !std::ranges::all_of(code, sluice::detail::is_digit)) {
        return "HTTP status " + std::to_string(status);
    }
    const std::string_view name = detail::error_name_in(text);
    return "error " + std::string(code) + " of ClickHouse" +
           (name.empty() ? "" : ", " + std::string(name));
}

/// Runs a statement on a server and returns the body of its answer, or the error store_unavailable.
/// Called by any thread.
using statement_runner = std::function<result<std::string>(const sql::statement&)>;
/// Like statement_runner, but returns early when a stop is requested.
using stoppable_runner =
    std::function<result<std::string>(const sql::statement&, const std::stop_token&)>;

/// Suffix of every statement. Fails instead of returning partial rows if a shard is down.
inline constexpr std::string_view statement_suffix =
    " SETTINGS skip_unavailable_shards = 0, output_format_json_quote_64bit_integers = 1 "
    "FORMAT JSONCompact";

/// The cells of a row of an answer.
using answer_row = std::vector<std::string>;

namespace detail {

/// Reads a row of exactly `columns` texts. Error: store_unavailable.
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

/// The maximum size of a list of ids in a query, in bytes, as servers limit the length of
/// parameters.
inline constexpr std::size_t id_list_bytes = 50'000;

/// Runs a query that selects `columns` texts or 64-bit numbers and returns its rows. Error:
/// store_unavailable.
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

/// Checks that the server answers and has the events table. Error: store_unavailable.
[[nodiscard]] inline result<void> check_health(const statement_runner& run) {
    const auto row = ask_one(run, {"SELECT count() FROM (SELECT 1 FROM events LIMIT 1)", {}}, 1);
    if (!row) return tl::unexpected(row.error());
    return {};
}

}  // namespace sluice::reference::clickhouse

#endif
