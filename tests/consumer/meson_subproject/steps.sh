# SPDX-License-Identifier: MIT
install_dependencies
export CPATH=$HOME/.local/include LIBRARY_PATH=$HOME/.local/lib
mkdir subprojects
mv sluice subprojects/sluice
{ cat meson.build.in && guide meson; } >meson.build
meson setup build && meson compile -C build && build/app && build/service
