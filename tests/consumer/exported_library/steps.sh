# SPDX-License-Identifier: MIT
git init -q
bash -euc "$(guide sh)"
guide cmake >guide.cmake
cmake -B build && cmake --install build --prefix "$HOME/.local"
[[ ! -e $HOME/.local/include/tl && ! -e $HOME/.local/include/date ]] # what was fetched isn't installed
install_dependencies
cmake -S user -B build/user && cmake --build build/user && build/user/app_user
