# SPDX-License-Identifier: MIT
# Copies the headers to COPY and adds a collation `prefix` to them: language tags without case, of
# which `en` equals `en-US`. That takes an enumerator and its record, in one header. Fails where one
# of the lines finds no place, where the enumerator compiles without its record, or where it would
# take more lines.
#
#   cmake -DHEADERS=include -DCOPY=build/copy -DCXX=g++ -P add_collation.cmake
include(${CMAKE_CURRENT_LIST_DIR}/insert.cmake)

set(collations filters/collation.hpp)
insert(${collations} "url = detail::collation_number"
       "prefix = detail::collation_number(\"prefix\"),")
expect_error(${collations} "detail::collation_number(\"prefix\")")
insert(${collations} "collation_record{.name = \"url\""
       "collation_record{.name = \"prefix\", .help = \"'en' equals 'en-US' too\",
                     .ignores_case = true, .part = text_part{text_part::side::before, '-'}},")

if(inserted GREATER 2)
    message(FATAL_ERROR "a collation takes ${inserted} lines")
endif()
file(TOUCH ${COPY}/added)
