// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_PART_SORTER_HPP
#define SLUICE_STORE_SEARCH_PART_SORTER_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <sluice/store/conditions/scan_budget.hpp>

namespace sluice::store {

/// Sorts only the items of a page: a quicksort that skips partitions without such items. Takes
/// about `n + k log k` comparisons for a page of `k` of `n` items, wherever it is. `before` must be
/// a strict total order: no two items are equal.
///
/// ```
/// part_sorter(items, before, budget).sort(5, 7):   g b f a h c e d
/// by pivot d                                       b a c d|h g e f    left alone | goes on
/// items 5 and 6 as in a sort of all                b a c d e f g h
/// ```
template <class Item, std::predicate<const Item&, const Item&> Before>
class part_sorter {
public:
    /// Views all arguments.
    part_sorter(std::span<Item> items, const Before& before, scan_budget& budget) noexcept
        : items_(items), before_(before), budget_(budget) {}

    /// Puts those items into [begin, end) that sorting all items would put there. Returns false
    /// once the budget is spent; the items are then in any order.
    [[nodiscard]] bool sort(std::size_t begin, std::size_t end) {
        begin_ = begin;
        end_ = end;
        return sort_between(0, items_.size());
    }

private:
    static constexpr std::size_t few = 1'024;  ///< items between two checks of the budget

    /// Like sort(), for the items in [first, last). Recurses into the shorter partition and goes on
    /// with the longer one, so that the recursion isn't deep.
    [[nodiscard]] bool sort_between(std::size_t first, std::size_t last) {
        while (first < end_ && begin_ < last && first < last) {
            if (last - first <= few) {
                if (!budget_.charge(scan_budget::block)) return false;
                sort_few(first, last);
                return true;
            }
            const std::optional<std::size_t> middle = partition(first, last);
            if (!middle) return false;
            if (*middle - first < last - *middle) {
                if (!sort_between(first, *middle)) return false;
                first = *middle + 1;
            } else {
                if (!sort_between(*middle + 1, last)) return false;
                last = *middle;
            }
        }
        return true;
    }
    /// Like sort_between(), for few items, any of which may be on the page.
    void sort_few(std::size_t first, std::size_t last) {
        if (first < begin_) {
            std::nth_element(at(first), at(begin_), at(last), before_);
            first = begin_;
        }
        if (end_ < last) {
            std::nth_element(at(first), at(end_), at(last), before_);
            last = end_;
        }
        std::sort(at(first), at(last), before_);
    }
    /// Moves the items before a pivot to the front. Returns the pivot's new place, right after
    /// them; nullopt once the budget is spent.
    [[nodiscard]] std::optional<std::size_t> partition(std::size_t first, std::size_t last) {
        std::swap(items_[pivot_of(first, last)], items_[last - 1]);
        std::size_t middle = first;
        for (std::size_t i = first; i < last - 1; ++i) {
            if ((i - first) % few == 0 && !budget_.charge(scan_budget::block)) return std::nullopt;
            if (before_(items_[i], items_[last - 1])) std::swap(items_[i], items_[middle++]);
        }
        std::swap(items_[middle], items_[last - 1]);
        return middle;
    }
    /// Returns the place of the median of three items at pseudo-random places, so that sorted items
    /// aren't slow.
    [[nodiscard]] std::size_t pivot_of(std::size_t first, std::size_t last) noexcept {
        std::size_t a = random(first, last), b = random(first, last), c = random(first, last);
        if (before_(items_[b], items_[a])) std::swap(a, b);
        if (before_(items_[c], items_[b])) std::swap(b, c);
        return before_(items_[b], items_[a]) ? a : b;
    }
    /// Returns a pseudo-random place in [first, last), by Knuth's linear congruential generator
    /// MMIX.
    [[nodiscard]] std::size_t random(std::size_t first, std::size_t last) noexcept {
        state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        return first + static_cast<std::size_t>(state_ >> 33U) % (last - first);
    }
    [[nodiscard]] auto at(std::size_t place) const noexcept {
        return items_.begin() + static_cast<std::ptrdiff_t>(place);
    }

    std::span<Item> items_;
    const Before& before_;
    scan_budget& budget_;
    std::size_t begin_ = 0, end_ = 0;  // the page
    std::uint64_t state_ = 1;
};

}  // namespace sluice::store

#endif
