// SPDX-License-Identifier: MIT
// Compares a limit shared through Redis with a PING, both by hiredis, in turns:
//
// shared_limits PORT [SECONDS], with a Redis server on this machine. Prints medians, and medians of
// the ratios to a PING in the same round.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <hiredis/hiredis.h>

#include <sluice/rate_limit/redis/limiter.hpp>

#include "../examples/hiredis_pool.hpp"

namespace {

using std::chrono::steady_clock;

constexpr int calls_of_a_turn = 100;
constexpr unsigned keys = 10'000;
constexpr sluice::policy never_reached{100'000'000, std::chrono::minutes(1)};

double median(std::vector<double> of) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::ranges::nth_element(of, middle);
    return *middle;
}

std::string next_client(unsigned& key) { return "client " + std::to_string(key++ % keys); }

/// A measured call, with its times in microseconds, turn by turn.
struct contender {
    std::string name;
    std::function<void()> call;
    std::vector<double> times{};

    void take_turn() {
        const auto begun = steady_clock::now();
        for (int i = 0; i < calls_of_a_turn; ++i) call();
        const std::chrono::duration<double, std::micro> taken = steady_clock::now() - begun;
        times.push_back(taken.count() / calls_of_a_turn);
    }
};

contender ping(std::uint16_t port) {
    const std::shared_ptr<redisContext> connection(redisConnect("127.0.0.1", port), redisFree);
    return {"PING", [connection] {
                const std::unique_ptr<void, void (*)(void*)> reply(
                    redisCommand(connection.get(), "PING"), freeReplyObject);
                if (reply == nullptr) throw std::runtime_error("no Redis server");
            }};
}

contender check(std::string_view algorithm, hiredis_pool& pool) {
    const auto limiter = std::make_shared<sluice::redis_limiter>(
        sluice::redis_limiter_options{.algorithm = sluice::parse_algorithm(algorithm).value(),
                                      .on_error = sluice::on_error::refuse,
                                      .prefix = "bench"});
    return {std::string(algorithm), [limiter, &pool, key = 0U]() mutable {
                const sluice::shared_policy one{never_reached};
                const std::string client = next_client(key);
                const auto now =
                    std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
                const auto decided = limiter->check({client, {&one, 1}}, now, pool);
                if (!decided->front().allowed) throw std::runtime_error("refused");
            }};
}

void print(const contender& measured, const contender& beside) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < measured.times.size(); ++i) {
        ratios.push_back(measured.times[i] / beside.times[i]);
    }
    std::printf("%-15s %6.1f us  %.2f\n", measured.name.c_str(), median(measured.times),
                median(ratios));
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return std::puts("shared_limits PORT [SECONDS]"), 2;
    std::signal(SIGPIPE, SIG_IGN);
    const auto port = static_cast<std::uint16_t>(std::atoi(words[1]));
    const auto end =
        steady_clock::now() + std::chrono::seconds(count > 2 ? std::atoi(words[2]) : 10);
    hiredis_pool pool({.host = "127.0.0.1", .port = port}, std::chrono::seconds(1),
                      [](std::string_view why) { throw std::runtime_error(std::string(why)); });
    std::vector<contender> all{ping(port)};
    for (const std::string_view name : sluice::algorithm_names) all.push_back(check(name, pool));
    while (steady_clock::now() < end) {
        for (contender& each : all) each.take_turn();
    }
    for (const contender& each : all) print(each, all.front());
}
