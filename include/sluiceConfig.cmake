# SPDX-License-Identifier: MIT
# find_package(sluice)                 sluice::sluice, the primitives
# find_package(sluice COMPONENTS api)  and sluice::api, the reference handler
include(CMakeFindDependencyMacro)

find_dependency(tl-expected)
include("${CMAKE_CURRENT_LIST_DIR}/sluiceTargets.cmake")
target_link_libraries(sluice::sluice INTERFACE tl::expected)

include("${CMAKE_CURRENT_LIST_DIR}/sluiceTimeZones.cmake")
if(NOT SLUICE_HAS_CHRONO_TIME_ZONES)
    find_dependency(date)
    target_link_libraries(sluice::sluice INTERFACE date::date-tz)
endif()

foreach(component IN LISTS sluice_FIND_COMPONENTS)
    if(component STREQUAL "api" AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/sluiceApiTargets.cmake")
        find_dependency(OpenSSL)
        find_dependency(Threads)
        find_dependency(simdjson)
        include("${CMAKE_CURRENT_LIST_DIR}/sluiceApiTargets.cmake")
        target_link_libraries(sluice::api INTERFACE simdjson::simdjson OpenSSL::Crypto
                                                    Threads::Threads)
    elseif(sluice_FIND_REQUIRED_${component})
        set(sluice_FOUND FALSE)
        set(sluice_NOT_FOUND_MESSAGE "This sluice has no component '${component}'.")
    endif()
endforeach()
