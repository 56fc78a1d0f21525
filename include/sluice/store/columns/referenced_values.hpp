// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_REFERENCED_VALUES_HPP
#define SLUICE_STORE_COLUMNS_REFERENCED_VALUES_HPP

#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <sluice/store/conditions/code_set.hpp>
#include <sluice/store/texts/chunked_list.hpp>

namespace sluice::store {

/// A column of the rows that a code column refers to: the value of each row, and the rows of each
/// value. Both are codes: those of the column's values, and the references. A condition costs as
/// much as it has values and rows, regardless of the number of rows.
///
/// ```
/// row  1 2 3 4       value  1: rows 1 3
///      1 2 1 0              2: row 2           0 is absent
/// ```
///
/// One thread adds; any number read the rows that they have seen.
class referenced_values {
public:
    /// Adds the value of the next row; rows are numbered from 1.
    void add(code value) {
        const std::unique_lock lock(mutex_);
        const auto row = static_cast<code>(values_.size() + 1);
        values_.reserve_next();
        if (value > rows_.size()) rows_.resize(value);
        if (value != absent) rows_[value - 1].push_back(row);
        values_.push_back(value);
    }
    /// Drops the last rows, keeping `rows`.
    void shrink(std::size_t rows) noexcept {
        const std::unique_lock lock(mutex_);
        for (; values_.size() > rows; values_.shrink(values_.size() - 1)) {
            const code value = values_[values_.size() - 1];
            if (value != absent) rows_[value - 1].pop_back();
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    /// Returns the value of a reference; absent for an absent one.
    [[nodiscard]] code operator[](code reference) const noexcept {
        return reference == absent ? absent : values_[reference - 1];
    }
    /// Returns the references to rows with one of some values; absent ones have an absent value.
    [[nodiscard]] code_set with(const code_set& values) const {
        const bool has_absent = values.contains(absent);
        std::vector<code> rows;
        const std::shared_lock lock(mutex_);
        const auto add = [&](code value) {
            if (value == absent || value > rows_.size()) return;
            const std::vector<code>& some = rows_[value - 1];
            rows.insert(rows.end(), some.begin(), some.end());
        };
        // Lists the rows with one of the values, or those without if absent values are among them.
        if (!values.has_ranges() && values.is_complement() == has_absent) {
            for (const code value : values.listed()) add(value);
        } else {
            for (code value = 1; value <= rows_.size(); ++value) {
                if (values.contains(value) != has_absent) add(value);
            }
        }
        return code_set(std::move(rows), has_absent);
    }

private:
    chunked_list<code> values_;
    std::vector<std::vector<code>> rows_;  // by value, from 1; ascending
    mutable std::shared_mutex mutex_;      // guards rows_
};

}  // namespace sluice::store

#endif
