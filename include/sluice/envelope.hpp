// SPDX-License-Identifier: MIT
#ifndef SLUICE_ENVELOPE_HPP
#define SLUICE_ENVELOPE_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/detail/json_writer.hpp>
#include <sluice/error.hpp>
#include <sluice/header.hpp>

namespace sluice {

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";

/// What goes back to a client, whatever the transport. Header names are lower-case.
struct response {
    int status = 200;
    std::vector<header> headers{};
    std::string body{};

    /// The value of a header, or nothing.
    [[nodiscard]] std::string_view header_value(std::string_view name) const noexcept {
        const auto found = std::ranges::find(headers, name, &header::name);
        return found == headers.end() ? std::string_view{} : std::string_view(found->value);
    }
};

/// Reads the `code` of an error body, such as `bad_request`: choice_unknown.
[[nodiscard]] constexpr result<error_code> parse_error_code(std::string_view text) noexcept {
    constexpr auto last = static_cast<std::uint8_t>(error_code::internal_server_error);
    for (std::uint8_t value = 0; value <= last; ++value) {
        const auto code = static_cast<error_code>(value);
        if (text == to_string(code)) return code;
    }
    return fail(rule::choice_unknown, 0, text.size());
}

/// Where an error code is documented: `{docs_url}/api-reference/errors#bad-request`.
[[nodiscard]] inline std::string error_doc_url(error_code code, std::string_view docs_url) {
    std::string anchor(to_string(code));
    std::ranges::replace(anchor, '_', '-');
    return std::string(docs_url) + "/api-reference/errors#" + anchor;
}

/// The JSON body of an error, or of a code with another message.
///
/// ```
/// {"error":{"code":"bad_request","message":"page: not a number, …","doc_url":"…#bad-request"}}
/// ```
[[nodiscard]] inline std::string error_body(error_code code, std::string_view text,
                                            std::string_view docs_url) {
    std::string body;
    detail::json_writer json(body);
    json.begin_object().key("error").begin_object();
    json.member("code", to_string(code));
    json.member("message", text);
    json.member("doc_url", error_doc_url(code, docs_url));
    json.end_object().end_object();
    return body;
}
[[nodiscard]] inline std::string error_body(const error& e, std::string_view docs_url) {
    return error_body(e.code, message(e), docs_url);
}

/// The response to a refused request.
[[nodiscard]] inline response error_response(const error& e, std::string_view docs_url) {
    return {http_status(e.code),
            {{"content-type", std::string(json_content_type)}},
            error_body(e, docs_url)};
}

}  // namespace sluice

#endif
