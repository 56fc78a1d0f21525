// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_CORS_HPP
#define SLUICE_API_SERVICE_CORS_HPP

#include <algorithm>
#include <string>
#include <string_view>

#include <sluice/api/service/call.hpp>

namespace sluice::api {

// Which web pages may read answers: those of the origins that the server was told (the Fetch
// standard's CORS protocol). Nothing is sent to pages of other origins, so that browsers keep the
// answers from them.

/// The origin that a request comes from, where it is one that may read answers; else empty.
[[nodiscard]] inline std::string_view allowed_origin(const request& asked,
                                                     const handler_options& options) noexcept {
    const auto origin = asked.header_value("origin");
    const bool is_known =
        origin && std::ranges::find(options.cors_origins, *origin) != options.cors_origins.end();
    return is_known ? *origin : std::string_view{};
}

/// Whether a browser asks, before the request itself, if a page may send it.
[[nodiscard]] inline bool is_preflight(const request& asked,
                                       const handler_options& options) noexcept {
    return asked.method == "OPTIONS" && asked.header_value("access-control-request-method") &&
           !allowed_origin(asked, options).empty();
}

/// Allows what this service has: to read, with a key and any other headers. No wildcard covers the
/// key's header, so it is named.
[[nodiscard]] inline response preflight_response() {
    return {204,
            {{"access-control-allow-methods", "GET, HEAD"},
             {"access-control-allow-headers", "authorization, *"},
             {"access-control-max-age", "7200"}},
            {}};
}

/// Lets a page of an allowed origin read a response with its headers.
inline void add_cors_headers(response& answer, const request& asked,
                             const handler_options& options) {
    const std::string_view origin = allowed_origin(asked, options);
    if (origin.empty()) return;
    answer.headers.push_back({"access-control-allow-origin", std::string(origin)});
    answer.headers.push_back(
        {"access-control-expose-headers",
         "etag, link, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, "
         "ratelimit, ratelimit-policy, www-authenticate"});
}

}  // namespace sluice::api

#endif
