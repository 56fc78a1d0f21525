# SPDX-License-Identifier: MIT
install_package
build_with_cmake
