// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TABLE_HPP
#define SLUICE_STORE_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sluice/store/dictionary.hpp>

namespace sluice::store {

/// The columns of a table: codes and integers, by number. Rows are ordered by (time, text of the
/// id); of rows that share both, the one that came first is first, so that the order is total.
struct schema {
    std::size_t code_columns = 0;
    std::size_t integer_columns = 0;
    std::size_t id_column = 0;        ///< the code column that holds the row's id
    const dictionary* ids = nullptr;  ///< the id column's texts; outlives the table
};

/// Rows on their way into a table, in any order.
class row_buffer {
public:
    explicit row_buffer(const schema& columns) : columns_(columns) {}

    /// Adds a row of absent codes and zeros, to be filled in; returns its number.
    std::size_t add(std::int64_t time) {
        times_.push_back(time);
        codes_.resize(codes_.size() + columns_.code_columns, absent);
        integers_.resize(integers_.size() + columns_.integer_columns, 0);
        return times_.size() - 1;
    }
    [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }
    [[nodiscard]] std::int64_t time(std::size_t row) const noexcept { return times_[row]; }
    [[nodiscard]] std::span<code> codes(std::size_t row) noexcept {
        return {codes_.data() + row * columns_.code_columns, columns_.code_columns};
    }
    [[nodiscard]] std::span<std::int64_t> integers(std::size_t row) noexcept {
        return {integers_.data() + row * columns_.integer_columns, columns_.integer_columns};
    }

    /// Adds all rows of another buffer of the same columns behind these.
    void append(const row_buffer& others) {
        times_.insert(times_.end(), others.times_.begin(), others.times_.end());
        codes_.insert(codes_.end(), others.codes_.begin(), others.codes_.end());
        integers_.insert(integers_.end(), others.integers_.begin(), others.integers_.end());
    }

    /// The numbers of the rows in table order.
    [[nodiscard]] std::vector<std::size_t> order() const {
        std::vector<std::size_t> rows(size());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        std::ranges::sort(rows, {},
                          [&](std::size_t row) { return std::tuple(times_[row], id(row), row); });
        return rows;
    }
    [[nodiscard]] std::string_view id(std::size_t row) const noexcept {
        return columns_.ids->text(codes_[row * columns_.code_columns + columns_.id_column]);
    }

private:
    schema columns_;
    std::vector<std::int64_t> times_;
    std::vector<code> codes_;
    std::vector<std::int64_t> integers_;
};

/// A run of rows, column by column:
///
/// ```
/// times:        | t0 | t1 | t2 | ...            int64
/// codes[0]:     | c0 | c1 | c2 | ...            uint32, one array a column
/// integers[0]:  | i0 | i1 | i2 | ...            int64,  one array a column
///                 <--- written once ---> <- free, seen by no snapshot ->
/// ```
class block {
public:
    static constexpr std::size_t capacity = std::size_t{1} << 16;

    explicit block(const schema& columns)
        : columns_(columns),
          times_(std::make_unique_for_overwrite<std::int64_t[]>(capacity)),
          codes_(std::make_unique_for_overwrite<code[]>(capacity * columns.code_columns)),
          integers_(
              std::make_unique_for_overwrite<std::int64_t[]>(capacity * columns.integer_columns)) {}

    void write(std::size_t row, std::int64_t time, std::span<const code> codes,
               std::span<const std::int64_t> integers) noexcept {
        times_[row] = time;
        for (std::size_t i = 0; i < codes.size(); ++i) codes_[i * capacity + row] = codes[i];
        for (std::size_t i = 0; i < integers.size(); ++i) {
            integers_[i * capacity + row] = integers[i];
        }
    }
    [[nodiscard]] const std::int64_t* times() const noexcept { return times_.get(); }
    [[nodiscard]] const code* codes(std::size_t column) const noexcept {
        return codes_.get() + column * capacity;
    }
    [[nodiscard]] const std::int64_t* integers(std::size_t column) const noexcept {
        return integers_.get() + column * capacity;
    }
    [[nodiscard]] const schema& columns() const noexcept { return columns_; }

private:
    schema columns_;
    std::unique_ptr<std::int64_t[]> times_;
    std::unique_ptr<code[]> codes_;
    std::unique_ptr<std::int64_t[]> integers_;
};

/// The rows of a table at one moment, in order. It stays as it is while the table grows.
class snapshot {
public:
    [[nodiscard]] std::size_t size() const noexcept { return rows_; }
    [[nodiscard]] const block& block_of(std::size_t row) const noexcept {
        return *(*blocks_)[row / block::capacity];
    }
    [[nodiscard]] std::int64_t time(std::size_t row) const noexcept {
        return block_of(row).times()[row % block::capacity];
    }
    [[nodiscard]] code code_at(std::size_t row, std::size_t column) const noexcept {
        return block_of(row).codes(column)[row % block::capacity];
    }
    [[nodiscard]] std::int64_t integer_at(std::size_t row, std::size_t column) const noexcept {
        return block_of(row).integers(column)[row % block::capacity];
    }

    /// The first row whose (time, id) is not before the given one; `size()` if there is none.
    [[nodiscard]] std::size_t lower_bound(std::int64_t time, std::string_view id) const noexcept {
        return partition([&](std::size_t row) {
            return this->time(row) < time || (this->time(row) == time && this->id(row) < id);
        });
    }
    /// The first row whose (time, id) is after the given one; `size()` if there is none.
    [[nodiscard]] std::size_t upper_bound(std::int64_t time, std::string_view id) const noexcept {
        return partition([&](std::size_t row) {
            return this->time(row) < time || (this->time(row) == time && this->id(row) <= id);
        });
    }
    /// The first row later than a time; `size()` if there is none.
    [[nodiscard]] std::size_t upper_bound(std::int64_t time) const noexcept {
        return partition([&](std::size_t row) { return this->time(row) <= time; });
    }

private:
    friend class table;
    using block_list = std::vector<std::shared_ptr<block>>;

    [[nodiscard]] std::string_view id(std::size_t row) const noexcept {
        const schema& columns = block_of(row).columns();
        return columns.ids->text(code_at(row, columns.id_column));
    }
    /// The first row for which `is_before` no longer holds, by binary search.
    template <class Predicate>
    [[nodiscard]] std::size_t partition(Predicate is_before) const noexcept {
        std::size_t first = 0;
        for (std::size_t left = rows_; left > 0;) {
            const std::size_t half = left / 2;
            if (is_before(first + half)) {
                first += half + 1;
                left -= half + 1;
            } else {
                left = half;
            }
        }
        return first;
    }

    std::shared_ptr<const block_list> blocks_ = std::make_shared<block_list>();
    std::size_t rows_ = 0;
};

/// Rows in (time, id) order, in blocks. One thread appends; others read snapshots, which cost them
/// two words and never change. A row that is late rewrites the blocks from its place on; the old
/// blocks live as long as a snapshot holds them.
class table {
public:
    explicit table(const schema& columns) : columns_(columns) {}

    [[nodiscard]] const schema& columns() const noexcept { return columns_; }

    /// All rows so far. Any thread.
    [[nodiscard]] snapshot current() const {
        const std::lock_guard lock(mutex_);
        return current_;
    }

    /// Adds rows, all at once for readers. `derive(row, codes)` is called for each row as it takes
    /// its place, in order, to fill in what depends on the rows before it; where rows come late, it
    /// is called again for those that they move. One thread at a time.
    template <class Derive>
    void append(row_buffer&& added, Derive derive) {
        if (added.size() == 0) return;
        snapshot next = current_;
        row_buffer rows = cut(next, added);
        rows.append(added);
        write(next, rows, derive);
        const std::lock_guard lock(mutex_);
        current_ = std::move(next);
    }

private:
    /// Cuts a snapshot where the earliest added row belongs, at the start of that block, and
    /// returns the rows behind the cut. Nothing is cut where all added rows belong at the end.
    row_buffer cut(snapshot& rows, const row_buffer& added) const {
        const std::size_t earliest = added.order().front();
        const std::size_t place = rows.upper_bound(added.time(earliest), added.id(earliest));
        row_buffer moved(columns_);
        if (place == rows.size()) return moved;
        const std::size_t kept = place - place % block::capacity;
        for (std::size_t row = kept; row < rows.size(); ++row) copy(rows, row, moved);
        rows.rows_ = kept;
        return moved;
    }
    void copy(const snapshot& from, std::size_t row, row_buffer& to) const {
        const std::size_t copy = to.add(from.time(row));
        for (std::size_t i = 0; i < columns_.code_columns; ++i) {
            to.codes(copy)[i] = from.code_at(row, i);
        }
        for (std::size_t i = 0; i < columns_.integer_columns; ++i) {
            to.integers(copy)[i] = from.integer_at(row, i);
        }
    }
    /// Writes rows behind those of a snapshot, in order. Free places of its last block are used:
    /// no other snapshot sees them.
    template <class Derive>
    void write(snapshot& to, row_buffer& rows, Derive& derive) const {
        const std::size_t blocks = (to.rows_ + block::capacity - 1) / block::capacity;
        auto list = std::make_shared<snapshot::block_list>(*to.blocks_);
        list->resize(blocks);
        for (const std::size_t row : rows.order()) {
            const std::size_t place = to.rows_ % block::capacity;
            if (place == 0) list->push_back(std::make_shared<block>(columns_));
            derive(to.rows_++, rows.codes(row));
            list->back()->write(place, rows.time(row), rows.codes(row), rows.integers(row));
        }
        to.blocks_ = std::move(list);
    }

    schema columns_;
    snapshot current_;
    mutable std::mutex mutex_;  // guards current_
};

}  // namespace sluice::store

#endif
