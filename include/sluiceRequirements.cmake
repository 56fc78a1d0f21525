# SPDX-License-Identifier: MIT
# What sluice needs, read where it is built and where it is found.

# The oldest versions that it is tested with.
set(sluice_minimum_tl-expected 1.0)
set(sluice_minimum_date 3.0)
set(sluice_minimum_simdjson 3.0)
set(sluice_minimum_mbedtls 2.28)
set(sluice_minimum_OpenSSL 3.0)
set(sluice_minimum_doctest 2.4)
set(sluice_minimum_CLI11 2.1)
set(sluice_minimum_pybind11 3.0)

# Says, with FATAL_ERROR or WARNING, that the package that was found is older than that. It may also
# have been fetched, or be missing, which others name.
function(sluice_check_version package severity)
    if(${package}_VERSION AND ${package}_VERSION VERSION_LESS sluice_minimum_${package})
        message(${severity} "sluice needs ${package} ${sluice_minimum_${package}} or newer, "
                            "but found ${${package}_VERSION} in ${${package}_DIR}")
    endif()
endfunction()

# Finds hiredis, which has a package for pkg-config, and sets sluice_hiredis_targets: with hiredis_ssl,
# which is there from 1.0 on. Without hiredis it is a sentence, which CMake prints to whoever links it.
macro(sluice_find_hiredis) # GLOBAL, or nothing
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(hiredis QUIET IMPORTED_TARGET ${ARGN} hiredis>=0.14)
        pkg_check_modules(hiredis_ssl QUIET IMPORTED_TARGET ${ARGN} hiredis_ssl>=1.0)
    endif()
    set(sluice_hiredis_targets "sluice::hiredis needs hiredis 0.14 or newer: install its package")
    if(TARGET PkgConfig::hiredis)
        set(sluice_hiredis_targets PkgConfig::hiredis)
    endif()
    if(TARGET PkgConfig::hiredis_ssl)
        list(APPEND sluice_hiredis_targets PkgConfig::hiredis_ssl)
    endif()
endmacro()

# SLUICE_HAS_CHRONO_TIME_ZONES: where the standard library has no time zones,
# <sluice/time/system_zones.hpp> takes them from date::date-tz. Asked anew wherever the package is
# found: the compiler there may be another than the one here.
include(CheckCXXSourceCompiles)

function(sluice_check_time_zones)
    set(CMAKE_CXX_STANDARD 20)
    check_cxx_source_compiles(
        "
        #include <chrono>
        #if __cpp_lib_chrono < 201907L
        #error no time zones
        #endif
        int main() {}
        "
        SLUICE_HAS_CHRONO_TIME_ZONES)
endfunction()
sluice_check_time_zones()
