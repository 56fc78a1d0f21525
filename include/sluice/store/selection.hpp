// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SELECTION_HPP
#define SLUICE_STORE_SELECTION_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <sluice/store/expression.hpp>

namespace sluice::store {

/// Which rows of a snapshot a query takes: those in a time range that meet all of the rest.
struct selection {
    std::int64_t first_time = std::numeric_limits<std::int64_t>::min();  ///< inclusive
    std::int64_t last_time = std::numeric_limits<std::int64_t>::max();   ///< inclusive
    std::vector<condition> conditions{};
    std::optional<expression> where{};
    std::function<bool(std::size_t row)> test{};  ///< asked last, of rows that meet the others
};

/// The rows of a page, and whether more follow.
struct row_page {
    std::vector<std::size_t> rows{};
    bool has_next = false;
};

}  // namespace sluice::store

#endif
