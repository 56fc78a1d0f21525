// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PLAN_BLOCK_PLAN_HPP
#define SLUICE_STORE_PLAN_BLOCK_PLAN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/sealed_column.hpp>
#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/plan/block_condition.hpp>
#include <sluice/store/plan/where_filter.hpp>

/// Plans of scans: the access path of each block.
namespace sluice::store {

/// Counts the rows that bitmaps of one block have in common, without writing them. One bitmap may
/// exclude its rows instead: |a and not b| = |a| - |a and b|.
class joint_bitmaps {
public:
    void clear() noexcept {
        taken_ = 0;
        excluded_ = nullptr;
    }
    /// Adds a bitmap. Returns false if it is null, a second exclusion or one too many.
    [[nodiscard]] bool add(const std::uint64_t* bitmap, bool excludes) noexcept {
        if (!bitmap || (excludes && excluded_) || taken_ == most_taken) return false;
        if (excludes) {
            excluded_ = bitmap;
        } else {
            bitmaps_[taken_++] = bitmap;
        }
        return true;
    }
    /// Counts the common rows; nullopt if there is no including bitmap.
    [[nodiscard]] std::optional<std::size_t> rows(
        const sluice::detail::simd::kernels& kernels) noexcept {
        if (taken_ == 0) return std::nullopt;
        const std::size_t all = kernels.count_all(bitmaps_.data(), taken_, bitmap_words);
        if (!excluded_) return all;
        bitmaps_[taken_] = excluded_;
        return all - kernels.count_all(bitmaps_.data(), taken_ + 1, bitmap_words);
    }

    /// Prefetches the start of each half of a bitmap that is counted soon; the hardware prefetcher
    /// follows from there.
    static void prefetch(const std::uint64_t* bitmap) noexcept {
        constexpr std::size_t line = 8, lines = 4;  // words of a cache line; lines of each half
        for (std::size_t at = 0; at < lines * line; at += line) {
            sluice::detail::prefetch(bitmap + at);
            sluice::detail::prefetch(bitmap + bitmap_words / 2 + at);
        }
    }

private:
    static constexpr std::size_t most_taken = 7;  // including bitmaps

    std::array<const std::uint64_t*, most_taken + 1> bitmaps_;  // one more for excluded_
    std::size_t taken_ = 0;                                     // number of including bitmaps
    const std::uint64_t* excluded_ = nullptr;
};

/// The rows of a block to scan, from `begin` up to `end`.
struct block_part {
    std::size_t block;
    std::size_t begin;
    std::size_t end;

    [[nodiscard]] std::size_t rows() const noexcept { return end - begin; }
    [[nodiscard]] bool is_whole() const noexcept { return rows() == block_rows; }
};

/// The plan of a selection for one block after the other. In each block it looks the conditions'
/// codes up in the index, drops the conditions that all rows meet, and takes the path with the
/// least estimated bytes:
///
/// ```
/// counts      the number of rows from the index, if at most one condition is left
/// postings    the rows of the rarest condition, the driver, each checked against the others
/// bitmaps     the bits of all conditions, combined; those of each from bitmaps and runs, or from
///             codes if that is cheaper
/// code scan   the same, all from codes
/// ```
///
/// In the open block, bits come from the index of its chunks and from codes.
///
/// A whole block in which the directory has a bitmap for each condition takes the path of bitmaps
/// without further planning: nothing else reads less. These bitmaps are then counted together,
/// see joint().
///
/// ```
/// if (plan.may_match(block) && plan.enter({block, begin, end})) {
///     plan.want_rows();                                // unless their number is enough
///     switch (plan.path()) ...
/// }
/// ```
class block_plan {
public:
    /// Views all arguments but `forced`, a path that replaces the choice.
    block_plan(const snapshot& rows, const selection& wanted, std::optional<access_path> forced)
        : rows_(rows), forced_(forced), has_test_(wanted.test != nullptr) {
        for (const condition& condition : wanted.conditions) conditions_.emplace_back(condition);
        if (!wanted.where) return;
        for (const condition* required : where_filter::required_by(*wanted.where)) {
            conditions_.emplace_back(*required);
        }
        where_.emplace(*wanted.where);
        if (where_->takes_all()) where_.reset();
    }

    /// Returns true if a block may have matching rows, as far as the directory knows.
    [[nodiscard]] bool may_match(std::size_t block) {
        if (block >= rows_.sealed_blocks() || is_forced(access_path::code_scan)) return true;
        if (const std::size_t group = block / group_blocks; group != group_) {
            group_ = group;
            candidates_ = static_cast<block_mask>(~block_mask{0});
            for (block_condition& condition : conditions_) {
                candidates_ &= condition.enter(rows_.group_of(block));
            }
        }
        return ((candidates_ >> (block % group_blocks)) & 1) != 0;
    }
    /// Moves to a part of a block for which may_match() is true. Returns false if no rows match.
    bool enter(const block_part& part) {
        part_ = part;
        is_joint_ = join_bitmaps();
        return is_joint_ ? path_ = access_path::bitmaps, true : enter_conditions();
    }
    /// Switches to a path that finds the rows, not only their number.
    void want_rows() {
        if (std::exchange(is_joint_, false)) enter_conditions();
        if (path_ == access_path::counts) path_ = row_path();
    }
    /// Returns the bitmaps whose intersection is the result, if planning stopped there; else null.
    [[nodiscard]] joint_bitmaps* joint() noexcept { return is_joint_ ? &joint_ : nullptr; }

    [[nodiscard]] const block_part& part() const noexcept { return part_; }
    [[nodiscard]] access_path path() const noexcept { return path_; }
    /// Returns the conditions that not all rows of the block meet.
    [[nodiscard]] std::span<block_condition* const> active() const noexcept { return active_; }
    /// Returns the condition whose rows are listed, on the path of postings.
    [[nodiscard]] const block_condition& driver() const noexcept { return *driver_; }
    /// Returns the remainder of the selection's expression after the conditions; null if nothing
    /// remains.
    [[nodiscard]] where_filter* where() noexcept { return where_ ? &*where_ : nullptr; }
    /// Returns true if rows are checked one by one, so that counting costs as much as visiting.
    [[nodiscard]] bool looks_at_rows() const noexcept { return where_ || has_test_; }

    /// Returns the number of matching rows, on the path of counts.
    [[nodiscard]] std::size_t known_rows() const noexcept {
        return active_.empty() ? part_.rows() : active_.front()->rows();
    }
    /// Returns true if so few matches are expected that counting them first pays, for the case that
    /// there is none. Multiplies the conditions' shares of rows, as if they were independent.
    [[nodiscard]] bool is_likely_empty() const noexcept {
        constexpr double few = 32;
        double expected = path_ == access_path::bitmaps && part_.is_whole() ? block_rows : few;
        for (const block_condition* condition : active_) {
            if (condition->is_exact())
                expected *= static_cast<double>(condition->rows()) / block_rows;
        }
        return active_.size() > 1 && expected < few;
    }

    /// Records the reads of evaluating the current part.
    void record_read() noexcept {
        if (is_joint_) {
            for (block_condition& condition : conditions_) condition.record_read(bytes_per_bitmap);
            return;
        }
        for (block_condition* condition : active_) condition->record_read(bytes_of(*condition));
        if (where_) where_->record_read();
    }
    /// Returns the conditions, with the bytes that each has read so far.
    [[nodiscard]] std::vector<condition_use> uses() const {
        std::vector<condition_use> all;
        for (const block_condition& condition : conditions_) {
            all.push_back({.from = condition.source(), .bytes = condition.bytes_read()});
        }
        if (where_) std::ranges::move(where_->uses(), std::back_inserter(all));
        return all;
    }
    /// Returns the source of the condition that has read the most so far.
    [[nodiscard]] condition_source costliest() const noexcept {
        condition_cost most = where_ ? where_->costliest() : condition_cost{};
        for (const block_condition& condition : conditions_) {
            if (condition.source().param.empty()) continue;  // of no parameter
            most = std::max(most, {condition.bytes_read(), &condition.source()});
        }
        return most.source ? *most.source : condition_source{};
    }

    /// Returns how many bytes the path reads in the current part, as estimated.
    [[nodiscard]] std::size_t bytes() const noexcept {
        if (is_joint_) return conditions_.size() * bytes_per_bitmap;
        switch (path_) {
            case access_path::counts: return 0;
            case access_path::postings: return posting_bytes();
            case access_path::bitmaps:
            case access_path::code_scan: return bitmap_bytes();
            case access_path::projection: break;  // counts more than a block
        }
        return 0;
    }

private:
    [[nodiscard]] bool is_forced(access_path path) const noexcept { return forced_ == path; }

    /// Collects the conditions' bitmaps. Returns true if the directory has one for each and only a
    /// count of their rows remains to be done.
    [[nodiscard]] bool join_bitmaps() noexcept {
        const bool may_take = !forced_ || is_forced(access_path::bitmaps);
        const bool is_sealed = part_.block < rows_.sealed_blocks();
        if (conditions_.size() < 2 || looks_at_rows() || !may_take) return false;
        if (!is_sealed || !part_.is_whole()) return false;
        joint_.clear();
        bool has_first = false;
        for (const block_condition& condition : conditions_) {
            if (!joint_.add(condition.bitmap_in(part_.block), condition.is_complement()))
                return false;
            has_first = has_first || !condition.is_complement();
        }
        if (has_first) prefetch_next();
        return has_first;
    }
    /// Prefetches the bitmaps of the next block, if it is in the same group.
    void prefetch_next() const noexcept {
        const std::size_t next = part_.block + 1;
        if (next % group_blocks == 0) return;
        for (const block_condition& condition : conditions_) {
            if (const auto* const bitmap = condition.bitmap_in(next))
                joint_bitmaps::prefetch(bitmap);
        }
    }
    /// Moves each condition to the block and chooses a path. Returns false if no rows match.
    bool enter_conditions() {
        active_.clear();
        const bool has_rows = part_.block < rows_.sealed_blocks() ? enter_sealed() : enter_open();
        if (!has_rows) return false;
        if (where_) enter_where();
        driver_ = find_driver();
        const bool may_count = !forced_ || is_forced(access_path::counts);
        path_ = may_count && is_countable() ? access_path::counts : row_path();
        return true;
    }
    /// Like enter_conditions(), in a sealed block, without choosing a path.
    bool enter_sealed() {
        const sealed_block& block = rows_.sealed(part_.block);
        for (block_condition& condition : conditions_) {
            condition.enter(block.column(condition.column()), block.numbers(condition.column()));
            if (is_forced(access_path::code_scan)) {
                active_.push_back(&condition);
                continue;
            }
            if (condition.is_exact() && condition.rows() == 0) return false;
            if (!condition.is_exact() || condition.rows() < block_rows)
                active_.push_back(&condition);
        }
        return true;
    }
    /// Like enter_sealed(), in the open block, where any rows may match.
    bool enter_open() {
        for (block_condition& condition : conditions_) {
            condition.enter(*rows_.open(), part_.begin, part_.end);
            active_.push_back(&condition);
        }
        return true;
    }
    /// Moves the expression's leaves to the block.
    void enter_where() {
        where_->enter([this](auto&... leaf) { enter_leaf(leaf...); });
    }
    /// Moves a condition of the expression to the block; below, the codes of a test.
    void enter_leaf(block_condition& leaf) {
        if (part_.block < rows_.sealed_blocks()) {
            const sealed_block& block = rows_.sealed(part_.block);
            leaf.enter(block.column(leaf.column()), block.numbers(leaf.column()));
            if (forced_) leaf.read_index(!is_forced(access_path::code_scan));
        } else {
            leaf.enter(*rows_.open(), part_.begin, part_.end);
        }
    }
    void enter_leaf(column_codes& leaf, std::size_t column) {
        if (part_.block < rows_.sealed_blocks()) {
            leaf.enter(rows_.sealed(part_.block).column(column));
        } else {
            leaf.enter(rows_.open()->codes(column), part_.end);
        }
    }

    /// Chooses a path that finds rows, not only their number.
    [[nodiscard]] access_path row_path() noexcept {
        if (is_forced(access_path::bitmaps)) {
            for (block_condition* condition : active_) condition->read_index(true);
        }
        if (driver_ &&
            (is_forced(access_path::postings) || (!forced_ && posting_bytes() < bitmap_bytes()))) {
            return access_path::postings;
        }
        const bool may_read_index = !forced_ || is_forced(access_path::bitmaps);
        for (block_condition* condition : active_) {
            if (!may_read_index) condition->read_index(false);
        }
        const bool reads_index =
            (where_ && where_->reads_index()) ||
            std::ranges::any_of(active_, [](auto* condition) { return condition->reads_index(); });
        return reads_index ? access_path::bitmaps : access_path::code_scan;
    }
    /// Returns true if the number of matching rows is known without reading rows or bits.
    [[nodiscard]] bool is_countable() const noexcept {
        if (looks_at_rows()) return false;
        if (active_.empty()) return true;
        return active_.size() == 1 && active_.front()->is_exact() && part_.is_whole();
    }
    /// Returns the condition with the fewest rows among those with row lists; null without one.
    [[nodiscard]] block_condition* find_driver() const noexcept {
        block_condition* rarest = nullptr;
        for (block_condition* condition : active_) {
            if (!condition->has_runs()) continue;
            if (!rarest || condition->rows() < rarest->rows()) rarest = condition;
        }
        return rarest;
    }
    /// Returns how many bytes the path of postings reads. Expects a driver.
    [[nodiscard]] std::size_t posting_bytes() const noexcept {
        return driver_->rows() * (bytes_per_posting + (active_.size() - 1) * bytes_per_check);
    }
    /// Returns how many bytes the paths of bitmaps and code scans read, as each condition chose.
    [[nodiscard]] std::size_t bitmap_bytes() const noexcept {
        std::size_t bytes = where_ ? where_->bytes() : 0;
        for (const block_condition* condition : active_) bytes += condition->bytes();
        return bytes;
    }
    /// Returns the share of a condition in bytes().
    [[nodiscard]] std::size_t bytes_of(const block_condition& of) const noexcept {
        if (path_ == access_path::counts) return 0;
        if (path_ != access_path::postings) return of.bytes();
        return driver_->rows() * (&of == driver_ ? bytes_per_posting : bytes_per_check);
    }

    static constexpr std::size_t bytes_per_bitmap = bitmap_words * sizeof(std::uint64_t);

    const snapshot& rows_;
    std::optional<access_path> forced_;
    bool has_test_;
    std::vector<block_condition> conditions_;
    std::optional<where_filter> where_;

    // State of the current group of blocks.
    std::size_t group_ = ~std::size_t{0};  // none at first
    block_mask candidates_ = 0;            // blocks of the group that may have matching rows

    // State of the current part of a block.
    block_part part_{};
    bool is_joint_ = false;  // only joint_ is to be counted
    joint_bitmaps joint_;
    access_path path_ = access_path::code_scan;
    std::vector<block_condition*> active_;  // conditions that not all rows meet
    block_condition* driver_ = nullptr;     // the rarest of them with row lists
};

}  // namespace sluice::store

#endif
