// SPDX-License-Identifier: MIT
// Six requests of one client under each algorithm, with a limit of two in ten seconds.
#include <iostream>

#include <sluice/rate_limit/any_limiter.hpp>
#include <sluice/sluice.hpp>

int main() {
    const auto start = *sluice::parse_timestamp("2026-11-22T00:00:00Z");
    const sluice::policy limits{2, std::chrono::seconds(10)};
    for (const std::string_view name : sluice::algorithm_names) {
        sluice::any_limiter limiter(*sluice::parse_algorithm(name));
        std::cout << name << ' ';
        for (const int second : {8, 9, 9, 11, 12, 19}) {
            const auto decision =
                limiter.check("client", limits, start + std::chrono::seconds(second));
            std::cout << decision.allowed;
        }
        std::cout << '\n';
    }
}
