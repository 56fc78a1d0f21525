// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DECISION_HPP
#define SLUICE_RATE_LIMIT_DECISION_HPP

#include <algorithm>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <sluice/base/value.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/time/instant.hpp>

/// Decisions on requests: an algorithm applied to the state of one client.
namespace sluice {

/// The decision on a request, with the values of its rate-limit headers.
struct decision {
    bool allowed = false;
    std::int64_t limit = 0;      ///< of the policy
    std::int64_t remaining = 0;  ///< the cost that would still be admitted now, 0 to limit
    instant reset{};             ///< see the algorithm; never before `now`
    /// Only if refused: the least whole seconds to wait, at least 1. A client that does nothing
    /// else is admitted after exactly that long. nullopt for a cost above the limit, which never
    /// passes.
    std::optional<std::chrono::seconds> retry_after{};

    friend constexpr auto operator<=>(const decision&, const decision&) = default;
};

/// Writes a decision as `allowed, 3 of 4 left, reset at 2026-08-21T02:30:00.000Z`; a refused one
/// with `, retry after 2 s` if that is known.
[[nodiscard]] inline std::string to_string(const decision& decided) {
    std::string text = decided.allowed ? "allowed, " : "refused, ";
    text.append(std::to_string(decided.remaining)).append(" of ");
    text.append(std::to_string(decided.limit)).append(" left, reset at ");
    text.append(format_timestamp(decided.reset));
    if (!decided.retry_after) return text;
    return text.append(", retry after ").append(std::to_string(decided.retry_after->count())) +
           " s";
}
template <>
inline constexpr bool is_value<decision> = true;

/// A decision, and the state to pass to the next one.
template <class State>
struct outcome {
    sluice::decision decision;
    State state;
};

/// An algorithm: the state of one client, with the functions that
/// <sluice/rate_limit/algorithms.hpp> describes. Two windows after its last admission a state
/// decides like a new one, so limiters may drop it.
template <class T>
concept rate_algorithm =
    std::semiregular<T> &&
    requires(T changed, const T& state, const policy& limits, instant at, std::int64_t cost) {
        { state.latest } -> std::convertible_to<instant>;
        { state.available(limits, at) } -> std::same_as<std::int64_t>;
        { state.ready(limits, at, cost) } -> std::same_as<instant>;
        { state.reset(limits, at) } -> std::same_as<instant>;
        { changed.spend(limits, at, cost) } -> std::same_as<void>;
    };

namespace detail {

/// Returns the time for a state: the clock's, clamped to the years 0000 to 9999.
constexpr instant clock_time(instant now) noexcept {
    return nearest(now, earliest_instant, latest_instant);
}

/// Like clock_time(now), but never before `latest`, a state's last admission: a clock that went
/// back a little stands still. Expects a state that isn't ahead, see is_ahead().
constexpr instant clock_time(instant now, instant latest) noexcept {
    const instant shown = clock_time(now);
    return nearest(latest, shown, latest_instant);
}

/// Returns true if a state is more than one window ahead of the clock: one of the clocks was wrong,
/// and with that state a client might wait for centuries.
///
/// ```
///             now            now + window
/// -------------|------------------|--------------> latest
///     holds    | holds, as if now | counts as new
///              |  were `latest`   |
/// ```
template <class State>
[[nodiscard]] constexpr bool is_ahead(const State& state, const policy& limits,
                                      instant now) noexcept {
    return clock_time(state.latest) - clock_time(now) > limits.window;
}

/// Returns the seconds to wait until `ready`, at least 1: the Retry-After value.
[[nodiscard]] constexpr std::chrono::seconds wait_until(instant ready, instant now) noexcept {
    return std::max(std::chrono::ceil<std::chrono::seconds>(ready - now), std::chrono::seconds{1});
}

/// Returns the refusal of a cost that isn't available. `at` is clock_time(now, state.latest).
template <class State>
[[nodiscard]] constexpr decision refuse(const State& state, const policy& limits, instant now,
                                        instant at, std::int64_t cost) {
    decision refused{.limit = limits.limit,
                     .remaining = state.available(limits, at),
                     .reset = state.reset(limits, at)};
    if (cost <= limits.limit) {
        refused.retry_after = wait_until(state.ready(limits, at, cost), clock_time(now));
    }
    return refused;
}

/// Like decide_in_place(), for a state that isn't ahead (see is_ahead) and a policy in range.
template <class State>
[[nodiscard]] constexpr decision decide_held(State& state, const policy& limits, instant now,
                                             std::int64_t cost) {
    const instant at = clock_time(now, state.latest);
    const std::int64_t available = state.available(limits, at);
    if (cost > available) return refuse(state, limits, now, at, cost);
    const std::int64_t spent = cost > 0 ? cost : 0;
    if (spent > 0) state.spend(limits, at, spent);
    return {.allowed = true,
            .limit = limits.limit,
            .remaining = available - spent,
            .reset = state.reset(limits, at)};
}

/// Like decide(), but updates `state` itself.
template <class State>
[[nodiscard]] constexpr decision decide_in_place(State& state, const policy& limits, instant now,
                                                 std::int64_t cost) {
    const policy clamped = in_range(limits);
    if (!is_ahead(state, clamped, now)) return decide_held(state, clamped, now, cost);
    State anew;
    const decision decided = decide_held(anew, clamped, now, cost);
    if (decided.allowed && cost > 0) state = std::move(anew);
    return decided;
}

}  // namespace detail

/// Returns what decide() would, with nothing consumed: `allowed` and `retry_after` are those of a
/// request of this cost, `remaining` and `reset` those of now.
template <rate_algorithm State>
[[nodiscard]] constexpr decision peek(const State& state, const policy& limits, instant now,
                                      std::int64_t cost = 1) {
    const policy clamped = detail::in_range(limits);
    if (detail::is_ahead(state, clamped, now)) return peek(State{}, clamped, now, cost);
    const instant at = detail::clock_time(now, state.latest);
    const std::int64_t available = state.available(clamped, at);
    if (cost > available) return detail::refuse(state, clamped, now, at, cost);
    return {.allowed = true,
            .limit = clamped.limit,
            .remaining = available,
            .reset = state.reset(clamped, at)};
}

/// Decides on one request and returns the state for the next. Pure: the same arguments always give
/// the same outcome.
///
/// ```
/// constexpr policy limits{600, std::chrono::minutes{1}};
/// sliding_window state;
/// auto [decision, next] = decide(state, limits, now);
/// ```
/// - A refused request isn't counted: its outcome holds the state as it was.
/// - A cost of 0 or less always passes and counts as 0.
/// - A cost above the limit never passes, so its decision has no retry_after.
/// - The clock may jump. A `now` up to one window before the last admission counts as the time of
///   that admission, so a clock that goes back a little admits nothing twice, and retry_after spans
///   the gap. A state further ahead counts as new, so a clock that was once wrong locks nobody out.
///   A `now` outside the years 0000 to 9999 counts as the nearest one inside.
template <rate_algorithm State>
[[nodiscard]] constexpr outcome<State> decide(State state, const policy& limits, instant now,
                                              std::int64_t cost = 1) {
    const decision decided = detail::decide_in_place(state, limits, now, cost);
    return {decided, std::move(state)};
}

}  // namespace sluice

#endif
