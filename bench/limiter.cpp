// SPDX-License-Identifier: MIT
// One decision of the keyed limiter: on one hot key, and on a million keys in random order.
#include <array>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include <benchmark/benchmark.h>

#include <sluice/detail/random.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>

namespace {

using namespace sluice;

constexpr policy limits{1'000'000'000, std::chrono::minutes{1}};  // never reached
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

/// The text of a key, as a request would bring it: just read.
std::string_view write_key(std::array<char, 16>& text, std::uint32_t number) {
    char* const end = std::to_chars(text.data() + 4, text.data() + text.size(), number).ptr;
    return {text.data(), static_cast<std::size_t>(end - text.data())};
}

void random_keys(benchmark::State& state) {
    constexpr std::uint32_t count = 1'000'000;
    std::array<char, 16> text{'k', 'e', 'y', '_'};
    keyed_limiter<> limiter(count);
    check(limiter);
    for (std::uint32_t i = 0; i < count; ++i) {
        static_cast<void>(limiter.check(write_key(text, i), limits, now));
    }
    detail::random_source random(1);
    for (auto _ : state) {
        const std::string_view key = write_key(text, random.below(count));
        benchmark::DoNotOptimize(limiter.check(key, limits, now));
    }
}
BENCHMARK(random_keys);

}  // namespace
