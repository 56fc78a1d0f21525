// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_OPEN_COLUMN_HPP
#define SLUICE_STORE_BLOCKS_OPEN_COLUMN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/store/blocks/open_block.hpp>

namespace sluice::store {

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
