# SPDX-License-Identifier: MIT
# find_package(sluice)                 sluice::sluice, and sluice::api and sluice::hiredis for whoever
#                                      has their packages
# find_package(sluice COMPONENTS api)  fails where a package of sluice::api is missing; so do
#                                      store and service, and where they were not built
include(CMakeFindDependencyMacro)
include("${CMAKE_CURRENT_LIST_DIR}/sluiceRequirements.cmake")

find_dependency(tl-expected)
sluice_check_version(tl-expected FATAL_ERROR)
if(NOT SLUICE_HAS_CHRONO_TIME_ZONES)
    find_dependency(date)
    sluice_check_version(date FATAL_ERROR)
endif()
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}") # for Findmbedtls.cmake
if(sluice_FIND_COMPONENTS MATCHES "(^|;)(api|store|service)($|;)")
    find_dependency(Threads)
    foreach(package IN ITEMS simdjson mbedtls)
        find_dependency(${package})
        sluice_check_version(${package} FATAL_ERROR)
    endforeach()
else()
    find_package(Threads QUIET)
    foreach(package IN ITEMS simdjson mbedtls)
        find_package(${package} QUIET)
        sluice_check_version(${package} WARNING)
    endforeach()
endif()
list(POP_BACK CMAKE_MODULE_PATH)

include("${CMAKE_CURRENT_LIST_DIR}/sluiceTargets.cmake")
target_link_libraries(sluice::sluice INTERFACE tl::expected)
if(NOT SLUICE_HAS_CHRONO_TIME_ZONES)
    target_link_libraries(sluice::sluice INTERFACE date::date-tz)
endif()
foreach(target IN ITEMS simdjson::simdjson MbedTLS::mbedcrypto Threads::Threads)
    if(NOT TARGET ${target}) # whose name CMake prints to whoever links sluice::api
        set(target "sluice::api needs ${target}: install its package")
    endif()
    target_link_libraries(sluice::api INTERFACE "${target}")
endforeach()

sluice_find_hiredis()
target_link_libraries(sluice::hiredis INTERFACE ${sluice_hiredis_targets})
if("hiredis" IN_LIST sluice_FIND_COMPONENTS AND NOT TARGET PkgConfig::hiredis)
    set(sluice_FOUND FALSE)
    set(sluice_NOT_FOUND_MESSAGE "${sluice_hiredis_targets}")
endif()

foreach(component IN LISTS sluice_FIND_COMPONENTS)
    if(NOT TARGET sluice::${component} AND sluice_FIND_REQUIRED_${component})
        set(sluice_FOUND FALSE)
        set(sluice_NOT_FOUND_MESSAGE "This sluice has no component '${component}'.")
    endif()
endforeach()
