// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_OPEN_BLOCK_HPP
#define SLUICE_STORE_BLOCKS_OPEN_BLOCK_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/store/blocks/chunk_index.hpp>
#include <sluice/store/blocks/row_buffer.hpp>
#include <sluice/store/texts/archive.hpp>

/// The open block, and its columns for scans.
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

/// The least number of rows that an open block has room for.
inline constexpr std::size_t open_rows_min = 64;

/// The most rows that a small table's open block has room for; the codes of a column fill a page of
/// memory then. A larger block takes no more until its pages are written.
inline constexpr std::size_t open_rows_small = 1024;
static_assert(open_rows_small < chunk_rows, "a small block has no indexed chunks to copy");

/// Returns the number of rows that an open block for some rows has room for.
[[nodiscard]] constexpr std::size_t room_for(std::size_t rows) noexcept {
    return rows <= open_rows_small ? std::bit_ceil(std::max(rows, open_rows_min)) : block_rows;
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
/// A small block that is full is replaced by a copy with more room; snapshots keep the block that
/// they have seen.
///
/// Full chunks of 4,096 rows get an index, so that a count reads few of their codes. An append of
/// few rows doesn't build it: that takes as long as writing thousands of rows.
class open_block {
public:
    /// Allocates memory for `rows` rows, or as many of them as it can have, without touching it;
    /// see map_pages().
    open_block(const schema& columns, std::size_t rows)
        : columns_(columns),
          capacity_(room_for(rows)),
          times_(std::make_shared_for_overwrite<std::int64_t[]>(capacity_)),
          codes_(std::make_unique_for_overwrite<code[]>(stride() * columns.code_columns)),
          integers_(
              std::make_shared_for_overwrite<std::int64_t[]>(capacity_ * columns.integer_columns)) {
    }
    /// Copies the first `rows` rows of a small block, with room for `wanted` rows.
    open_block(const open_block& smaller, std::size_t rows, std::size_t wanted)
        : open_block(smaller.columns_, wanted) {
        std::copy_n(smaller.times(), rows, times_.get());
        for (std::size_t i = 0; i < columns_.code_columns; ++i) {
            std::copy_n(smaller.codes(i), rows, codes_.get() + i * stride());
        }
        for (std::size_t i = 0; i < columns_.integer_columns; ++i) {
            std::copy_n(smaller.integers(i), rows, integers_.get() + i * capacity_);
        }
    }

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
        : open_block(columns, rows) {
        std::ranges::copy(archive.view<std::int64_t>(rows), times_.get());
        for (std::size_t i = 0; i < columns.code_columns; ++i) {
            std::ranges::copy(archive.view<code>(rows), codes_.get() + i * stride());
        }
        for (std::size_t i = 0; i < columns.integer_columns; ++i) {
            std::ranges::copy(archive.view<std::int64_t>(rows), integers_.get() + i * capacity_);
        }
    }

    /// Zeroes the memory of all rows, before the first one, so that the system maps it now.
    /// Otherwise it is mapped page by page, which suits small tables but makes an append pause at
    /// each page.
    void map_pages() noexcept {
        std::fill_n(times_.get(), capacity_, std::int64_t{0});
        std::fill_n(codes_.get(), stride() * columns_.code_columns, code{0});
        std::fill_n(integers_.get(), capacity_ * columns_.integer_columns, std::int64_t{0});
    }

    /// Writes a row. Expects a row of the block that no snapshot sees yet, and a value for each
    /// column.
    void write(std::size_t row, std::int64_t time, std::span<const code> codes,
               std::span<const std::int64_t> integers) noexcept {
        fetch(row);
        times_[static_cast<std::ptrdiff_t>(row)] = time;
        for (std::size_t i = 0; i < codes.size(); ++i) codes_[i * stride() + row] = codes[i];
        for (std::size_t i = 0; i < integers.size(); ++i) {
            integers_.get()[i * capacity_ + row] = integers[i];
        }
    }
    [[nodiscard]] const schema& columns() const noexcept { return columns_; }
    /// Returns the number of rows that it has room for: a power of two, at most `block_rows`.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] const code* codes(std::size_t column) const noexcept {
        return codes_.get() + column * stride();
    }
    [[nodiscard]] const std::int64_t* times() const noexcept { return times_.get(); }
    [[nodiscard]] const std::int64_t* integers(std::size_t column) const noexcept {
        return integers_.get() + column * capacity_;
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

    // Arrays that a sealed block shares. Expects room for `block_rows` rows.
    [[nodiscard]] std::shared_ptr<const std::int64_t[]> shared_times() const { return times_; }
    [[nodiscard]] std::shared_ptr<const std::int64_t[]> shared_integers() const {
        return integers_;
    }
    [[nodiscard]] std::size_t code_bytes() const noexcept { return stride() * sizeof(code); }
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
    [[nodiscard]] std::size_t stride() const noexcept { return capacity_ + 48; }
    static constexpr std::size_t codes_per_line = 64 / sizeof(code);

    /// Prefetches the memory of rows soon after `row`. All columns reach a new cache line at the
    /// same row, too many for the hardware to foresee or fetch at once. So each row prefetches a
    /// few columns: the first row the first column, the next row the second, and so on.
    void fetch(std::size_t row) const noexcept {
        sluice::detail::prefetch_to_write(times() + std::min(row + codes_per_line, capacity_ - 1));
        for (std::size_t i = row % codes_per_line; i < columns_.code_columns; i += codes_per_line) {
            sluice::detail::prefetch_to_write(codes(i) + row + 2 * codes_per_line);
        }
    }

    schema columns_;
    std::size_t capacity_;
    std::shared_ptr<std::int64_t[]> times_;
    std::unique_ptr<code[]> codes_;
    std::shared_ptr<std::int64_t[]> integers_;
    std::array<std::vector<chunk_index>, block_rows / chunk_rows> chunks_;  // by chunk
    std::atomic<std::size_t> indexed_ = 0;  // number of chunks with an index
};

/// A column of the open block for a scan: the chunks of 4,096 rows with an index, and the codes of
/// all rows up to `end`. Rows are numbers within the block.
class open_column {
public:
    open_column() = default;
    /// Views the block. Rows up to `end` may be read; those from `begin` on will be.
    open_column(const open_block& rows, std::size_t column, std::size_t begin,
                std::size_t end) noexcept
        : block_(&rows),
          column_(column),
          begin_(begin),
          end_(end),
          chunks_(std::min(rows.chunks(), end / chunk_rows)) {}

    [[nodiscard]] const code* codes() const noexcept { return block_->codes(column_); }
    [[nodiscard]] std::size_t rows() const noexcept { return end_; }

    /// Returns true if any row to read is in an indexed chunk.
    [[nodiscard]] bool has_index() const noexcept { return begin_ < chunks_ * chunk_rows; }
    /// Returns how many bytes a scan of all codes reads.
    [[nodiscard]] std::size_t scan_bytes() const noexcept { return (end_ - begin_) * sizeof(code); }
    /// Returns how many bytes are read for the rows of `listed` codes: from the index of chunks
    /// that have one, and from the codes of all other rows.
    [[nodiscard]] std::size_t index_bytes(std::span<const code> listed) const noexcept {
        std::size_t bytes = (end_ - std::max(begin_, chunks_ * chunk_rows)) * sizeof(code);
        for (std::size_t chunk = begin_ / chunk_rows; chunk < chunks_; ++chunk) {
            for (const code c : listed) bytes += block_->chunk(column_, chunk).bytes(c);
        }
        return bytes;
    }

    /// Returns the leading part of a range that lies in indexed chunks.
    [[nodiscard]] bits_range indexed(const bits_range& of) const noexcept {
        const std::size_t end = std::max(chunks_ * chunk_words, of.first_word);
        return {of.first_word, std::min(of.words, end - of.first_word), of.bits};
    }
    /// Writes the bits of rows that have one of the `listed` codes. Expects a range from indexed().
    void write_listed(std::span<const code> listed, const bits_range& output) const noexcept {
        clear(output);
        for (std::size_t done = 0; done < output.words;) {
            const std::size_t first = output.first_word + done, in_chunk = first % chunk_words;
            const std::size_t words = std::min(output.words - done, chunk_words - in_chunk);
            const std::size_t chunk = first / chunk_words;
            const chunk_index& index = block_->chunk(column_, chunk);
            for (const code c : listed) {
                index.add_rows(c, codes() + chunk * chunk_rows,
                               {in_chunk, words, output.bits + done});
            }
            done += words;
        }
    }

private:
    const open_block* block_ = nullptr;
    std::size_t column_ = 0;
    std::size_t begin_ = 0, end_ = 0;
    std::size_t chunks_ = 0;  // number of indexed chunks
};

}  // namespace sluice::store

#endif
