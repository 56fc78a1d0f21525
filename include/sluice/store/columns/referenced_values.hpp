// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_REFERENCED_VALUES_HPP
#define SLUICE_STORE_COLUMNS_REFERENCED_VALUES_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <sluice/store/columns/code_postings.hpp>
#include <sluice/store/conditions/code_set.hpp>
#include <sluice/store/texts/archive.hpp>
#include <sluice/store/texts/chunked_list.hpp>

namespace sluice::store {

/// A column of the rows that a code column refers to: the value of each row, and the rows of each
/// value. Both are codes: those of the column's values, and the references. The cost of with()
/// grows with the listed values and the rows that have them, not with the size of the column.
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
        values_.reserve_next();
        rows_.reserve_next(value);
        rows_.add(value, static_cast<code>(values_.size() + 1));
        values_.push_back(value);
    }
    /// Drops the last rows, keeping `rows`.
    void shrink(std::size_t rows) noexcept {
        for (; values_.size() > rows; values_.shrink(values_.size() - 1)) {
            rows_.remove_last(values_[values_.size() - 1]);
        }
    }

    /// Writes the values of the first `rows` rows; others may be added meanwhile. Any thread.
    void save(archive_writer& archive, std::size_t rows) const {
        std::vector<code> codes(rows);
        for (std::size_t row = 0; row < rows; ++row) codes[row] = values_[row];
        archive.array(std::span<const code>(codes));
    }
    /// Returns the values of `rows` rows in an archive, to be added. Fails the archive if one isn't
    /// below `size`.
    [[nodiscard]] static std::span<const code> open(archive_reader& archive, std::size_t rows,
                                                    std::size_t size) {
        const auto codes = archive.view<code>(rows);
        if (std::ranges::all_of(codes, [&](code value) { return value < size; })) return codes;
        archive.fail();
        return {};
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    /// Returns the value of a reference; absent for an absent one.
    [[nodiscard]] code operator[](code reference) const noexcept {
        return reference == absent ? absent : values_[reference - 1];
    }
    /// Returns the references to rows with one of some values; absent ones have an absent value.
    [[nodiscard]] code_set with(const code_set& values) const {
        // The rows with one of the values, or those without if absent values are among them.
        const bool is_complement = values.contains(absent);
        if (!values.has_ranges() && values.is_complement() == is_complement) {
            return code_set(rows_.of(values.listed()), is_complement);
        }
        std::vector<code> listed;
        for (code value = 1; value < rows_.size(); ++value) {
            if (values.contains(value) != is_complement) listed.push_back(value);
        }
        return code_set(rows_.of(listed), is_complement);
    }
    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        return values_.size() * sizeof(code) + rows_.bytes();
    }

private:
    chunked_list<code> values_;
    code_postings rows_;  // by value
};

}  // namespace sluice::store

#endif
