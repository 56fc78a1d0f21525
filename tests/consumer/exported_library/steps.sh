# SPDX-License-Identifier: MIT
git init -q
bash -euc "$(guide sh)"
guide cmake >guide.cmake
cmake -B build && cmake --install build --prefix "$HOME/.local"
cmake -S user -B build/user && cmake --build build/user && build/user/app_user
