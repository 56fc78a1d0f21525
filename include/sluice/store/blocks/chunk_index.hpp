// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_CHUNK_INDEX_HPP
#define SLUICE_STORE_BLOCKS_CHUNK_INDEX_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/texts/code_table.hpp>

namespace sluice::store {

/// The index of one column's codes in a full chunk of 4,096 rows. Finds the rows of a code without
/// a search:
///
/// ```
/// buckets | first 0, count 2 | first 2, count 1 | bitmap 0, count 900 | ...   of code - least,
///                                                                             modulo their number
/// rows    | 12 900 | 3 | ...                    of buckets with few rows
/// bitmaps | 64 words | ...                      of those with many
/// ```
///
/// If the codes are too far apart for one bucket each, listed rows are checked against the codes,
/// and there are no bitmaps. The index is at most as large as the codes, and empty if all codes are
/// equal.
class chunk_index {
public:
    /// Indexes the codes of a full chunk.
    explicit chunk_index(const code* codes) {
        const auto [least, most] = std::ranges::minmax(std::span(codes, chunk_rows));
        least_ = least;
        most_ = most;
        if (least == most) return;
        buckets_.resize(std::bit_ceil(std::min(std::size_t{most} - least + 1, most_buckets)));
        is_exact_ = most - least < buckets_.size();
        for (std::size_t row = 0; row < chunk_rows; ++row) ++bucket_of(codes[row]).count;
        place(codes);
    }

    /// Estimates the bytes that add_rows() reads and writes for a code.
    [[nodiscard]] std::size_t bytes(code c) const noexcept {
        if (c < least_ || c > most_ || buckets_.empty()) return 0;
        const bucket& entry = buckets_[place_of(c)];
        if (has_bitmap(entry)) return chunk_words * sizeof(std::uint64_t);
        return entry.count * (is_exact_ ? bytes_per_row : bytes_per_checked_row);
    }
    /// Sets the bits of a code's rows that lie in a range of the chunk. `codes` are the chunk's
    /// codes.
    void add_rows(code c, const code* codes, const bits_range& output) const noexcept {
        if (c < least_ || c > most_) return;
        if (buckets_.empty()) return fill(output);
        const bucket& entry = buckets_[place_of(c)];
        if (has_bitmap(entry)) {
            const std::uint64_t* const bits = bitmaps_.data() + entry.first + output.first_word;
            for (std::size_t i = 0; i < output.words; ++i) output.bits[i] |= bits[i];
        } else if (const std::span rows(rows_.data() + entry.first, entry.count); is_exact_) {
            set_rows(rows, output);
        } else {
            for (const std::uint16_t& row : rows) {
                if (codes[row] == c) set_rows({&row, 1}, output);
            }
        }
    }

    [[nodiscard]] std::size_t size_in_bytes() const noexcept {
        return buckets_.size() * sizeof(bucket) + rows_.size() * sizeof(std::uint16_t) +
               bitmaps_.size() * sizeof(std::uint64_t);
    }

private:
    static constexpr std::size_t most_buckets = 2048;
    static constexpr std::size_t many_rows = 256;  // a longer list would exceed a bitmap
    // Costs of a listed row; see bytes_per_set_row and bytes_per_check in sealed_column.hpp.
    static constexpr std::size_t bytes_per_row = 8, bytes_per_checked_row = 32;

    struct bucket {
        std::uint16_t first = 0;  // index of its first row, or of its bitmap's first word
        std::uint16_t count = 0;
    };

    /// Returns the index of a code's bucket.
    [[nodiscard]] std::size_t place_of(code c) const noexcept {
        return (c - least_) & (buckets_.size() - 1);
    }
    [[nodiscard]] bucket& bucket_of(code c) noexcept { return buckets_[place_of(c)]; }
    [[nodiscard]] bool has_bitmap(const bucket& of) const noexcept {
        return is_exact_ && of.count >= many_rows;
    }
    /// Fills the row lists and bitmaps. Expects the buckets' counts.
    void place(const code* codes) {
        std::size_t listed = 0, words = 0;
        for (bucket& entry : buckets_) {
            const bool is_bitmap = has_bitmap(entry);
            entry.first = static_cast<std::uint16_t>(is_bitmap ? words : listed);
            (is_bitmap ? words : listed) += is_bitmap ? chunk_words : entry.count;
        }
        rows_.resize(listed);
        bitmaps_.resize(words);
        for (std::size_t row = 0; row < chunk_rows; ++row) {
            bucket& entry = bucket_of(codes[row]);
            if (has_bitmap(entry)) {
                bitmaps_[entry.first + row / 64] |= std::uint64_t{1} << (row % 64);
            } else {
                rows_[entry.first++] = static_cast<std::uint16_t>(row);
            }
        }
        for (bucket& entry : buckets_) {  // adding a list's rows has moved `first` to its end
            if (!has_bitmap(entry))
                entry.first = static_cast<std::uint16_t>(entry.first - entry.count);
        }
    }

    code least_;
    code most_;
    bool is_exact_ = true;         // one code in each bucket
    std::vector<bucket> buckets_;  // empty if all rows have one code
    std::vector<std::uint16_t> rows_;
    std::vector<std::uint64_t> bitmaps_;
};

}  // namespace sluice::store

#endif
