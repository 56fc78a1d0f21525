# SPDX-License-Identifier: MIT
git init -q
bash -euc "$(readme sh)"
readme cmake >readme.cmake
cmake -B build && cmake --install build --prefix "$HOME/.local"
cmake -S user -B build/user && cmake --build build/user && build/user/app_user
