// SPDX-License-Identifier: MIT
// The primitives, compiled with -fno-exceptions -fno-rtti and used once.
#include <sluice/sluice.hpp>

int main() {
    const auto country = sluice::parse_filter("-US,CA");
    if (!country || country->matches("US")) return 1;
    return sluice::parse_filter("US,-CA") ? 1 : 0;
}
