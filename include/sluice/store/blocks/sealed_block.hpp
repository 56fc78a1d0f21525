// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_SEALED_BLOCK_HPP
#define SLUICE_STORE_BLOCKS_SEALED_BLOCK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <sluice/store/blocks/block_times.hpp>
#include <sluice/store/blocks/column_sealer.hpp>
#include <sluice/store/blocks/row_image.hpp>

namespace sluice::store {

/// A full block of rows. Immutable. Holds each column with its index for scans, and all codes once
/// more row by row (row_image) for reading single rows.
class sealed_block {
public:
    /// Seals the rows of a full open block. `previous` is the block before it, or null.
    sealed_block(const open_block& rows, const sealed_block* previous, column_sealer& sealer)
        : columns_(rows.columns()), times_(rows), integers_(rows.shared_integers()), image_(rows) {
        sealed_.reserve(columns_.code_columns);
        for (std::size_t i = 0; i < columns_.code_columns; ++i) {
            const sealed_column* const before = previous ? &previous->column(i) : nullptr;
            sealed_.push_back(sealer.seal(rows.codes(i), before));
        }
    }

    /// Reads a block that views an archive.
    sealed_block(archive_reader& archive, const schema& columns)
        : columns_(columns),
          mapped_(archive.keeper()),
          times_(archive),
          integers_(mapped_,
                    archive.view<std::int64_t>(block_rows * columns.integer_columns).data()),
          image_(archive, columns.code_columns) {
        sealed_.reserve(columns.code_columns);
        for (std::size_t i = 0; i < columns.code_columns; ++i) {
            sealed_.push_back(sealed_column::open(archive));
        }
    }
    void save(archive_writer& archive) const {
        times_.save(archive);
        archive.array(std::span(integers_.get(), block_rows * columns_.integer_columns));
        image_.save(archive);
        for (const sealed_column& column : sealed_) column.save(archive);
    }

    /// Returns the size in bytes.
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t all = image_.size() + times_.bytes() +
                          columns_.integer_columns * block_rows * sizeof(std::int64_t);
        for (const sealed_column& column : sealed_)
            all += column.stats().codes + column.stats().index;
        return all;
    }
    /// Returns true if its arrays view an archive.
    [[nodiscard]] bool is_mapped() const noexcept { return mapped_ != nullptr; }
    [[nodiscard]] const schema& columns() const noexcept { return columns_; }
    [[nodiscard]] const sealed_column& column(std::size_t index) const noexcept {
        return sealed_[index];
    }
    [[nodiscard]] const row_image& image() const noexcept { return image_; }
    [[nodiscard]] const block_times& times() const noexcept { return times_; }
    [[nodiscard]] const std::int64_t* integers(std::size_t column) const noexcept {
        return integers_.get() + column * block_rows;
    }

private:
    schema columns_;
    std::shared_ptr<const void> mapped_;  // the archive, if it views one
    block_times times_;
    std::shared_ptr<const std::int64_t[]> integers_;
    row_image image_;
    std::vector<sealed_column> sealed_;
};

}  // namespace sluice::store

#endif
