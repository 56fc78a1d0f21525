// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_BLOCK_SORTER_HPP
#define SLUICE_STORE_BLOCKS_BLOCK_SORTER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/open_block.hpp>

namespace sluice::store {

/// Sorts the rows of a full block by (code, row) in linear time. Reuses its buffers for the next
/// column.
class block_sorter {
public:
    /// A code, and the position of its rows among the sorted rows.
    struct run {
        code value;
        std::uint32_t begin;
        std::uint32_t count;
    };

    /// Sorts a column of `block_rows` codes, all of them in [least, most].
    void sort(const code* codes, code least, code most) {
        rows_.resize(block_rows);
        runs_.clear();
        if (most - least < max_counters) {
            sort_by_counting(codes, least, std::size_t{most - least} + 1);
        } else {
            sort_by_digits(codes, least, most);
        }
    }
    /// Returns the distinct codes of the column, ascending.
    [[nodiscard]] std::span<const run> runs() const noexcept { return runs_; }
    /// Returns the rows of a code, ascending.
    [[nodiscard]] std::span<const std::uint16_t> rows(const run& of) const noexcept {
        return {rows_.data() + of.begin, of.count};
    }

private:
    static constexpr std::size_t max_counters = 2 * block_rows;  // of a counting sort, by code
    static constexpr unsigned digit_bits = 11;                   // of a radix sort
    static constexpr std::size_t digits = std::size_t{1} << digit_bits;

    /// Sorts codes of a small range, with a counter for each of `range` codes from `least` on.
    void sort_by_counting(const code* codes, code least, std::size_t range) {
        counters_.assign(range, 0);
        for (std::size_t row = 0; row < block_rows; ++row) ++counters_[codes[row] - least];
        std::uint32_t begin = 0;
        for (std::size_t i = 0; i < range; ++i) {
            const std::uint32_t count = std::exchange(counters_[i], begin);
            if (count == 0) continue;
            runs_.push_back({least + static_cast<code>(i), begin, count});
            begin += count;
        }
        for (std::size_t row = 0; row < block_rows; ++row) {
            rows_[counters_[codes[row] - least]++] = static_cast<std::uint16_t>(row);
        }
    }

    /// Sorts codes of a large range by radix. A key holds the code above the 16 bits of the row.
    /// The radix sort is stable, so rows stay in order.
    void sort_by_digits(const code* codes, code least, code most) {
        keys_.resize(block_rows);
        sorted_.resize(block_rows);
        for (std::size_t row = 0; row < block_rows; ++row) {
            keys_[row] = std::uint64_t{codes[row] - least} << 16 | row;
        }
        const auto bits = static_cast<unsigned>(std::bit_width(most - least));
        for (unsigned shift = 0; shift < bits; shift += digit_bits) sort_digit(16 + shift);
        for (std::size_t at = 0; at < block_rows; ++at) {
            const code value = least + static_cast<code>(keys_[at] >> 16);
            rows_[at] = static_cast<std::uint16_t>(keys_[at]);
            if (runs_.empty() || runs_.back().value != value) {
                runs_.push_back({value, static_cast<std::uint32_t>(at), 0});
            }
            ++runs_.back().count;
        }
    }
    /// Sorts the keys by the digit that begins at bit `shift`; equal digits stay in order.
    void sort_digit(unsigned shift) {
        std::array<std::uint32_t, digits> places{};
        for (const std::uint64_t key : keys_) ++places[(key >> shift) % digits];
        std::uint32_t begin = 0;
        for (std::uint32_t& place : places) begin += std::exchange(place, begin);
        for (const std::uint64_t key : keys_) sorted_[places[(key >> shift) % digits]++] = key;
        keys_.swap(sorted_);
    }

    std::vector<std::uint16_t> rows_;
    std::vector<run> runs_;
    std::vector<std::uint32_t> counters_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint64_t> sorted_;
};

}  // namespace sluice::store

#endif
