# SPDX-License-Identifier: MIT
# Sets SLUICE_HAS_CHRONO_TIME_ZONES. Where the standard library has no time zones,
# <sluice/system_time_zones.hpp> takes them from date::date-tz. Asked anew wherever the package is
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
