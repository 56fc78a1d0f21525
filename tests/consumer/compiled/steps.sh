# SPDX-License-Identifier: MIT
(cd sluice && bash -euc "$(guide sh)") >install.log
install_dependencies
guide cmake >guide.cmake
cmake -B build && cmake --build build && build/service && build/orders
bash -euc "$(guide bash)"
./answers
./orders
