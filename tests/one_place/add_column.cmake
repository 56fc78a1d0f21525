# SPDX-License-Identifier: MIT
# Copies the headers to COPY and adds a stored click column `asn` to them, an integer with a filter
# and ranges. That takes one line in each of three tables and nothing anywhere else: fails where one
# of the lines finds no place, or where it would take more of them.
#
#   cmake -DHEADERS=include -DCOPY=build/copy -P add_column.cmake
include(${CMAKE_CURRENT_LIST_DIR}/insert.cmake)

insert(reference/records/records.hpp "SLUICE_FIELD(trigger, choice"
       "SLUICE_FIELD(asn, nullable_integer, \"asn\", repeated, \"number of the visitor's network\");")
insert(reference/events/events_query.hpp "filter_param<&events_query::trigger"
       "named_integer_params<&events_query::others, \"asn\">({.column = \"click.asn\"}),")
insert(reference/sample/records.hpp ".trigger ="
       ".asn = static_cast<std::int64_t>(64'496 + event.address % 16),")

if(inserted GREATER 3)
    message(FATAL_ERROR "a column takes ${inserted} lines")
endif()
file(TOUCH ${COPY}/added)
