// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_ENVELOPE_HPP
#define SLUICE_ERRORS_ENVELOPE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/header.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/errors/choice.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/errors/message.hpp>

/// The envelope of an error: its JSON body, status and headers.
namespace sluice {

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";

/// A response, such as an error envelope, for any transport. Header names are lower-case.
struct response {
    int status = 200;
    std::vector<header> headers{};
    std::string body{};

    /// Returns the value of a header by its lower-case name; empty if there is none.
    [[nodiscard]] std::string_view header_value(std::string_view name) const noexcept {
        for (const header& field : headers) {
            if (field.name == name) return field.value;
        }
        return {};
    }
};

namespace detail {

/// Names of the error codes, in the order of the enumeration.
inline constexpr auto error_code_names = [] {
    std::array<std::string_view, error_codes.size()> names;
    for (std::size_t at = 0; at < names.size(); ++at) names[at] = error_codes[at].name;
    return names;
}();

}  // namespace detail

/// Parses the `code` of an error body, such as `bad_request`. Error: choice_unknown.
[[nodiscard]] constexpr result<error_code> parse_error_code(std::string_view text) noexcept {
    const auto index = parse_choice<detail::error_code_names>(text);
    if (!index) return tl::unexpected<error>(index.error());
    return static_cast<error_code>(*index);
}

namespace detail {

/// The page of errors below the documentation's URL, up to the anchor.
inline constexpr std::string_view doc_path = "/api-reference/errors#";

/// Appends the name of a code or a rule as the anchor of its documentation: `bad-request`.
inline void append_doc_anchor(std::string& out, std::string_view name) {
    for (const char byte : name) out.push_back(byte == '_' ? '-' : byte);
}

/// Builds the body of an error in one buffer: the constructor writes up to the message, append()
/// the parts of the message, finish() the rest. Views `docs_url`.
class error_body_writer {
public:
    error_body_writer(error_code code, std::size_t message_size, std::string_view docs_url)
        : code_(code), docs_url_(docs_url) {
        constexpr std::size_t room = 192;  // member names, the code twice, some escapes
        body_.reserve(room + message_size + docs_url.size());
        body_.append("{\"error\":{\"code\":\"").append(to_string(code));
        body_.append("\",\"message\":\"");
    }

    void append(std::string_view message) { append_json_text(body_, message); }

    [[nodiscard]] std::string finish() && {
        body_.append("\",\"doc_url\":\"");
        append_json_text(body_, docs_url_);
        body_.append(doc_path);
        append_doc_anchor(body_, to_string(code_));
        body_.append("\"}}");
        return std::move(body_);
    }

private:
    error_code code_;
    std::string_view docs_url_;
    std::string body_{};
};

}  // namespace detail

/// Returns the URL of an error code's documentation: `{docs_url}/api-reference/errors#bad-request`.
[[nodiscard]] inline std::string error_doc_url(error_code code, std::string_view docs_url) {
    std::string url(docs_url);
    url.append(detail::doc_path);
    detail::append_doc_anchor(url, to_string(code));
    return url;
}

/// Returns the JSON body of an error with a code and the caller's message. `docs_url` is the URL of
/// the API's documentation, without a slash at its end.
///
/// ```
/// {"error":{"code":"bad_request","message":"page: not a number, …","doc_url":"…#bad-request"}}
/// ```
[[nodiscard]] inline std::string error_body(error_code code, std::string_view text,
                                            std::string_view docs_url) {
    detail::error_body_writer body(code, text.size(), docs_url);
    body.append(text);
    return std::move(body).finish();
}
/// Returns the JSON body of an error. `input` is the text that its offset and length count in; see
/// message().
[[nodiscard]] inline std::string error_body(const error& failure, std::string_view docs_url,
                                            std::string_view input = {}) {
    detail::error_body_writer body(failure.code, detail::message_bound(failure, input), docs_url);
    detail::write_message(failure, input, [&](std::string_view part) { body.append(part); });
    return std::move(body).finish();
}

/// Returns the response to a refused request: the code's status, its JSON body and content type.
/// The parameters are those of error_body().
[[nodiscard]] inline response error_response(const error& failure, std::string_view docs_url,
                                             std::string_view input = {}) {
    response refusal{http_status(failure.code), {}, error_body(failure, docs_url, input)};
    refusal.headers.reserve(12);  // for those that a service adds: rate limits, CORS and others
    refusal.headers.push_back({"content-type", std::string(json_content_type)});
    return refusal;
}

}  // namespace sluice

#endif
