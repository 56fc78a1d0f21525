// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_WHERE_SELECTION_HPP
#define SLUICE_STORE_CONDITIONS_WHERE_SELECTION_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <sluice/query/where.hpp>
#include <sluice/store/conditions/selection.hpp>

namespace sluice::store {

/// A function that converts a leaf to an expression of the store.
template <class Convert>
concept leaf_converter = std::is_invocable_r_v<expression, Convert&, const leaf&>;

/// Converts a list query's conditions to an expression of the store, leaf by leaf.
template <leaf_converter Convert>
[[nodiscard]] expression to_expression(const where& rows, Convert&& convert) {
    struct visitor {
        Convert& convert;

        expression leaf(const sluice::leaf& condition) const { return convert(condition); }
        static expression negation(expression operand) {
            return expression::negation(std::move(operand));
        }
        static expression group(where_kind kind, std::vector<expression> operands) {
            return kind == where_kind::conjunction ? expression::all(std::move(operands))
                                                   : expression::any(std::move(operands));
        }
    };
    return rows.visit(visitor{convert});
}

/// Adds an expression that all rows must meet. A single condition is added as one, which is faster
/// than an expression; a constant true is dropped.
inline void require(selection& of, expression wanted) {
    const expression::node& root = wanted.nodes().back();
    if (root.what == expression::kind::constant && root.value) return;
    if (root.what == expression::kind::condition) {
        of.conditions.push_back(root.rows);
    } else if (!of.where) {
        of.where = std::move(wanted);
    } else {
        of.where = expression::all({*std::move(of.where), std::move(wanted)});
    }
}

/// Adds bounds of the time that rows are sorted by. Bounds that exclude all times
/// select no rows.
inline void require(selection& of, const bounds<instant>& window) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (window.least) {
        const std::int64_t least = window.least->time_since_epoch().count();
        if (window.excludes_least && least == most) of.end_row = 0;
        of.first_time = std::max(of.first_time, least + (window.excludes_least && least < most));
    }
    if (window.most) {
        const std::int64_t last = window.most->time_since_epoch().count();
        if (window.excludes_most && last == least_time) of.end_row = 0;
        of.last_time = std::min(of.last_time, last - (window.excludes_most && last > least_time));
    }
}

}  // namespace sluice::store

#endif
