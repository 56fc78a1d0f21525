// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_DISTINCT_ESTIMATE_HPP
#define SLUICE_STORE_GROUPS_DISTINCT_ESTIMATE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sluice::store {

/// An estimate of a number of distinct values: exact while there are at most listed_max, then a
/// HyperLogLog with a standard error of 0.81 %. It depends on the set of values alone, not on their
/// order or repetition. Up to 16 KiB.
///
/// ```
/// hash       = index rank…                           14 bits, 50 bits
/// registers [index] = max of the leading zeros of a rank, plus 1; 0 without one
/// ```
///
/// The estimator is that of Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog
/// sketches" (2017), which needs no correction of small or large numbers.
class distinct_estimate {
public:
    /// The number of values up to which count() is exact.
    static constexpr std::size_t listed_max = 2'048;

    void add(std::uint32_t value) {
        if (!registers_.empty()) return add_hash(hash(value));
        listed_.push_back(value);
        if (listed_.size() >= compact_at_) compact();
    }
    /// Returns the number of values, or its estimate.
    [[nodiscard]] std::int64_t count() const {
        if (!registers_.empty()) return std::llround(estimate());
        distinct_estimate whole = *this;
        whole.compact();
        if (!whole.registers_.empty()) return whole.count();
        return static_cast<std::int64_t>(whole.listed_.size());
    }

private:
    static constexpr unsigned precision = 14, rank_bits = 64 - precision;
    static constexpr std::size_t registers = std::size_t{1} << precision;

    /// Mixes the bits of a number; different numbers have different hashes (SplitMix64).
    [[nodiscard]] static std::uint64_t hash(std::uint32_t value) noexcept {
        std::uint64_t mixed = (std::uint64_t{value} + 1) * 0x9E37'79B9'7F4A'7C15U;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EBU;
        return mixed ^ (mixed >> 31);
    }
    void add_hash(std::uint64_t hash) noexcept {
        const std::uint64_t rank = hash << precision;
        const int zeros = std::min(std::countl_zero(rank), static_cast<int>(rank_bits));
        std::uint8_t& known = registers_[hash >> rank_bits];
        known = std::max(known, static_cast<std::uint8_t>(zeros + 1));
    }
    /// Drops repeated values; moves them to registers if too many are left.
    void compact() {
        std::ranges::sort(listed_);
        const auto repeated = std::ranges::unique(listed_);
        listed_.erase(repeated.begin(), repeated.end());
        compact_at_ = std::max(compact_at_, 2 * listed_.size());
        if (listed_.size() <= listed_max) return;
        registers_.resize(registers);
        for (const std::uint32_t value : listed_) add_hash(hash(value));
        listed_ = {};
    }

    [[nodiscard]] double estimate() const {
        std::array<double, rank_bits + 2> counts{};  // of registers, by their value
        for (const std::uint8_t value : registers_) ++counts[value];
        constexpr auto all = static_cast<double>(registers);
        double sum = all * tau(1 - counts[rank_bits + 1] / all);
        for (std::size_t value = rank_bits; value > 0; --value) sum = 0.5 * (sum + counts[value]);
        sum += all * sigma(counts[0] / all);
        constexpr double ln2 = 0.693'147'180'559'945'3;
        return all * all / (2 * ln2 * sum);
    }
    // The series of the paper's algorithm 6: of registers without a value, and of full ones.
    [[nodiscard]] static double sigma(double share) {
        if (share == 1) return std::numeric_limits<double>::infinity();
        double sum = share, before = -1;
        for (double factor = 1; sum != before; factor += factor) {
            share *= share;
            before = sum;
            sum += share * factor;
        }
        return sum;
    }
    [[nodiscard]] static double tau(double share) {
        if (share == 0 || share == 1) return 0;
        double sum = 1 - share, before = -1;
        for (double factor = 0.5; sum != before; factor *= 0.5) {
            share = std::sqrt(share);
            before = sum;
            sum -= (1 - share) * (1 - share) * factor;
        }
        return sum / 3;
    }

    std::vector<std::uint32_t> listed_;  // some of them repeated
    std::size_t compact_at_ = 32;
    std::vector<std::uint8_t> registers_;  // empty up to listed_max values
};

}  // namespace sluice::store

#endif
