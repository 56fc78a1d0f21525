// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SCAN_HPP
#define SLUICE_STORE_SCAN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <sluice/page.hpp>
#include <sluice/store/code_set.hpp>
#include <sluice/store/table.hpp>

namespace sluice::store {

/// The rows whose code in a column is one of a set. The set covers the codes of the rows scanned.
struct condition {
    std::size_t column;
    code_set accepted;
};

/// Which rows of a snapshot a query takes: those in a time range that meet all conditions.
struct selection {
    std::int64_t first_time = std::numeric_limits<std::int64_t>::min();  ///< inclusive
    std::int64_t last_time = std::numeric_limits<std::int64_t>::max();   ///< inclusive
    std::vector<condition> conditions{};
    std::function<bool(std::size_t row)> test{};  ///< asked last, of rows that meet the others
};

/// The rows of a page, and whether more follow.
struct row_page {
    std::vector<std::size_t> rows{};
    bool has_next = false;
};

/// Evaluates a selection strip by strip: 4,096 rows at a time, each condition narrowing the list of
/// rows that the next one looks at, so that a page reads no further than its last row.
class scan {
public:
    /// Views both arguments.
    scan(const snapshot& rows, const selection& wanted)
        : rows_(rows),
          wanted_(wanted),
          first_(rows.lower_bound(wanted.first_time, {})),
          last_(std::max(first_, rows.upper_bound(wanted.last_time))) {}

    /// How many rows match.
    [[nodiscard]] std::int64_t count() {
        if (wanted_.conditions.empty() && !wanted_.test) {
            return static_cast<std::int64_t>(last_ - first_);
        }
        std::int64_t matching = 0;
        for (std::size_t at = first_; at < last_; at = strip_end(at)) {
            matching += static_cast<std::int64_t>(match(at, strip_end(at)));
        }
        return matching;
    }

    /// The rows of one page in an order, `offset` and `limit` counted in matching rows.
    [[nodiscard]] row_page page(sort_order order, std::int64_t offset, std::int64_t limit) {
        row_page result;
        if (order == sort_order::ascending) {
            for (std::size_t at = first_; at < last_ && !result.has_next; at = strip_end(at)) {
                const std::size_t found = match(at, strip_end(at));
                for (std::size_t i = 0; i < found; ++i) take(result, i, offset, limit);
            }
        } else {
            for (std::size_t at = last_; at > first_ && !result.has_next;) {
                const std::size_t end = std::exchange(at, strip_begin(at));
                for (std::size_t i = match(at, end); i > 0; --i) take(result, i - 1, offset, limit);
            }
        }
        return result;
    }

private:
    static constexpr std::size_t strip = 4096;  // divides block::capacity

    [[nodiscard]] std::size_t strip_end(std::size_t begin) const noexcept {
        return std::min(last_, begin - begin % strip + strip);
    }
    [[nodiscard]] std::size_t strip_begin(std::size_t end) const noexcept {
        return std::max(first_, (end - 1) - (end - 1) % strip);
    }

    void take(row_page& page, std::size_t match, std::int64_t& offset, std::int64_t limit) const {
        if (offset > 0) {
            --offset;
        } else if (page.rows.size() == static_cast<std::size_t>(limit)) {
            page.has_next = true;
        } else {
            page.rows.push_back(matches_[match]);
        }
    }

    /// Lists the matching rows of a strip in `matches_` and returns how many there are.
    std::size_t match(std::size_t begin, std::size_t end) {
        std::iota(matches_.begin(), matches_.begin() + static_cast<std::ptrdiff_t>(end - begin),
                  begin);
        std::size_t found = end - begin;
        const block& rows = rows_.block_of(begin);
        for (const condition& each : wanted_.conditions) {
            const code* const codes = rows.codes(each.column);
            found = keep(found, [&](std::size_t row) {
                return each.accepted.contains(codes[row % block::capacity]);
            });
        }
        return wanted_.test ? keep(found, wanted_.test) : found;
    }
    /// Keeps those of the first `found` matches that pass a test, without a branch on the outcome.
    template <class Test>
    std::size_t keep(std::size_t found, const Test& passes) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < found; ++i) {
            const std::size_t row = matches_[i];
            matches_[kept] = row;
            kept += passes(row) ? 1 : 0;
        }
        return kept;
    }

    const snapshot& rows_;
    const selection& wanted_;
    std::size_t first_;
    std::size_t last_;
    std::array<std::size_t, strip> matches_;
};

}  // namespace sluice::store

#endif
