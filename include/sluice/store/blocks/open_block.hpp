// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_OPEN_BLOCK_HPP
#define SLUICE_STORE_BLOCKS_OPEN_BLOCK_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/store/blocks/chunk_index.hpp>
#include <sluice/store/blocks/row_buffer.hpp>
#include <sluice/store/texts/archive_reader.hpp>
#include <sluice/store/texts/archive_writer.hpp>

namespace sluice::store {

/// The number of rows in a block.
inline constexpr std::size_t block_rows = std::size_t{1} << 16;

/// The smallest and the largest code of a column.
struct code_range {
    code least;
    code most;
};
/// Returns the range of `block_rows` codes.
[[nodiscard]] inline code_range range_of(const code* codes) noexcept {
    code_range range{codes[0], codes[0]};
    for (std::size_t row = 0; row < block_rows; ++row) {
        range.least = std::min(range.least, codes[row]);
        range.most = std::max(range.most, codes[row]);
    }
    return range;
}

/// The last rows of a table, column by column, until there are enough to seal a block:
///
/// ```
/// times:        | t0 | t1 | t2 | ...            int64, milliseconds since 1970
/// codes[0]:     | c0 | c1 | c2 | ...            uint32, one array a column
/// integers[0]:  | i0 | i1 | i2 | ...            int64,  one array a column
///                 <--- written once ---> <- free, seen by no snapshot ->
/// ```
///
/// Full chunks of 4,096 rows get an index, so that a count reads few of their codes. An append of
/// few rows doesn't build it: that takes as long as writing thousands of rows.
class open_block {
public:
    /// Allocates memory for `block_rows` rows, without touching it; see map_pages().
    explicit open_block(const schema& columns)
        : columns_(columns),
          times_(std::make_shared_for_overwrite<std::int64_t[]>(block_rows)),
          codes_(std::make_unique_for_overwrite<code[]>(stride * columns.code_columns)),
          integers_(std::make_shared_for_overwrite<std::int64_t[]>(block_rows *
                                                                   columns.integer_columns)) {}

    /// Writes the first `rows` rows; others may be appended meanwhile.
    void save(archive_writer& archive, std::size_t rows) const {
        archive.array(std::span<const std::int64_t>(times_.get(), rows));
        for (std::size_t i = 0; i < columns_.code_columns; ++i) {
            archive.array(std::span(codes(i), rows));
        }
        for (std::size_t i = 0; i < columns_.integer_columns; ++i) {
            archive.array(std::span(integers(i), rows));
        }
    }
    /// Reads the first `rows` rows as a copy, to which others can be appended.
    open_block(archive_reader& archive, const schema& columns, std::size_t rows)
        : open_block(columns) {
        std::ranges::copy(archive.view<std::int64_t>(rows), times_.get());
        for (std::size_t i = 0; i < columns.code_columns; ++i) {
            std::ranges::copy(archive.view<code>(rows), codes_.get() + i * stride);
        }
        for (std::size_t i = 0; i < columns.integer_columns; ++i) {
            std::ranges::copy(archive.view<std::int64_t>(rows), integers_.get() + i * block_rows);
        }
    }

    /// Touches the memory of all rows, so that the system maps it now. Otherwise it is mapped page
    /// by page, which suits small tables but makes an append pause at each page.
    void map_pages() noexcept {
        std::fill_n(times_.get(), block_rows, std::int64_t{0});
        std::fill_n(codes_.get(), stride * columns_.code_columns, code{0});
        std::fill_n(integers_.get(), block_rows * columns_.integer_columns, std::int64_t{0});
    }

    /// Writes a row. Expects a row of the block that no snapshot sees yet, and a value for each
    /// column.
    void write(std::size_t row, std::int64_t time, std::span<const code> codes,
               std::span<const std::int64_t> integers) noexcept {
        fetch(row);
        times_[static_cast<std::ptrdiff_t>(row)] = time;
        for (std::size_t i = 0; i < codes.size(); ++i) codes_[i * stride + row] = codes[i];
        for (std::size_t i = 0; i < integers.size(); ++i) {
            integers_.get()[i * block_rows + row] = integers[i];
        }
    }
    [[nodiscard]] const schema& columns() const noexcept { return columns_; }
    [[nodiscard]] const code* codes(std::size_t column) const noexcept {
        return codes_.get() + column * stride;
    }
    [[nodiscard]] const std::int64_t* times() const noexcept { return times_.get(); }
    [[nodiscard]] const std::int64_t* integers(std::size_t column) const noexcept {
        return integers_.get() + column * block_rows;
    }

    /// Indexes the chunks that the first `rows` rows fill. Returns false if all of them have an
    /// index. If memory runs out, indexes none; a later call starts over. One thread at a time,
    /// while others append and read.
    bool index(std::size_t rows) {
        const std::size_t begin = chunks(), end = rows / chunk_rows;
        if (begin >= end) return false;
        for (std::size_t at = begin; at < end; ++at) {
            chunks_[at].clear();
            chunks_[at].reserve(columns_.code_columns);
            for (std::size_t i = 0; i < columns_.code_columns; ++i) {
                chunks_[at].emplace_back(codes(i) + at * chunk_rows);
            }
        }
        indexed_.store(end, std::memory_order_release);
        return true;
    }
    /// Returns the number of chunks with an index.
    [[nodiscard]] std::size_t chunks() const noexcept {
        return indexed_.load(std::memory_order_acquire);
    }
    /// Returns the index of an indexed chunk in a column.
    [[nodiscard]] const chunk_index& chunk(std::size_t column, std::size_t at) const noexcept {
        return chunks_[at][column];
    }

    // Arrays that a sealed block shares.
    [[nodiscard]] std::shared_ptr<const std::int64_t[]> shared_times() const { return times_; }
    [[nodiscard]] std::shared_ptr<const std::int64_t[]> shared_integers() const {
        return integers_;
    }
    [[nodiscard]] std::size_t code_bytes() const noexcept { return stride * sizeof(code); }
    /// Returns the size of a column's chunk indexes, in bytes.
    [[nodiscard]] std::size_t index_bytes(std::size_t column) const noexcept {
        std::size_t all = 0;
        for (std::size_t at = 0; at < chunks(); ++at) {
            all += sizeof(chunk_index) + chunk(column, at).size_in_bytes();
        }
        return all;
    }

private:
    // Codes from one column to the next. Columns a power of two apart would compete for the same
    // cache lines.
    static constexpr std::size_t stride = block_rows + 48;
    static constexpr std::size_t codes_per_line = 64 / sizeof(code);

    /// Prefetches the memory of rows soon after `row`. All columns reach a new cache line at the
    /// same row, too many for the hardware to foresee or fetch at once. So each row prefetches a
    /// few columns: the first row the first column, the next row the second, and so on.
    void fetch(std::size_t row) const noexcept {
        sluice::detail::prefetch_to_write(times() + std::min(row + codes_per_line, block_rows - 1));
        for (std::size_t i = row % codes_per_line; i < columns_.code_columns; i += codes_per_line) {
            sluice::detail::prefetch_to_write(codes(i) + row + 2 * codes_per_line);
        }
    }

    schema columns_;
    std::shared_ptr<std::int64_t[]> times_;
    std::unique_ptr<code[]> codes_;
    std::shared_ptr<std::int64_t[]> integers_;
    std::array<std::vector<chunk_index>, block_rows / chunk_rows> chunks_;  // by chunk
    std::atomic<std::size_t> indexed_ = 0;  // number of chunks with an index
};

}  // namespace sluice::store

#endif
