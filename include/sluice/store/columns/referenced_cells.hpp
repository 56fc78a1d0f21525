// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_REFERENCED_CELLS_HPP
#define SLUICE_STORE_COLUMNS_REFERENCED_CELLS_HPP

#include <cstddef>

#include <sluice/store/columns/column_values.hpp>
#include <sluice/store/columns/searched_columns.hpp>
#include <sluice/store/json/json_fragments.hpp>

namespace sluice::store {

/// A column of the rows that a code column refers to, such as `link.domain`: its distinct values,
/// the value of each row, and the JSON of that value if rows are written as JSON. Rows are numbered
/// like the references, from 1. One thread adds; any number read the rows that they have seen.
class referenced_cells {
public:
    /// Without `has_json`, json() has no rows.
    referenced_cells(const column& of, hash_seed seed, bool has_json)
        : values_(of, seed), has_json_(has_json) {}

    [[nodiscard]] const column_values& values() const noexcept { return values_; }
    /// Returns the value of each row, as a code.
    [[nodiscard]] const referenced_values& rows() const noexcept { return rows_; }
    /// Returns the JSON of the rows' values, by row; at 0 `null`, for absent references.
    [[nodiscard]] const json_fragments& json() const noexcept { return json_; }
    /// Returns the value of a row.
    [[nodiscard]] cell at(code row) const { return values_.reader().at(rows_[row]); }
    /// Returns the column for searches of a table, whose code column `column` has the references.
    /// Views this.
    [[nodiscard]] referenced_column searched_by(std::size_t column) const {
        const auto meeting = [this](const leaf& condition,
                                    const scan_options&) -> result<code_set> {
            return rows_.with(values_.reader().meeting(condition));
        };
        return {column, meeting, &rows_, values_.reader()};
    }

    /// Adds the value of the next row. Expects one that passes column_values::check(). After
    /// running out of memory, expects a shrink() before the next add().
    void add(const cell& value) {
        const code added = values_.encode(value);
        if (has_json_) json_.append_json(values_.json(added));
        rows_.add(added);
    }
    /// Drops the last rows, keeping `rows`. Values that no row has any more stay.
    void shrink(std::size_t rows) noexcept {
        rows_.shrink(rows);
        if (json_.size() > rows + 1) json_.shrink(rows + 1);
    }

    /// Writes the first `rows` rows; others may be added meanwhile. Any thread.
    void save(archive_writer& archive, std::size_t rows) const {
        values_.save(archive, values_.texts().size());
        rows_.save(archive, rows);
        if (has_json_) json_.save(archive, rows + 1);
    }
    /// Reads `rows` rows. Expects no rows yet.
    void open(archive_reader& archive, std::size_t rows) {
        values_.open(archive);
        const auto codes = referenced_values::open(archive, rows, values_.texts().size());
        for (const code value : codes) rows_.add(value);
        if (!has_json_) return;
        json_.open(archive);
        if (json_.size() != rows + 1) archive.fail();
    }

    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        return values_.bytes() + rows_.bytes() + (has_json_ ? json_.bytes() : 0);
    }

private:
    column_values values_;
    referenced_values rows_;
    json_fragments json_{{}, {}, "null"};  // by row, and at 0 for absent references
    bool has_json_;
};

}  // namespace sluice::store

#endif
