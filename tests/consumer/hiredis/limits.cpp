// SPDX-License-Identifier: MIT
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>

#include <sluice/rate_limit/redis/hiredis_pool.hpp>

int main() {
    // No server listens on port 1: the pool notes it, and each process limits alone.
    std::string noted;
    sluice::hiredis_pool redis({.host = "127.0.0.1", .port = 1, .tls = sluice::redis_tls{}},
                               std::chrono::milliseconds(150),
                               [&](std::string_view why) { noted = why; });
    sluice::redis_limiter limiter({.on_error = sluice::on_error::local});
    const sluice::shared_policy two{{2, std::chrono::seconds(1)}};
    const auto decided = limiter.check({"client", {&two, 1}}, sluice::instant(), redis);
    const bool passes = decided && decided->front().allowed && noted.starts_with("127.0.0.1: ");
    std::cout << noted << '\n';
    return passes ? 0 : 1;
}
