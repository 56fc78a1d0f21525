// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SHORT_LINKS_LINK_PAGE_HPP
#define SLUICE_REFERENCE_SHORT_LINKS_LINK_PAGE_HPP

#include <sluice/reference/service/record_lists.hpp>

namespace sluice::reference {

/// The parameters of `GET /short-links`.
struct short_links_query : list_page {
    static constexpr std::string_view order_by = "id";
    static constexpr sort_order direction = sort_order::ascending;

    filter domain{}, folder_id{};
};

/// The table of these parameters.
inline constexpr param_table short_links_params{
    links_schema,
    filter_param<&short_links_query::domain>(
        {.name = "domain", .column = "domain", .help = "domain of the links"}),
    filter_param<&short_links_query::folder_id>(
        {.name = "folderId", .column = "folderId", .help = "ID of the links' folder"}),
    record_page_params<short_links_query, page_size_max>()};

using short_link_listing = record_requests<link, short_links_params, detail::link_schema_name>;

}  // namespace sluice::reference

#endif
