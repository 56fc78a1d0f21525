// SPDX-License-Identifier: MIT
// Values: decimals, hashes, order, text, and results that compose.
#include <iostream>
#include <set>
#include <unordered_map>

#include <sluice/sluice.hpp>

// Returns the cents of a price such as `19.9`.
sluice::result<std::int64_t> cents_of(std::string_view text) {
    return sluice::parse_decimal_number(text).and_then(
        [](const sluice::decimal_number& price) { return sluice::to_integer(price, 2); });
}

int main() {
    // A decimal is exact: from an integer and its scale, a text or a double, and back.
    const sluice::decimal_number price(1999, 2);
    const auto parsed = sluice::parse_decimal_number("19.990");
    std::cout << price << ' ' << (parsed && *parsed == price) << ' ' << sluice::to_double(price)
              << ' ' << sluice::to_decimal(0.1).value() << '\n';

    // A result goes on with its value, or stays its error.
    const auto text = cents_of("19.9").map([](std::int64_t cents) { return cents / 100; });
    std::cout << *text << ' ' << cents_of("19.999").error() << '\n';

    // Filters, queries, cursors, policies and decisions are keys of maps and print.
    std::unordered_map<sluice::filter, int> requests;
    ++requests[sluice::filter({"US", "CA"})];
    ++requests[*sluice::parse_filter("US,CA")];
    const std::set<sluice::policy> policies{{600, std::chrono::minutes(1)},
                                            {10, std::chrono::seconds(1)}};
    for (const auto& [countries, count] : requests) std::cout << countries << ' ' << count << '\n';
    for (const sluice::policy& limits : policies) std::cout << limits << '\n';
}
