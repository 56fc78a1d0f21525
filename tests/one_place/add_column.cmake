# SPDX-License-Identifier: MIT
# Copies the headers to COPY and adds a stored click column `asn` to them, an integer with a filter
# and ranges.
# That takes one line in each of three tables and nothing anywhere else: fails where one of the
# lines finds no place, or where it would take more of them.
#
#   cmake -DHEADERS=include -DCOPY=build/copy -P add_column.cmake
set(inserted 0)

# Inserts a line before the first one of a file that begins with `mark`.
function(insert file mark line)
    set(path ${COPY}/include/sluice/api/${file})
    file(READ ${path} text)
    string(FIND "${text}" " ${mark}" place)
    if(place EQUAL -1)
        message(FATAL_ERROR "${file} has no line that begins with ${mark}")
    endif()
    string(SUBSTRING "${text}" 0 ${place} before)
    string(FIND "${before}" "\n" place REVERSE)
    string(SUBSTRING "${text}" 0 ${place} before)
    string(SUBSTRING "${text}" ${place} -1 after)
    file(WRITE ${path} "${before}\n    ${line}${after}")
    math(EXPR inserted "${inserted} + 1")
    set(inserted ${inserted} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${COPY})
file(COPY ${HEADERS} DESTINATION ${COPY})

insert(records/records.hpp "SLUICE_FIELD(trigger, choice"
       "SLUICE_FIELD(asn, nullable_integer, \"asn\", repeated, \"number of the visitor's network\");")
insert(events/events_query.hpp "filter_param<&events_query::trigger"
       "named_integer_params<&events_query::others, \"asn\">({.column = \"click.asn\"}),")
insert(sample/records.hpp ".trigger ="
       ".asn = static_cast<std::int64_t>(64'496 + made.address % 16),")

if(inserted GREATER 3)
    message(FATAL_ERROR "a column takes ${inserted} lines")
endif()
file(TOUCH ${COPY}/added)
