// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_SELECTION_HPP
#define SLUICE_STORE_CONDITIONS_SELECTION_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <sluice/store/conditions/expression.hpp>

namespace sluice::store {

/// A bound of time that all rows meet.
inline constexpr std::int64_t least_time = std::numeric_limits<std::int64_t>::min();

/// The rows of a snapshot that a query selects: those that lie in both ranges and meet all
/// conditions. Times are in milliseconds since 1970, rows are numbers in the snapshot.
struct selection {
    std::int64_t first_time = least_time;                               ///< inclusive
    std::int64_t last_time = std::numeric_limits<std::int64_t>::max();  ///< inclusive
    std::size_t first_row = 0;                                          ///< inclusive
    std::size_t end_row = std::numeric_limits<std::size_t>::max();      ///< exclusive
    std::vector<condition> conditions{};                                ///< all must hold
    std::optional<expression> where{};                                  ///< must hold, too
    std::function<bool(std::size_t row)> test{};  ///< called last, for rows that meet the rest
};

/// The rows of a page, in its order, and if there are rows before and after it.
struct row_page {
    std::vector<std::size_t> rows{};
    bool has_next = false;
    bool has_previous = false;  ///< only set for a page at a cursor
};

}  // namespace sluice::store

#endif
