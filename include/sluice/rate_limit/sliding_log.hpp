// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_SLIDING_LOG_HPP
#define SLUICE_RATE_LIMIT_SLIDING_LOG_HPP

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sluice/rate_limit/policy.hpp>
#include <sluice/time/instant.hpp>

namespace sluice {

/// Logs the time of each admitted cost: never more than the limit passes in any stretch of one
/// window's length. An entry expires one window after its time. Expired entries are dropped once
/// they are more than half, and costs of the same millisecond share an entry. So a state holds at
/// most 2 · limit entries of 16 bytes, and at most 2 for each millisecond of the window. A decision
/// takes logarithmic time, and amortised constant time to drop entries.
///
/// reset: when the newest entry expires and the full limit is available.
struct sliding_log {
    static constexpr std::string_view name = "sliding_log";

    struct entry {
        instant at;
        std::uint64_t total;  ///< cost admitted up to and with this entry, ever, modulo 2^64

        friend constexpr bool operator==(const entry&, const entry&) = default;
    };

    instant latest = earliest_instant;
    std::uint64_t dropped = 0;     ///< total of the last entry dropped from the front
    std::vector<entry> entries{};  ///< in order of time

    [[nodiscard]] constexpr std::int64_t available(const policy& limits,
                                                   instant at) const noexcept {
        return std::max<std::int64_t>(0, limits.limit - used_from(first_live(limits, at)));
    }
    [[nodiscard]] constexpr instant ready(const policy& limits, instant at,
                                          std::int64_t cost) const noexcept {
        const std::size_t live = first_live(limits, at);
        const std::uint64_t expired = total_before(live);
        // The cost that has to expire; it has once the first entry whose total reaches it expires.
        const std::uint64_t needed = total_before(entries.size()) - expired +
                                     static_cast<std::uint64_t>(cost - limits.limit);
        const auto frees = std::partition_point(
            entries.begin() + static_cast<std::ptrdiff_t>(live), entries.end(),
            [&](const entry& logged) { return logged.total - expired < needed; });
        return expiry(limits, at, frees == entries.end() ? entries.back() : *frees);
    }
    [[nodiscard]] constexpr instant reset(const policy& limits, instant at) const noexcept {
        return first_live(limits, at) == entries.size() ? at : expiry(limits, at, entries.back());
    }
    /// Counts an admitted cost.
    constexpr void spend(const policy& limits, instant at, std::int64_t cost) {
        drop(first_live(limits, at));
        const std::uint64_t total = total_before(entries.size());
        if (entries.empty() || entries.back().at != at) entries.push_back({at, total});
        entries.back().total += static_cast<std::uint64_t>(cost);
        latest = at;
    }

    /// Calls `visit(name, member)` with each member; see sluice::visit_members().
    template <class State, class Visit>
    static constexpr void visit_members(State& state, const Visit& visit) {
        visit("latest", state.latest);
        visit("dropped", state.dropped);
        visit("entries", state.entries);
    }
    friend constexpr bool operator==(const sliding_log&, const sliding_log&) = default;

private:
    /// Returns the time at which an entry expires: from `at` to a window later, even if the state
    /// isn't one that this algorithm produced.
    static constexpr instant expiry(const policy& limits, instant at,
                                    const entry& logged) noexcept {
        return std::clamp(logged.at, at - limits.window, at) + limits.window;
    }

    /// Returns the index of the first entry that hasn't expired.
    [[nodiscard]] constexpr std::size_t first_live(const policy& limits,
                                                   instant at) const noexcept {
        const instant expired = at - limits.window;
        const auto live =
            std::partition_point(entries.begin(), entries.end(),
                                 [&](const entry& logged) { return logged.at <= expired; });
        return static_cast<std::size_t>(live - entries.begin());
    }

    /// Returns the cost admitted before an entry, ever.
    [[nodiscard]] constexpr std::uint64_t total_before(std::size_t index) const noexcept {
        return index == 0 ? dropped : entries[index - 1].total;
    }

    /// Returns the cost admitted by the entries from an index on, at most policy_max_limit.
    [[nodiscard]] constexpr std::int64_t used_from(std::size_t index) const noexcept {
        constexpr std::uint64_t most = policy_max_limit;
        const std::uint64_t used = total_before(entries.size()) - total_before(index);
        return static_cast<std::int64_t>(std::min(used, most));
    }

    /// Drops the first `expired` entries if they are more than half. Then at most as many move up
    /// as are dropped, which takes constant time for an entry.
    constexpr void drop(std::unsigned_integral auto expired) {
        if (expired * 2 <= entries.size()) return;
        dropped = entries[expired - 1].total;
        entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(expired));
    }
};

}  // namespace sluice

#endif
