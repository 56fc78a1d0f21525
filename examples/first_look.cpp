// SPDX-License-Identifier: MIT
#include <iostream>

#include <sluice/sluice.hpp>

int main() {
    const auto countries = sluice::parse_filter("-US,CA");  // all but two
    if (!countries) return 1;
    std::cout << countries->matches("FR") << countries->matches("US") << '\n';  // 10

    const auto refused = sluice::parse_filter("US,-CA");
    if (!refused) std::cout << sluice::message(refused.error()) << '\n';
    // '-' before a single item (at byte 3), exclude the whole list with one leading '-', or ...
}
