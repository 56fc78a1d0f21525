// SPDX-License-Identifier: MIT
// Limits that processes share: 2 requests a second and 3 a minute, counted in Redis. Its argument
// is the port of a Redis server on this machine.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <sluice/message.hpp>
#include <sluice/rate_limit/redis.hpp>

#include "hiredis_pool.hpp"

int main(int count, char** words) {
    std::signal(SIGPIPE,
                SIG_IGN);  // a connection that Redis ends is an error where it is written to
    redis_place place{.host = "127.0.0.1"};
    if (count > 1) place.port = static_cast<std::uint16_t>(std::atoi(words[1]));
    hiredis_pool redis(place, std::chrono::milliseconds(150),
                       [](std::string_view why) { std::cerr << "Redis: " << why << '\n'; });

    // While Redis fails, each of 4 processes admits its share.
    sluice::redis_limiter limiter({.on_error = sluice::on_error::local, .nodes = 4});
    const std::array<sluice::shared_policy, 2> policies{
        {{{2, std::chrono::seconds(1)}}, {{3, std::chrono::minutes(1)}}}};

    // The clock is that of Redis unless the check has a `now`, as it has here.
    const sluice::instant begun = sluice::parse_timestamp("2026-08-21T02:30:00Z").value();
    for (const int seconds : {0, 0, 0, 2, 3}) {
        const sluice::instant now = begun + std::chrono::seconds(seconds);
        const auto decided = limiter.check({"client", policies, 1, now}, now, redis);
        if (!decided) {
            std::cerr << message(decided.error()) << '\n';
            return 1;
        }
        const sluice::decision told = strictest(*decided);
        std::cout << (told.allowed ? "allowed" : "refused") << ", " << told.remaining << " of "
                  << told.limit << " left\n";
    }
}
