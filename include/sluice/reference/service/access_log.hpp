// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_ACCESS_LOG_HPP
#define SLUICE_REFERENCE_SERVICE_ACCESS_LOG_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/reference/service/log_record.hpp>
#include <sluice/reference/service/routes.hpp>
#include <sluice/time/instant.hpp>

/// Lines of a server's log: requests and messages, as text or JSON.
namespace sluice::reference {

namespace detail {

/// Appends a text to a log line, as one word: space, backslash and bytes other than printable ASCII
/// are written as `\xNN`.
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

/// A target as logged: escaped, truncated, and with unknown parameters masked, because they may
/// contain a key by mistake.
struct shown_target {
    std::string path;
    std::string query;  ///< including its `?`
};

/// Appends a query with its `?`; the pairs of unknown parameters become `***`.
inline void append_query(std::string& out, std::string_view query) {
    for (char before = '?';; before = '&') {
        const std::string_view pair = query.substr(0, query.find('&'));
        out.push_back(before);
        append_escaped(out, is_parameter(pair.substr(0, pair.find('='))) ? pair : "***");
        if (pair.size() == query.size()) return;
        query.remove_prefix(pair.size() + 1);
    }
}

/// Converts a target of any length and content for a log line.
inline shown_target to_shown(std::string_view target) {
    constexpr std::size_t max_shown = 1'024;  // bytes, before escaping
    const std::string_view kept = target.substr(0, max_shown);
    const std::size_t mark = kept.find('?');
    shown_target shown;
    append_escaped(shown.path, kept.substr(0, mark));
    if (mark != std::string_view::npos) append_query(shown.query, kept.substr(mark + 1));
    if (kept.size() < target.size()) (shown.query.empty() ? shown.path : shown.query) += "...";
    return shown;
}

/// Milliseconds with two decimals: `1.25`.
inline std::string to_milliseconds(std::chrono::microseconds taken) {
    const std::int64_t hundredths = (taken.count() + 5) / 10;
    const std::int64_t rest = hundredths % 100;
    return std::to_string(hundredths / 100)
        .append(rest < 10 ? ".0" : ".")
        .append(std::to_string(rest));
}

inline std::string to_text_line(const access_record& logged) {
    const shown_target shown = to_shown(logged.target);
    std::string line = format_timestamp(logged.time);
    for (const std::string_view field : {logged.client, logged.method})
        line.append(" ").append(field);
    line.append(" ").append(shown.path).append(shown.query).append(" ");
    line.append(logged.status == 0 ? "-" : std::to_string(logged.status)).append(" ");
    line.append(std::to_string(logged.bytes)).append(" ").append(to_milliseconds(logged.taken));
    return line.append("ms ").append(logged.request_id).append("\n");
}

inline std::string to_json_line(const access_record& logged) {
    const shown_target shown = to_shown(logged.target);
    std::string line;
    sluice::detail::json_writer json(line);
    json.begin_object().member("time", format_timestamp(logged.time));
    json.member("level", "info").member("event", "request");
    json.member("request_id", logged.request_id).member("client", logged.client);
    json.member("method", logged.method).member("path", shown.path);
    json.member("query", std::string_view(shown.query).substr(shown.query.empty() ? 0 : 1));
    json.member("route", logged.route);
    json.member("status", std::int64_t{logged.status});
    json.member("bytes", static_cast<std::int64_t>(logged.bytes));
    json.key("duration_ms").raw(to_milliseconds(logged.taken)).end_object();
    return line.append("\n");
}

}  // namespace detail

/// The log line of a request, of at most a few thousand bytes, with its newline:
///
/// ```
/// 2026-08-21T02:30:15.123Z 127.0.0.1 GET /events?country=US&*** 200 5123 1.25ms 6f1c2b9a
/// {"time":"2026-08-21T02:30:15.123Z","level":"info","event":"request","request_id":"6f1c2b9a",...}
/// ```
[[nodiscard]] inline std::string access_line(const access_record& logged, log_format format) {
    return format == log_format::json ? detail::to_json_line(logged) : detail::to_text_line(logged);
}

/// The log line of a message of the server, with its newline. In text format, the message alone.
[[nodiscard]] inline std::string message_line(instant time, log_level level, std::string_view text,
                                              log_format format) {
    if (format == log_format::text) return std::string(text).append("\n");
    std::string line, escaped;
    if (!sluice::detail::is_valid_utf8(text)) detail::append_escaped(escaped, text);
    sluice::detail::json_writer(line)
        .begin_object()
        .member("time", format_timestamp(time))
        .member("level", to_string(level))
        .member("event", "message")
        .member("message", escaped.empty() ? text : std::string_view(escaped))
        .end_object();
    return line.append("\n");
}

}  // namespace sluice::reference

#endif
