// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ROUTE_HPP
#define SLUICE_API_SERVICE_ROUTE_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/api/service/call.hpp>
#include <sluice/api/service/key_ring.hpp>
#include <sluice/rate_limit/policy.hpp>

namespace sluice::api {

/// What requests to a route count against.
enum class quota : std::uint8_t { none, per_minute, analytics_per_second };

/// The parameters of a route, whatever they are bound to.
struct route_parameters {
    std::span<const std::string_view> names{};
    std::string (*to_openapi)() = nullptr;  ///< a JSON array; null: there are none
};

/// What a route answers with: a list of records, or else content of a JSON type.
struct route_content {
    std::string_view content_type = "application/json";
    std::string_view type = "object";
    bool is_tagged = false;  ///< always the same, with an entity tag; lists have theirs anyway
    std::span<const std::string_view> records{};  ///< any of these schemas of the OpenAPI document
};

/// Something that can be asked for, with GET or HEAD: all there is to know of an endpoint. The
/// handler, the OpenAPI document, key files and access logs read it.
struct route {
    std::string_view path;
    std::string_view permission{};       ///< what a key needs for it
    quota counts_against = quota::none;  ///< none: anyone may ask, without a key
    std::string_view operation{};        ///< its name among the operations of the service
    std::string_view summary{};          ///< one line for people
    route_content content{};
    answer_function answer = nullptr;
    route_parameters parameters{};

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

}  // namespace sluice::api

#endif
