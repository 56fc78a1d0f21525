// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_ROW_BUFFER_HPP
#define SLUICE_STORE_BLOCKS_ROW_BUFFER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/store/numbers/number_list.hpp>
#include <sluice/store/texts/dictionary.hpp>

/// The columns of a table, and rows that are to be added to it.
namespace sluice::store {

/// The columns of a table: how many hold codes, and how many integers. Each row has a time in
/// milliseconds since 1970 besides. Rows are sorted by time, then the id's text, then order of
/// arrival.
struct schema {
    std::size_t code_columns = 0;
    std::size_t integer_columns = 0;
    std::size_t id_column = 0;        ///< the code column that holds the row's id
    const dictionary* ids = nullptr;  ///< the id column's texts; outlives the table
    /// The numbers of code columns by their codes, null for columns without; outlive the table.
    /// Columns beyond its end have none.
    std::span<const number_list* const> numbers{};
};

/// Rows to be added to a table, in any order. Rows that were added stay in place:
///
/// ```
/// codes:   | 8 rows | 16 | 32 | ...    parts, each twice the one before
/// ```
class row_buffer {
public:
    explicit row_buffer(const schema& columns) : columns_(columns) {}

    /// Adds a row of absent codes and zeros, and returns its number. Adds nothing if memory runs
    /// out.
    std::size_t add(std::int64_t time) {
        const std::size_t added = size();
        const std::size_t part = place_of(added).part;
        if (part == parts_.size()) {
            parts_.push_back(
                std::make_unique_for_overwrite<code[]>(part_rows(part) * columns_.code_columns));
        }
        times_.push_back(time);
        try {
            integers_.resize(integers_.size() + columns_.integer_columns, 0);
        } catch (...) {
            shrink(added);
            throw;
        }
        std::ranges::fill(codes(added), absent);
        return added;
    }
    /// Drops the last rows, keeping `rows`.
    void shrink(std::size_t rows) noexcept {
        times_.resize(rows);
        integers_.resize(rows * columns_.integer_columns);
    }
    [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }
    [[nodiscard]] std::int64_t time(std::size_t row) const noexcept { return times_[row]; }
    [[nodiscard]] std::span<code> codes(std::size_t row) noexcept {
        return {codes_of(row), columns_.code_columns};
    }
    [[nodiscard]] std::span<std::int64_t> integers(std::size_t row) noexcept {
        return {integers_.data() + row * columns_.integer_columns, columns_.integer_columns};
    }

    /// Appends all rows of a buffer with the same columns.
    void append(const row_buffer& others) {
        for (std::size_t row = 0; row < others.size(); ++row) {
            const std::size_t copy = add(others.times_[row]);
            std::copy_n(others.codes_of(row), columns_.code_columns, codes_of(copy));
        }
        std::ranges::copy(others.integers_,
                          integers_.end() - static_cast<std::ptrdiff_t>(others.integers_.size()));
    }

    /// Returns true if row `a` comes before row `b` in table order.
    [[nodiscard]] bool is_before(std::size_t a, std::size_t b) const noexcept {
        if (times_[a] != times_[b]) return times_[a] < times_[b];
        const int order = id(a).compare(id(b));
        return order != 0 ? order < 0 : a < b;
    }
    /// Returns the row numbers in table order.
    [[nodiscard]] std::vector<std::size_t> order() const {
        std::vector<std::size_t> rows(size());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        const auto before = [this](std::size_t a, std::size_t b) { return is_before(a, b); };
        if (!std::ranges::is_sorted(rows, before)) std::ranges::sort(rows, before);
        return rows;
    }
    [[nodiscard]] std::string_view id(std::size_t row) const noexcept {
        return columns_.ids->text(codes_of(row)[columns_.id_column]);
    }

private:
    static constexpr std::size_t first_rows = 8;

    /// The part of a row, and its number there.
    struct place {
        std::size_t part;
        std::size_t row;
    };
    /// The highest bit of a row's number + first_rows is the size of its part.
    static constexpr place place_of(std::size_t row) noexcept {
        const std::size_t shifted = row + first_rows;
        const std::size_t size = std::bit_floor(shifted);
        return {static_cast<std::size_t>(std::countr_zero(size / first_rows)), shifted - size};
    }
    static constexpr std::size_t part_rows(std::size_t part) noexcept { return first_rows << part; }

    [[nodiscard]] code* codes_of(std::size_t row) const noexcept {
        const place at = place_of(row);
        return parts_[at.part].get() + at.row * columns_.code_columns;
    }

    schema columns_;
    std::vector<std::int64_t> times_;
    std::vector<std::unique_ptr<code[]>> parts_;
    std::vector<std::int64_t> integers_;
};

}  // namespace sluice::store

#endif
