# SPDX-License-Identifier: MIT
mkdir subprojects
mv sluice subprojects/sluice
{ cat meson.build.in && guide meson; } >meson.build
meson setup build && meson compile -C build && build/app && build/service
