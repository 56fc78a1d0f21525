# SPDX-License-Identifier: MIT
# The build lists its files by name: fails where a source of ROOT is in no list.
foreach(room IN ITEMS include tests examples bindings bench)
    file(GLOB_RECURSE files RELATIVE ${ROOT}/${room} ${ROOT}/${room}/*.hpp ${ROOT}/${room}/*.cpp)
    list(FILTER files EXCLUDE REGEX "^consumer/") # projects of their own
    if(files)
        file(READ ${ROOT}/${room}/CMakeLists.txt text)
        string(REGEX MATCHALL "[^ \n()]+" listed "${text}")
        list(REMOVE_ITEM files ${listed})
    endif()
    foreach(file IN LISTS files)
        message(SEND_ERROR "${room}/CMakeLists.txt does not list ${file}")
    endforeach()
endforeach()
