// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_GROUP_SEARCH_HPP
#define SLUICE_STORE_GROUPS_GROUP_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/facets.hpp>
#include <sluice/store/groups/row_groups.hpp>
#include <sluice/store/search/list_search.hpp>

/// Searches for groups and facets.
namespace sluice::store {

/// The rows of a table that meet conditions, block by block. Views the rows and their columns.
class matching_blocks {
public:
    matching_blocks(const snapshot& rows, const searched_columns& columns, where conditions,
                    const scan_options& options)
        : query_{.rows = std::move(conditions)}, search_(rows, columns, query_, options) {}
    matching_blocks(const matching_blocks&) = delete;
    matching_blocks& operator=(const matching_blocks&) = delete;

    [[nodiscard]] result<std::int64_t> count() const { return search_.count(); }
    /// Prepares read(). Errors: those of a list_search.
    [[nodiscard]] result<void> begin() {
        auto reader = search_.blocks();
        if (!reader) return tl::unexpected(reader.error());
        reader_ = *std::move(reader);
        return {};
    }
    [[nodiscard]] block_span blocks() const noexcept {
        return {reader_->first_block(), reader_->end_block()};
    }
    /// Returns the rows in the ranges of the conditions.
    [[nodiscard]] const row_span& rows() const noexcept { return reader_->rows(); }
    /// Returns the conditions, as sets of codes.
    [[nodiscard]] const selection& wanted() const noexcept { return search_.wanted(); }
    /// Reads the matching rows of a block; see block_reader.
    [[nodiscard]] std::optional<selected_rows> read(std::size_t block) {
        return reader_->read(block);
    }
    /// Returns the error of limits that have ended the search.
    [[nodiscard]] std::optional<error> why_spent() const {
        if (!reader_->is_spent()) return std::nullopt;
        return search_.why_spent(*reader_);
    }

private:
    list_query query_;
    list_search search_;
    std::unique_ptr<block_reader> reader_;
};

/// Groups the rows of a table by an aggregate query; see row_groups.
class group_search {
public:
    group_search(const snapshot& rows, const searched_columns& columns,
                 const aggregate_query& query, const scan_options& options)
        : rows_(rows),
          uses_cubes_(!options.forced),
          matching_(rows, columns, query.rows, options),
          groups_(rows, columns, query, options.limits) {}

    /// Returns the groups. Errors: those of row_groups and of a list_search.
    [[nodiscard]] result<aggregate_result> run() {
        return groups_.begin().and_then([this] { return add(); }).and_then([this] {
            return groups_.finish();
        });
    }

private:
    [[nodiscard]] result<void> add() {
        if (groups_.is_count()) {
            return matching_.count().map(
                [this](std::int64_t rows) { groups_.add_count(static_cast<std::uint64_t>(rows)); });
        }
        if (auto begun = matching_.begin(); !begun) return begun;
        const std::vector<row_span> counted = add_cubes();
        auto next = counted.begin();
        const block_span blocks = matching_.blocks();
        for (std::size_t block = blocks.begin; block < blocks.end; ++block) {
            const std::size_t first = block * block_rows;
            while (next != counted.end() && next->end <= first) ++next;
            if (next != counted.end() && next->begin <= first) continue;
            const auto rows = matching_.read(block);
            if (const auto ended = matching_.why_spent()) return tl::unexpected(*ended);
            if (rows && !groups_.add(*rows)) break;
        }
        return {};
    }
    /// Adds the rows that cubes count, and returns the rows of these cubes.
    [[nodiscard]] std::vector<row_span> add_cubes() {
        std::vector<row_span> counted;
        const auto columns = groups_.cell_columns();
        if (!uses_cubes_ || !columns) return counted;
        cell_reader reader(rows_, matching_.wanted(), *columns);
        reader.record();
        for (const auto& cube : reader.cubes_in(matching_.rows())) {
            if (cube->empty()) continue;
            counted.push_back(cube->rows());
            const bool goes_on = reader.read(
                *cube, [this](const cube_cells& cells) { return groups_.add_cells(cells); });
            if (!goes_on) break;
        }
        return counted;
    }

    const snapshot& rows_;
    bool uses_cubes_;
    matching_blocks matching_;
    row_groups groups_;
};

/// Finds the facets of a list in one pass over the blocks of a table:
///
/// ```
/// conditions    country = US AND device = phone AND total > 9
/// parts         rest: total > 9    country: country = US    device: device = phone
///               the rows of each part are read once a block
/// facets        country: rest AND device    device: rest AND country    browser: all
/// ```
class facet_search {
public:
    /// Views the rows and their columns, and the options.
    facet_search(const snapshot& rows, const searched_columns& columns, const list_query& query,
                 std::span<const column> facets, std::int64_t values, const scan_options& options)
        : values_(values) {
        std::vector<where> rest;
        std::map<std::string_view, std::vector<where>> by_column;
        for (const column& by : facets) by_column.try_emplace(by.name);
        for (sluice::detail::conjunct& operand : sluice::detail::conjuncts_of(query.rows)) {
            const auto of = operand.only ? by_column.find(*operand.only) : by_column.end();
            (of == by_column.end() ? rest : of->second).push_back(std::move(operand.condition));
        }
        rest_.emplace(rows, columns, where::all(std::move(rest)), options);
        for (auto& [name, conditions] : by_column) {
            if (conditions.empty()) continue;
            columns_.emplace_back(name).matching.emplace(
                rows, columns, where::all(std::move(conditions)), options);
        }
        for (const column& by : facets) {
            part& of = parts_.emplace_back(by.name, facet_query({}, by, values));
            of.groups.emplace(rows, columns, of.query, options.limits);
        }
    }

    /// Returns the facets in their order. Errors: those of group_search.
    [[nodiscard]] result<std::vector<facet>> run() {
        if (auto begun = begin(); !begun) return tl::unexpected(begun.error());
        const block_span blocks = rest_->blocks();
        for (std::size_t block = blocks.begin; block < blocks.end && !is_done_; ++block) {
            if (auto added = add(block); !added) return tl::unexpected(added.error());
        }
        std::vector<facet> facets;
        for (part& of : parts_) {
            auto groups = of.groups->finish();
            if (!groups) return tl::unexpected(groups.error());
            facets.push_back(to_facet(of.query.group_by[0].by, *std::move(groups), values_));
        }
        return facets;
    }

private:
    /// The conditions on the column of a facet, and on no other.
    struct column_conditions {
        std::string_view of;
        std::optional<matching_blocks> matching{};
        std::optional<selected_rows> rows{};  // of a block
    };
    struct part {
        std::string_view of;
        aggregate_query query;
        std::optional<row_groups> groups{};
    };

    [[nodiscard]] result<void> begin() {
        for (part& of : parts_) {
            if (auto begun = of.groups->begin(); !begun) return begun;
        }
        for (column_conditions& tested : columns_) {
            if (auto begun = tested.matching->begin(); !begun) return begun;
        }
        return rest_->begin();
    }
    /// Adds the matching rows of a block.
    [[nodiscard]] result<void> add(std::size_t block) {
        const auto rest = rest_->read(block);
        if (const auto ended = rest_->why_spent()) return tl::unexpected(*ended);
        if (!rest) return {};
        for (column_conditions& tested : columns_) {
            tested.rows = tested.matching->read(block);
            if (const auto ended = tested.matching->why_spent()) return tl::unexpected(*ended);
        }
        const auto all = rows_without({}, *rest, all_words_);
        for (part& of : parts_) {
            const bool is_tested =
                std::ranges::find(columns_, of.of, &column_conditions::of) != columns_.end();
            const auto rows = is_tested ? rows_without(of.of, *rest, words_) : all;
            if (rows && !of.groups->add(*rows)) is_done_ = true;
        }
        return {};
    }
    /// Returns the rows that meet all conditions but those on a column.
    [[nodiscard]] std::optional<selected_rows> rows_without(
        std::string_view column, selected_rows rows, std::vector<std::uint64_t>& words) const {
        words.resize(bitmap_words);
        for (const column_conditions& tested : columns_) {
            if (tested.of == column) continue;
            if (!tested.rows) return std::nullopt;
            const auto common = common_rows(rows, *tested.rows, words.data());
            if (!common) return std::nullopt;
            rows = *common;
        }
        return rows;
    }

    std::int64_t values_;
    std::optional<matching_blocks> rest_;  // of the conditions on other columns, or on several
    std::deque<column_conditions> columns_;
    std::deque<part> parts_;
    std::vector<std::uint64_t> all_words_, words_;  // of the rows of a block
    bool is_done_ = false;                          // an error of a part ends the search
};

}  // namespace sluice::store

#endif
