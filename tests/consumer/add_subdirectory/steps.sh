# SPDX-License-Identifier: MIT
mkdir third_party
mv sluice third_party/sluice
build_with_cmake
