# SPDX-License-Identifier: MIT
install_package
guide cmake >guide.cmake
cmake -B build && cmake --build build && build/limits
