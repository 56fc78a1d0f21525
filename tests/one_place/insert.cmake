# SPDX-License-Identifier: MIT
# What the scripts beside this one have in common: they copy the headers of HEADERS to COPY, insert
# lines there, and count them in `inserted`.
file(REMOVE_RECURSE ${COPY})
file(COPY ${HEADERS} DESTINATION ${COPY})
set(inserted 0)

# Inserts a line before the first one of a file that begins with `mark`, as far in as that one; fails
# where none does.
function(insert file mark line)
    set(path ${COPY}/include/sluice/reference/${file})
    file(READ ${path} text)
    string(FIND "${text}" "${mark}" place)
    string(SUBSTRING "${text}" 0 ${place} before)
    string(FIND "${before}" "\n" end_of_line REVERSE)
    math(EXPR begin "${end_of_line} + 1")
    string(SUBSTRING "${before}" ${begin} -1 indentation)
    if(place EQUAL -1 OR NOT indentation MATCHES "^ *$")
        message(FATAL_ERROR "${file} has no line that begins with ${mark}")
    endif()
    string(SUBSTRING "${text}" 0 ${begin} before)
    string(SUBSTRING "${text}" ${begin} -1 after)
    file(WRITE ${path} "${before}${indentation}${line}\n${after}")
    math(EXPR inserted "${inserted} + 1")
    set(inserted ${inserted} PARENT_SCOPE)
endfunction()
