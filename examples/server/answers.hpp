// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_ANSWERS_HPP
#define SLUICE_EXAMPLES_SERVER_ANSWERS_HPP

#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <utility>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <sluice/errors/envelope.hpp>
#include <sluice/time/instant.hpp>

#include "request_rules.hpp"

/// Answers of the server itself, and the conversion of all answers to HTTP messages.
namespace server {

using http_answer = http::response<http::string_body>;

/// The refusal of a connection beyond the limits.
[[nodiscard]] inline refusal too_many_connections() {
    return {429, "too many connections, expected a new one in a while"};
}
/// The refusal of a request whose key has too many waiting.
[[nodiscard]] inline refusal too_many_requests() {
    return {429, "too many requests of this key at a time, expected fewer"};
}

/// The answer to a request that is refused before the handler.
[[nodiscard]] inline sluice::response answer_of(const refusal& refused) {
    const bool is_busy = refused.status == 429;
    const auto code =
        is_busy ? sluice::error_code::rate_limit_exceeded : sluice::error_code::bad_request;
    sluice::response answer{refused.status, {}, sluice::error_body(code, refused.message, {})};
    answer.headers = {{"content-type", std::string(sluice::json_content_type)},
                      {"content-length", std::to_string(answer.body.size())}};
    if (is_busy) answer.headers.push_back({"retry-after", "1"});
    return answer;
}

/// The value of a Date header: `Fri, 21 Aug 2026 02:30:15 GMT`.
[[nodiscard]] inline std::string http_date(sluice::instant now) {
    const std::time_t seconds =
        std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 40> text{};
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text.data();
}

/// The HTTP message of an answer, with its date; the last one of a connection closes it.
[[nodiscard]] inline http_answer to_message(sluice::response answer, sluice::instant now,
                                            bool is_last) {
    http_answer message;
    message.result(static_cast<unsigned>(answer.status));
    for (const sluice::header& field : answer.headers) message.insert(field.name, field.value);
    message.insert("date", http_date(now));
    if (is_last) message.insert("connection", "close");
    message.body() = std::move(answer.body);
    return message;
}

}  // namespace server

#endif
