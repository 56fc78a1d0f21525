# SPDX-License-Identifier: MIT
build_with_cmake
