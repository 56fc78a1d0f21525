# SPDX-License-Identifier: MIT
install_package
bash -euc "$(readme sh)"
./app
./service
