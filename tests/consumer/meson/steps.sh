# SPDX-License-Identifier: MIT
install_package
{ cat meson.build.in && guide meson; } >meson.build
meson setup build && meson compile -C build && build/app && build/service
