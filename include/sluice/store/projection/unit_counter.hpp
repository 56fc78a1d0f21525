// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PROJECTION_UNIT_COUNTER_HPP
#define SLUICE_STORE_PROJECTION_UNIT_COUNTER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/count_unit.hpp>
#include <sluice/store/blocks/sealed_column.hpp>
#include <sluice/store/conditions/expression.hpp>

namespace sluice::store {

/// Counts the rows that meet all conditions, in one unit after the other: enter(), then rows(). See
/// count_unit for lines, masks and mixed lines.
class unit_counter {
public:
    /// Returns true if units may answer a selection: it has 2 to 16 conditions of at most 16 listed
    /// codes, and nothing else. A single condition is answered by counts.
    [[nodiscard]] static bool may_answer(const selection& wanted) noexcept {
        const auto has_few = [](const condition& condition) {
            return !condition.accepted.has_ranges() &&
                   condition.accepted.listed().size() <= most_codes;
        };
        return !wanted.where && !wanted.test && wanted.conditions.size() >= 2 &&
               wanted.conditions.size() <= most_conditions &&
               std::ranges::all_of(wanted.conditions, has_few);
    }

    /// Views the conditions, of a selection for which may_answer() is true.
    explicit unit_counter(std::span<const condition> wanted)
        : wanted_(wanted), states_(wanted.size()), bytes_(wanted.size()) {}

    /// Moves to a unit. Returns false if the unit doesn't hold all rows of a code.
    [[nodiscard]] bool enter(const count_unit& unit) {
        unit_ = &unit;
        values_.clear();
        mixed_ = all_ = line_mask::of_first(unit.lines());
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (!find(wanted_[i], states_[i])) return false;
            mixed_ &= *states_[i].some;
            all_ &= *states_[i].all;
        }
        mixed_ -= all_;
        mixed_lines_ = kernels_->count_bits(mixed_.words.data(), mixed_.words.size());
        return true;
    }
    /// Prefetches what entering a unit will read.
    void fetch(const count_unit& later) const noexcept {
        for (const condition_state& state : states_) later.fetch(state.hint);
    }
    /// Returns how many bytes counting this unit reads at most.
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t all = 0;
        for (const condition_state& state : states_) all += bytes_of(state);
        return all;
    }
    /// Returns the cost of counting this unit, in sequentially read bytes. A line costs more than
    /// its size, as lines are scattered.
    [[nodiscard]] std::size_t cost() const noexcept {
        return bytes() + values_.size() * mixed_lines_ * (bytes_per_line - sizeof(bit_line));
    }
    /// Estimates the cost of counting this unit's rows by the indexes of their blocks instead, in
    /// the same bytes: by block_plan's bitmaps or postings, whichever is less. Assumes that each
    /// value is as frequent in the blocks as in this unit.
    [[nodiscard]] std::size_t index_cost() const noexcept {
        const std::size_t rows = unit_->rows().size();
        const std::size_t longest_list = rows * max_run / block_rows;  // longer ones are bitmaps
        std::size_t bitmaps = 0, least = rows;
        for (const condition_state& state : states_) {
            std::size_t listed = 0, bytes = 0;
            for (const unit_value* value : values_of(state)) {
                const bool is_bitmap = value->rows > longest_list;
                // As in block_condition: a bitmap, or half of one and the rows of a list.
                bytes += is_bitmap ? rows / 8 : rows / 16 + value->rows * bytes_per_set_row;
                listed += is_bitmap ? rows : value->rows;
            }
            bitmaps += std::min(bytes, rows);  // at most a scan of one-byte codes
            if (!state.is_complement) least = std::min(least, listed);
        }
        const std::size_t checks = (states_.size() - 1) * bytes_per_check;
        return std::min(bitmaps, least * (bytes_per_posting + checks));
    }
    /// Records the reads of counting this unit.
    void record_read() noexcept {
        for (std::size_t i = 0; i < states_.size(); ++i) bytes_[i] += bytes_of(states_[i]);
    }
    /// Returns how many bytes each condition has read so far.
    [[nodiscard]] std::span<const std::size_t> bytes_read() const noexcept { return bytes_; }

    /// Counts the rows of the unit that meet all conditions.
    [[nodiscard]] std::size_t rows() {
        std::size_t matching =
            kernels_->count_bits(all_.words.data(), all_.words.size()) * line_rows;
        for (std::size_t i = 0; i < mixed_.words.size(); ++i) {
            if (mixed_.words[i] != 0) matching += mixed_rows(i);
        }
        return matching;
    }

private:
    static constexpr std::size_t most_codes = 16;
    static constexpr std::size_t most_conditions = 16;
    static constexpr std::size_t bytes_per_line = 4 * sizeof(bit_line);  // a scattered read

    /// A condition in the unit: the lines where some rows meet it, and those where all rows do. The
    /// masks are those of its only code, or else merged_some and merged_all.
    struct condition_state {
        std::size_t first = 0, size = 0;  // of its values_
        bool is_complement = false;
        std::size_t hint = 0;  // index of its first code in an earlier unit
        const line_mask* some = nullptr;
        const line_mask* all = nullptr;
        line_mask merged_some{}, merged_all{};

        [[nodiscard]] bool is_value() const noexcept { return size == 1 && !is_complement; }
    };

    [[nodiscard]] std::span<const unit_value* const> values_of(
        const condition_state& of) const noexcept {
        return std::span(values_).subspan(of.first, of.size);
    }
    /// Looks a condition's codes up in the unit. Returns false if it doesn't hold all rows of one.
    [[nodiscard]] bool find(const condition& wanted, condition_state& to) {
        to.first = values_.size();
        to.is_complement = wanted.accepted.is_complement();
        for (const code c : wanted.accepted.listed()) {
            const auto [is_known, value] = unit_->find(wanted.column, c, to.hint);
            if (!is_known) return false;
            if (value != nullptr) values_.push_back(value);
        }
        to.size = values_.size() - to.first;
        if (to.is_value()) {
            to.some = &values_.back()->some;
            to.all = &values_.back()->all;
        } else {
            merge(to);
        }
        return true;
    }
    /// Merges the masks of a condition's codes. A line may be full of several codes together, and
    /// then isn't in `all`: it counts as mixed.
    void merge(condition_state& of) const noexcept {
        const line_mask lines = line_mask::of_first(unit_->lines());
        of.some = &of.merged_some;
        of.all = &of.merged_all;
        of.merged_some = of.merged_all = {};
        for (const unit_value* value : values_of(of)) {
            of.merged_some |= value->some;
            of.merged_all |= value->all;
        }
        if (!of.is_complement) return;
        std::swap(of.merged_some, of.merged_all);
        for (line_mask* mask : {&of.merged_some, &of.merged_all}) {
            line_mask others = lines;
            others -= *mask;
            *mask = others;
        }
    }
    /// Returns how many bytes a condition reads in the unit at most.
    [[nodiscard]] std::size_t bytes_of(const condition_state& of) const noexcept {
        return of.size * (2 * sizeof(line_mask) + mixed_lines_ * sizeof(bit_line));
    }

    /// Counts matching rows in the mixed lines of one word of their mask.
    [[nodiscard]] std::size_t mixed_rows(std::size_t word) noexcept {
        std::size_t lines = 0;
        for (std::uint64_t left = mixed_.words[word]; left != 0; left &= left - 1) {
            write_line(word * 64 + static_cast<std::size_t>(std::countr_zero(left)),
                       mixed_bits_[lines]);
            ++lines;
        }
        return kernels_->count_bits(mixed_bits_.front().words.data(), lines * line_words);
    }
    /// Writes the bits of the matching rows in a mixed line.
    void write_line(std::size_t line, bit_line& to) const noexcept {
        bool is_first = true;
        for (const condition_state& state : states_) {
            if (state.all->has(line)) continue;
            const bit_line matching =
                state.is_value() ? line_of(*values_[state.first], line) : merged_line(state, line);
            if (std::exchange(is_first, false)) {
                to = matching;
            } else {
                for (std::size_t i = 0; i < line_words; ++i) to.words[i] &= matching.words[i];
            }
        }
    }
    /// Returns the bits of a mixed line for a condition of several codes or a complement.
    [[nodiscard]] bit_line merged_line(const condition_state& of, std::size_t line) const noexcept {
        bit_line merged;
        for (const unit_value* value : values_of(of)) {
            if (!value->some.has(line)) continue;
            const bit_line& line_bits = line_of(*value, line);
            for (std::size_t i = 0; i < line_words; ++i) merged.words[i] |= line_bits.words[i];
        }
        if (of.is_complement) {
            for (std::uint64_t& word : merged.words) word = ~word;
        }
        return merged;
    }
    [[nodiscard]] const bit_line& line_of(const unit_value& of, std::size_t line) const noexcept {
        return unit_->line(of.place_of(line));
    }

    std::span<const condition> wanted_;
    const sluice::detail::simd::kernels* kernels_ = &sluice::detail::simd::active_kernels();
    std::vector<condition_state> states_;
    std::vector<std::size_t> bytes_;  // by condition

    // State of the current unit.
    const count_unit* unit_ = nullptr;
    std::vector<const unit_value*> values_;  // of the conditions' codes that have rows
    line_mask all_, mixed_;                  // lines of which all rows match; lines to look at
    std::size_t mixed_lines_ = 0;            // number of lines in mixed_
    std::array<bit_line, 64> mixed_bits_;    // the mixed lines of one word
};

}  // namespace sluice::store

#endif
