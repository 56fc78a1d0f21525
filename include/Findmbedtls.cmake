# SPDX-License-Identifier: MIT
# Mbed TLS's cryptography as MbedTLS::mbedcrypto. Before version 3 it has no package for CMake: its
# header and library are looked for then, the static one first, which takes 20 KB of a program.
find_package(MbedTLS CONFIG QUIET)
set(mbedtls_VERSION "${MbedTLS_VERSION}")
if(NOT TARGET MbedTLS::mbedcrypto)
    find_path(mbedtls_INCLUDE_DIR mbedtls/version.h)
    find_library(mbedtls_LIBRARY NAMES libmbedcrypto.a mbedcrypto)
    mark_as_advanced(mbedtls_INCLUDE_DIR mbedtls_LIBRARY)
    if(mbedtls_INCLUDE_DIR AND mbedtls_LIBRARY)
        set(line "define MBEDTLS_VERSION_STRING +\"")
        file(STRINGS "${mbedtls_INCLUDE_DIR}/mbedtls/version.h" line REGEX "${line}")
        string(REGEX MATCH "[0-9.]+" mbedtls_VERSION "${line}")
        add_library(MbedTLS::mbedcrypto UNKNOWN IMPORTED)
        set_target_properties(
            MbedTLS::mbedcrypto PROPERTIES IMPORTED_LOCATION "${mbedtls_LIBRARY}"
                                           INTERFACE_INCLUDE_DIRECTORIES "${mbedtls_INCLUDE_DIR}")
    endif()
endif()
if(TARGET MbedTLS::mbedcrypto)
    set(mbedtls_TARGET MbedTLS::mbedcrypto)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
    mbedtls REQUIRED_VARS mbedtls_TARGET VERSION_VAR mbedtls_VERSION
    REASON_FAILURE_MESSAGE "sluice::api needs Mbed TLS: Debian's libmbedtls-dev")
