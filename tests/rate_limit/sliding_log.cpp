// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>

#include <doctest/doctest.h>

#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

namespace {

using sluice::instant;
using sluice::policy;
using sluice::sliding_log;
using std::chrono::milliseconds;

/// The most entries that a log ever holds under steady pressure.
std::size_t most_entries(const policy& limits, int requests) {
    std::mt19937_64 random(7);
    sliding_log log;
    std::size_t most = 0;
    instant now{};
    for (int i = 0; i < requests; ++i) {
        now += milliseconds{random() % 3};
        log = sluice::decide(std::move(log), limits, now).state;
        most = std::max(most, log.entries.size());
    }
    return most;
}

}  // namespace

TEST_CASE("a log holds at most two entries for each unit of the limit") {
    for (const std::int64_t limit : {1, 2, 7, 100, 1'000}) {
        CAPTURE(limit);
        CHECK(most_entries({limit, milliseconds{5'000}}, 20'000) <=
              static_cast<std::size_t>(2 * limit));
    }
}

TEST_CASE("a log holds at most two entries for each millisecond of the window") {
    CHECK(most_entries({1'000'000, milliseconds{50}}, 20'000) <= 100);
}

TEST_CASE("costs of the same millisecond share an entry") {
    sliding_log log;
    for (int i = 0; i < 50; ++i) log = sluice::decide(log, {1'000, milliseconds{9}}, {}, 3).state;
    CHECK(log.entries.size() == 1);
    CHECK(sluice::peek(log, {1'000, milliseconds{9}}, {}).remaining == 850);
}

TEST_CASE("totals may wrap around") {
    const policy limits{10, milliseconds{100}};
    sliding_log log;
    log.dropped = std::numeric_limits<std::uint64_t>::max() - 2;
    for (int i = 0; i < 10; ++i) {
        auto outcome = sluice::decide(log, limits, instant{milliseconds{i}});
        CHECK(outcome.decision.allowed);
        CHECK(outcome.decision.remaining == 9 - i);
        log = outcome.state;
    }
    CHECK(sluice::peek(log, limits, instant{milliseconds{50}}, 4).retry_after);
    CHECK(sluice::peek(log, limits, instant{milliseconds{103}}, 4).allowed);
    CHECK_FALSE(sluice::peek(log, limits, instant{milliseconds{102}}, 4).allowed);
}

TEST_CASE("a wait is exact after more than the largest limit, which wider policies admitted") {
    constexpr std::int64_t most = sluice::policy_max_limit;
    const auto at = [](std::int64_t ms) { return instant{milliseconds{ms}}; };
    sliding_log log;
    for (const auto& [now, window] : {std::pair{0, 60'000}, {10'000, 60'000}, {20'000, 15'000}}) {
        const policy wider{most, milliseconds{window}};
        log = sluice::decide(log, wider, at(now), most / 2).state;
    }
    REQUIRE(log.entries.size() == 3);
    for (const std::int64_t cost : {std::int64_t{1}, most / 4, most / 2}) {
        CAPTURE(cost);
        const policy limits{most / 2, std::chrono::minutes{1}};
        const auto refused = sluice::decide(log, limits, at(20'000), cost).decision;
        REQUIRE(refused.retry_after);
        const instant then = at(20'000) + *refused.retry_after;
        CHECK(sluice::peek(log, limits, then, cost).allowed);
        CHECK_FALSE(sluice::peek(log, limits, then - milliseconds{1}, cost).allowed);
    }
}

TEST_CASE("expired entries are dropped once they are the larger half, and count no more before") {
    const policy limits{10, milliseconds{10}};
    sliding_log log;
    for (const int at : {0, 1, 2, 3}) log.spend(limits, instant{milliseconds{at}}, 2);
    const struct {
        std::int64_t at;
        std::size_t kept;
        std::uint64_t dropped;
        std::int64_t available;
    } table[] = {{11, 5, 0, 4}, {12, 3, 6, 4}, {13, 4, 6, 4}, {23, 1, 14, 8}};
    for (const auto& [at, kept, dropped, available] : table) {
        CAPTURE(at);
        log.spend(limits, instant{milliseconds{at}}, 2);
        CHECK(log.entries.size() == kept);
        CHECK(log.dropped == dropped);
        CHECK(log.available(limits, instant{milliseconds{at}}) == available);
    }
}

TEST_CASE(
    "a log of another policy, or of none, is within the limit and waits no longer than a window") {
    const policy limits{3, milliseconds{10}};
    const instant now{milliseconds{20}};
    const auto after = [&](int more) { return now + milliseconds{more}; };
    const struct {
        sliding_log log;
        std::int64_t available;
        instant ready, reset;  // of a cost of 3
    } table[] = {
        {{now, 0, {{after(-5), 7}}}, 0, after(5), after(5)},  // more than the limit
        {{now, 0, {{after(-10), 7}, {after(-9), 8}}}, 2, after(1), after(1)},
        {{now, 0, {{after(-4), 1}, {after(-2), 2}}}, 1, after(8), after(8)},
        {{now, 0, {{after(-4), 3}, {after(-2), 2}}}, 1, after(6), after(8)},  // totals fall
        {{now, 9, {{after(-4), 3}}}, 0, after(6), after(6)},
        {{now, 0, {{after(90), 2}}}, 1, after(10), after(10)},  // of a clock that was wrong
    };
    for (const auto& [log, available, ready, reset] : table) {
        CHECK(log.available(limits, now) == available);
        CHECK(log.ready(limits, now, 3) == ready);
        CHECK(log.reset(limits, now) == reset);
    }
    CHECK(sliding_log{}.reset(limits, now) == now);
    CHECK(sliding_log{now, 0, {{after(-10), 2}}}.reset(limits, now) == now);
}
