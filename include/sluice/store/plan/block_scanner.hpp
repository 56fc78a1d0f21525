// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PLAN_BLOCK_SCANNER_HPP
#define SLUICE_STORE_PLAN_BLOCK_SCANNER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <sluice/query/page.hpp>
#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/conditions/scan_budget.hpp>
#include <sluice/store/plan/block_plan.hpp>

namespace sluice::store {

/// Finds the matching rows of one block after the other, by the path that its block_plan chooses.
///
/// ```
/// for (const block_part& part : parts) {
///     if (scanner.enter(part)) matching += scanner.count();  // or visit()
/// }
/// if (scanner.is_spent()) ...                                // an error: why_spent()
/// ```
class block_scanner {
public:
    /// Views all arguments but the path.
    block_scanner(const snapshot& rows, const selection& wanted, std::optional<access_path> forced,
                  const scan_limits& limits)
        : test_(wanted.test), plan_(rows, wanted, forced), budget_(limits) {}

    /// Returns a report of the work done so far.
    [[nodiscard]] explanation work() const {
        explanation done = work_;
        done.conditions = plan_.uses();
        if (test_) done.conditions.push_back({.is_test = true, .rows = tested_});
        for (condition_use& use : done.conditions) {
            if (use.is_test && !has_run_) use.rows = planned_rows_;
        }
        return done;
    }
    /// Returns true if rows are checked one by one, so that counting costs as much as visiting.
    [[nodiscard]] bool looks_at_rows() const noexcept { return plan_.looks_at_rows(); }

    /// Returns true if the scan must end; results since then are invalid.
    [[nodiscard]] bool is_spent() const noexcept { return budget_.is_spent(); }
    /// Returns the error of a scan that is_spent(), naming the costliest condition so far.
    [[nodiscard]] error why_spent() const noexcept {
        return spent_error(budget_, plan_.costliest());
    }

    /// Moves to a part of a block. Returns false if no rows match or the scan must end.
    bool enter(const block_part& part) {
        const bool may_match = plan_.may_match(part.block);
        if (!budget_.charge(may_match ? scan_budget::block : scan_budget::row)) return false;
        const bool has_rows = may_match && plan_.enter(part);
        if (!has_rows) ++work_.skipped;
        return has_rows;
    }

    /// Records what count() would do, without doing it.
    void plan_count() {
        record_path();
        planned_rows_ += plan_.part().rows();
    }
    /// Counts the matching rows.
    [[nodiscard]] std::size_t count() {
        has_run_ = true;
        record_path();
        if (joint_bitmaps* const all = plan_.joint()) return *all->rows(*kernels_);
        if (plan_.path() == access_path::counts) return plan_.known_rows();
        if (plan_.path() == access_path::postings) return count_postings();
        return plan_.looks_at_rows() ? count_chunks() : count_bits();
    }

    /// Skips the first `to_skip` matching rows in an order, then calls `take(row in the block)`
    /// until it returns false. Subtracts the skipped rows from `to_skip`.
    template <class Take>
    void visit(sort_order order, std::uint64_t& to_skip, Take take) {
        plan_.want_rows();
        record_path();
        if (plan_.path() == access_path::postings) return visit_postings(order, to_skip, take);
        if (plan_.is_likely_empty() && count_bitmaps() == std::size_t{0}) return;
        visit_chunks(order, to_skip, take);
    }

    /// Returns the bits of the matching rows of the block, `bitmap_words` words: those of the
    /// block's index if they are there, else those that it writes to `bits`.
    [[nodiscard]] const std::uint64_t* read_bits(std::uint64_t* bits) {
        plan_.want_rows();
        record_path();
        if (const std::uint64_t* const known = whole_bitmap()) {
            static_cast<void>(budget_.charge(scan_budget::block));
            return known;
        }
        std::fill_n(bits, bitmap_words, 0);
        if (plan_.path() == access_path::postings) {
            for (const std::uint16_t row : driver_rows()) {
                if (accepts(row)) bits[row / 64] |= std::uint64_t{1} << (row % 64);
            }
            return bits;
        }
        for (std::size_t at = plan_.part().begin; at < plan_.part().end; at = chunk_end(at)) {
            const bits_range selected = select_chunk(at, chunk_end(at));
            for (std::size_t i = 0; i < selected.words; ++i) {
                bits[selected.first_word + i] |= selected.bits[i];
            }
        }
        return bits;
    }

private:
    using words = std::array<std::uint64_t, bitmap_words>;

    /// Adds the current part to the report, as read by the plan's path.
    void record_path() noexcept {
        plan_.record_read();
        explanation::path_use& use = work_[plan_.path()];
        ++use.blocks;
        use.bytes += plan_.bytes();
    }
    /// Returns the snapshot's number of the block's first row.
    [[nodiscard]] std::size_t first_row() const noexcept { return plan_.part().block * block_rows; }

    // --- Postings ---------------------------------------------------------------------------

    /// Returns the row list of the driving condition, ascending.
    [[nodiscard]] std::span<const std::uint16_t> driver_rows() {
        const std::span<const code_rows> runs = plan_.driver().runs();
        if (runs.size() == 1) return {runs.front().run, runs.front().count};
        listed_.clear();
        for (const code_rows& run : runs) {
            listed_.insert(listed_.end(), run.run, run.run + run.count);
        }
        std::ranges::sort(listed_);
        return listed_;
    }
    /// Returns true if a row of the driving condition lies in the part and matches the rest.
    [[nodiscard]] bool accepts(std::uint16_t row) {
        if (row < plan_.part().begin || row >= plan_.part().end) return false;
        for (block_condition* condition : plan_.active()) {
            if (condition != &plan_.driver() && !condition->accepts(row)) return false;
        }
        return !plan_.looks_at_rows() || passes(row);
    }
    /// Returns true if a row that meets all conditions passes the expression and the test.
    [[nodiscard]] bool passes(std::uint16_t row) {
        if (!budget_.charge(scan_budget::row)) return false;
        if (where_filter* const where = plan_.where()) {
            std::uint64_t bit = std::uint64_t{1} << (row % 64);
            where->filter_rows({row / std::size_t{64}, 1, &bit}, first_row(), budget_);
            if (bit == 0) return false;
        }
        return !test_ || run_test(first_row() + row);
    }
    /// Calls the selection's test for a row.
    [[nodiscard]] bool run_test(std::size_t row) {
        ++tested_;
        return test_(row);
    }
    [[nodiscard]] std::size_t count_postings() {
        std::size_t matching = 0;
        for (const std::uint16_t row : driver_rows()) matching += accepts(row) ? 1 : 0;
        return matching;
    }
    /// Like visit(), for the path of postings.
    template <class Take>
    void visit_postings(sort_order order, std::uint64_t& to_skip, Take& take) {
        const std::span<const std::uint16_t> rows = driver_rows();
        const bool takes_all =
            plan_.active().size() == 1 && plan_.part().is_whole() && !plan_.looks_at_rows();
        // If all rows match, the first ones needn't be read.
        std::size_t i = takes_all ? std::min<std::uint64_t>(to_skip, rows.size()) : 0;
        to_skip -= i;
        for (; i < rows.size(); ++i) {
            const bool ascending = order == sort_order::ascending;
            const std::uint16_t row = ascending ? rows[i] : rows[rows.size() - 1 - i];
            if (!accepts(row)) continue;
            if (to_skip > 0) {
                --to_skip;
            } else if (!take(row)) {
                return;
            }
        }
    }

    // --- Bits -------------------------------------------------------------------------------

    /// Writes the bits of rows that meet all conditions.
    void select(const bits_range& output) {
        if (plan_.active().empty()) {
            fill(output);
        } else {
            plan_.active().front()->write_bits(output.first_word, output.words, output.bits);
        }
        for (std::size_t i = 1; i < plan_.active().size(); ++i) {
            plan_.active()[i]->narrow(output, scratch_.data());
        }
        clear_before(plan_.part().begin, output);
        clear_from(plan_.part().end, output);
    }
    /// Counts rows by their bits, for a selection of conditions only.
    [[nodiscard]] std::size_t count_bits() {
        if (plan_.part().is_whole()) {
            if (const auto matching = count_bitmaps()) return *matching;
        }
        const std::size_t first = plan_.part().begin / 64;
        const bits_range output{first, (plan_.part().end + 63) / 64 - first, selected_.data()};
        select(output);
        return kernels_->count_bits(output.bits, output.words);
    }
    /// Counts by intersecting bitmaps. Returns nullopt unless each condition is a bitmap and at
    /// most one of them excludes its rows.
    [[nodiscard]] std::optional<std::size_t> count_bitmaps() const {
        joint_bitmaps all;
        for (const block_condition* condition : plan_.active()) {
            if (!all.add(condition->bitmap(), condition->is_complement())) return std::nullopt;
        }
        return all.rows(*kernels_);
    }

    /// Returns the bitmap of the only condition, if all rows of a full block that match are in it;
    /// else null.
    [[nodiscard]] const std::uint64_t* whole_bitmap() const noexcept {
        if (!plan_.part().is_whole() || plan_.looks_at_rows() || plan_.active().size() != 1)
            return nullptr;
        const block_condition& only = *plan_.active().front();
        return only.is_complement() ? nullptr : only.bitmap();
    }

    /// Selects a chunk of rows and keeps those that pass the expression and the test.
    [[nodiscard]] bits_range select_chunk(std::size_t begin, std::size_t end) {
        const std::size_t first = begin / 64;
        const bits_range output{first, (end + 63) / 64 - first, selected_.data()};
        select(output);
        if (!budget_.charge(scan_budget::chunk)) {
            clear(output);
            return output;
        }
        if (where_filter* const where = plan_.where())
            where->filter_rows(output, first_row(), budget_);
        if (!test_) return output;
        keep_tested(output, first_row(), [this](std::size_t row) {
            return budget_.charge(scan_budget::row) && run_test(row);
        });
        return output;
    }
    /// Counts rows chunk by chunk, for a selection with an expression or a test.
    [[nodiscard]] std::size_t count_chunks() {
        std::size_t matching = 0;
        for (std::size_t at = plan_.part().begin; at < plan_.part().end; at = chunk_end(at)) {
            const bits_range selected = select_chunk(at, chunk_end(at));
            matching += kernels_->count_bits(selected.bits, selected.words);
        }
        return matching;
    }
    /// Returns the end of the chunk that contains row `begin`, within the part.
    [[nodiscard]] std::size_t chunk_end(std::size_t begin) const noexcept {
        return std::min(plan_.part().end, begin - begin % chunk_rows + chunk_rows);
    }
    /// Returns the begin of the chunk that contains row `end - 1`, within the part.
    [[nodiscard]] std::size_t chunk_begin(std::size_t end) const noexcept {
        return std::max(plan_.part().begin, (end - 1) - (end - 1) % chunk_rows);
    }

    /// Like visit(), for the other paths: reads a chunk after the other, from the end if
    /// descending.
    template <class Take>
    void visit_chunks(sort_order order, std::uint64_t& to_skip, Take& take) {
        const bool ascending = order == sort_order::ascending;
        for (std::size_t begin = plan_.part().begin, end = plan_.part().end; begin < end;) {
            const std::size_t from = ascending ? begin : chunk_begin(end);
            const std::size_t to = ascending ? chunk_end(begin) : end;
            (ascending ? begin : end) = ascending ? to : from;
            const bits_range selected = select_chunk(from, to);
            if (!visit_bits(selected, order, to_skip, take)) return;
        }
    }
    const std::function<bool(std::size_t)>& test_;
    block_plan plan_;
    scan_budget budget_;
    const sluice::detail::simd::kernels* kernels_ = &sluice::detail::simd::active_kernels();
    explanation work_;                   // without the conditions
    bool has_run_ = false;               // false after planning only
    std::size_t planned_rows_ = 0;       // rows of the planned blocks
    std::size_t tested_ = 0;             // calls of the selection's test
    std::vector<std::uint16_t> listed_;  // result of driver_rows() if it merges several runs
    words selected_;                     // bits of matching rows
    words scratch_;                      // for block_condition::narrow()
};

}  // namespace sluice::store

#endif
