// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCK_SCANNER_HPP
#define SLUICE_STORE_BLOCK_SCANNER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sluice/page.hpp>
#include <sluice/store/block_condition.hpp>
#include <sluice/store/snapshot.hpp>
#include <sluice/store/where_filter.hpp>

namespace sluice::store {

/// The rows of a block that a scan looks at, from `begin` up to `end`.
struct block_part {
    std::size_t block;
    std::size_t begin;
    std::size_t end;

    [[nodiscard]] std::size_t rows() const noexcept { return end - begin; }
    [[nodiscard]] bool is_whole() const noexcept { return rows() == block_rows; }
};

/// Evaluates a selection on one block after the other. In each it looks the conditions up, leaves
/// out those that all rows meet, and takes the cheapest path by the bytes that it would read:
///
/// ```
/// counts      no condition is left, or one of which the rows are counted
/// postings    the rows of the rarest condition, each checked against the others
/// bitmaps     the bits of each condition, from its bitmaps and runs or where that is cheaper from
///             its codes, combined
/// code scan   the same, all from codes: the only way in the open block
/// ```
class block_scanner {
public:
    /// Views all arguments but the path.
    block_scanner(const snapshot& rows, const selection& wanted, std::optional<access_path> forced)
        : rows_(rows), wanted_(wanted), forced_(forced) {
        for (const condition& each : wanted.conditions) conditions_.emplace_back(each);
        if (!wanted.where) return;
        for (const condition* each : where_filter::required_by(*wanted.where)) {
            conditions_.emplace_back(*each);
        }
        where_.emplace(*wanted.where);
        if (where_->is_empty()) where_.reset();
    }

    /// What was done so far.
    [[nodiscard]] const explanation& work() const noexcept { return work_; }

    /// Goes to a part of a block and plans how its rows are found; false where there are none.
    bool enter(const block_part& part) {
        part_ = part;
        active_.clear();
        const bool has_rows = part.block < rows_.sealed_blocks() ? enter_sealed() : enter_open();
        if (!has_rows) {
            ++work_.skipped;
            return false;
        }
        if (where_) enter_where();
        driver_ = find_driver();
        path_ = choose_path();
        return true;
    }

    /// Whether rows are looked at one by one, so that counting them costs what visiting them does.
    [[nodiscard]] bool looks_at_rows() const noexcept { return where_ || wanted_.test; }

    /// How many rows match.
    [[nodiscard]] std::size_t count() {
        note_path();
        if (path_ == access_path::counts) return known_rows();
        if (path_ == access_path::postings) return count_postings();
        if (looks_at_rows()) return count_strips();
        return count_bits();
    }

    /// Calls `take(row in the block)` for the matching rows in an order until it returns false.
    template <class Take>
    void visit(sort_order order, Take take) {
        if (path_ == access_path::counts) path_ = choose_row_path();
        note_path();
        if (path_ == access_path::postings) return visit_postings(order, take);
        if (is_likely_empty() && count_bitmaps() == std::size_t{0}) return;
        visit_strips(order, take);
    }

private:
    using words = std::array<std::uint64_t, bitmap_words>;

    [[nodiscard]] bool is_forced(access_path path) const noexcept { return forced_ == path; }

    bool enter_sealed() {
        const sealed_block& block = rows_.sealed(part_.block);
        for (block_condition& each : conditions_) {
            each.enter(block.column(each.column()));
            if (is_forced(access_path::code_scan)) {
                active_.push_back(&each);
                continue;
            }
            if (each.is_exact() && each.rows() == 0) return false;
            if (!each.is_exact() || each.rows() < block_rows) active_.push_back(&each);
        }
        return true;
    }
    bool enter_open() {
        for (block_condition& each : conditions_) {
            each.enter(rows_.open()->codes(each.column()), part_.end);
            active_.push_back(&each);
        }
        return true;
    }
    void enter_where() {
        where_->enter([this](block_condition& leaf) {
            if (part_.block < rows_.sealed_blocks()) {
                leaf.enter(rows_.sealed(part_.block).column(leaf.column()));
                if (forced_) leaf.read_index(!is_forced(access_path::code_scan));
            } else {
                leaf.enter(rows_.open()->codes(leaf.column()), part_.end);
            }
        });
    }

    [[nodiscard]] access_path choose_path() {
        if (is_countable() && (!forced_ || is_forced(access_path::counts))) {
            return access_path::counts;
        }
        return choose_row_path();
    }
    /// The path that finds rows, not only their number.
    [[nodiscard]] access_path choose_row_path() {
        if (is_forced(access_path::bitmaps)) {
            for (block_condition* each : active_) each->read_index(true);
        }
        if (driver_ &&
            (is_forced(access_path::postings) || (!forced_ && posting_bytes() < bitmap_bytes()))) {
            return access_path::postings;
        }
        const bool may_read_index = !forced_ || is_forced(access_path::bitmaps);
        for (block_condition* each : active_) {
            if (!may_read_index) each->read_index(false);
        }
        return std::ranges::any_of(active_, [](auto* each) { return each->reads_index(); })
                   ? access_path::bitmaps
                   : access_path::code_scan;
    }
    [[nodiscard]] bool is_countable() const noexcept {
        if (looks_at_rows()) return false;
        if (active_.empty()) return true;
        return active_.size() == 1 && active_.front()->is_exact() && part_.is_whole();
    }
    [[nodiscard]] std::size_t known_rows() const noexcept {
        return active_.empty() ? part_.rows() : active_.front()->rows();
    }

    /// The condition with the fewest rows, if those are listed.
    [[nodiscard]] block_condition* find_driver() const noexcept {
        block_condition* rarest = nullptr;
        for (block_condition* each : active_) {
            if (!each->has_runs()) continue;
            if (!rarest || each->rows() < rarest->rows()) rarest = each;
        }
        return rarest;
    }
    [[nodiscard]] std::size_t posting_bytes() const noexcept {
        constexpr std::size_t bytes_per_check = 32;  // half a line of a cache
        const std::size_t checks = active_.size() - 1;
        return driver_->rows() * (sizeof(std::uint16_t) + checks * bytes_per_check);
    }
    [[nodiscard]] std::size_t bitmap_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const block_condition* each : active_) bytes += each->bytes();
        return bytes;
    }
    void note_path() noexcept {
        explanation::path_use& use = work_[path_];
        ++use.blocks;
        if (path_ == access_path::postings) use.bytes += posting_bytes();
        if (path_ == access_path::bitmaps || path_ == access_path::code_scan) {
            use.bytes += bitmap_bytes();
        }
    }

    // --- Postings ---------------------------------------------------------------------------

    /// The rows of the driver, ascending.
    [[nodiscard]] std::span<const std::uint16_t> driver_rows() {
        const std::span<const code_rows> runs = driver_->runs();
        if (runs.size() == 1) return {runs.front().run, runs.front().count};
        listed_.clear();
        for (const code_rows& each : runs) {
            listed_.insert(listed_.end(), each.run, each.run + each.count);
        }
        std::ranges::sort(listed_);
        return listed_;
    }
    [[nodiscard]] bool accepts(std::uint16_t row) {
        if (row < part_.begin || row >= part_.end) return false;
        for (block_condition* each : active_) {
            if (each != driver_ && !each->accepts(row)) return false;
        }
        return !looks_at_rows() || passes(row);
    }
    /// Whether a row that meets all conditions passes the rest.
    [[nodiscard]] bool passes(std::uint16_t row) {
        if (where_) {
            std::uint64_t bit = std::uint64_t{1} << (row % 64);
            where_->keep({row / std::size_t{64}, 1, &bit}, first_row());
            if (bit == 0) return false;
        }
        return !wanted_.test || wanted_.test(first_row() + row);
    }
    [[nodiscard]] std::size_t count_postings() {
        std::size_t matching = 0;
        for (const std::uint16_t row : driver_rows()) matching += accepts(row) ? 1 : 0;
        return matching;
    }
    template <class Take>
    void visit_postings(sort_order order, Take& take) {
        const std::span<const std::uint16_t> rows = driver_rows();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool ascending = order == sort_order::ascending;
            const std::uint16_t row = ascending ? rows[i] : rows[rows.size() - 1 - i];
            if (accepts(row) && !take(row)) return;
        }
    }

    // --- Bits -------------------------------------------------------------------------------

    [[nodiscard]] std::size_t first_row() const noexcept { return part_.block * block_rows; }

    /// Writes the bits of the rows that meet all conditions.
    void select(const bits_range& to) {
        if (active_.empty()) {
            fill(to);
        } else {
            active_.front()->write_bits(to.first_word, to.words, to.bits);
        }
        for (std::size_t i = 1; i < active_.size(); ++i) narrow(to, *active_[i]);
        clear_before(part_.begin, to);
        clear_from(part_.end, to);
    }
    void narrow(const bits_range& to, block_condition& by) {
        if (const std::uint64_t* const bits = by.bitmap()) {
            const auto change = by.is_complement() ? kernels_->subtract : kernels_->intersect;
            return change(to.bits, bits + to.first_word, to.words);
        }
        by.write_bits(to.first_word, to.words, scratch_->data());
        kernels_->intersect(to.bits, scratch_->data(), to.words);
    }

    [[nodiscard]] std::size_t count_bits() {
        if (part_.is_whole()) {
            if (const auto matching = count_bitmaps()) return *matching;
        }
        const std::size_t first = part_.begin / 64;
        const bits_range to{first, (part_.end + 63) / 64 - first, selected_->data()};
        select(to);
        return kernels_->count_bits(to.bits, to.words);
    }
    /// Counts where each condition is a bitmap as it is, and at most one excludes its rows:
    /// |a and not b| = |a| - |a and b|.
    [[nodiscard]] std::optional<std::size_t> count_bitmaps() const {
        constexpr std::size_t most = 8;
        std::array<const std::uint64_t*, most> bitmaps;
        std::size_t count = 0;
        const block_condition* excluded = nullptr;
        for (const block_condition* each : active_) {
            const bool is_second = each->is_complement() && excluded;
            if (!each->bitmap() || is_second || count == most - 1) return std::nullopt;
            if (each->is_complement()) {
                excluded = each;
            } else {
                bitmaps[count++] = each->bitmap();
            }
        }
        if (count == 0) return std::nullopt;
        const std::size_t all = kernels_->count_all(bitmaps.data(), count, bitmap_words);
        if (!excluded) return all;
        bitmaps[count] = excluded->bitmap();
        return all - kernels_->count_all(bitmaps.data(), count + 1, bitmap_words);
    }

    /// Whether so few rows are to be expected that it pays to count them first.
    [[nodiscard]] bool is_likely_empty() const noexcept {
        constexpr double few = 32;
        double expected = path_ == access_path::bitmaps && part_.is_whole() ? block_rows : few;
        for (const block_condition* each : active_) {
            if (each->is_exact()) expected *= static_cast<double>(each->rows()) / block_rows;
        }
        return active_.size() > 1 && expected < few;
    }

    /// Selects a strip of rows and keeps those that pass the rest.
    [[nodiscard]] bits_range select_strip(std::size_t begin, std::size_t end) {
        const std::size_t first = begin / 64;
        const bits_range to{first, (end + 63) / 64 - first, selected_->data()};
        select(to);
        if (where_) where_->keep(to, first_row());
        if (wanted_.test) keep_tested(to, first_row(), wanted_.test);
        return to;
    }
    [[nodiscard]] std::size_t count_strips() {
        std::size_t matching = 0;
        for (std::size_t at = part_.begin; at < part_.end; at = strip_end(at)) {
            const bits_range found = select_strip(at, strip_end(at));
            matching += kernels_->count_bits(found.bits, found.words);
        }
        return matching;
    }
    [[nodiscard]] std::size_t strip_end(std::size_t begin) const noexcept {
        return std::min(part_.end, begin - begin % strip_rows + strip_rows);
    }
    [[nodiscard]] std::size_t strip_begin(std::size_t end) const noexcept {
        return std::max(part_.begin, (end - 1) - (end - 1) % strip_rows);
    }

    template <class Take>
    void visit_strips(sort_order order, Take& take) {
        const bool ascending = order == sort_order::ascending;
        for (std::size_t begin = part_.begin, end = part_.end; begin < end;) {
            const std::size_t from = ascending ? begin : strip_begin(end);
            const std::size_t to = ascending ? strip_end(begin) : end;
            const bits_range found = select_strip(from, to);
            if (!(ascending ? visit_up(found, take) : visit_down(found, take))) return;
            (ascending ? begin : end) = ascending ? to : from;
        }
    }
    template <class Take>
    static bool visit_up(const bits_range& found, Take& take) {
        for (std::size_t i = 0; i < found.words; ++i) {
            for (std::uint64_t left = found.bits[i]; left != 0; left &= left - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(left));
                if (!take((found.first_word + i) * 64 + bit)) return false;
            }
        }
        return true;
    }
    template <class Take>
    static bool visit_down(const bits_range& found, Take& take) {
        for (std::size_t i = found.words; i > 0; --i) {
            for (std::uint64_t left = found.bits[i - 1]; left != 0;) {
                const auto bit = static_cast<std::size_t>(63 - std::countl_zero(left));
                if (!take((found.first_word + i - 1) * 64 + bit)) return false;
                left ^= std::uint64_t{1} << bit;
            }
        }
        return true;
    }

    const snapshot& rows_;
    const selection& wanted_;
    std::optional<access_path> forced_;
    const sluice::detail::simd::kernels* kernels_ = &sluice::detail::simd::active_kernels();
    std::vector<block_condition> conditions_;
    std::optional<where_filter> where_;  // what the conditions leave of it
    explanation work_;

    // Of the current part of a block.
    block_part part_{};
    access_path path_ = access_path::code_scan;
    std::vector<block_condition*> active_;  // conditions that not all rows meet
    block_condition* driver_ = nullptr;
    std::vector<std::uint16_t> listed_;
    std::unique_ptr<words> selected_ = std::make_unique_for_overwrite<words>();
    std::unique_ptr<words> scratch_ = std::make_unique_for_overwrite<words>();
};

}  // namespace sluice::store

#endif
