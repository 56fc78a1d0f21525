# SPDX-License-Identifier: MIT
# The header that the guide makes stands alone, without a warning, and gives what the others give.
install_dependencies
export CPATH=$HOME/.local/include
(cd sluice && bash -euc "$(guide sh)")
mkdir -p include/sluice
mv sluice/sluice.hpp include/sluice/
example=sluice/examples/quickstart.cpp
g++ -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-restrict -Werror -Iinclude $example -o one
g++ -std=c++20 -Isluice/include $example -o many
diff <(./one) <(./many)
