// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_BIT_VISITOR_HPP
#define SLUICE_STORE_BLOCKS_BIT_VISITOR_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include <sluice/query/page.hpp>
#include <sluice/store/blocks/column_bits.hpp>

namespace sluice::store {

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
