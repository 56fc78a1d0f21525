// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_HEADERS_HPP
#define SLUICE_RATE_LIMIT_HEADERS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/header.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/time/instant.hpp>

/// Headers of rate limits, for responses.
namespace sluice {

namespace detail {

/// Names of the headers of every decision.
inline constexpr std::array<std::string_view, 3> rate_limit_names{
    "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"};

/// Returns the values of the headers in rate_limit_names.
constexpr std::array<std::int64_t, 3> rate_limit_values(const decision& decided) noexcept {
    const auto reset = std::chrono::ceil<std::chrono::seconds>(decided.reset).time_since_epoch();
    return {decided.limit, decided.remaining, reset.count()};
}

}  // namespace detail

/// Returns the headers of a response to a counted request: `x-ratelimit-limit`,
/// `x-ratelimit-remaining`, `x-ratelimit-reset` (UTC epoch seconds, rounded up) and, if it was
/// refused, `retry-after` (seconds).
[[nodiscard]] inline std::vector<header> rate_limit_headers(const decision& decided) {
    const auto values = detail::rate_limit_values(decided);
    std::vector<header> headers;
    headers.reserve(values.size() + 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        headers.push_back({std::string(detail::rate_limit_names[i]), std::to_string(values[i])});
    }
    if (decided.retry_after)
        headers.push_back({"retry-after", std::to_string(decided.retry_after->count())});
    return headers;
}

namespace detail {

/// Returns the number of bytes of printable ASCII that a text begins with.
[[nodiscard]] constexpr std::size_t printable_size(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size() && text[at] >= ' ' && text[at] <= '~') ++at;
    return at;
}

/// Writes printable ASCII as a structured-field string (RFC 9651): in quotes, `"` and `\` escaped.
[[nodiscard]] inline std::string to_sf_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char byte : text) {
        if (byte == '"' || byte == '\\') quoted.push_back('\\');
        quoted.push_back(byte);
    }
    quoted.push_back('"');
    return quoted;
}

/// Formats a time span in whole seconds, rounded up.
[[nodiscard]] inline std::string seconds_text(std::chrono::milliseconds span) {
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count());
}

/// Returns the parameter `t` of the RateLimit field: the seconds within which a client can use at
/// most `remaining`. They end at the reset or, for a refusal, at Retry-After: the draft wants no
/// Retry-After that ends earlier.
[[nodiscard]] inline std::string effective_window(const decision& decided, instant now) {
    using std::chrono::milliseconds;
    if (decided.retry_after) return std::to_string(decided.retry_after->count());
    return seconds_text(std::max(decided.reset - clock_time(now), milliseconds{0}));
}

}  // namespace detail

/// Returns the structured fields of draft-ietf-httpapi-ratelimit-headers-11, which a server may
/// send in addition to rate_limit_headers(). `name` distinguishes the policies of a service. A
/// window that isn't a whole number of seconds is rounded up, since the draft has no finer unit.
/// Error: field_value, of `name`, at its first byte that isn't printable ASCII.
///
/// ```
/// ratelimit-policy: "default";q=100;w=60     quota and window of the policy
/// ratelimit: "default";r=50;t=30             remaining quota and seconds until the reset
/// ```
[[nodiscard]] inline result<std::vector<header>> rate_limit_fields(
    const decision& decided, const policy& limits, instant now, std::string_view name = "default") {
    const std::size_t printable = detail::printable_size(name);
    if (printable < name.size()) {
        auto failure = fail(rule::field_value, printable, 1);
        failure.value().param = "name";
        failure.value().accepts = "expected printable ASCII";
        return failure;
    }
    const policy clamped = detail::in_range(limits);
    std::string policy_field = detail::to_sf_string(name);
    std::string limit_field = policy_field;
    policy_field.append(";q=").append(std::to_string(clamped.limit));
    policy_field.append(";w=").append(detail::seconds_text(clamped.window));
    limit_field.append(";r=").append(std::to_string(decided.remaining));
    limit_field.append(";t=").append(detail::effective_window(decided, now));
    return std::vector<header>{{"ratelimit-policy", std::move(policy_field)},
                               {"ratelimit", std::move(limit_field)}};
}

}  // namespace sluice

#endif
