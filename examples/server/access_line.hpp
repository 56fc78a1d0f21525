// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_ACCESS_LINE_HPP
#define SLUICE_EXAMPLES_SERVER_ACCESS_LINE_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <sluice/api/service/routes.hpp>
#include <sluice/detail/hex.hpp>
#include <sluice/instant.hpp>

namespace server {

/// What the access log says of a request.
struct access {
    sluice::instant time;
    std::string_view client;
    std::string_view method;
    std::string_view target;
    int status = 0;
    std::size_t bytes = 0;  ///< of the answer's body
    std::chrono::microseconds taken{};
};

namespace detail {

/// Appends a text with what is not printable ASCII as `\xNN`, so that a line stays one line.
inline void append_escaped(std::string& out, std::string_view text) {
    for (const char byte : text) {
        const auto value = static_cast<unsigned char>(byte);
        if (value > ' ' && value < 0x7F && byte != '\\') {
            out.push_back(byte);
        } else {
            sluice::detail::append_hex(out.append("\\x"), byte);
        }
    }
}

/// Appends a query without what is no known parameter: someone's key may be there by mistake.
inline void append_query(std::string& out, std::string_view query) {
    for (char before = '?';; before = '&') {
        const std::string_view pair = query.substr(0, query.find('&'));
        out.push_back(before);
        append_escaped(out,
                       sluice::api::is_parameter(pair.substr(0, pair.find('='))) ? pair : "***");
        if (pair.size() == query.size()) return;
        query.remove_prefix(pair.size() + 1);
    }
}

}  // namespace detail

/// The line of a request, of at most a few thousand bytes, with its end:
///
/// ```
/// 2026-08-21T02:30:15.123Z 127.0.0.1 GET /events?country=US&*** 200 5123 1.25ms
/// ```
[[nodiscard]] inline std::string to_line(const access& logged) {
    constexpr std::size_t max_shown = 1'024;
    std::string line = sluice::format_timestamp(logged.time);
    line.append(" ").append(logged.client).append(" ").append(logged.method).append(" ");
    const std::string_view shown = logged.target.substr(0, max_shown);
    const std::size_t path = std::min(shown.find('?'), shown.size());
    detail::append_escaped(line, shown.substr(0, path));
    if (path < shown.size()) detail::append_query(line, shown.substr(path + 1));
    if (shown.size() < logged.target.size()) line.append("...");
    std::array<char, 64> rest{};
    std::snprintf(rest.data(), rest.size(), " %d %zu %.2fms\n", logged.status, logged.bytes,
                  static_cast<double>(logged.taken.count()) / 1000);
    return line.append(rest.data());
}

}  // namespace server

#endif
