// SPDX-License-Identifier: MIT
#ifndef SLUICE_ENVELOPE_HPP
#define SLUICE_ENVELOPE_HPP

#include <algorithm>
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

/// Where an error code is documented: `{docs_url}/api-reference/errors#bad-request`.
[[nodiscard]] inline std::string error_doc_url(error_code code, std::string_view docs_url) {
    std::string anchor(to_string(code));
    std::ranges::replace(anchor, '_', '-');
    return std::string(docs_url) + "/api-reference/errors#" + anchor;
}

/// The JSON body of an error.
///
/// ```
/// {"error":{"code":"bad_request","message":"page: not a number, …","doc_url":"…#bad-request"}}
/// ```
[[nodiscard]] inline std::string error_body(const error& e, std::string_view docs_url) {
    std::string body;
    detail::json_writer json(body);
    json.begin_object().key("error").begin_object();
    json.member("code", to_string(e.code));
    json.member("message", message(e));
    json.member("doc_url", error_doc_url(e.code, docs_url));
    json.end_object().end_object();
    return body;
}

/// The response to a refused request.
[[nodiscard]] inline response error_response(const error& e, std::string_view docs_url) {
    return {http_status(e.code),
            {{"content-type", std::string(json_content_type)}},
            error_body(e, docs_url)};
}

}  // namespace sluice

#endif
