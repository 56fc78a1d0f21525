// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_ROW_BUFFER_HPP
#define SLUICE_STORE_BLOCKS_ROW_BUFFER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// The columns of a table: how many hold codes, and how many integers. Each row has a time in
/// milliseconds since 1970 besides. Rows are sorted by time, then the id's text, then order of
/// arrival.
struct schema {
    std::size_t code_columns = 0;
    std::size_t integer_columns = 0;
    std::size_t id_column = 0;        ///< the code column that holds the row's id
    const dictionary* ids = nullptr;  ///< the id column's texts; outlives the table
};

/// Rows to be added to a table, in any order.
class row_buffer {
public:
    explicit row_buffer(const schema& columns) : columns_(columns) {}

    /// Adds a row of absent codes and zeros, and returns its number. Adds nothing if memory runs
    /// out.
    std::size_t add(std::int64_t time) {
        const std::size_t added = size();
        try {
            times_.push_back(time);
            codes_.resize(codes_.size() + columns_.code_columns, absent);
            integers_.resize(integers_.size() + columns_.integer_columns, 0);
        } catch (...) {
            shrink(added);
            throw;
        }
        return added;
    }
    /// Drops the last rows, keeping `rows`.
    void shrink(std::size_t rows) noexcept {
        times_.resize(rows);
        codes_.resize(rows * columns_.code_columns);
        integers_.resize(rows * columns_.integer_columns);
    }
    [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }
    [[nodiscard]] std::int64_t time(std::size_t row) const noexcept { return times_[row]; }
    [[nodiscard]] std::span<code> codes(std::size_t row) noexcept {
        return {codes_.data() + row * columns_.code_columns, columns_.code_columns};
    }
    [[nodiscard]] std::span<std::int64_t> integers(std::size_t row) noexcept {
        return {integers_.data() + row * columns_.integer_columns, columns_.integer_columns};
    }

    /// Appends all rows of a buffer with the same columns.
    void append(const row_buffer& others) {
        times_.insert(times_.end(), others.times_.begin(), others.times_.end());
        codes_.insert(codes_.end(), others.codes_.begin(), others.codes_.end());
        integers_.insert(integers_.end(), others.integers_.begin(), others.integers_.end());
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
        return columns_.ids->text(codes_[row * columns_.code_columns + columns_.id_column]);
    }

private:
    schema columns_;
    std::vector<std::int64_t> times_;
    std::vector<code> codes_;
    std::vector<std::int64_t> integers_;
};

}  // namespace sluice::store

#endif
