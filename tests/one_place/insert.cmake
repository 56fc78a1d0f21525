# SPDX-License-Identifier: MIT
# What the scripts beside this one have in common: they copy the headers of HEADERS to COPY, insert
# lines there, count them in `inserted`, and list the files in `touched`.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${COPY})
file(COPY ${HEADERS} DESTINATION ${COPY})
set(inserted 0)
set(touched)

# Inserts a line before the first one of a file that begins with `mark`, as far in as that one; fails
# where none does.
function(insert file mark line)
    set(path ${COPY}/include/sluice/${file})
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
    list(APPEND touched ${file})
    list(REMOVE_DUPLICATES touched)
    set(inserted ${inserted} PARENT_SCOPE)
    set(touched ${touched} PARENT_SCOPE)
endfunction()

# Replaces a text in a file, which counts as a line.
function(replace file text by)
    set(path ${COPY}/include/sluice/${file})
    file(READ ${path} before)
    string(REPLACE "${text}" "${by}" after "${before}")
    if(after STREQUAL before)
        message(FATAL_ERROR "${file} has no ${text}")
    endif()
    file(WRITE ${path} "${after}")
    math(EXPR inserted "${inserted} + 1")
    list(APPEND touched ${file})
    list(REMOVE_DUPLICATES touched)
    set(inserted ${inserted} PARENT_SCOPE)
    set(touched ${touched} PARENT_SCOPE)
endfunction()

# Fails unless the compiler CXX refuses a header of the copy with a message that has `text`.
function(expect_error header text)
    list(REMOVE_ITEM INCLUDES "")
    list(TRANSFORM INCLUDES PREPEND -I OUTPUT_VARIABLE includes)
    execute_process(
        COMMAND ${CXX} -std=c++20 -fsyntax-only -Werror=switch -x c++ -I${COPY}/include ${includes}
                ${COPY}/include/sluice/${header}
        RESULT_VARIABLE failed
        ERROR_VARIABLE message)
    string(FIND "${message}" "${text}" place)
    if(NOT failed OR place EQUAL -1)
        message(FATAL_ERROR "expected an error of ${header} that has ${text}, not: ${message}")
    endif()
endfunction()
