// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_ROW_PLACE_HPP
#define SLUICE_STORE_SEARCH_ROW_PLACE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/query/cursor.hpp>
#include <sluice/query/page.hpp>
#include <sluice/store/plan/scan.hpp>

namespace sluice::store {

/// The sort keys of a row in table order, as in a cursor. The time is in milliseconds since 1970.
struct row_key {
    std::int64_t time;
    std::string_view id;
};

/// The place of a cursor's row in a snapshot, in ascending order:
///
/// ```
/// rows   | o  o  o | X | o  o  o |    X the row; late ones may take a place on either side
///             ends ^   ^ begins
/// ```
struct row_place {
    bool is_before;      ///< the page ends there, in the order of the list
    std::size_t ends;    ///< one past the last row before it
    std::size_t begins;  ///< the first row after it
};

/// Finds the row that a cursor refers to by `key`.
[[nodiscard]] inline row_place find_place(const snapshot& rows, const cursor& from,
                                          const row_key& key) {
    const std::size_t first = rows.lower_bound(key.time, key.id);
    const std::size_t end = rows.upper_bound(key.time, key.id);
    const std::size_t place = std::min(first + from.repeat, end);
    return {from.is_before, place, std::min(place + 1, end)};
}

/// Counts the rows with the same key before a row.
[[nodiscard]] inline std::uint32_t repeats_before(const snapshot& rows, std::size_t row,
                                                  const row_key& key) {
    return static_cast<std::uint32_t>(row - rows.lower_bound(key.time, key.id));
}

/// Finds the page at a place, in table order or its reverse. `find(selection, order)` returns the
/// first rows of a selection in an order, up to the page size. A page before a place is found
/// backwards from there.
template <std::invocable<const selection&, sort_order> Find>
[[nodiscard]] result<row_page> page_at(const row_place& place, selection wanted, sort_order order,
                                       const Find& find) {
    const bool is_forward = (order == sort_order::ascending) != place.is_before;
    (is_forward ? wanted.first_row : wanted.end_row) = is_forward ? place.begins : place.ends;
    result<row_page> page =
        find(wanted, is_forward ? sort_order::ascending : sort_order::descending);
    if (!page) return page;
    page->has_previous = true;
    if (place.is_before) {
        std::ranges::reverse(page->rows);
        page->has_previous = std::exchange(page->has_next, true);
    }
    return page;
}

}  // namespace sluice::store

#endif
