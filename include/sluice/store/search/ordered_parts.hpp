// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_ORDERED_PARTS_HPP
#define SLUICE_STORE_SEARCH_ORDERED_PARTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/query/cursor.hpp>
#include <sluice/store/plan/scan.hpp>
#include <sluice/store/search/page_sorter.hpp>
#include <sluice/store/search/row_order.hpp>

namespace sluice::store::detail {

/// The parts of blocks to visit for a page in an order other than the store's: blocks with the
/// first rows of the order first. As soon as the sorter has enough rows, only rows before the last
/// of those are selected, so that most blocks are scanned by their numbers alone:
///
/// ```
/// first 100 of 1,000,000 by total     chunk of 4,096 rows:   total >= 975, the 101st
///                                     rest of the block:     total >= 998
///                                     next block:            total >= 999 ...
/// ```
class ordered_parts {
public:
    /// Adds the condition to narrow to `wanted`. Views all arguments; the cursor is the sorter's.
    ordered_parts(const snapshot& rows, const row_order& order, const std::optional<cursor>& from,
                  page_sorter& sorter, selection& wanted)
        : rows_(rows), order_(order), sorter_(sorter), wanted_(wanted) {
        const auto column = order.first_column();
        if (!column) return;
        column_ = *column;
        if (!order.has_beside()) {
            add_test(from);
            return;
        }
        if (from) beyond_cursor_ = order.beside(from->keys.front(), !from->is_before);
        condition_ = wanted.conditions.size();
        wanted.conditions.push_back({column_, beyond_cursor_.value_or(code_set({}, true))});
    }

    /// Plans the visit of a range of rows.
    void plan(const row_span& range) {
        range_ = range;
        if (range.begin == range.end) return;
        for (std::size_t i = range.begin / block_rows; i * block_rows < range.end; ++i) {
            blocks_.push_back(i);
        }
        std::ranges::sort(blocks_, [this](std::size_t a, std::size_t b) {
            const std::pair left(end_of(a), a), right(end_of(b), b);
            return is_descending() ? left > right : left < right;
        });
    }
    /// Returns the order of rows within a part: as ids often follow the rows, rows with equal first
    /// keys mostly come in the order of the page.
    [[nodiscard]] sort_order direction() const {
        return is_descending() ? sort_order::descending : sort_order::ascending;
    }
    /// Narrows the selection, and returns the next part: a chunk as long as the sorter has too few
    /// rows; nullopt at the end.
    [[nodiscard]] std::optional<block_part> next() {
        const std::optional<std::size_t> last = sorter_.last();
        if (last && last != last_) narrow(*last);
        last_ = last;
        if (at_ == blocks_.size() || (last && is_past(*last))) return std::nullopt;
        const std::size_t first = blocks_[at_] * block_rows;
        const std::size_t begin = std::max(first, range_.begin) - first;
        const std::size_t end = std::min(first + block_rows, range_.end) - first;
        block_part part{blocks_[at_], std::max(begin, done_), end};
        if (!last) part.end = std::min(end, part.begin - part.begin % chunk_rows + chunk_rows);
        done_ = part.end < end ? part.end : 0;
        if (done_ == 0) ++at_;
        return part;
    }

private:
    /// Selects rows by the sort prefixes of their values, for a column with too many values to
    /// list.
    void add_test(const std::optional<cursor>& from) {
        if (from) (from->is_before ? last_prefix_ : first_prefix_) = order_.prefix_of(*from);
        const auto keep = [this](std::span<const code> codes, std::uint64_t* rows, scan_budget&) {
            if (first_prefix_ == 0 && last_prefix_ == ~std::uint64_t{0}) return std::size_t{0};
            const bits_range all{0, (codes.size() + 63) / 64, rows};
            for_each_set(all, [&](std::size_t at) {
                const std::uint64_t prefix = order_.prefix_of_code(codes[at]);
                if (prefix < first_prefix_ || prefix > last_prefix_)
                    rows[at / 64] &= ~(std::uint64_t{1} << (at % 64));
            });
            return std::size_t{0};  // charged to no condition
        };
        has_test_ = true;
        auto test = expression::test(code_test{column_, keep});
        wanted_.where = wanted_.where
                            ? expression::all({*std::move(wanted_.where), std::move(test)})
                            : std::move(test);
    }
    /// Returns true if blocks with the greatest values come first.
    [[nodiscard]] bool is_descending() const {
        return (order_.first_direction() == sort_order::descending) != sorter_.is_backwards();
    }
    /// Returns true if the row time is the first key, and a row comes before all of the next block.
    [[nodiscard]] bool is_past(std::size_t last) const {
        if (!order_.is_first_row_time()) return false;
        const std::size_t first = blocks_[at_] * block_rows;
        if (!is_descending()) return rows_.time(std::max(first, range_.begin)) > rows_.time(last);
        return rows_.time(std::min(first + block_rows, range_.end) - 1) < rows_.time(last);
    }
    /// Returns the least number of a block, or the greatest if that comes first; without numbers
    /// the end of the order, so that the block comes first.
    [[nodiscard]] std::int64_t end_of(std::size_t block) const {
        constexpr key_range all{};
        if (!condition_) return 0;
        const block_numbers* const numbers =
            block < rows_.sealed_blocks() ? rows_.sealed(block).numbers(column_) : nullptr;
        if (is_descending()) return numbers ? numbers->most() : all.most;
        return numbers ? numbers->least() : all.least;
    }
    /// Selects only rows that aren't after a row.
    void narrow(std::size_t last) {
        if (has_test_)
            (sorter_.is_backwards() ? first_prefix_ : last_prefix_) = order_.prefix_of(last);
        if (!condition_) return;
        auto accepted = order_.beside(order_.first_key_of(last), sorter_.is_backwards());
        if (!accepted) return;
        if (beyond_cursor_ && !accepted->merge(*beyond_cursor_, true) && !accepted->has_ranges() &&
            !beyond_cursor_->has_ranges()) {
            accepted->intersect(*beyond_cursor_);
        }
        wanted_.conditions[*condition_].accepted = *std::move(accepted);
    }

    const snapshot& rows_;
    const row_order& order_;
    page_sorter& sorter_;
    selection& wanted_;
    std::size_t column_ = 0;                // of the first key, if condition_
    std::optional<std::size_t> condition_;  // its index in wanted_
    bool has_test_ = false;                 // of these prefixes, instead
    std::uint64_t first_prefix_ = 0, last_prefix_ = ~std::uint64_t{0};
    std::optional<code_set> beyond_cursor_;  // values on the page's side of the cursor
    row_span range_{};
    std::vector<std::size_t> blocks_;  // in the order of their visit
    std::size_t at_ = 0;               // index of the next one
    std::size_t done_ = 0;             // its rows that have been visited
    std::optional<std::size_t> last_;  // of the last narrow()
};

}  // namespace sluice::store::detail

#endif
