// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_AGGREGATE_HPP
#define SLUICE_STORE_AGGREGATE_HPP

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/facets.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/store/column_store.hpp>
#include <sluice/store/conditions/scan_budget.hpp>

/// Groups, measures and facets of the rows of a store.
namespace sluice::store {

/// Returns the groups of an aggregate query.
///
/// ```
/// const sluice::aggregate_query query{
///     .group_by = {{.by = *columns.find("country")}},
///     .measures = {{}, {sluice::measure_kind::sum, *columns.find("total")}},
///     .order = {{.is_measure = true, .direction = sluice::sort_order::descending}},
///     .limit = 10};
/// const auto groups = sluice::store::aggregate(orders.current(), query);
/// if (groups) std::cout << sluice::to_json(query, *groups);
/// ```
///
/// Errors: those of check(); field_unknown for a group or measure of a column that the store lacks;
/// list_too_long for more than aggregate_groups_max groups; number_too_large for a sum of decimals
/// beyond 10,000 digits; those of select(), except for cursors.
[[nodiscard]] result<aggregate_result> aggregate(const stored_rows& rows,
                                                 const aggregate_query& query,
                                                 const scan_options& options = {});

/// Returns the most frequent values of some columns, each under the conditions of a list query on
/// other columns; see facet_query(). All are counted in one pass over the rows, within the limits.
///
/// ```
/// const auto facets = sluice::store::facets(orders.current(), query,
///                                           {{*columns.find("country"), *columns.find("tags")}});
/// ```
///
/// Errors are those of aggregate(); number_too_small and number_too_large of `values`, which is at
/// most facet_values_max; not_applicable for a `search`.
[[nodiscard]] result<std::vector<facet>> facets(const stored_rows& rows, const list_query& query,
                                                std::span<const column> columns,
                                                std::int64_t values = facet_values_default,
                                                const scan_options& options = {});

}  // namespace sluice::store

#if SLUICE_STORE_DEFINED
#include <sluice/store/columns/stored_columns.hpp>
#include <sluice/store/groups/group_search.hpp>

namespace sluice::store {

SLUICE_STORE_INLINE result<aggregate_result> aggregate(const stored_rows& rows,
                                                       const aggregate_query& query,
                                                       const scan_options& options) {
    return check(query).and_then(
        [&] { return group_search(rows.rows(), rows.columns(), query, options).run(); });
}

SLUICE_STORE_INLINE result<std::vector<facet>> facets(const stored_rows& rows,
                                                      const list_query& query,
                                                      std::span<const column> columns,
                                                      std::int64_t values,
                                                      const scan_options& options) {
    if (!query.search.empty()) return fail_in(rule::not_applicable, "search");
    if (auto checked = check_facet_values(values); !checked) {
        return tl::unexpected(checked.error());
    }
    for (const column& by : columns) {
        if (auto checked = check(group_key{.by = by}); !checked)
            return tl::unexpected(checked.error());
    }
    return facet_search(rows.rows(), rows.columns(), query, columns, values, options).run();
}

}  // namespace sluice::store
#endif

#endif
