// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TABLE_HPP
#define SLUICE_STORE_TABLE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <sluice/store/snapshot.hpp>

namespace sluice::store {

/// Rows in (time, id) order, in blocks. One thread appends; others read snapshots, which cost them
/// a few words and never change. The last block is open: rows are written after those that
/// snapshots see, and once it is full it is sealed. A row that is late rewrites the blocks from its
/// place on; the old blocks live as long as a snapshot holds them.
class table {
public:
    explicit table(const schema& columns) : columns_(columns) {}

    [[nodiscard]] const schema& columns() const noexcept { return columns_; }

    /// All rows so far. Any thread.
    [[nodiscard]] snapshot current() const {
        const std::lock_guard lock(mutex_);
        return current_;
    }
    /// What all rows so far take in memory. Any thread.
    [[nodiscard]] table_stats stats() const { return current().stats(); }

    /// Adds rows, all at once for readers. `derive(row, codes)` is called for each row as it takes
    /// its place, in order, to fill in what depends on the rows before it; where rows come late, it
    /// is called again for those that they move. One thread at a time.
    template <std::invocable<std::size_t, std::span<code>> Derive>
    void append(row_buffer&& added, Derive derive) {
        if (added.size() == 0) return;
        std::vector<std::size_t> order = added.order();
        snapshot next = current_;
        row_buffer moved = cut(next, added, order.front());
        if (moved.size() == 0) {
            write(next, added, order, derive);
        } else {
            moved.append(added);
            write(next, moved, moved.order(), derive);
        }
        const std::lock_guard lock(mutex_);
        current_ = std::move(next);
    }

private:
    /// Cuts a snapshot where the earliest added row belongs, at the start of that block, and
    /// returns the rows after the cut. Nothing is cut where all added rows belong at the end.
    row_buffer cut(snapshot& rows, const row_buffer& added, std::size_t earliest) const {
        const std::size_t place = rows.upper_bound(added.time(earliest), added.id(earliest));
        row_buffer moved(columns_);
        if (place == rows.size()) return moved;
        const std::size_t kept = place - place % block_rows;
        for (std::size_t row = kept; row < rows.size(); ++row) copy(rows, row, moved);
        rows.rows_ = kept;
        rows.open_ = nullptr;
        if (kept / block_rows < rows.sealed_blocks()) {
            rows.sealed_ = rows.sealed_->first(kept / block_rows);
        }
        return moved;
    }
    void copy(const snapshot& from, std::size_t row, row_buffer& to) const {
        const std::size_t copy = to.add(from.time(row));
        from.read_codes(row, to.codes(copy));
        for (std::size_t i = 0; i < columns_.integer_columns; ++i) {
            to.integers(copy)[i] = from.integer_at(row, i);
        }
    }
    /// Writes rows after those of a snapshot, in order. Free places of its last block are used:
    /// no other snapshot sees them.
    template <class Derive>
    void write(snapshot& to, row_buffer& rows, const std::vector<std::size_t>& order,
               Derive& derive) {
        for (const std::size_t row : order) {
            if (!to.open_) to.open_ = std::make_shared<open_block>(columns_);
            const std::size_t place = to.rows_ % block_rows;
            derive(to.rows_++, rows.codes(row));
            to.open_->write(place, rows.time(row), rows.codes(row), rows.integers(row));
            if (place == block_rows - 1) seal(to);
        }
    }
    void seal(snapshot& full) {
        const sealed_block* const previous =
            full.sealed_blocks() == 0 ? nullptr : &full.sealed(full.sealed_blocks() - 1);
        full.sealed_ = full.sealed_->with(
            std::make_shared<const sealed_block>(*full.open_, previous, sealer_));
        full.open_ = nullptr;
    }

    schema columns_;
    column_sealer sealer_;
    snapshot current_;
    mutable std::mutex mutex_;  // guards current_
};

}  // namespace sluice::store

#endif
