// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_ROUTE_HPP
#define SLUICE_REFERENCE_SERVICE_ROUTE_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include <sluice/errors/envelope.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/reference/service/handler_options.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/reference/service/request.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/time/zone.hpp>

/// Routes: endpoints, and the calls that they answer.
namespace sluice::reference {

/// An admitted request, and the inputs of its answer. Borrows the request, the zones and the
/// options.
struct call {
    const request& received;
    workspace_view view;  ///< the key's workspace
    std::string_view workspace_id;
    const time_zone_database& zones;
    const handler_options& options;
    instant now;
    std::stop_token stop{};  ///< requested once the answer is no longer needed
};

/// The call's statement runner, stopped with the call; empty if the lists are in memory. Borrows
/// `context`.
[[nodiscard]] inline clickhouse::statement_runner runner_of(const call& context) {
    if (!context.options.run_statement) return {};
    return [&context](const sql::statement& statement) -> result<std::string> {
        if (context.stop.stop_requested()) return fail(rule::request_cancelled);
        auto answer = context.options.run_statement(statement, context.stop);
        if (context.stop.stop_requested()) return fail(rule::request_cancelled);
        return answer;
    };
}

/// Answers a call: the response, or an error.
using answer_function = result<response> (*)(const call&);

/// The quota that requests to a route count against.
enum class quota : std::uint8_t { none, per_minute, analytics_per_second };

/// The parameters of a route.
struct route_parameters {
    std::span<const std::string_view> names{};
    std::string (*to_openapi)() = nullptr;  ///< returns a JSON array; null: no parameters
};

/// The content of a route's answer: a list of records, or another JSON type.
struct route_content {
    std::string_view content_type = "application/json";
    std::string_view type = "object";
    bool is_tagged = false;  ///< constant content with an entity tag; lists always have one
    /// The names of the records' schemas in the OpenAPI document. If `type` is `array`, the answer
    /// is a page of records; if `object`, one record; otherwise a value of this type or an array of
    /// records. A record has any one of the schemas.
    std::span<const std::string_view> records{};
    /// For lists without pages: the schema's name of an object that may stand for the list.
    std::string_view object{};

    [[nodiscard]] constexpr bool is_page() const noexcept {
        return !records.empty() && type == "array" && object.empty();
    }
    /// Returns true for a record that a request names and that may be missing.
    [[nodiscard]] constexpr bool may_be_missing() const noexcept {
        return !records.empty() && type == "object";
    }
};

/// An endpoint for GET and HEAD, with all its properties. Read by the handler, the OpenAPI
/// document, key files and access logs.
struct route {
    std::string_view path;
    std::string_view permission{};       ///< permission that a key needs
    quota counts_against = quota::none;  ///< none: open to anyone, without a key
    plan needs = plan::free;             ///< the least plan that a key needs
    std::string_view operation{};        ///< operation id in the OpenAPI document
    std::string_view summary{};          ///< one line of the OpenAPI document
    route_content content{};
    answer_function answer = nullptr;
    /// Returns the number of records that a request searches, at most, by its plan if it has one;
    /// null: none.
    std::size_t (*searched)(const call& context) = nullptr;
    route_parameters parameters{};

    [[nodiscard]] constexpr bool is_open() const noexcept { return counts_against == quota::none; }
    /// Returns true if requests count against the quota of analytics.
    [[nodiscard]] constexpr bool is_analytics() const noexcept {
        return counts_against == quota::analytics_per_second;
    }
    /// The rate limit of a key for this route; nullopt if its plan has none.
    [[nodiscard]] std::optional<policy> policy_of(const api_key& key) const noexcept {
        const auto limit = is_analytics() ? key.limits.analytics_per_second : key.limits.per_minute;
        if (!limit) return std::nullopt;
        return is_analytics() ? policy{*limit, std::chrono::seconds{1}}
                              : policy{*limit, std::chrono::minutes{1}};
    }
};

}  // namespace sluice::reference

#endif
