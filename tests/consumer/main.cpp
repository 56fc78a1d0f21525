// SPDX-License-Identifier: MIT
#include <iostream>
#include <string_view>

#include <sluice/sluice.hpp>

int main() {
    const auto country = sluice::parse_filter("-US,CA");
    if (!country) {
        std::cerr << sluice::message(country.error()) << '\n';
        return 1;
    }
    const std::string_view row = "FR";
    std::cout << row << (country->matches(row) ? " passes\n" : " does not pass\n");
    return country->matches(row) ? 0 : 1;
}
