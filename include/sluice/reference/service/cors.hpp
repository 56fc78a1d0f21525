// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_CORS_HPP
#define SLUICE_REFERENCE_SERVICE_CORS_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/reference/service/request.hpp>

namespace sluice::reference {

// CORS (Fetch standard): web pages of the configured origins may read answers. Responses to other
// origins get no CORS headers, so that browsers withhold them.

/// The CORS option that allows all origins. It is safe because keys are in a header that pages must
/// set themselves, not in cookies that browsers add: a page can only use a key that it has.
inline constexpr std::string_view any_origin = "*";

namespace detail {

constexpr bool is_upper(char byte) noexcept { return byte >= 'A' && byte <= 'Z'; }

/// Returns true if a text may be the scheme of a URL, such as `https`.
constexpr bool is_scheme(std::string_view text) noexcept {
    const auto is_scheme_byte = [](char byte) {
        return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) || byte == '+' ||
               byte == '-' || byte == '.';
    };
    return !text.empty() && std::ranges::all_of(text, is_scheme_byte);
}

/// Returns true if a port of at most five digits is in the form that browsers send: without leading
/// zeros, and not the default port of its scheme.
constexpr bool is_written_port(std::string_view port, std::string_view scheme) noexcept {
    const bool is_usual =
        (scheme == "https" && port == "443") || (scheme == "http" && port == "80");
    return port.front() != '0' && !(port.size() == 5 && port > "65535") && !is_usual;
}

}  // namespace detail

/// Returns true if a text is an origin in the exact form that browsers send:
///
/// ```
/// origin = scheme "://" host [ ":" port ]      ; in lower case, see is_authority
/// ```
/// The port is left out if it is the default of http or https.
[[nodiscard]] constexpr bool is_origin(std::string_view text) noexcept {
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos || std::ranges::any_of(text, detail::is_upper))
        return false;
    const std::string_view scheme = text.substr(0, colon), authority = text.substr(colon + 3);
    if (!detail::is_scheme(scheme) || !is_authority(authority)) return false;
    const std::size_t port = authority.find_last_of(":]");
    const bool has_port = port != std::string_view::npos && authority[port] == ':';
    return !has_port || detail::is_written_port(authority.substr(port + 1), scheme);
}

/// Parses a comma-separated list of `*` and origins. Error: field_value (param `cors`), pointing at
/// the first item that is neither.
[[nodiscard]] inline result<std::vector<std::string>> parse_origins(std::string_view list) {
    std::vector<std::string> origins;
    for (std::size_t at = 0; at <= list.size(); at += origins.back().size() + 1) {
        const std::string_view item = list.substr(at, list.substr(at).find(','));
        if (item != any_origin && !is_origin(item)) {
            error why = make_error(rule::field_value, at, item.size());
            why.param = "cors";
            why.accepts =
                "expected * or origins as browsers send them, such as https://app.example or "
                "http://localhost:3000: in lower case, without a path or a usual port";
            return tl::unexpected(why);
        }
        origins.emplace_back(item);
    }
    return origins;
}

/// The value of Access-Control-Allow-Origin for a request: its origin, `*`, or empty if the origin
/// isn't in `allowed`.
[[nodiscard]] inline std::string_view allowed_origin(
    const request& received, std::span<const std::string> allowed) noexcept {
    const auto origin = received.header_value("origin");
    if (!origin) return {};
    if (std::ranges::find(allowed, any_origin) != allowed.end()) return any_origin;
    return std::ranges::find(allowed, *origin) != allowed.end() ? *origin : std::string_view{};
}

/// The response to a preflight: allows GET and HEAD with any headers. `*` doesn't include
/// Authorization, which is therefore listed.
[[nodiscard]] inline response preflight_response() {
    return {204,
            {{"access-control-allow-methods", "GET, HEAD"},
             {"access-control-allow-headers", "authorization, *"},
             {"access-control-max-age", "7200"}},
            {}};
}

/// Adds headers that let a page of an allowed origin read the response and its headers. `origin` is
/// the result of allowed_origin().
inline void add_cors_headers(std::vector<header>& headers, std::string_view origin) {
    if (origin.empty()) return;
    headers.push_back({"access-control-allow-origin", std::string(origin)});
    headers.push_back(
        {"access-control-expose-headers",
         "etag, link, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, "
         "ratelimit, ratelimit-policy, www-authenticate, x-request-id, x-total-count"});
}

/// The CORS headers of a response that the server sends without the handler, such as the refusal of
/// a malformed request.
[[nodiscard]] inline std::vector<header> cors_headers_of_refusal(
    const request& received, std::span<const std::string> allowed) {
    if (allowed.empty()) return {};
    std::vector<header> headers{{"vary", "origin"}};
    add_cors_headers(headers, allowed_origin(received, allowed));
    return headers;
}

}  // namespace sluice::reference

#endif
