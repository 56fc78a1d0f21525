// SPDX-License-Identifier: MIT
// Rate limits shared by processes: 2 requests per second and 3 per minute, counted in Redis. The
// arguments are the port of a Redis server on this machine and, for TLS, a file of its CA.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <sluice/errors/message.hpp>
#include <sluice/rate_limit/redis/hiredis_pool.hpp>
#include <sluice/rate_limit/redis/limiter.hpp>

int main(int count, char** words) {
    std::signal(SIGPIPE, SIG_IGN);  // a write to a closed connection returns an error
    sluice::redis_place place{.host = "127.0.0.1"};
    if (count > 1) place.port = static_cast<std::uint16_t>(std::atoi(words[1]));
    if (count > 2) place.tls = sluice::redis_tls{.ca_file = words[2]};
    sluice::hiredis_pool redis(place, std::chrono::milliseconds(150),
                               [](std::string_view why) { std::cerr << "Redis: " << why << '\n'; });

    // While Redis is down, each of 4 processes admits a quarter of each limit.
    sluice::redis_limiter limiter({.on_error = sluice::on_error::local, .nodes = 4});
    const std::array<sluice::shared_policy, 2> policies{
        {{{2, std::chrono::seconds(1)}}, {{3, std::chrono::minutes(1)}}}};

    // Redis provides the time unless the check has a `now`, as here.
    const sluice::instant begun = sluice::parse_timestamp("2026-08-21T02:30:00Z").value();
    for (const int seconds : {0, 0, 0, 2, 3}) {
        const sluice::instant now = begun + std::chrono::seconds(seconds);
        const auto decided = limiter.check({"client", policies, 1, now}, now, redis);
        if (!decided) {
            std::cerr << message(decided.error()) << '\n';
            return 1;
        }
        const sluice::decision outcome = strictest(*decided);
        std::cout << (outcome.allowed ? "allowed" : "refused") << ", " << outcome.remaining
                  << " of " << outcome.limit << " left\n";
    }
}
