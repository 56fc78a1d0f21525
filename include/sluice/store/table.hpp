// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TABLE_HPP
#define SLUICE_STORE_TABLE_HPP

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/projection/count_cube_builder.hpp>
#include <sluice/store/projection/count_unit_builder.hpp>

namespace sluice::store {

/// Rows sorted by (time, id), in blocks. One thread appends; others read snapshots, which are cheap
/// to copy and immutable. The last block is open: rows are written after those that snapshots see.
/// A full block is sealed. A late row rewrites all blocks from its place on; old blocks live as
/// long as a snapshot has them.
///
/// Words of this folder:
///
/// ```
/// code         the number of a value in its column's dictionary; 0 is an absent value
/// block        65,536 rows; the last one, still filling, is open; the others are sealed
/// chunk        4,096 rows of a block
/// bits         a bit for each row: bit r % 64 of word r / 64 is row r
/// run          the row numbers of one code in a block, ascending
/// local code   a small number that stands for a code within one block
/// group        16 sealed blocks, which share a directory of their codes
/// unit         a span of rows sorted by columns that counts filter on together, only for counts
/// projection   the units of a table
/// cube         the combinations of codes of a few columns in some blocks, and their rows counted
/// archive      a file of arrays that is memory-mapped, see texts/archive.hpp
/// ```
class table {
public:
    explicit table(const schema& columns) : columns_(columns), pending_(columns) {}

    [[nodiscard]] const schema& columns() const noexcept { return columns_; }
    /// Describes what the archives of tables depend on besides the columns, such as the byte order.
    [[nodiscard]] static std::string format() {
        constexpr bool is_little = std::endian::native == std::endian::little;
        return (is_little ? " little " : " big ") + std::to_string(block_rows) + " " +
               std::to_string(sizeof(unit_value)) + " ";
    }

    /// Returns a snapshot of all rows so far. Any thread.
    [[nodiscard]] snapshot current() const {
        const std::lock_guard lock(mutex_);
        return current_;
    }
    /// Returns the memory use of all rows so far. Any thread.
    [[nodiscard]] table_stats stats() const { return current().stats(); }

    /// Adds rows; readers see all of them at once. Calls `derive(row, codes)` for each row in
    /// order, to fill in codes that depend on earlier rows. Late rows cause another call for each
    /// row that they move. One thread at a time.
    template <std::invocable<std::size_t, std::span<code>> Derive>
    void append(row_buffer&& added, Derive derive) {
        if (added.size() == 0) return;
        std::vector<std::size_t> order = added.order();
        snapshot next = current();
        row_buffer moved = cut(next, added, order.front());
        const std::size_t kept = next.size();
        const bool has_cut = moved.size() != 0;
        if (!has_cut) {
            write(next, added, order, derive);
        } else {
            moved.append(added);
            write(next, moved, moved.order(), derive);
        }
        const std::lock_guard lock(mutex_);
        unmoved_ = std::min(unmoved_, kept);
        next.projection_ = current_.projection_;
        if (next.projection_->rows() > kept) next.projection_ = next.projection_->first(kept);
        next.cubes_ = has_cut ? current_.cubes_->first(kept) : current_.cubes_;
        std::swap(current_, next);  // free the old snapshot after unlocking
    }

    /// Returns rows that wait for publish(). Only for the appending thread.
    [[nodiscard]] row_buffer& pending() noexcept { return pending_; }
    [[nodiscard]] const row_buffer& pending() const noexcept { return pending_; }
    /// Appends the pending rows. If memory runs out, they are still pending.
    template <std::invocable<std::size_t, std::span<code>> Derive>
    void publish(Derive derive) {
        append(std::move(pending_), derive);
        pending_ = row_buffer(columns_);
    }

    /// Sets the columns of the count projection, if the caller knows which are filtered on
    /// together, instead of choosing them from past counts. An empty key turns projections and
    /// cubes off. maintain() builds them.
    void project_counts(projected_columns wanted) {
        const std::lock_guard turn(maintainer_);
        wanted_ = std::move(wanted);
        is_fixed_ = true;
        if (!wanted_.key.empty()) return;
        auto none = current().projection_->first(0);
        auto no_cubes = std::make_shared<const count_cubes>();
        const std::lock_guard lock(mutex_);
        std::swap(current_.projection_, none);
        std::swap(current_.cubes_, no_cubes);
    }
    /// Runs one step of background indexing: indexes the chunks of 4,096 rows in the open block
    /// that small appends have filled, or builds the next unit of the count projection, of at most
    /// 262,144 rows, or the next cube of counts, of at most 1,048,576. Takes some milliseconds, for
    /// a large cube some tens of them. Returns false if there is nothing to do until rows are added
    /// or queries run. Any thread, while others append and read, without making them wait.
    bool maintain() {
        const std::lock_guard turn(maintainer_);
        const snapshot rows = to_maintain();
        if (rows.open_ && rows.open_->index(rows.size() % block_rows)) return true;
        return add_unit(rows) || add_cube(rows);
    }

    /// Writes the rows of a snapshot of this table, and the settings of the projection. Any thread,
    /// while others append and read.
    void save(archive_writer& archive, const snapshot& rows) const {
        rows.save(archive);
        const std::lock_guard turn(maintainer_);
        wanted_.save(archive);
        archive.number(is_fixed_ ? 1 : 0);
    }
    /// Reads the rows of an archive. Expects no rows yet.
    void open(archive_reader& archive) {
        current_ = snapshot::open(archive, columns_);
        wanted_ = projected_columns::open(archive);
        is_fixed_ = archive.number(1) != 0;
    }

private:
    /// Returns the current rows. From here on, `unmoved_` records which of them append() moves.
    [[nodiscard]] snapshot to_maintain() {
        const std::lock_guard lock(mutex_);
        unmoved_ = std::numeric_limits<std::size_t>::max();
        return current_;
    }
    /// Builds the next unit of the count projection. Returns false if none is missing.
    bool add_unit(const snapshot& rows) {
        if (!is_fixed_) wanted_ = rows.projection().usage().choose(wanted_);
        const auto next = rows.projection().missing(rows.size(), wanted_);
        if (!next) return false;
        auto projection = rows.projection().with(
            std::make_shared<const count_unit>(count_unit_builder().build(rows, *next, wanted_)));
        const std::lock_guard lock(mutex_);
        if (projection->rows() > unmoved_) projection = projection->first(unmoved_);
        std::swap(current_.projection_, projection);
        return true;
    }
    /// Builds the next cube of counts. Returns false if none is missing.
    bool add_cube(const snapshot& rows) {
        if (is_fixed_ && wanted_.key.empty()) return false;
        std::shared_ptr<const count_cubes> cubes = rows.cubes().chosen();
        const auto next = cubes->missing(rows.sealed_blocks());
        if (next) {
            cubes =
                cubes->with(next->of, std::make_shared<const count_cube>(
                                          count_cube_builder().build(rows, next->rows, next->of)));
        }
        const std::lock_guard lock(mutex_);
        if (unmoved_ < rows.size()) cubes = cubes->first(unmoved_);
        std::swap(current_.cubes_, cubes);
        return next.has_value();
    }
    /// Cuts a snapshot at the start of the block where the earliest added row belongs, and returns
    /// the rows after the cut. Cuts nothing if all added rows belong at the end.
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
    /// Adds a copy of a row to a buffer.
    void copy(const snapshot& from, std::size_t row, row_buffer& to) const {
        const std::size_t copy = to.add(from.time(row));
        from.read_codes(row, to.codes(copy));
        for (std::size_t i = 0; i < columns_.integer_columns; ++i) {
            to.integers(copy)[i] = from.integer_at(row, i);
        }
    }
    /// Appends rows to a snapshot, in order. Writes to the free part of its last block, which no
    /// other snapshot reads.
    template <class Derive>
    void write(snapshot& to, row_buffer& rows, const std::vector<std::size_t>& order,
               Derive& derive) {
        std::size_t unwritten = order.size();
        for (const std::size_t row : order) {
            const std::size_t place = to.rows_ % block_rows;
            if (!to.open_ || place == to.open_->capacity()) make_room(to, unwritten);
            --unwritten;
            derive(to.rows_++, rows.codes(row));
            to.open_->write(place, rows.time(row), rows.codes(row), rows.integers(row));
            if (place == block_rows - 1) seal(to);
        }
        if (order.size() >= chunk_rows) index(to);
    }
    /// Indexes the open block's full chunks. If maintain() is running, leaves it to its next step.
    void index(snapshot& rows) {
        const std::unique_lock turn(maintainer_, std::try_to_lock);
        if (turn && rows.open_) rows.open_->index(rows.size() % block_rows);
    }
    /// Begins a block, or replaces the small open one by a copy, with room for `added` rows or as
    /// many of them as it can have. Blocks after the first are never small; maps their memory if
    /// small appends will fill it.
    void make_room(snapshot& rows, std::size_t added) const {
        const std::size_t kept = rows.rows_ % block_rows, wanted = rows.rows_ + added;
        if (rows.open_) {
            rows.open_ = std::make_shared<open_block>(*rows.open_, kept, wanted);
            return;
        }
        rows.open_ = std::make_shared<open_block>(columns_, wanted);
        if (rows.sealed_blocks() > 0 && added < chunk_rows) rows.open_->map_pages();
    }
    /// Replaces the full open block of a snapshot by a sealed one.
    void seal(snapshot& full) {
        const sealed_block* const previous =
            full.sealed_blocks() == 0 ? nullptr : &full.sealed(full.sealed_blocks() - 1);
        full.sealed_ = full.sealed_->with(
            std::make_shared<const sealed_block>(*full.open_, previous, sealer_));
        full.open_ = nullptr;
    }

    schema columns_;
    row_buffer pending_;
    column_sealer sealer_;
    snapshot current_;
    std::size_t unmoved_ = 0;   // append() has moved no row before this one since to_maintain()
    mutable std::mutex mutex_;  // guards current_ and unmoved_

    projected_columns wanted_;
    bool is_fixed_ = false;  // project_counts() has set wanted_
    // Held by maintain(); guards the members above and open_block::index().
    mutable std::mutex maintainer_;
};

}  // namespace sluice::store

#endif
