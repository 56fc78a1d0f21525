// SPDX-License-Identifier: MIT
// One decision of the keyed limiter: on one hot key, and on a million keys in random order.
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <sluice/detail/random.hpp>
#include <sluice/keyed_limiter.hpp>

namespace {

using namespace sluice;

constexpr policy limits{1'000'000, std::chrono::minutes{1}};
constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};

/// Refuses to measure a limiter that does not count: one of two requests passes a limit of one.
template <class Limiter>
void check(Limiter& limiter) {
    const policy once{1, std::chrono::minutes{1}};
    const bool first = limiter.check("checked", once, now).allowed;
    const bool second = limiter.check("checked", once, now).allowed;
    if (!first || second) throw std::runtime_error("the limiter does not count");
}

void hot_key(benchmark::State& state) {
    keyed_limiter<> limiter;
    check(limiter);
    for (auto _ : state) benchmark::DoNotOptimize(limiter.check("key_1", limits, now));
}
BENCHMARK(hot_key);

void random_keys(benchmark::State& state) {
    constexpr std::uint32_t count = 1'000'000;
    std::vector<std::string> keys;
    for (std::uint32_t i = 0; i < count; ++i) keys.push_back("key_" + std::to_string(i));
    keyed_limiter<> limiter(count);
    check(limiter);
    detail::random_source random(1);
    for (auto _ : state) {
        benchmark::DoNotOptimize(limiter.check(keys[random.below(count)], limits, now));
    }
}
BENCHMARK(random_keys);

}  // namespace
