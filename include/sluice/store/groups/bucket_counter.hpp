// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_BUCKET_COUNTER_HPP
#define SLUICE_STORE_GROUPS_BUCKET_COUNTER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/groups/group_source.hpp>
#include <sluice/store/plan/block_reader.hpp>

namespace sluice::store {

/// Counts rows by buckets of the time that they are sorted by, from the bounds of the buckets:
///
/// ```
/// bounds   0          412        981     by a search from one bucket's begin to the next
/// rows     | 412      | 569      | ...   all rows of a block: the differences
/// bits     | 10011... | 01110... | ...   some of them: the bits that are set between bounds
/// ```
///
/// Views the snapshot.
class bucket_counter {
public:
    explicit bucket_counter(const snapshot& rows) : rows_(rows) {}

    /// Adds rows of the block after those added before to the counts of their buckets, by ordinal.
    void add(time_groups& buckets, const selected_rows& rows, std::vector<std::uint64_t>& counts) {
        const std::size_t block = rows.part.block;
        if (block < rows_.sealed_blocks()) {
            count(buckets, rows, rows_.sealed(block).times(), counts);
        } else {
            count(buckets, rows, rows_.open()->times(), counts);
        }
    }

private:
    template <class Times>
    void count(time_groups& buckets, const selected_rows& rows, const Times& times,
               std::vector<std::uint64_t>& counts) const {
        for (std::size_t row = rows.part.begin; row < rows.part.end;) {
            const group_ordinal bucket = buckets.ordinal_of(times[row]);
            const std::size_t end = find_end(times, row, rows.part.end, buckets.end());
            if (bucket >= counts.size()) counts.resize(bucket + std::size_t{1});
            counts[bucket] += rows.bits ? count_bits(rows.bits, row, end) : end - row;
            row = end;
        }
    }
    /// Returns the first row after `row` and before `end` at a time or after it, else `end`.
    template <class Times>
    [[nodiscard]] static std::size_t find_end(const Times& times, std::size_t row, std::size_t end,
                                              std::int64_t time) {
        std::size_t begin = row + 1, length = 1;  // the rows to search are likely to be near
        while (begin + length < end && times[begin + length] < time) {
            begin += length;
            length *= 2;
        }
        length = std::min(length + 1, end - begin);
        while (length > 0) {  // without branches, as no processor foresees them
            const std::size_t half = length / 2;
            begin += times[begin + half] < time ? length - half : 0;
            length = half;
        }
        return begin;
    }
    /// Counts the bits of the rows from `begin` up to `end`.
    [[nodiscard]] std::uint64_t count_bits(const std::uint64_t* bits, std::size_t begin,
                                           std::size_t end) const noexcept {
        const auto before = [](std::size_t row) { return (std::uint64_t{1} << (row % 64)) - 1; };
        const std::size_t first = begin / 64, last = end / 64;
        const auto count = [](std::uint64_t word) {
            return static_cast<std::uint64_t>(std::popcount(word));
        };
        if (first == last) return count(bits[first] & before(end) & ~before(begin));
        const std::uint64_t in_last = end % 64 == 0 ? 0 : bits[last] & before(end);
        return count(bits[first] & ~before(begin)) + count(in_last) +
               kernels_->count_bits(bits + first + 1, last - first - 1);
    }

    const snapshot& rows_;
    const sluice::detail::simd::kernels* kernels_ = &sluice::detail::simd::active_kernels();
};

}  // namespace sluice::store

#endif
