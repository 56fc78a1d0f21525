# SPDX-License-Identifier: MIT
# The build lists its files: fails where a header or source of ROOT is in no list.
cmake_minimum_required(VERSION 3.25)

function(check room pattern)
    file(GLOB_RECURSE files RELATIVE ${ROOT}/${room} ${ROOT}/${room}/${pattern})
    list(FILTER files EXCLUDE REGEX "^(consumer|wasm)/") # projects of their own
    file(READ ${ROOT}/${room}/CMakeLists.txt text)
    string(REPLACE "\${CMAKE_CURRENT_SOURCE_DIR}/" "" text "${text}")
    string(REGEX MATCHALL "[^ \n()]+" listed "${text}")
    foreach(file IN LISTS files)
        cmake_path(GET file STEM program) # examples and benchmarks are listed as programs
        if(NOT file IN_LIST listed AND NOT (room MATCHES "examples|bench" AND program IN_LIST listed))
            message(SEND_ERROR "${room}/CMakeLists.txt does not list ${file}")
        endif()
    endforeach()
endfunction()

check(include *.hpp)
foreach(room IN ITEMS tests examples bindings bindings/wasm bench)
    check(${room} *.cpp)
endforeach()
