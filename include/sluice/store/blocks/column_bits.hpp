// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COLUMN_BITS_HPP
#define SLUICE_STORE_BLOCKS_COLUMN_BITS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/query/page.hpp>

/// Bits of a block's rows: setting, clearing and visiting them.
namespace sluice::store {

/// The number of rows in a chunk: a part of a block that has an index of its own in the open block,
/// and that scans evaluate at once if they check rows one by one.
inline constexpr std::size_t chunk_rows = 4096;
inline constexpr std::size_t chunk_words = chunk_rows / 64;
using chunk_bits = std::array<std::uint64_t, chunk_words>;

/// A part of the bits of a block's rows: bit r % 64 of word r / 64 is row r, and `bits` holds
/// `words` words, from `first_word` on. Views them.
struct bits_range {
    std::size_t first_word;
    std::size_t words;
    std::uint64_t* bits;
};

inline void clear(const bits_range& output) noexcept { std::fill_n(output.bits, output.words, 0); }
inline void fill(const bits_range& output) noexcept {
    std::fill_n(output.bits, output.words, ~std::uint64_t{0});
}
inline void invert(const bits_range& output) noexcept {
    for (std::size_t i = 0; i < output.words; ++i) output.bits[i] = ~output.bits[i];
}

/// Sets the bits of ascending rows, ignoring those outside of the range.
inline void set_rows(std::span<const std::uint16_t> rows, const bits_range& output) noexcept {
    const std::size_t begin = output.first_word * 64, end = begin + output.words * 64;
    for (auto row = std::ranges::lower_bound(rows, begin); row != rows.end() && *row < end; ++row) {
        output.bits[*row / 64 - output.first_word] |= std::uint64_t{1} << (*row % 64);
    }
}

/// Clears the bits of all rows before `row`.
inline void clear_before(std::size_t row, const bits_range& output) noexcept {
    const std::size_t begin = output.first_word * 64;
    if (row <= begin) return;
    const std::size_t whole = std::min((row - begin) / 64, output.words);
    std::fill_n(output.bits, whole, 0);
    if (whole < output.words) output.bits[whole] &= ~std::uint64_t{0} << (row % 64);
}
/// Clears the bits of `row` and all rows after it.
inline void clear_from(std::size_t row, const bits_range& output) noexcept {
    const std::size_t begin = output.first_word * 64;
    const std::size_t kept = row <= begin ? 0 : row - begin;
    if (kept >= output.words * 64) return;
    output.bits[kept / 64] &= ~(~std::uint64_t{0} << (kept % 64));
    std::fill(output.bits + kept / 64 + 1, output.bits + output.words, 0);
}

/// Clears the bits of rows that fail a test, called in order. `first_row` is the number of the
/// block's first row.
template <class Test>
void keep_tested(const bits_range& rows, std::size_t first_row, const Test& passes) {
    for (std::size_t i = 0; i < rows.words; ++i) {
        const std::size_t first = first_row + (rows.first_word + i) * 64;
        for (std::uint64_t left = rows.bits[i]; left != 0; left &= left - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(left));
            if (!passes(first + bit)) rows.bits[i] &= ~(std::uint64_t{1} << bit);
        }
    }
}
/// Calls `visit` with each row whose bit is set, counted from the first row of the range.
template <class Visit>
void for_each_set(const bits_range& rows, const Visit& visit) {
    for (std::size_t i = 0; i < rows.words; ++i) {
        for (std::uint64_t left = rows.bits[i]; left != 0; left &= left - 1) {
            visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
}

/// Visits the set bits of one word, which stands for the rows from `first_row` on; see
/// visit_bits().
template <class Take>
bool visit_word(std::uint64_t bits, std::size_t first_row, sort_order order, std::uint64_t& to_skip,
                Take& take) {
    while (bits != 0) {
        const auto bit = static_cast<std::size_t>(
            order == sort_order::ascending ? std::countr_zero(bits) : 63 - std::countl_zero(bits));
        bits ^= std::uint64_t{1} << bit;
        if (to_skip > 0) {
            --to_skip;
        } else if (!take(first_row + bit)) {
            return false;
        }
    }
    return true;
}

/// Visits the rows of set bits in an order: skips the first `to_skip`, then calls `take(row)` until
/// it returns false. Returns false in that case. Subtracts the skipped rows from `to_skip`.
template <class Take>
bool visit_bits(const bits_range& rows, sort_order order, std::uint64_t& to_skip, Take& take) {
    const bool ascending = order == sort_order::ascending;
    for (std::size_t i = 0; i < rows.words; ++i) {
        const std::size_t word = ascending ? i : rows.words - 1 - i;
        const std::uint64_t bits = rows.bits[word];
        const auto matching = static_cast<std::uint64_t>(std::popcount(bits));
        if (matching <= to_skip) {
            to_skip -= matching;
        } else if (!visit_word(bits, (rows.first_word + word) * 64, order, to_skip, take)) {
            return false;
        }
    }
    return true;
}

}  // namespace sluice::store

#endif
