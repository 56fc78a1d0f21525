// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_POLICY_HPP
#define SLUICE_RATE_LIMIT_POLICY_HPP

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/base/static_text.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>

/// Policies of rate limits: a total cost in a window of time.
namespace sluice {

/// Maximum limit of a policy. With the longest window it keeps every product of the two within 63
/// bits, so all arithmetic on policies is exact.
inline constexpr std::int64_t policy_max_limit = 100'000'000;

/// Maximum window of a policy: 366 days.
inline constexpr std::chrono::milliseconds policy_max_window = std::chrono::days{366};

/// A policy: a total cost of `limit` in each `window`.
///
/// `policy{600, std::chrono::minutes{1}}` is 600 requests a minute, where each costs 1.
struct policy {
    std::int64_t limit = 1;                                      ///< 1 to policy_max_limit
    std::chrono::milliseconds window = std::chrono::seconds{1};  ///< 1 ms to policy_max_window

    friend constexpr auto operator<=>(const policy&, const policy&) = default;
};

/// Writes a policy as `600 per 60000 ms`.
[[nodiscard]] inline std::string to_string(const policy& limits) {
    return std::to_string(limits.limit) + " per " + std::to_string(limits.window.count()) + " ms";
}
template <>
inline constexpr bool is_value<policy> = true;

namespace detail {

/// Returns the value from `least` to `most` that is nearest to `value`. Like std::clamp, but by
/// value: a decision is so short that references would slow it down.
template <class T>
constexpr T nearest(T value, T least, T most) noexcept {
    if (value < least) return least;
    return most < value ? most : value;
}

/// Clamps a policy's limit and window to their ranges.
constexpr policy in_range(const policy& limits) noexcept {
    return {nearest<std::int64_t>(limits.limit, 1, policy_max_limit),
            std::chrono::milliseconds{
                nearest<std::int64_t>(limits.window.count(), 1, policy_max_window.count())}};
}

/// Returns the error of a policy's number. Both texts must be static.
constexpr error policy_error(rule broken, std::string_view param,
                             std::string_view accepts) noexcept {
    error refused = make_error(broken);
    refused.param = param;
    refused.accepts = accepts;
    return refused;
}

}  // namespace detail

/// Makes a policy. Errors: number_too_small or number_too_large, if `limit` or `window` is out of
/// range.
///
/// For a policy that is written out in code, `policy{limit, window}` is enough: decide, peek and
/// the keyed limiter clamp values that are out of range.
[[nodiscard]] constexpr result<policy> make_policy(std::int64_t limit,
                                                   std::chrono::milliseconds window) noexcept {
    const policy wanted{limit, window};
    const policy nearest = detail::in_range(wanted);
    if (limit != nearest.limit) {
        return tl::unexpected<error>(detail::policy_error(
            limit < nearest.limit ? rule::number_too_small : rule::number_too_large, "limit",
            detail::range_text<1, policy_max_limit>.view()));
    }
    if (window != nearest.window) {
        return tl::unexpected<error>(detail::policy_error(
            window < nearest.window ? rule::number_too_small : rule::number_too_large, "window",
            detail::number_text<"expected 1 millisecond to ", policy_max_window / std::chrono::days{1},
                                " days">.view()));
    }
    return wanted;
}

}  // namespace sluice

#endif
