// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_PAGE_SORTER_HPP
#define SLUICE_STORE_SEARCH_PAGE_SORTER_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/search/part_sorter.hpp>
#include <sluice/store/search/row_order.hpp>

namespace sluice::store::detail {

/// Finds a page of matching rows in an order other than the store's. It keeps up to about twice the
/// rows that the page needs, then drops the rest. Compares most kept rows by the sort prefix of
/// their first key alone, see numbers/number_ranges.hpp.
///
/// ```
/// first page, size 3    rows added      rows kept
///                       5 1 7 2 9 6 4   5 1 7 2 9 6 4
///                       8               1 2 4 5         too many: cut to the page and one more,
///                                                       by which there is a next page
///                       9               1 2 4 5         after the last one kept
///                       3               1 2 4 5 3
/// ```
class page_sorter {
public:
    /// The page of `size` rows begins at `offset`, or at the cursor `from` if there is one; then
    /// order.has_place(*from) must be true. Expects numbers that aren't negative. Views the order,
    /// the cursor and the budget.
    page_sorter(const row_order& order, const std::optional<cursor>& from, std::int64_t offset,
                std::int64_t size, scan_budget& budget)
        : order_(order),
          from_(from),
          budget_(budget),
          margin_(order.prefix_margin()),
          place_(from ? order.prefix_of(*from) : 0),
          skipped_(from ? 0 : capped(offset)),
          size_(capped(size)) {}

    /// Adds a matching row; rows may come in any order. Returns false once the budget is spent.
    [[nodiscard]] bool add(std::size_t row) {
        added_.push_back(row);
        return added_.size() < rows_a_look || keep_added();
    }
    /// Returns the last row that the page may need, after which no row is kept; nullopt as long as
    /// there are too few.
    [[nodiscard]] std::optional<std::size_t> last() {
        if (!budget_.is_spent() && !added_.empty()) static_cast<void>(keep_added());
        return last_ ? std::optional(last_->row) : std::nullopt;
    }
    /// Returns true if the page ends before its cursor; rows are then kept in the opposite order.
    [[nodiscard]] bool is_backwards() const noexcept { return from_ && from_->is_before; }
    /// Returns the page of the added rows; nullopt once the budget is spent.
    [[nodiscard]] std::optional<row_page> page() {
        if (budget_.is_spent() || !keep_added()) return std::nullopt;
        const std::size_t begin = std::min(rows_.size(), skipped_);
        const std::size_t end = begin + std::min(rows_.size() - begin, size_);
        if (!sort(begin, end)) return std::nullopt;
        row_page page{{}, end < rows_.size(), from_.has_value()};
        for (std::size_t at = begin; at < end; ++at) page.rows.push_back(rows_[at].row);
        if (is_backwards()) {
            std::ranges::reverse(page.rows);
            page.has_previous = std::exchange(page.has_next, true);
        }
        return page;
    }

private:
    /// A kept row.
    struct entry {
        std::uint64_t prefix;
        std::size_t row;
    };
    static constexpr std::size_t rows_a_look = 1'024;  // rows between two checks of the budget

    /// Clamps a number of rows to one that no store has, but whose sums in needed() and most()
    /// don't overflow.
    [[nodiscard]] static constexpr std::size_t capped(std::int64_t rows) noexcept {
        constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max() / 8;
        return static_cast<std::size_t>(std::min(static_cast<std::uint64_t>(rows), most));
    }
    /// Returns how many rows must be kept: those up to the page's end, and one more that tells
    /// whether there is a next page.
    [[nodiscard]] std::size_t needed() const noexcept { return skipped_ + size_ + 1; }
    /// Returns the number of kept rows at which those beyond needed() are dropped. It grows with
    /// needed(), so that dropping a row takes a few comparisons on average, in whatever order rows
    /// are added.
    [[nodiscard]] std::size_t most() const noexcept {
        return needed() + std::max<std::size_t>(needed(), 512);
    }
    /// Keeps the added rows that the page may need. Returns false once the budget is spent.
    [[nodiscard]] bool keep_added() {
        if (!budget_.charge(scan_budget::block)) return false;
        for (const std::size_t row : added_) {
            const entry added{order_.prefix_of(row), row};
            if (last_ && !comes_before(added, *last_)) continue;
            if (from_ && !is_beyond(added)) continue;
            rows_.push_back(added);
            if (rows_.size() == most() && !drop()) return false;
        }
        added_.clear();
        return true;
    }
    /// Drops all rows beyond needed(). Returns false once the budget is spent.
    [[nodiscard]] bool drop() {
        if (!sort(needed() - 1, needed())) return false;
        rows_.resize(needed());
        last_ = rows_.back();
        return true;
    }
    /// Sorts rows_ as far as [begin, end) needs it, see part_sorter. Returns false once the budget
    /// is spent.
    [[nodiscard]] bool sort(std::size_t begin, std::size_t end) {
        const auto before = [this](const entry& a, const entry& b) { return comes_before(a, b); };
        return part_sorter(std::span(rows_), before, budget_).sort(begin, end);
    }

    /// Returns true if two prefixes determine the order of their rows.
    [[nodiscard]] bool are_apart(std::uint64_t a, std::uint64_t b) const noexcept {
        return (a < b ? b - a : a - b) > margin_;
    }
    [[nodiscard]] bool comes_before(const entry& a, const entry& b) const {
        if (are_apart(a.prefix, b.prefix)) return (a.prefix < b.prefix) != is_backwards();
        return comes_before(a.row, b.row);
    }
    /// Compares two rows; rows with equal keys stay in the order of the store.
    [[nodiscard]] bool comes_before(std::size_t a, std::size_t b) const {
        const std::weak_ordering order = order_.compare(a, b);
        return (order != 0 ? order < 0 : a < b) != is_backwards();
    }
    /// Returns true if a row is on the page's side of the cursor. Expects a cursor.
    [[nodiscard]] bool is_beyond(const entry& row) const {
        const std::weak_ordering side =
            are_apart(row.prefix, place_) ? row.prefix <=> place_ : order_.compare(row.row, *from_);
        return from_->is_before ? side < 0 : side > 0;
    }

    const row_order& order_;
    const std::optional<cursor>& from_;
    scan_budget& budget_;
    std::uint64_t margin_;
    std::uint64_t place_;             // sort prefix of the cursor
    std::size_t skipped_, size_;      // rows before the page, and on it
    std::vector<std::size_t> added_;  // not yet kept or dropped
    std::vector<entry> rows_;         // kept
    std::optional<entry> last_;       // the last needed row, after the first drop
};

}  // namespace sluice::store::detail

#endif
