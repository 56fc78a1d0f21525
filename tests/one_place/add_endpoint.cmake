# SPDX-License-Identifier: MIT
# Copies the headers to COPY and adds `GET /short-links` to them: one new header, which is here as
# link_page.hpp, with its `#include`, and one row of the table of routes. Fails where one of the
# lines finds no place, or where it would take more of them.
#
#   cmake -DHEADERS=include -DCOPY=build/copy -P add_endpoint.cmake
include(${CMAKE_CURRENT_LIST_DIR}/insert.cmake)

file(COPY ${CMAKE_CURRENT_LIST_DIR}/link_page.hpp DESTINATION ${COPY}/include/sluice/reference/short_links)
insert(reference/service/routes.hpp "#include <sluice/reference/service/error_page.hpp>"
       "#include <sluice/reference/short_links/link_page.hpp>")
insert(reference/service/routes.hpp "route{.path = \"/openapi.json\""
       "list_route<short_link_listing>({.path = \"/short-links\", .permission = \"short-links.read\", .counts_against = quota::per_minute, .operation = \"listShortLinks\", .summary = \"Short links\"}),")

if(inserted GREATER 2)
    message(FATAL_ERROR "an endpoint takes ${inserted} lines")
endif()
file(TOUCH ${COPY}/added)
