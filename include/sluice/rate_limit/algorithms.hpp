// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_ALGORITHMS_HPP
#define SLUICE_RATE_LIMIT_ALGORITHMS_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <sluice/errors/choice.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/sliding_log.hpp>
#include <sluice/time/instant.hpp>

namespace sluice {

// An algorithm is the state of one client: a value, new when default-constructed, with public
// members so that it can be stored anywhere. `decide` and `peek` (decision.hpp) use it through four
// functions, and keep their preconditions: the policy is in range, `latest <= at`, and
// 1 <= cost <= limit. Times are in milliseconds.
//
//   available(policy, at)     the cost that would be admitted at `at`, 0 to limit
//   ready(policy, at, cost)   when a cost refused at `at` is admitted, if nothing else is before
//   reset(policy, at)         the value of X-RateLimit-Reset
//   spend(policy, at, cost)   counts an admitted cost
//
// Most of a decision's time is a division. All four take the start of a window from window_start,
// so that the compiler divides once for all of them.
//
//   algorithm       | admits in one window's length   | units come back    | a state holds
//   ----------------|---------------------------------|--------------------|--------------
//   sliding_window  | about the limit, at worst twice | evenly             | 24 bytes
//   fixed_window    | at worst twice the limit        | all at once        | 16 bytes
//   sliding_log     | never more than the limit       | as they were spent | 16 bytes a unit
//   gcra            | at worst twice the limit        | one by one, evenly | 24 bytes
//
// `latest` is the time of the last admission. The policy of a state may change: admissions within
// the new window still count. A state that no algorithm produced gives decisions without meaning,
// but no undefined behaviour.

namespace detail {

/// Returns ⌊a / b⌋ for b > 0, as the algorithms round times.
constexpr std::int64_t divide_down(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);
}

/// Returns ⌈a / b⌉ for b > 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) noexcept {
    return a / b + (a % b > 0 ? 1 : 0);
}

/// Returns the start of the window that an instant lies in. One window starts at the epoch.
constexpr instant window_start(const policy& limits, instant at) noexcept {
    return instant{divide_down(at.time_since_epoch().count(), limits.window.count()) *
                   limits.window};
}

/// Returns the end of the window that an instant lies in, at which the next one starts.
constexpr instant window_end(const policy& limits, instant at) noexcept {
    return window_start(limits, at) + limits.window;
}

constexpr std::int64_t not_below_0(std::int64_t count) noexcept { return count < 0 ? 0 : count; }

/// Clamps a count of a stored state, which may come from anywhere, to 0 to policy_max_limit.
constexpr std::int64_t counted(std::int64_t count) noexcept {
    return nearest<std::int64_t>(count, 0, policy_max_limit);
}

}  // namespace detail

/// Counts in windows aligned to the epoch and starts from 0 in each. Around the end of a window,
/// twice the limit may pass within one window's length.
///
/// reset: the end of the current window.
struct fixed_window {
    static constexpr std::string_view name = "fixed_window";

    instant latest = earliest_instant;
    std::int64_t used = 0;  ///< cost admitted in the window of `latest`

    [[nodiscard]] constexpr std::int64_t available(const policy& limits,
                                                   instant at) const noexcept {
        return detail::not_below_0(limits.limit - used_at(limits, at));
    }
    [[nodiscard]] constexpr instant ready(const policy& limits, instant at,
                                          std::int64_t /*cost*/) const noexcept {
        return detail::window_end(limits, at);
    }
    [[nodiscard]] constexpr instant reset(const policy& limits, instant at) const noexcept {
        return detail::window_end(limits, at);
    }
    constexpr void spend(const policy& limits, instant at, std::int64_t cost) noexcept {
        *this = {at, used_at(limits, at) + cost};
    }

    /// Calls `visit(name, member)` with each member; see sluice::visit_members().
    template <class State, class Visit>
    static constexpr void visit_members(State& state, const Visit& visit) {
        visit("latest", state.latest);
        visit("used", state.used);
    }
    friend constexpr bool operator==(const fixed_window&, const fixed_window&) = default;

private:
    /// Returns the cost admitted in the window of `at`; 0 if none was since it began.
    [[nodiscard]] constexpr std::int64_t used_at(const policy& limits, instant at) const noexcept {
        return latest >= detail::window_start(limits, at) ? detail::counted(used) : 0;
    }
};

/// Counts in windows aligned to the epoch and lets the previous window's count fade out evenly:
///
/// ```
///      previous = 6               current = 2
/// |------------------------|-----------:------------|
///                          |- elapsed -|--- rest ---|     all in milliseconds
///
/// used = ⌊previous · rest / window⌋ + current
/// ```
/// A cost is admitted while used + cost <= limit. reset: the end of the current window, when the
/// current count starts to fade.
struct sliding_window {
    static constexpr std::string_view name = "sliding_window";

    instant latest = earliest_instant;
    std::int64_t previous = 0;  ///< cost admitted in the window before that of `latest`
    std::int64_t current = 0;   ///< cost admitted in the window of `latest`

    [[nodiscard]] constexpr std::int64_t available(const policy& limits,
                                                   instant at) const noexcept {
        const sliding_window now = rolled(limits, at);
        std::int64_t used = now.current;
        if (now.previous > 0) {
            const auto rest = detail::window_end(limits, at) - at;
            used += now.previous * rest.count() / limits.window.count();
        }
        return detail::not_below_0(limits.limit - used);
    }
    [[nodiscard]] constexpr instant ready(const policy& limits, instant at,
                                          std::int64_t cost) const noexcept {
        const sliding_window now = rolled(limits, at);
        const instant end = detail::window_end(limits, at);
        const std::int64_t room = limits.limit - cost;
        // A current count beyond the room fades only in the next window.
        if (now.current > room) return end + fading_time(limits, now.current, room);
        return end - limits.window + fading_time(limits, now.previous, room - now.current);
    }
    [[nodiscard]] constexpr instant reset(const policy& limits, instant at) const noexcept {
        return detail::window_end(limits, at);
    }
    constexpr void spend(const policy& limits, instant at, std::int64_t cost) noexcept {
        *this = rolled(limits, at);
        current += cost;
    }

    /// Calls `visit(name, member)` with each member; see sluice::visit_members().
    template <class State, class Visit>
    static constexpr void visit_members(State& state, const Visit& visit) {
        visit("latest", state.latest);
        visit("previous", state.previous);
        visit("current", state.current);
    }
    friend constexpr bool operator==(const sliding_window&, const sliding_window&) = default;

private:
    /// Returns the state with its counts moved on to the window of `at`.
    [[nodiscard]] constexpr sliding_window rolled(const policy& limits, instant at) const noexcept {
        const instant start = detail::window_start(limits, at);
        if (latest >= start) return {at, detail::counted(previous), detail::counted(current)};
        if (latest >= start - limits.window) return {at, detail::counted(current), 0};
        return {at, 0, 0};
    }

    /// Returns the least time into a window at which `count` of the window before has faded to
    /// `room`, where 0 <= room < count: ⌊count · rest / window⌋ <= room while count · rest is less
    /// than (room + 1) · window.
    static constexpr std::chrono::milliseconds fading_time(const policy& limits, std::int64_t count,
                                                           std::int64_t room) noexcept {
        const auto rest = detail::divide_up((room + 1) * limits.window.count(), count) - 1;
        return limits.window - std::chrono::milliseconds{rest};
    }
};

/// The generic cell rate algorithm: each unit of cost adds window / limit of time to the client's
/// backlog, which is at most one window. After a burst of `limit`, units come back one by one.
///
/// ```
///        at     theoretical arrival time
/// --------|-----------------|------------|--------> time
///         |---- backlog ----|--- room ---|
///         |----------- window -----------|
/// ```
/// The backlog is exact: whole milliseconds and a fraction in units of 1/limit ms. reset: when
/// the backlog is gone and the full limit is available.
struct gcra {
    static constexpr std::string_view name = "gcra";

    instant latest = earliest_instant;
    std::chrono::milliseconds backlog{};  ///< whole milliseconds of backlog at `latest`
    std::int64_t fraction = 0;            ///< the rest of it, in units of 1/limit ms

    [[nodiscard]] constexpr std::int64_t available(const policy& limits,
                                                   instant at) const noexcept {
        return (capacity(limits) - backlog_at(limits, at)) / limits.window.count();
    }
    [[nodiscard]] constexpr instant ready(const policy& limits, instant at,
                                          std::int64_t cost) const noexcept {
        const std::int64_t room = (limits.limit - cost) * limits.window.count();
        return at + drain_time(limits, backlog_at(limits, at) - room);
    }
    [[nodiscard]] constexpr instant reset(const policy& limits, instant at) const noexcept {
        return at + drain_time(limits, backlog_at(limits, at));
    }
    constexpr void spend(const policy& limits, instant at, std::int64_t cost) noexcept {
        const std::int64_t after = backlog_at(limits, at) + cost * limits.window.count();
        *this = {at, std::chrono::milliseconds{after / limits.limit}, after % limits.limit};
    }

    /// Calls `visit(name, member)` with each member; see sluice::visit_members().
    template <class State, class Visit>
    static constexpr void visit_members(State& state, const Visit& visit) {
        visit("latest", state.latest);
        visit("backlog", state.backlog);
        visit("fraction", state.fraction);
    }
    friend constexpr bool operator==(const gcra&, const gcra&) = default;

private:
    /// Returns the largest backlog, one window, in units of 1/limit ms. A unit of cost is `window`
    /// of them.
    static constexpr std::int64_t capacity(const policy& limits) noexcept {
        return limits.limit * limits.window.count();
    }

    /// Returns the backlog at an instant, in units of 1/limit ms.
    [[nodiscard]] constexpr std::int64_t backlog_at(const policy& limits,
                                                    instant at) const noexcept {
        using std::chrono::milliseconds;
        const std::int64_t window = limits.window.count();
        const std::int64_t whole = detail::nearest<std::int64_t>(backlog.count(), 0, window);
        const std::int64_t part = detail::nearest<std::int64_t>(fraction, 0, limits.limit - 1);
        const std::int64_t then =
            detail::nearest<std::int64_t>(whole * limits.limit + part, 0, capacity(limits));
        const milliseconds elapsed = at - detail::nearest(latest, at - limits.window, at);
        return detail::not_below_0(then - elapsed.count() * limits.limit);
    }

    /// Returns the time after which a backlog, in units of 1/limit ms, is gone.
    static constexpr std::chrono::milliseconds drain_time(const policy& limits,
                                                          std::int64_t amount) noexcept {
        return std::chrono::milliseconds{detail::divide_up(amount, limits.limit)};
    }
};

namespace detail {

/// A list of types of states.
template <class... States>
struct algorithm_list {};

/// The states of all algorithms. Names, enumerators, limiters, bindings and the Redis script's
/// check derive from this list.
using algorithms = algorithm_list<sliding_window, fixed_window, sliding_log, gcra>;

/// Returns an array of `make.operator()<State>()` for the algorithms, in the order of the list.
template <class Make, class... States>
[[nodiscard]] constexpr auto for_algorithms(const Make& make, algorithm_list<States...>) {
    return std::array { make.template operator()<States>()... };
}
template <class Make>
[[nodiscard]] constexpr auto for_algorithms(const Make& make) {
    return for_algorithms(make, algorithms());
}

}  // namespace detail

/// Names of the algorithms, in the order of their list.
inline constexpr auto algorithm_names =
    detail::for_algorithms([]<class State>() { return State::name; });

namespace detail {

/// Returns the place of an algorithm in the list. A name without an algorithm doesn't compile.
consteval std::uint8_t algorithm_number(std::string_view name) {
    std::uint8_t number = 0;
    while (algorithm_names[number] != name) ++number;
    return number;
}

}  // namespace detail

/// An algorithm that is chosen at run time.
enum class algorithm_kind : std::uint8_t {
    sliding_window = detail::algorithm_number("sliding_window"),
    fixed_window = detail::algorithm_number("fixed_window"),
    sliding_log = detail::algorithm_number("sliding_log"),
    gcra = detail::algorithm_number("gcra"),
};

/// Returns an algorithm's name, such as `gcra`; empty for a number without an algorithm.
[[nodiscard]] constexpr std::string_view to_string(algorithm_kind kind) noexcept {
    const auto number = static_cast<std::size_t>(kind);
    return number < algorithm_names.size() ? algorithm_names[number] : std::string_view();
}

/// Parses an algorithm's name, in its exact spelling. Error: choice_unknown over the whole text,
/// with the names in `accepts`.
[[nodiscard]] constexpr result<algorithm_kind> parse_algorithm(std::string_view text) noexcept {
    auto index = parse_choice<algorithm_names>(text);
    if (index) return static_cast<algorithm_kind>(*index);
    index.error().param = "algorithm";
    return tl::unexpected<error>(index.error());
}

/// Calls `visit(name, member)` with each member of a limiter's state, to write or read states in
/// other formats. The names are published: they don't change.
///
/// ```
/// sluice::fixed_window state;
/// sluice::visit_members(state, [&](const char* name, auto& member) { … });  // "latest", "used"
/// ```
template <class State, class Visit>
void visit_members(State& state, const Visit& visit) {
    std::remove_const_t<State>::visit_members(state, visit);
}

}  // namespace sluice

#endif
