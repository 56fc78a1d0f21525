// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_LIST_PAGE_HPP
#define SLUICE_REFERENCE_SEARCH_LIST_PAGE_HPP

#include <string>

#include <sluice/query/list_query.hpp>

namespace sluice::reference {

/// A page of a list: the JSON array of its rows.
struct json_page : page_info {
    std::string body;
};

}  // namespace sluice::reference

#endif
