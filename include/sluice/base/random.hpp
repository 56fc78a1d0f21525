// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_RANDOM_HPP
#define SLUICE_BASE_RANDOM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

/// Random numbers for generated data.
namespace sluice::detail {

/// Scatters a number over 64 bits, one to one: different numbers stay different. It is the last
/// step of SplitMix64, with its constants.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t number) noexcept {
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
    return number ^ (number >> 31);
}

/// Random numbers for generated data, the same on every platform for the same seed (SplitMix64 and
/// integer arithmetic; the standard distributions differ between libraries). Not for secrets.
class random_source {
public:
    explicit constexpr random_source(std::uint64_t seed) noexcept : state_(seed) {}

    /// Returns 64 random bits.
    constexpr std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15;
        return mix64(state_);
    }

    /// Returns a number from 0 to `bound` - 1; `bound` is at least 1.
    constexpr std::uint32_t below(std::uint32_t bound) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    /// Returns true in `percent` of 100 cases.
    constexpr bool chance(std::uint32_t percent) noexcept { return below(100) < percent; }

    /// Returns one of some items. Expects at least one.
    template <class Items>
    constexpr const auto& pick(const Items& items) noexcept {
        return items[below(static_cast<std::uint32_t>(items.size()))];
    }

private:
    std::uint64_t state_;
};

/// Zipf's law over ranks 0 to n - 1: rank r is drawn in proportion to 1 / (r + 1), so that few are
/// common and most are rare. 1 <= n <= 1,000,000.
class zipf {
public:
    explicit zipf(std::size_t n) : ends_(n) {
        constexpr std::uint32_t weight_of_first = 1U << 24;  // the sum is below 15 times as much
        for (std::size_t rank = 0; rank < n; ++rank) {
            ends_[rank] = weight_of_first / static_cast<std::uint32_t>(rank + 1);
        }
        std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    }

    /// Returns a random rank.
    [[nodiscard]] std::size_t draw(random_source& random) const noexcept {
        const std::uint32_t point = random.below(ends_.back());
        const auto drawn = std::upper_bound(ends_.begin(), ends_.end(), point);
        return static_cast<std::size_t>(drawn - ends_.begin());
    }

private:
    std::vector<std::uint32_t> ends_;  // running sums of the weights
};

}  // namespace sluice::detail

#endif
