// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_PLAN_HPP
#define SLUICE_REFERENCE_PLAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/errors/choice.hpp>
#include <sluice/errors/error.hpp>

namespace sluice::reference {

/// The subscription plan of a workspace, in rising order.
enum class plan : std::uint8_t { free, pro, business, advanced, enterprise };

/// The names of the plans, in the order of the enumeration.
inline constexpr std::array<std::string_view, 5> plan_names{"free", "pro", "business", "advanced",
                                                            "enterprise"};

/// A plan's name, such as `business`.
[[nodiscard]] constexpr std::string_view to_string(plan subscribed) noexcept {
    switch (subscribed) {
        case plan::free: return plan_names[0];
        case plan::pro: return plan_names[1];
        case plan::business: return plan_names[2];
        case plan::advanced: return plan_names[3];
        case plan::enterprise: return plan_names[4];
    }
    return plan_names[0];
}

/// Parses a plan's name, which is case-sensitive. Anything else is rule::choice_unknown over the
/// whole text, with the names in `accepts`.
[[nodiscard]] constexpr result<plan> parse_plan(std::string_view text) noexcept {
    auto index = parse_choice<plan_names>(text);
    if (index) return static_cast<plan>(*index);
    index.error().param = "plan";
    return tl::unexpected<error>(index.error());
}

/// The rate limits of a plan. The two are counted separately.
struct plan_limits {
    /// Requests per minute; nullopt: set for each workspace.
    std::optional<std::int64_t> per_minute;
    /// Analytics requests per second; nullopt: none on the free plan, set for each workspace on the
    /// enterprise plan.
    std::optional<std::int64_t> analytics_per_second;

    friend constexpr bool operator==(const plan_limits&, const plan_limits&) = default;
};

/// The limits of a plan: `limits_of(plan::pro)` is 600 requests per minute and 2 analytics requests
/// per second.
[[nodiscard]] constexpr plan_limits limits_of(plan subscribed) noexcept {
    switch (subscribed) {
        case plan::free: return {60, std::nullopt};
        case plan::pro: return {600, 2};
        case plan::business: return {1'200, 4};
        case plan::advanced: return {3'000, 8};
        case plan::enterprise: return {};
    }
    return limits_of(plan::free);
}

}  // namespace sluice::reference

#endif
