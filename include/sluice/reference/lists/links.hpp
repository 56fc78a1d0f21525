// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_LINKS_HPP
#define SLUICE_REFERENCE_LISTS_LINKS_HPP

#include <sluice/reference/lists/link_filters.hpp>

/// The list of links.
namespace sluice::reference {

/// The parameters of `GET /links`.
struct links_query : record_page, link_filters {
    static constexpr std::string_view order_by = "createdAt";
    static constexpr sort_order direction = sort_order::descending;

    static void settle(auto& bound) {
        bound.query().settle_tags();
        refuse_two_places(bound);
    }
};

/// The table of these parameters.
inline constexpr param_table links_params{links_schema, link_filter_params<links_query>(),
                                          record_place_params<links_query>(),
                                          record_page_params<links_query, page_size_max>()};

}  // namespace sluice::reference

#endif
