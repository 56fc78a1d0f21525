// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_SNAPSHOT_HPP
#define SLUICE_STORE_BLOCKS_SNAPSHOT_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/store/blocks/block_directory.hpp>
#include <sluice/store/blocks/count_cube.hpp>
#include <sluice/store/blocks/count_projection.hpp>
#include <sluice/store/blocks/table_stats.hpp>

namespace sluice::store {

/// The rows of a table at one moment, in order. Immutable; cheap to copy. Times are in milliseconds
/// since 1970; columns are numbers of code columns or of integer columns, see store::schema.
///
/// ```
/// sealed:  | block 0 | block 1 | ... |   65,536 rows each
/// open:                              | the last rows |
/// ```
class snapshot {
public:
    [[nodiscard]] std::size_t size() const noexcept { return rows_; }

    /// Returns a row's time. A row's place within its block is its number modulo block_rows, in
    /// sealed blocks and in the open one.
    [[nodiscard]] std::int64_t time(std::size_t row) const noexcept {
        if (is_open(row)) return open_->times()[row % block_rows];
        return block_of(row).times()[row % block_rows];
    }
    /// Returns a row's code in a code column.
    [[nodiscard]] code code_at(std::size_t row, std::size_t column) const noexcept {
        if (is_open(row)) return open_->codes(column)[row % block_rows];
        return block_of(row).image().at(row % block_rows, column);
    }
    /// Returns a row's number in an integer column.
    [[nodiscard]] std::int64_t integer_at(std::size_t row, std::size_t column) const noexcept {
        const std::int64_t* const integers =
            is_open(row) ? open_->integers(column) : block_of(row).integers(column);
        return integers[row % block_rows];
    }
    /// Reads the codes of a row's first `out.size()` columns.
    void read_codes(std::size_t row, std::span<code> out) const noexcept {
        if (!is_open(row)) return block_of(row).image().read(row % block_rows, out);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = open_->codes(i)[row % block_rows];
    }

    /// Returns the first row whose (time, id) is at or after this one; `size()` if there is none.
    [[nodiscard]] std::size_t lower_bound(std::int64_t time, std::string_view id) const noexcept {
        return partition([&](std::size_t row) {
            const std::int64_t row_time = this->time(row);
            return row_time != time ? row_time < time : this->id(row) < id;
        });
    }
    /// Returns the first row whose (time, id) is after this one; `size()` if there is none.
    [[nodiscard]] std::size_t upper_bound(std::int64_t time, std::string_view id) const noexcept {
        return partition([&](std::size_t row) {
            const std::int64_t row_time = this->time(row);
            return row_time != time ? row_time < time : this->id(row) <= id;
        });
    }
    /// Returns the first row at or after a time; `size()` if there is none.
    [[nodiscard]] std::size_t lower_bound(std::int64_t time) const noexcept {
        if (time == std::numeric_limits<std::int64_t>::min()) return 0;
        return partition([&](std::size_t row) { return this->time(row) < time; });
    }
    /// Returns the first row after a time; `size()` if there is none.
    [[nodiscard]] std::size_t upper_bound(std::int64_t time) const noexcept {
        if (time == std::numeric_limits<std::int64_t>::max()) return size();
        return partition([&](std::size_t row) { return this->time(row) <= time; });
    }

    [[nodiscard]] table_stats stats() const;

    /// Writes the rows and the projection, without cubes, while others append.
    void save(archive_writer& archive) const {
        archive.number(rows_);
        sealed_->save(archive);
        if (open_) open_->save(archive, rows_ % block_rows);
        projection_->save(archive);
    }
    /// Reads the rows of an archive; full blocks view it.
    [[nodiscard]] static snapshot open(archive_reader& archive, const schema& columns) {
        snapshot rows;
        rows.rows_ = archive.number(std::numeric_limits<code>::max());
        rows.sealed_ = block_list::open(archive, columns);
        if (rows.sealed_->size() != rows.rows_ / block_rows) archive.fail();
        const std::size_t rest = rows.rows_ % block_rows;
        if (rest != 0) rows.open_ = std::make_shared<open_block>(archive, columns, rest);
        rows.projection_ = count_projection::open(archive, rows.rows_);
        return rows;
    }

    // For scans:
    [[nodiscard]] std::size_t sealed_blocks() const noexcept { return sealed_->size(); }
    [[nodiscard]] const sealed_block& sealed(std::size_t index) const noexcept {
        return (*sealed_)[index];
    }
    /// Returns the directory of the group that contains a sealed block.
    [[nodiscard]] const block_group& group_of(std::size_t block) const noexcept {
        return sealed_->group_of(block);
    }
    /// Returns the block after the sealed ones; null if it has no rows.
    [[nodiscard]] const open_block* open() const noexcept { return open_.get(); }
    /// Returns the count projection, which covers some of the rows; see table::maintain().
    [[nodiscard]] const count_projection& projection() const noexcept { return *projection_; }
    /// Returns the cubes of sets of columns, which cover some of the rows; see table::maintain().
    [[nodiscard]] const count_cubes& cubes() const noexcept { return *cubes_; }

private:
    friend class table;

    [[nodiscard]] bool is_open(std::size_t row) const noexcept {
        return row / block_rows == sealed_->size();
    }
    [[nodiscard]] const sealed_block& block_of(std::size_t row) const noexcept {
        return sealed(row / block_rows);
    }
    [[nodiscard]] std::string_view id(std::size_t row) const noexcept {
        const schema& columns = is_open(row) ? open_->columns() : block_of(row).columns();
        return columns.ids->text(code_at(row, columns.id_column));
    }
    /// Returns the first row for which `is_before` is false, by binary search; `size()` if there is
    /// none.
    template <std::predicate<std::size_t> Predicate>
    [[nodiscard]] std::size_t partition(Predicate is_before) const noexcept {
        if (rows_ == 0 || !is_before(0)) return 0;
        if (is_before(rows_ - 1)) return rows_;
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

    std::shared_ptr<const block_list> sealed_ = std::make_shared<block_list>();
    std::shared_ptr<open_block> open_;
    std::shared_ptr<const count_projection> projection_ = std::make_shared<count_projection>();
    std::shared_ptr<const count_cubes> cubes_ = std::make_shared<count_cubes>();
    std::size_t rows_ = 0;
};

inline table_stats snapshot::stats() const {
    table_stats all{.rows = rows_, .blocks = sealed_->size() + (open_ ? 1 : 0)};
    if (all.blocks == 0) return all;
    const schema& columns = open_ ? open_->columns() : sealed(0).columns();
    all.columns.resize(columns.code_columns);
    const std::size_t whole = block_rows * sizeof(std::int64_t);
    all.times = open_ ? open_->capacity() * sizeof(std::int64_t) : 0;
    all.integers = (all.times + sealed_->size() * whole) * columns.integer_columns;
    for (std::size_t i = 0; i < columns.code_columns; ++i) {
        if (open_) all.columns[i] = {open_->code_bytes(), open_->index_bytes(i)};
        for (std::size_t block = 0; block < sealed_->size(); ++block) {
            const table_stats::column_stats sealed_stats = sealed(block).column(i).stats();
            all.columns[i].codes += sealed_stats.codes;
            if (const block_numbers* const numbers = sealed(block).numbers(i))
                all.columns[i].codes += numbers->width() * block_rows;
            all.columns[i].index += sealed_stats.index;
        }
    }
    for (std::size_t block = 0; block < sealed_->size(); ++block) {
        all.image += sealed(block).image().size();
        all.times += sealed(block).times().bytes();
        if (sealed(block).is_mapped()) all.mapped += sealed(block).bytes();
    }
    all.mapped += projection_->mapped_bytes();
    all.directory = sealed_->directory_bytes();
    all.projection = projection_->bytes() + cubes_->bytes();
    return all;
}

}  // namespace sluice::store

#endif
