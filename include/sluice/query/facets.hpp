// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_FACETS_HPP
#define SLUICE_QUERY_FACETS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/list_query.hpp>

namespace sluice {

/// The default and the largest number of values of a facet.
inline constexpr std::int64_t facet_values_default = 10;
inline constexpr std::int64_t facet_values_max = 100;

/// A value of a column, and the number of rows that have it.
struct facet_value {
    aggregate_value value{};
    std::int64_t count = 0;

    friend bool operator==(const facet_value& a, const facet_value& b) {
        return a.count == b.count && detail::hold_equal(a.value, b.value);
    }
};
/// The most frequent values of a column, equally frequent ones in ascending order. Missing values
/// are left out.
struct facet {
    column by{};
    std::vector<facet_value> values{};

    friend bool operator==(const facet&, const facet&) = default;
};

/// Returns the aggregate query of a facet of a list: the counts of a column's values, under the
/// list's conditions without those on the column. Any engine answers it; see to_facet().
[[nodiscard]] inline aggregate_query facet_query(const list_query& query, const column& by,
                                                 std::int64_t values = facet_values_default) {
    return {.resource = query.resource,
            .rows = without_column(query.rows, by.name),
            .group_by = {{.by = by}},
            .order = {{.is_measure = true, .direction = sort_order::descending}},
            .limit = values + 1};  // missing values may be among them
}
/// Returns the facet of the answer to facet_query().
[[nodiscard]] inline facet to_facet(const column& by, aggregate_result&& rows,
                                    std::int64_t values = facet_values_default) {
    facet of{by, {}};
    for (aggregate_row& row : rows) {
        if (std::holds_alternative<std::monostate>(row.groups[0])) continue;
        if (of.values.size() == static_cast<std::size_t>(values)) break;
        of.values.push_back({std::move(row.groups[0]), std::get<std::int64_t>(row.measures[0])});
    }
    return of;
}
/// Checks the number of a facet's values. Errors: number_too_small, number_too_large.
[[nodiscard]] inline result<void> check_facet_values(std::int64_t values) {
    if (values < 1) return fail_beyond(rule::number_too_small, 1);
    if (values > facet_values_max) return fail_beyond(rule::number_too_large, facet_values_max);
    return {};
}

}  // namespace sluice

#endif
