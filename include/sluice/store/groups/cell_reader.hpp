// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_CELL_READER_HPP
#define SLUICE_STORE_GROUPS_CELL_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sluice/store/blocks/count_cube.hpp>
#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/conditions/expression.hpp>

/// Cells of count cubes that meet conditions.
namespace sluice::store {

/// Some cells of a cube: their numbers of rows, and their codes in chosen columns.
struct cube_cells {
    std::vector<std::vector<code>> codes{};  // by chosen column, then by cell
    std::vector<std::uint32_t> rows{};       // by cell
};

/// Reads the cells of a query's cubes that meet its conditions. Views the snapshot and the
/// conditions.
///
/// ```
/// conditions  country = US, device = phone     groups  link
/// cube        | US | phone | link ... |        a span of cells, found by a search for each code
/// ```
class cell_reader {
public:
    /// `chosen` are the code columns whose codes are read, of which some may be repeated, with the
    /// number of codes of each.
    struct chosen_column {
        std::size_t column;
        std::size_t codes;
    };
    cell_reader(const snapshot& rows, const selection& wanted,
                std::span<const chosen_column> chosen)
        : rows_(rows) {
        cells_.codes.resize(chosen.size());
        if (wanted.where || wanted.test) return;
        std::vector<const condition*> conditions;
        for (const condition& of : wanted.conditions) conditions.push_back(&of);
        std::ranges::sort(conditions, {}, &condition::column);
        for (const condition* const of : conditions) {
            columns_.push_back(of->column);
            accepted_.push_back(&of->accepted);
        }
        // Columns of few codes come first, so that equal codes lie together.
        std::vector<chosen_column> others(chosen.begin(), chosen.end());
        std::ranges::sort(others, [](const chosen_column& a, const chosen_column& b) {
            return a.codes != b.codes ? a.codes < b.codes : a.column < b.column;
        });
        for (const chosen_column& of : others) {
            if (std::ranges::find(columns_, of.column) == columns_.end())
                columns_.push_back(of.column);
        }
        accepted_.resize(columns_.size(), nullptr);
        for (const chosen_column& of : chosen)
            places_.push_back(static_cast<std::size_t>(std::ranges::find(columns_, of.column) -
                                                       columns_.begin()));
    }

    /// Records the columns, which maintain() chooses cubes from.
    void record() const noexcept {
        if (columns_.size() >= 2) rows_.cubes().usage().record(columns_);
    }
    /// Returns the cubes of the columns that lie in a span of rows; some may be empty().
    [[nodiscard]] count_cubes::cube_list cubes_in(const row_span& of) const {
        return rows_.cubes().cubes_in(columns_, of);
    }
    /// Calls `add(cells)` without cells, so that it can charge the search for them, then with up to
    /// 4,096 matching cells of a cube at a time, until it returns false; then returns false.
    template <class Add>
    [[nodiscard]] bool read(const count_cube& cube, const Add& add) {
        if (!add(cells_)) return false;
        cube_ = &cube;
        bool goes_on = true;
        const auto read_first = [&](code first) {
            first_ = first;
            goes_on = read_cells(cube.of_first(first), 1, add);
            return goes_on;
        };
        const code_set* const accepted = accepted_[0];
        if (accepted != nullptr && lists(*accepted)) {
            std::ranges::all_of(accepted->listed(), read_first);
        } else {
            for (code first = 0; goes_on && first < cube.first_codes(); ++first) {
                if (accepted == nullptr || accepted->contains(first)) read_first(first);
            }
        }
        return goes_on && flush(add);
    }

private:
    static constexpr std::size_t most_cells = 4'096, few_codes = 16;

    [[nodiscard]] static bool lists(const code_set& accepted) noexcept {
        return !accepted.has_ranges() && !accepted.is_complement();
    }
    /// Reads cells that share the codes of all columns before `column`.
    template <class Add>
    [[nodiscard]] bool read_cells(count_cube::cells of, std::size_t column, const Add& add) {
        if (of.begin == of.end) return true;
        const code_set* const accepted = column < columns_.size() ? accepted_[column] : nullptr;
        if (accepted != nullptr && lists(*accepted) && accepted->listed().size() <= few_codes) {
            return std::ranges::all_of(accepted->listed(), [&](code wanted) {
                return read_cells(cube_->narrow(of, column, wanted), column + 1, add);
            });
        }
        while (of.begin < of.end) {
            const std::size_t room = most_cells - cells_.rows.size();
            const std::size_t end = std::min(of.end, of.begin + room);
            append({of.begin, end}, column);
            of.begin = end;
            if (cells_.rows.size() == most_cells && !flush(add)) return false;
        }
        return true;
    }
    /// Appends those of some cells that meet the conditions on a column and those after it.
    void append(count_cube::cells of, std::size_t column) {
        const std::size_t before = cells_.rows.size();
        const bool is_tested = std::any_of(
            accepted_.begin() + static_cast<std::ptrdiff_t>(std::min(column, accepted_.size())),
            accepted_.end(), [](const code_set* accepted) { return accepted != nullptr; });
        if (is_tested) return append_tested(of, column);
        const auto counts = cube_->counts().subspan(of.begin, of.end - of.begin);
        cells_.rows.insert(cells_.rows.end(), counts.begin(), counts.end());
        for (std::size_t i = 0; i < places_.size(); ++i) {
            std::vector<code>& codes = cells_.codes[i];
            codes.resize(cells_.rows.size());
            if (places_[i] == 0) {
                std::fill(codes.begin() + static_cast<std::ptrdiff_t>(before), codes.end(), first_);
                continue;
            }
            for (std::size_t cell = of.begin; cell < of.end; ++cell)
                codes[before + cell - of.begin] = cube_->at(cell, places_[i]);
        }
    }
    void append_tested(count_cube::cells of, std::size_t column) {
        for (std::size_t cell = of.begin; cell < of.end; ++cell) {
            bool is_met = true;
            for (std::size_t at = column; at < columns_.size() && is_met; ++at)
                is_met = accepted_[at] == nullptr || accepted_[at]->contains(cube_->at(cell, at));
            if (!is_met) continue;
            cells_.rows.push_back(cube_->counts()[cell]);
            for (std::size_t i = 0; i < places_.size(); ++i)
                cells_.codes[i].push_back(places_[i] == 0 ? first_ : cube_->at(cell, places_[i]));
        }
    }
    template <class Add>
    [[nodiscard]] bool flush(const Add& add) {
        const bool goes_on = add(cells_);
        cells_.rows.clear();
        for (std::vector<code>& codes : cells_.codes) codes.clear();
        return goes_on;
    }

    const snapshot& rows_;
    std::vector<std::size_t> columns_;       // those of conditions, then the others
    std::vector<const code_set*> accepted_;  // by column of columns_; null without a condition
    std::vector<std::size_t> places_;        // by chosen column: its place in columns_
    const count_cube* cube_ = nullptr;
    code first_ = absent;  // of the cells that are being read
    cube_cells cells_;
};

}  // namespace sluice::store

#endif
