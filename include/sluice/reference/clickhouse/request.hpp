// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_REQUEST_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_REQUEST_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/sql/statement.hpp>

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
        parameters.append("&param_p").append(std::to_string(++number)).push_back('=');
        sluice::detail::append_form_encoded(parameters,
                                            std::visit(detail::parameter_writer{}, value));
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

}  // namespace sluice::reference::clickhouse

#endif
