// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_DOMAINS_HPP
#define SLUICE_REFERENCE_LISTS_DOMAINS_HPP

#include <sluice/reference/lists/record_columns.hpp>
#include <sluice/reference/lists/record_query.hpp>

/// The list of domains.
namespace sluice::reference {

/// The parameters of `GET /domains`.
struct domains_query : list_page {
    static constexpr std::string_view order_by = "createdAt";
    static constexpr sort_order direction = sort_order::descending;

    domains_query() { limit = page_size_short; }

    bool archived = false;  ///< show archived domains too
    std::optional<std::string> search{};
};

/// The table of these parameters.
inline constexpr param_table domains_params{
    domains_schema,
    flag_param<&domains_query::archived, false, archived_column, boolean_test{false}>(
        {.name = "archived", .help = "true: archived domains too"}),
    search_param<&domains_query::search>(
        {.name = "search", .help = "part of the domain's name, in any case", .example = "acme"}),
    record_page_params<domains_query, page_size_short>()};

}  // namespace sluice::reference

#endif
