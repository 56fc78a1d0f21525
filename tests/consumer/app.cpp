// SPDX-License-Identifier: MIT
#include <iostream>

#include <sluice/sluice.hpp>

int main() {
    const auto country = sluice::parse_filter("-US,CA");
    if (!country) {
        std::cerr << sluice::message(country.error()) << '\n';
        return 1;
    }
    const bool passes = country->matches("FR");
    std::cout << (passes ? "FR passes\n" : "FR does not pass\n");
    return passes ? 0 : 1;
}
