# SPDX-License-Identifier: MIT
include(CMakeFindDependencyMacro)
find_dependency(sluice)
include("${CMAKE_CURRENT_LIST_DIR}/appTargets.cmake")
