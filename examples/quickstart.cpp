// SPDX-License-Identifier: MIT
// The primitives on your own values, without a store or a server.
#include <chrono>
#include <iostream>

#include <sluice/sluice.hpp>

int main() {
    // An advanced filter: all countries but two.
    const auto countries = sluice::parse_filter("-US,CA");
    if (!countries) return 1;
    std::cout << countries->matches("FR") << countries->matches("US") << '\n';  // 10

    // A metadata expression, evaluated on your own data.
    const auto query =
        sluice::parse_metadata_query("metadata['plan']:'pro' AND metadata['seats']>=5");
    if (!query) return 1;
    const bool matches = query->matches([](std::span<const std::string> path) {
        return path[0] == "plan" ? std::optional(sluice::scalar::string("pro"))
                                 : std::optional(sluice::scalar::number("12"));
    });
    std::cout << matches << '\n';  // 1

    // An error: what is wrong, where, and what is accepted; and the response body for clients.
    const auto refused = sluice::parse_filter("US,-CA");
    if (!refused) {
        std::cout << sluice::message(refused.error()) << '\n'
                  << sluice::error_body(refused.error(), "https://example.com/docs") << '\n';
    }

    // A rate limit of four requests per second and key.
    const auto now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    sluice::keyed_limiter<> limiter;
    for (int request = 0; request < 5; ++request) {
        const auto decision = limiter.check("key_1", {4, std::chrono::seconds(1)}, now);
        std::cout << decision.allowed << decision.remaining << ' ';
    }
    std::cout << '\n';  // 13 12 11 10 00
}
