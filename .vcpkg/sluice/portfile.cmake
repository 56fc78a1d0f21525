# SPDX-License-Identifier: MIT
# The port of this checkout: headers alone, found by sluice's own CMake package.
set(VCPKG_BUILD_TYPE release) # which serves every configuration
cmake_path(NORMAL_PATH CMAKE_CURRENT_LIST_DIR OUTPUT_VARIABLE port)
cmake_path(GET port PARENT_PATH ports)
cmake_path(GET ports PARENT_PATH checkout)

vcpkg_cmake_configure(SOURCE_PATH "${checkout}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/sluice)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/cmake" "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${checkout}/LICENSE")
