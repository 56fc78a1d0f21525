# SPDX-License-Identifier: MIT
install_package
bash -euc "$(guide sh)"
./app
./service
