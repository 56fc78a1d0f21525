// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DETAIL_PAGE_SORTER_HPP
#define SLUICE_STORE_DETAIL_PAGE_SORTER_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/part_sorter.hpp>
#include <sluice/store/row_order.hpp>

namespace sluice::store::detail {

/// Finds a page in an order that the store's rows don't have, among all rows that a query takes.
/// Most rows are compared by the prefix of their first key alone.
class page_sorter {
public:
    /// Views all arguments; the cursor has a place in the order.
    page_sorter(const row_order& order, const std::optional<cursor>& from, scan_budget& budget)
        : order_(order), from_(from), budget_(budget), margin_(order.prefix_margin()) {}

    /// The page from an offset on, or at the cursor; nothing once the budget is spent.
    [[nodiscard]] std::optional<row_page> page(std::span<const std::size_t> rows,
                                               std::int64_t offset, std::size_t size) {
        if (!collect(rows)) return std::nullopt;
        const std::size_t skipped =
            from_ ? 0 : std::min(rows_.size(), static_cast<std::size_t>(offset));
        const std::size_t end = skipped + std::min(rows_.size() - skipped, size);
        const auto before = [this](const entry& a, const entry& b) {
            return is_backwards() ? is_before(b, a) : is_before(a, b);
        };
        if (!part_sorter(std::span(rows_), before, budget_).sort(skipped, end)) {
            return std::nullopt;
        }
        row_page page{{}, end < rows_.size(), from_.has_value()};
        for (std::size_t at = skipped; at < end; ++at) page.rows.push_back(rows_[at].row);
        if (is_backwards()) {
            std::ranges::reverse(page.rows);
            page.has_previous = std::exchange(page.has_next, true);
        }
        return page;
    }

private:
    struct entry {
        std::uint64_t prefix;
        std::size_t row;
    };
    static constexpr std::size_t rows_a_look = 1'024;

    [[nodiscard]] bool is_backwards() const noexcept { return from_ && from_->is_before; }
    [[nodiscard]] bool are_apart(std::uint64_t a, std::uint64_t b) const noexcept {
        return (a < b ? b - a : a - b) > margin_;
    }
    /// Rows that are equal by their keys are in the order of the store.
    [[nodiscard]] bool is_before(const entry& a, const entry& b) const {
        if (are_apart(a.prefix, b.prefix)) return a.prefix < b.prefix;
        const std::weak_ordering order = order_.compare(a.row, b.row);
        return order != 0 ? order < 0 : a.row < b.row;
    }
    /// Keeps the rows on the page's side of the cursor, with their prefixes.
    [[nodiscard]] bool collect(std::span<const std::size_t> rows) {
        const std::uint64_t place = from_ ? order_.prefix_of(*from_) : 0;
        rows_.reserve(rows.size());
        for (std::size_t at = 0; at < rows.size(); ++at) {
            if (at % rows_a_look == 0 && !budget_.allows(scan_budget::block)) return false;
            const entry added{order_.prefix_of(rows[at]), rows[at]};
            if (from_ && !is_beyond(added, place)) continue;
            rows_.push_back(added);
        }
        return true;
    }
    [[nodiscard]] bool is_beyond(const entry& row, std::uint64_t place) const {
        const std::weak_ordering side =
            are_apart(row.prefix, place) ? row.prefix <=> place : order_.compare(row.row, *from_);
        return from_->is_before ? side < 0 : side > 0;
    }

    const row_order& order_;
    const std::optional<cursor>& from_;
    scan_budget& budget_;
    std::uint64_t margin_;
    std::vector<entry> rows_;
};

}  // namespace sluice::store::detail

#endif
