// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DETAIL_SEALED_BLOCK_HPP
#define SLUICE_STORE_DETAIL_SEALED_BLOCK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <sluice/store/detail/block_times.hpp>
#include <sluice/store/detail/column_sealer.hpp>
#include <sluice/store/detail/row_image.hpp>

namespace sluice::store {

/// A full block of rows, which never changes: each column with its index, and the codes once more
/// row by row.
class sealed_block {
public:
    /// Takes the rows of an open block that is full; `previous` is the block before it, or null.
    sealed_block(const open_block& rows, const sealed_block* previous, column_sealer& sealer)
        : columns_(rows.columns()), times_(rows), integers_(rows.shared_integers()), image_(rows) {
        sealed_.reserve(columns_.code_columns);
        for (std::size_t i = 0; i < columns_.code_columns; ++i) {
            const sealed_column* const before = previous ? &previous->column(i) : nullptr;
            sealed_.push_back(sealer.seal(rows.codes(i), before));
        }
    }

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
    block_times times_;
    std::shared_ptr<const std::int64_t[]> integers_;
    row_image image_;
    std::vector<sealed_column> sealed_;
};

}  // namespace sluice::store

#endif
