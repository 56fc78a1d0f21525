// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PLAN_SCAN_HPP
#define SLUICE_STORE_PLAN_SCAN_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sluice/query/page.hpp>
#include <sluice/store/conditions/scan_budget.hpp>
#include <sluice/store/plan/block_scanner.hpp>
#include <sluice/store/projection/projected_count.hpp>
#include <sluice/store/table.hpp>

namespace sluice::store {

/// Evaluates a selection block by block. If a limit stops the scan, the result is an error, never a
/// partial answer: query_too_costly, pointing at the condition that has read the most so far, or
/// request_cancelled.
class scan {
public:
    /// Views `rows` and `wanted`.
    scan(const snapshot& rows, const selection& wanted, const scan_options& options = {})
        : rows_(rows),
          wanted_(wanted),
          options_(options),
          first_(std::max(rows.lower_bound(wanted.first_time), wanted.first_row)),
          last_(std::max(first_, std::min(rows.upper_bound(wanted.last_time), wanted.end_row))) {}

    /// Counts the matching rows.
    [[nodiscard]] result<std::int64_t> count() {
        work_ = {.rows = last_ - first_};
        record_columns();
        return is_counted() ? count_whole_blocks() : count_projected();
    }
    /// Explains a count without running it.
    [[nodiscard]] result<explanation> explain() const {
        explanation work{.rows = last_ - first_};
        block_scanner scanner = make_scanner();
        if (is_counted()) {
            for_each_uncounted_block([&](std::size_t block) {
                if (scanner.enter(part_of(block))) scanner.plan_count();
            });
            if (!scanner.is_spent()) {
                add_work(work, scanner.work());
                record_counted(work);
            }
        } else if (auto ended = plan_projected(scanner, work)) {
            return tl::unexpected(*ended);
        }
        if (scanner.is_spent()) return tl::unexpected(scanner.why_spent());
        return work;
    }
    /// Runs a count and explains it.
    [[nodiscard]] result<explanation> analyze() {
        return count().map([this](std::int64_t matching) {
            work_.matching = matching;
            return work_;
        });
    }

    /// Returns one page of matching rows in an order; `offset` and `limit` count matching rows.
    [[nodiscard]] result<row_page> page(sort_order order, std::int64_t offset, std::int64_t limit) {
        row_page page;
        const auto most = static_cast<std::uint64_t>(limit);
        const auto done = visit(order, offset, [&](std::size_t row) {
            page.has_next = page.rows.size() == most;
            if (!page.has_next) page.rows.push_back(row);
            return !page.has_next;
        });
        if (!done) return tl::unexpected(done.error());
        return page;
    }
    /// Calls `take` with each matching row in an order, from an offset on, until it returns false.
    template <std::predicate<std::size_t> Take>
    [[nodiscard]] result<void> visit(sort_order order, std::int64_t offset, Take take) {
        block_scanner scanner = make_scanner();
        auto to_skip = static_cast<std::uint64_t>(offset);
        const std::size_t blocks = end_block() - first_block();
        const bool ascending = order == sort_order::ascending;
        bool wants_more = true;
        for (std::size_t i = 0; i < blocks && wants_more && !scanner.is_spent(); ++i) {
            i += skip_counted(i, order, to_skip);
            if (i == blocks) break;
            const std::size_t block = ascending ? first_block() + i : end_block() - 1 - i;
            if (!scanner.enter(part_of(block)) || skip(scanner, to_skip)) continue;
            scanner.visit(order, to_skip, [&](std::size_t row) {
                wants_more = take(block * block_rows + row);
                return wants_more;
            });
        }
        if (scanner.is_spent()) return tl::unexpected(scanner.why_spent());
        return {};
    }

    /// Returns the rows in the ranges of the selection.
    [[nodiscard]] row_span range() const noexcept { return {first_, last_}; }
    /// Calls `take` with the matching rows of one part of a block after the other, in an order
    /// within the part, as `next()` returns them until it returns nullopt or `take` returns false.
    /// It may narrow conditions of the selection meanwhile.
    template <std::invocable Next, std::predicate<std::size_t> Take>
    [[nodiscard]] result<void> visit_parts(sort_order order, Next next, Take take) {
        block_scanner scanner = make_scanner();
        for (bool wants_more = true; wants_more && !scanner.is_spent();) {
            const std::optional<block_part> part = next();
            if (!part) break;
            std::uint64_t to_skip = 0;
            if (!scanner.enter(*part)) continue;
            scanner.visit(order, to_skip, [&](std::size_t row) {
                wants_more = take(part->block * block_rows + row);
                return wants_more;
            });
        }
        if (scanner.is_spent()) return tl::unexpected(scanner.why_spent());
        return {};
    }

private:
    [[nodiscard]] block_scanner make_scanner() const {
        return {rows_, wanted_, options_.forced, options_.limits};
    }
    [[nodiscard]] std::size_t first_block() const noexcept { return first_ / block_rows; }
    [[nodiscard]] std::size_t end_block() const noexcept {
        return first_ == last_ ? first_block() : (last_ - 1) / block_rows + 1;
    }
    /// Returns the rows of a block in the time range.
    [[nodiscard]] block_part part_of(std::size_t block) const noexcept {
        return part_of(block, {first_, last_});
    }
    [[nodiscard]] static block_part part_of(std::size_t block, const row_span& of) noexcept {
        const std::size_t first = block * block_rows;
        return {block, std::max(of.begin, first) - first, std::min(of.end - first, block_rows)};
    }

    // --- Counts -----------------------------------------------------------------------------

    /// Returns the sealed blocks that lie entirely in the time range.
    [[nodiscard]] block_span whole_blocks() const noexcept {
        const std::size_t begin = (first_ + block_rows - 1) / block_rows;
        const std::size_t end = std::min(last_ / block_rows, rows_.sealed_blocks());
        return {begin, std::max(begin, end)};
    }
    /// Returns true if the running counts of a column (see sealed_column) answer for all whole
    /// blocks at once.
    [[nodiscard]] bool is_counted() const noexcept {
        if (options_.forced && *options_.forced != access_path::counts) return false;
        if (wanted_.where || wanted_.test || wanted_.conditions.size() != 1) return false;
        return code_counts::answers(rows_, wanted_.conditions.front(), whole_blocks());
    }
    /// Calls `visit` with each block that running counts don't answer for.
    template <class Visit>
    void for_each_uncounted_block(Visit visit) const {
        const block_span counted = is_counted() ? whole_blocks() : block_span{};
        for (std::size_t i = first_block(); i < end_block(); ++i) {
            if (i < counted.begin || i >= counted.end) visit(i);
        }
    }
    /// Adds the reads of running counts to an explanation.
    void record_counted(explanation& work) const {
        const block_span whole = whole_blocks();
        const std::size_t bytes = code_counts(rows_, wanted_.conditions.front()).bytes();
        work[access_path::counts].blocks += whole.end - whole.begin;
        work[access_path::counts].bytes += bytes;
        work.conditions.front().bytes += bytes;
    }
    /// Counts whole blocks by running counts, and the remaining rows block by block.
    [[nodiscard]] result<std::int64_t> count_whole_blocks() {
        const code_counts counts(rows_, wanted_.conditions.front());
        std::size_t matching = counts.rows_in(whole_blocks());
        block_scanner scanner = make_scanner();
        for_each_uncounted_block([&](std::size_t block) {
            if (scanner.enter(part_of(block))) matching += scanner.count();
        });
        if (scanner.is_spent()) return tl::unexpected(scanner.why_spent());
        add_work(work_, scanner.work());
        record_counted(work_);
        return static_cast<std::int64_t>(matching);
    }

    /// Records the columns of the conditions, to choose projections from.
    void record_columns() const noexcept {
        if (options_.forced || !unit_counter::may_answer(wanted_)) return;
        rows_.projection().usage().record(wanted_.conditions);
    }
    /// Splits spans of rows into parts of blocks.
    [[nodiscard]] static std::vector<block_part> parts_of(const std::vector<row_span>& rows) {
        std::vector<block_part> parts;
        parts.reserve(rows.empty() ? 0 : (rows.back().end - rows.front().begin) / block_rows + 2);
        for (const row_span& span : rows) {
            for (std::size_t i = span.begin / block_rows; i * block_rows < span.end; ++i) {
                parts.push_back(part_of(i, span));
            }
        }
        return parts;
    }
    /// Counts with the units of the projection, and the remaining rows block by block.
    [[nodiscard]] result<std::int64_t> count_projected() {
        projected_count units(rows_, wanted_, {first_, last_}, options_.forced);
        scan_budget budget(options_.limits);
        if (!units.run(budget)) return tl::unexpected(why_spent(budget, units));
        return count_parts(parts_of(units.uncovered())).map([&](std::int64_t matching) {
            units.add_to(work_);
            return matching + static_cast<std::int64_t>(units.matching());
        });
    }
    /// Plans count_projected(). Returns an error if the units spent the budget.
    [[nodiscard]] std::optional<error> plan_projected(block_scanner& scanner,
                                                      explanation& work) const {
        projected_count units(rows_, wanted_, {first_, last_}, options_.forced);
        scan_budget budget(options_.limits);
        if (!units.plan(budget)) return why_spent(budget, units);
        for (const block_part& part : parts_of(units.uncovered())) {
            if (scanner.enter(part)) scanner.plan_count();
        }
        add_work(work, scanner.work());
        units.add_to(work);
        return std::nullopt;
    }
    /// Returns the error of a budget that the units spent.
    [[nodiscard]] error why_spent(const scan_budget& budget, const projected_count& units) const {
        return spent_error(budget, wanted_.conditions[units.costliest()].from);
    }

    /// Counts the rows of parts of blocks, and adds the work to work_.
    [[nodiscard]] result<std::int64_t> count_parts(std::span<const block_part> parts) {
        std::size_t matching = 0;
        block_scanner scanner = make_scanner();
        for (const block_part& part : parts) {
            if (scanner.is_spent()) break;
            if (scanner.enter(part)) matching += scanner.count();
        }
        if (scanner.is_spent()) return tl::unexpected(scanner.why_spent());
        add_work(work_, scanner.work());
        return static_cast<std::int64_t>(matching);
    }

    // --- Pages ------------------------------------------------------------------------------

    /// Skips whole blocks after the first `done` ones that lie before the offset, using running
    /// counts. Returns how many, found by binary search, and subtracts their rows from `to_skip`.
    [[nodiscard]] std::size_t skip_counted(std::size_t done, sort_order order,
                                           std::uint64_t& to_skip) const {
        const block_span whole = whole_blocks();
        const bool ascending = order == sort_order::ascending;
        const bool is_there =
            ascending ? first_block() + done == whole.begin : end_block() - done == whole.end;
        if (to_skip == 0 || !is_there || !is_counted()) return 0;
        const code_counts counts(rows_, wanted_.conditions.front());
        const auto rows_in = [&](std::size_t blocks) {
            return counts.rows_in(ascending ? block_span{whole.begin, whole.begin + blocks}
                                            : block_span{whole.end - blocks, whole.end});
        };
        std::size_t skipped = 0;
        for (std::size_t end = whole.end - whole.begin; skipped < end;) {
            const std::size_t middle = end - (end - skipped) / 2;
            if (rows_in(middle) <= to_skip) {
                skipped = middle;
            } else {
                end = middle - 1;
            }
        }
        to_skip -= rows_in(skipped);
        return skipped;
    }
    /// Skips a block if the offset lies past all of its rows; `to_skip` decreases by them.
    [[nodiscard]] static bool skip(block_scanner& scanner, std::uint64_t& to_skip) {
        if (to_skip == 0 || scanner.looks_at_rows()) return false;
        const std::size_t matching = scanner.count();
        if (matching > to_skip) return false;
        to_skip -= matching;
        return true;
    }

    const snapshot& rows_;
    const selection& wanted_;
    scan_options options_;
    std::size_t first_;  // rows in the ranges of the selection, up to last_ (exclusive)
    std::size_t last_;
    explanation work_;  // of the last count
};

}  // namespace sluice::store

#endif
