// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ROUTES_HPP
#define SLUICE_API_SERVICE_ROUTES_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/api/service/error_page.hpp>
#include <sluice/api/service/key_ring.hpp>
#include <sluice/api/service/lists.hpp>
#include <sluice/api/service/openapi.hpp>
#include <sluice/rate_limit/policy.hpp>

namespace sluice::api {

/// What requests to a route count against.
enum class quota : std::uint8_t { none, per_minute, analytics_per_second };

/// Something that can be asked for, with GET or HEAD.
struct route {
    std::string_view path;
    std::string_view permission;  ///< what a key needs for it
    quota counts_against;         ///< none: anyone may ask, without a key
    answer_function answer;

    [[nodiscard]] constexpr bool is_open() const noexcept { return counts_against == quota::none; }
    /// Whether it is among what the lower plans lack.
    [[nodiscard]] constexpr bool is_analytics() const noexcept {
        return counts_against == quota::analytics_per_second;
    }
    /// How often a key may ask; nothing where its plan has no quota for this.
    [[nodiscard]] std::optional<policy> policy_of(const api_key& key) const noexcept {
        const auto limit = is_analytics() ? key.limits.analytics_per_second : key.limits.per_minute;
        if (!limit) return std::nullopt;
        return is_analytics() ? policy{*limit, std::chrono::seconds{1}}
                              : policy{*limit, std::chrono::minutes{1}};
    }
};

/// `GET /openapi.json`: what this service answers to.
[[nodiscard]] inline result<response> answer_openapi(const call& made) {
    const std::string& url = made.options.base_url;
    return response{200,
                    {{"content-type", std::string(json_content_type)}},
                    openapi_document(url.empty() ? "/" : url)};
}

/// `GET /api-reference/errors`: what doc_url in errors leads to.
[[nodiscard]] inline result<response> answer_error_page(const call&) {
    return response{200, {{"content-type", "text/html; charset=utf-8"}}, error_page()};
}

/// `GET /healthz`: that the service runs.
[[nodiscard]] inline result<response> answer_health(const call&) {
    return response{200, {{"content-type", std::string(json_content_type)}}, R"({"status":"ok"})"};
}

/// All that can be asked for.
inline constexpr std::array routes{
    route{"/events", analytics_read, quota::analytics_per_second, answer_events},
    route{"/tags", tags_read, quota::per_minute, answer_tags},
    route{"/openapi.json", "", quota::none, answer_openapi},
    route{error_page_path, "", quota::none, answer_error_page},
    route{"/healthz", "", quota::none, answer_health}};

/// The route of a path, or null.
[[nodiscard]] constexpr const route* find_route(std::string_view path) noexcept {
    const auto found = std::ranges::find(routes, path, &route::path);
    return found == routes.end() ? nullptr : &*found;
}

}  // namespace sluice::api

#endif
