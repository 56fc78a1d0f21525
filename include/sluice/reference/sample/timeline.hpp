// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_TIMELINE_HPP
#define SLUICE_REFERENCE_SAMPLE_TIMELINE_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <sluice/time/instant.hpp>

namespace sluice::reference {

/// The distribution of events over the 30 days before `now`: quiet nights (UTC), slow weekends, and
/// a campaign that makes the last 24 hours eight times as busy, with about a fifth of all events.
class sample_timeline {
public:
    explicit constexpr sample_timeline(instant now) noexcept
        : start_(now - std::chrono::hours(hours)) {
        for (std::size_t hour = 0; hour < hours; ++hour) {
            ends_[hour + 1] = ends_[hour] + weight(hour);
        }
    }

    /// The time of item `index` of `count`: traffic is divided into `count` equal slots, and the
    /// item is at `jitter` / 65,536 of its slot. Always before `now`. Requires `index` < `count` <=
    /// 1,000,000,000.
    [[nodiscard]] constexpr instant at(std::uint64_t index, std::uint64_t count,
                                       std::uint16_t jitter) const noexcept {
        const std::uint64_t point = ((index << 16) + jitter) * ends_.back() / count;
        const auto end = std::upper_bound(ends_.begin(), ends_.end(), point >> 16);
        const auto hour = static_cast<std::size_t>(end - ends_.begin()) - 1;
        const std::uint64_t width = ends_[hour + 1] - ends_[hour];
        const std::uint64_t inside = point - (ends_[hour] << 16);
        const auto milliseconds = static_cast<std::int64_t>(inside * 3'600'000 / (width << 16));
        return start_ + std::chrono::hours(hour) + std::chrono::milliseconds(milliseconds);
    }

private:
    static constexpr std::size_t hours = 30 * 24;

    [[nodiscard]] constexpr std::uint64_t weight(std::size_t hour) const noexcept {
        constexpr std::array<std::uint64_t, 24> by_hour{
            6, 4, 3, 3, 3, 4, 6, 9, 12, 14, 15, 15, 14, 15, 16, 16, 15, 14, 13, 12, 12, 11, 10, 8};
        const instant begin = start_ + std::chrono::hours(hour);
        const auto day = std::chrono::floor<std::chrono::days>(begin);
        const auto hour_of_day = std::chrono::floor<std::chrono::hours>(begin - day).count();
        const unsigned weekday = std::chrono::weekday(day).iso_encoding();
        const std::uint64_t of_week = weekday >= 6 ? 6 : 10;
        const std::uint64_t of_campaign = hour + 24 >= hours ? 8 : 1;
        return by_hour[static_cast<std::size_t>(hour_of_day)] * of_week * of_campaign;
    }

    instant start_;
    std::array<std::uint64_t, hours + 1> ends_{};  // running sums of the weights, below 2^17
};

}  // namespace sluice::reference

#endif
