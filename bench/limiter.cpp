// SPDX-License-Identifier: MIT
// A decision of the keyed limiter: on one hot key, and on a million keys in random order, one by
// one and 16 at once.
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include <benchmark/benchmark.h>

#include <sluice/base/random.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>

namespace {

using namespace sluice;

constexpr policy limits{1'000'000'000, std::chrono::minutes{1}};  // never reached
constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};

/// Throws if a limiter doesn't count: of two requests, one passes a limit of one.
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

constexpr std::uint32_t keys = 1'000'000;
using key_text = std::array<char, 16>;
constexpr key_text any_key{'k', 'e', 'y', '_'};

/// Writes the text of a key just before its use, as if a request had brought it.
std::string_view write_key(key_text& text, std::uint32_t number) {
    char* const end = std::to_chars(text.data() + 4, text.data() + text.size(), number).ptr;
    return {text.data(), static_cast<std::size_t>(end - text.data())};
}

void know_keys(keyed_limiter<>& limiter) {
    check(limiter);
    key_text text = any_key;
    for (std::uint32_t i = 0; i < keys; ++i) {
        static_cast<void>(limiter.check(write_key(text, i), limits, now));
    }
}

void random_keys(benchmark::State& state) {
    keyed_limiter<> limiter(keys);
    know_keys(limiter);
    key_text text = any_key;
    detail::random_source random(1);
    for (auto _ : state) {
        const std::string_view key = write_key(text, random.below(keys));
        benchmark::DoNotOptimize(limiter.check(key, limits, now));
    }
}
BENCHMARK(random_keys);

/// Checks 16 random keys at once; `each` is the time for one key.
void random_keys_at_once(benchmark::State& state) {
    keyed_limiter<> limiter(keys);
    know_keys(limiter);
    std::array<key_text, 16> texts;
    texts.fill(any_key);
    std::array<std::string_view, texts.size()> wanted;
    detail::random_source random(1);
    for (auto _ : state) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            wanted[i] = write_key(texts[i], random.below(keys));
        }
        benchmark::DoNotOptimize(limiter.check_many(wanted, limits, now));
    }
    state.counters["each"] = benchmark::Counter(
        static_cast<double>(texts.size()),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(random_keys_at_once);

}  // namespace
