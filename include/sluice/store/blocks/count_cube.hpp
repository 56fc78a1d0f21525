// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COUNT_CUBE_HPP
#define SLUICE_STORE_BLOCKS_COUNT_CUBE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/count_projection.hpp>

/// Rows counted by the codes of several columns together.
namespace sluice::store {

/// The number of rows with each combination of codes that a few columns have in some full blocks.
/// A combination is a cell; cells are sorted by the columns in order:
///
/// ```
/// columns     country  device  link
/// begins      country 0: 0   country 1: 0   country 2: 8,113 ...
/// rest        | device | link |      the other codes of a cell, the first one in the highest bits
/// counts      rows of the cell
/// ```
///
/// Empty if cells take more than 4 bytes a row, or begins more than 1 byte a row and 1 MiB.
/// Immutable.
class count_cube {
public:
    /// Row counts of the smallest and the largest cube; each size is four times the previous one.
    static constexpr std::size_t min_rows = block_rows, max_rows = 16 * block_rows;

    /// A span of cells.
    struct cells {
        std::size_t begin = 0, end = 0;
    };

    /// Returns the rows that are counted: whole blocks.
    [[nodiscard]] const row_span& rows() const noexcept { return rows_; }
    /// Returns true if the cells don't pay, and aren't kept.
    [[nodiscard]] bool empty() const noexcept { return begins_.empty(); }
    /// Returns one more than the largest code of the first column.
    [[nodiscard]] std::size_t first_codes() const noexcept {
        return begins_.empty() ? 0 : begins_.size() - 1;
    }
    /// Returns the cells with a code in the first column.
    [[nodiscard]] cells of_first(code first) const noexcept {
        if (first >= first_codes()) return {};
        return {begins_[first], begins_[first + 1]};
    }
    /// Returns those of some cells, which share the codes of all columns before `column`, that have
    /// a code in it. Expects a column after the first.
    [[nodiscard]] cells narrow(cells of, std::size_t column, code wanted) const {
        if (of.begin == of.end || wanted > most_[column]) return {};
        const auto place = [this](std::size_t at) {
            return rest_.begin() + static_cast<std::ptrdiff_t>(at);
        };
        const auto [first, last] = std::ranges::equal_range(
            place(of.begin), place(of.end), wanted, {},
            [this, column](std::uint32_t rest) { return code_of(rest, column); });
        return {static_cast<std::size_t>(first - rest_.begin()),
                static_cast<std::size_t>(last - rest_.begin())};
    }
    /// Returns the code of a cell in a column after the first.
    [[nodiscard]] code at(std::size_t cell, std::size_t column) const noexcept {
        return code_of(rest_[cell], column);
    }
    /// Returns the number of rows of each cell.
    [[nodiscard]] std::span<const std::uint32_t> counts() const noexcept { return counts_; }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return (rest_.size() + counts_.size() + begins_.size()) * sizeof(std::uint32_t);
    }

private:
    friend class count_cube_builder;

    [[nodiscard]] code code_of(std::uint32_t rest, std::size_t column) const noexcept {
        return (rest >> shifts_[column]) & masks_[column];
    }

    row_span rows_{};
    std::vector<code> most_;   // by column: the largest code
    std::vector<code> masks_;  // by column after the first: as many bits as its codes need
    std::vector<unsigned> shifts_;
    std::vector<std::uint32_t> begins_;  // by code of the first column, and the end
    std::vector<std::uint32_t> rest_;    // by cell
    std::vector<std::uint32_t> counts_;  // by cell
};

/// The cubes of a table, for the sets of columns that queries name most often, and the statistics
/// that these are chosen from. Those of a set count the full blocks from the first on without a
/// gap, the largest cubes first. Immutable, but for the statistics.
class count_cubes {
public:
    using columns = std::vector<std::size_t>;
    using cube_list = std::span<const std::shared_ptr<const count_cube>>;
    static constexpr std::size_t most_sets = 8;      ///< sets that have cubes
    static constexpr std::uint32_t least_uses = 16;  ///< recorded uses of a set before it has cubes

    /// A cube that is missing: a set of columns, in its order, and rows.
    struct missing_cube {
        columns of;
        row_span rows;
    };

    /// Returns the cubes of a set of columns that lie entirely in a span of rows.
    [[nodiscard]] cube_list cubes_in(std::span<const std::size_t> of, const row_span& rows) const {
        const auto set = std::ranges::find_if(
            sets_, [&](const cube_set& known) { return std::ranges::equal(known.of, of); });
        if (set == sets_.end()) return {};
        const auto first = std::ranges::lower_bound(
            set->cubes, rows.begin, {}, [](const auto& cube) { return cube->rows().begin; });
        const auto end =
            std::ranges::upper_bound(first, set->cubes.end(), rows.end, {},
                                     [](const auto& cube) { return cube->rows().end; });
        return {first, end};
    }
    /// Returns the statistics of past queries, which all cubes of a table share.
    [[nodiscard]] column_usage& usage() const noexcept { return *usage_; }

    /// Returns cubes of the sets that are used most often, without the others.
    [[nodiscard]] std::shared_ptr<const count_cubes> chosen() const {
        auto cubes = std::make_shared<count_cubes>(*this);
        std::vector<columns> in_use;
        for (const cube_set& known : sets_) in_use.push_back(known.of);
        const auto wanted = usage_->most_frequent(in_use, most_sets, least_uses);
        std::erase_if(cubes->sets_, [&](const cube_set& known) {
            return std::ranges::find(wanted, known.of) == wanted.end();
        });
        for (const columns& of : wanted) {
            if (std::ranges::find(cubes->sets_, of, &cube_set::of) == cubes->sets_.end())
                cubes->sets_.push_back({of, {}});
        }
        return cubes;
    }
    /// Returns the next cube to build for a table with `blocks` full blocks; nullopt if none is
    /// missing.
    [[nodiscard]] std::optional<missing_cube> missing(std::size_t blocks) const {
        for (const cube_set& set : sets_) {
            std::size_t begin = 0;
            for (std::size_t i = 0; begin < blocks * block_rows; ++i) {
                const row_span next = cube_at(begin, blocks * block_rows);
                if (i >= set.cubes.size() || set.cubes[i]->rows() != next)
                    return missing_cube{set.of, next};
                begin = next.end;
            }
        }
        return std::nullopt;
    }
    /// Returns cubes with one that replaces those of its rows.
    [[nodiscard]] std::shared_ptr<const count_cubes> with(
        const columns& of, std::shared_ptr<const count_cube> added) const {
        auto cubes = std::make_shared<count_cubes>(*this);
        const auto set = std::ranges::find(cubes->sets_, of, &cube_set::of);
        if (set == cubes->sets_.end()) return cubes;
        const auto place = std::ranges::find_if(set->cubes, [&](const auto& cube) {
            return cube->rows().begin >= added->rows().begin;
        });
        const auto last = std::find_if(place, set->cubes.end(), [&](const auto& cube) {
            return cube->rows().end > added->rows().end;
        });
        set->cubes.insert(set->cubes.erase(place, last), std::move(added));
        return cubes;
    }
    /// Returns the cubes that lie in the first `rows` rows.
    [[nodiscard]] std::shared_ptr<const count_cubes> first(std::size_t rows) const {
        auto cubes = std::make_shared<count_cubes>(*this);
        for (cube_set& set : cubes->sets_)
            std::erase_if(set.cubes, [rows](const auto& cube) { return cube->rows().end > rows; });
        return cubes;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t all = 0;
        for (const cube_set& set : sets_) {
            for (const auto& cube : set.cubes) all += cube->bytes();
        }
        return all;
    }

private:
    struct cube_set {
        columns of;
        std::vector<std::shared_ptr<const count_cube>> cubes;
    };

    /// Returns the rows of the cube that begins at row `begin` of `rows` rows in full blocks: of
    /// the largest size that fits and of which `begin` is a multiple.
    [[nodiscard]] static row_span cube_at(std::size_t begin, std::size_t rows) noexcept {
        std::size_t size = count_cube::max_rows;
        while (begin % size != 0 || begin + size > rows) size /= 4;
        return {begin, begin + size};
    }

    std::vector<cube_set> sets_;
    std::shared_ptr<column_usage> usage_ = std::make_shared<column_usage>();
};

}  // namespace sluice::store

#endif
