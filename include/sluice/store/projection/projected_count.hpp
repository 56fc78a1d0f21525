// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PROJECTION_PROJECTED_COUNT_HPP
#define SLUICE_STORE_PROJECTION_PROJECTED_COUNT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/conditions/explanation.hpp>
#include <sluice/store/conditions/expression.hpp>
#include <sluice/store/conditions/scan_budget.hpp>
#include <sluice/store/projection/unit_counter.hpp>

/// Counts without reading rows: by the units of a projection, or by running counts.
namespace sluice::store {

/// The part of a count that the units of a projection answer (see count_projection). Rows are left
/// to other paths if they have no unit, or if their unit lacks a value or reads more than the index
/// of their blocks.
///
/// ```
/// projected_count units(rows, wanted, of, std::nullopt);
/// if (!units.run(budget)) ...                   // the budget is spent
/// units.matching() + count(units.uncovered())
/// ```
class projected_count {
public:
    projected_count(const snapshot& rows, const selection& wanted, const row_span& of,
                    std::optional<access_path> forced)
        : of_(of),
          open_begin_(rows.sealed_blocks() * block_rows),
          is_forced_(forced == access_path::projection),
          end_(of.begin) {
        if (of.begin == of.end || (forced && !is_forced_)) return;
        if (rows.projection().empty() || !unit_counter::may_answer(wanted)) return;
        units_ = rows.projection().units_in(of);
        if (!units_.empty()) counter_.emplace(wanted.conditions);
    }

    /// Counts with the units. Returns false if the budget is spent.
    [[nodiscard]] bool run(scan_budget& budget) {
        return use_units(budget, [this] { matching_ += counter_->rows(); });
    }
    /// Like run(), but only chooses the units.
    [[nodiscard]] bool plan(scan_budget& budget) {
        return use_units(budget, [] {});
    }

    /// Returns the number of matching rows in the used units.
    [[nodiscard]] std::size_t matching() const noexcept { return matching_; }
    /// Returns the spans of rows that no used unit covers.
    [[nodiscard]] std::vector<row_span> uncovered() const {
        std::vector<row_span> all = gaps_;
        if (end_ < of_.end) all.push_back({end_, of_.end});
        return all;
    }
    /// Adds the bytes read here to an explanation of the remaining work.
    void add_to(explanation& work) const {
        if (used_.blocks == 0) return;
        work[access_path::projection].blocks += used_.blocks;
        work[access_path::projection].bytes += used_.bytes;
        for (std::size_t i = 0; i < work.conditions.size(); ++i) {
            work.conditions[i].bytes += counter_->bytes_read()[i];
        }
    }
    /// Returns the index of the condition that read the most. Expects that run() or plan() returned
    /// false.
    [[nodiscard]] std::size_t costliest() const noexcept {
        const auto bytes = counter_->bytes_read();
        return static_cast<std::size_t>(std::ranges::max_element(bytes) - bytes.begin());
    }

private:
    /// Chooses the units that know all values and read less than the index, and calls `on_used`
    /// after the counter has entered each of them. Returns false if the budget is spent.
    template <class OnUsed>
    [[nodiscard]] bool use_units(scan_budget& budget, const OnUsed& on_used) {
        for (std::size_t i = 0; i < units_.size(); ++i) {
            const auto& unit = units_[i];
            if (i + 2 < units_.size()) units_[i + 2]->fetch();
            if (i + 1 < units_.size()) counter_->fetch(*units_[i + 1]);
            if (!budget.charge(scan_budget::block)) return false;
            if (!counter_->enter(*unit)) continue;
            if (!is_forced_ && counter_->cost() >= cost_without(*unit)) continue;
            if (end_ < unit->rows().begin) gaps_.push_back({end_, unit->rows().begin});
            end_ = unit->rows().end;
            counter_->record_read();
            ++used_.blocks;
            used_.bytes += counter_->bytes();
            on_used();
        }
        return true;
    }

    /// Estimates the bytes that the blocks of a unit's rows would read: their index, or at most all
    /// codes of the open block.
    [[nodiscard]] std::size_t cost_without(const count_unit& unit) const noexcept {
        if (unit.rows().begin < open_begin_) return counter_->index_cost();
        return unit.rows().size() * sizeof(code) * counter_->bytes_read().size();
    }

    row_span of_;
    std::size_t open_begin_;  // the first row of the open block
    bool is_forced_;
    count_projection::unit_list units_;
    std::optional<unit_counter> counter_;
    std::size_t matching_ = 0;
    explanation::path_use used_{};
    std::vector<row_span> gaps_;  // before end_
    std::size_t end_;             // end of the last used unit, initially the first row
};

/// A range of blocks, from `begin` up to `end`.
struct block_span {
    std::size_t begin;
    std::size_t end;
};

/// Counts the rows of sealed blocks that meet a condition, from the running counts of its column
/// (see sealed_column) at both ends of a range of blocks. Takes the same time for any number of
/// blocks.
class code_counts {
public:
    /// Views both arguments.
    code_counts(const snapshot& rows, const condition& wanted) : rows_(rows), wanted_(wanted) {}

    /// Returns true if the running counts of these blocks suffice to count a condition.
    [[nodiscard]] static bool answers(const snapshot& rows, const condition& wanted,
                                      const block_span& blocks) noexcept {
        return blocks.begin < blocks.end && !wanted.accepted.has_ranges() &&
               wanted.accepted.listed().size() <= max_codes &&
               rows.sealed(blocks.end - 1).column(wanted.column).has_counts();
    }

    /// Returns the number of matching rows in some blocks. Expects answers() for them.
    [[nodiscard]] std::size_t rows_in(const block_span& blocks) const noexcept {
        if (blocks.begin == blocks.end) return 0;
        const sealed_column& first = rows_.sealed(blocks.begin).column(wanted_.column);
        const sealed_column& last = rows_.sealed(blocks.end - 1).column(wanted_.column);
        std::size_t listed = 0;
        for (const code c : wanted_.accepted.listed()) {
            listed += last.rows_up_to_here(c) - first.rows_before(c);
        }
        const std::size_t all = (blocks.end - blocks.begin) * block_rows;
        return wanted_.accepted.is_complement() ? all - listed : listed;
    }
    /// Returns how many bytes rows_in() reads.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return 2 * wanted_.accepted.listed().size() * sizeof(std::uint64_t);
    }

private:
    static constexpr std::size_t max_codes = 64;

    const snapshot& rows_;
    const condition& wanted_;
};

}  // namespace sluice::store

#endif
