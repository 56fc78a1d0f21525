# SPDX-License-Identifier: MIT
# Runs the port in third_party/sluice, and installs it in packages/.
set(CURRENT_PACKAGES_DIR "${CMAKE_CURRENT_BINARY_DIR}/packages")
set(built "${CMAKE_CURRENT_BINARY_DIR}/port")

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${built} -DFETCHCONTENT_FULLY_DISCONNECTED=ON
                -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${built} --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Moves a CMake package to share/<port>, one folder nearer to the prefix.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
    set(config "${CURRENT_PACKAGES_DIR}/share/sluice")
    file(COPY "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/" DESTINATION "${config}")
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}")
    file(READ "${config}/sluiceTargets.cmake" targets)
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    string(REPLACE "${up}${up}${up}" "${up}${up}" targets "${targets}")
    file(WRITE "${config}/sluiceTargets.cmake" "${targets}")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
    file(READ "${arg_FILE_LIST}" text)
    file(WRITE "${CURRENT_PACKAGES_DIR}/share/sluice/copyright" "${text}")
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/third_party/sluice/.vcpkg/sluice/portfile.cmake")
