// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TABLE_HPP
#define SLUICE_STORE_TABLE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <sluice/store/detail/count_unit_builder.hpp>
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
        snapshot next = current();
        row_buffer moved = cut(next, added, order.front());
        const std::size_t kept = next.size();
        if (moved.size() == 0) {
            write(next, added, order, derive);
        } else {
            moved.append(added);
            write(next, moved, moved.order(), derive);
        }
        const std::lock_guard lock(mutex_);
        unmoved_ = std::min(unmoved_, kept);
        next.projection_ = current_.projection_;
        if (next.projection_->rows() > kept) next.projection_ = next.projection_->first(kept);
        std::swap(current_, next);  // what is no longer needed goes once others may go on
    }

    /// Projects counts on columns that the caller knows to be asked together, instead of those that
    /// counts have had conditions on so far; without a key, on none. maintain() does it.
    void project_counts(projected_columns wanted) {
        const std::lock_guard turn(maintainer_);
        wanted_ = std::move(wanted);
        is_told_ = true;
        if (!wanted_.key.empty()) return;
        auto none = current().projection_->first(0);
        const std::lock_guard lock(mutex_);
        std::swap(current_.projection_, none);
    }
    /// Does a step of what makes counts quicker: indexes the strips of 4,096 rows of the open block
    /// that appends of fewer rows filled, or else puts the next unit of at most 262,144 rows in the
    /// order of the columns that counts have conditions on together. It takes some milliseconds;
    /// false where there is nothing to do until rows are added or counts are asked. Any thread,
    /// while others append and read: neither waits for it.
    bool maintain() {
        const std::lock_guard turn(maintainer_);
        const snapshot rows = to_maintain();
        if (rows.open_ && rows.open_->index(rows.size() % block_rows)) return true;
        if (!is_told_) wanted_ = rows.projection().asked().choose(wanted_);
        const auto next = rows.projection().missing(rows.size(), wanted_);
        if (!next) return false;
        auto made = rows.projection().with(
            std::make_shared<const count_unit>(count_unit_builder().build(rows, *next, wanted_)));
        const std::lock_guard lock(mutex_);
        if (made->rows() > unmoved_) made = made->first(unmoved_);
        std::swap(current_.projection_, made);
        return true;
    }

    /// Writes the rows of a snapshot of this table, and which counts are projected. Any thread,
    /// while others append and read.
    void save(archive_writer& to, const snapshot& rows) {
        rows.save(to);
        const std::lock_guard turn(maintainer_);
        wanted_.save(to);
        to.number(is_told_ ? 1 : 0);
    }
    /// Takes the rows that an archive has, before there are any.
    void open(archive_reader& from) {
        current_ = snapshot::open(from, columns_);
        wanted_ = projected_columns::open(from);
        is_told_ = from.number(1) != 0;
    }

private:
    [[nodiscard]] snapshot to_maintain() {
        const std::lock_guard lock(mutex_);
        unmoved_ = std::numeric_limits<std::size_t>::max();
        return current_;
    }
    /// Cuts a snapshot where the earliest added row belongs, at the start of that block, and
    /// returns the rows after the cut. Nothing is cut where all added rows belong at the end.
    row_buffer cut(snapshot& rows, const row_buffer& added, std::size_t earliest) const {
        const std::size_t place = rows.upper_bound(added.time(earliest), added.id(earliest));
        row_buffer moved(columns_);
        if (place == rows.size()) return moved;
        const std::size_t kept = place - place % block_rows;
        for (std::size_t row = kept; row < rows.size(); ++row) copy(rows, row, moved);
        rows.rows_ = kept;
        // Without its pages: the moved rows are written to them at once.
        rows.open_ = std::make_shared<open_block>(columns_);
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
            if (!to.open_) begin_block(to);
            const std::size_t place = to.rows_ % block_rows;
            derive(to.rows_++, rows.codes(row));
            to.open_->write(place, rows.time(row), rows.codes(row), rows.integers(row));
            if (place == block_rows - 1) seal(to);
        }
        if (order.size() >= strip_rows) index(to);
    }
    /// Indexes the open block's full strips, unless maintain() is busy, and so will do it.
    void index(snapshot& rows) {
        const std::unique_lock turn(maintainer_, std::try_to_lock);
        if (turn && rows.open_) rows.open_->index(rows.size() % block_rows);
    }
    /// Begins the block after those that are full, which appends of few rows will fill.
    void begin_block(snapshot& rows) const {
        rows.open_ = std::make_shared<open_block>(columns_);
        if (rows.sealed_blocks() > 0) rows.open_->take_pages();
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
    std::size_t unmoved_ = 0;   // rows before this one stayed since to_maintain() was called
    mutable std::mutex mutex_;  // guards current_ and unmoved_

    projected_columns wanted_;
    bool is_told_ = false;   // which columns are wanted, rather than learning it
    std::mutex maintainer_;  // one at a time; guards these
};

}  // namespace sluice::store

#endif
