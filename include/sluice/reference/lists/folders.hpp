// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_FOLDERS_HPP
#define SLUICE_REFERENCE_LISTS_FOLDERS_HPP

#include <sluice/reference/lists/record_columns.hpp>
#include <sluice/reference/lists/record_query.hpp>

/// The list of folders.
namespace sluice::reference {

/// The parameters of `GET /folders`.
struct folders_query : list_page {
    static constexpr std::string_view order_by = "name";
    static constexpr sort_order direction = sort_order::ascending;

    folders_query() { limit = page_size_short; }

    std::optional<std::string> search{};
};

/// The table of these parameters.
inline constexpr param_table folders_params{
    folders_schema,
    search_param<&folders_query::search>(
        {.name = "search", .help = "part of the folder's name, in any case", .example = "spring"}),
    record_page_params<folders_query, page_size_short>()};

}  // namespace sluice::reference

#endif
