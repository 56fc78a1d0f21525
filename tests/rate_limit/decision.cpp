// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

namespace {

using sluice::decide;
using sluice::instant;
using sluice::peek;
using sluice::policy;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr instant noon{std::chrono::sys_days{std::chrono::year{2026} / 8 / 21} +
                       std::chrono::hours{12}};
constexpr policy five_a_minute{5, std::chrono::minutes{1}};

template <class State>
State spent(std::int64_t cost, instant at = noon) {
    return decide(State{}, five_a_minute, at, cost).state;
}

/// Counts the requests of a sequence of instants that pass.
template <class State>
int admitted(const std::vector<instant>& arrivals) {
    State state;
    int passed = 0;
    for (const instant now : arrivals) {
        auto outcome = decide(state, five_a_minute, now);
        passed += outcome.decision.allowed ? 1 : 0;
        state = outcome.state;
    }
    return passed;
}

/// Integers with the extremes among them.
std::int64_t any_integer(std::mt19937_64& random) {
    switch (random() % 6) {
        case 0: return least;
        case 1: return most;
        case 2: return 0;
        case 3: return static_cast<std::int64_t>(random() % 100);
        case 4: return sluice::policy_max_limit;
        default: return static_cast<std::int64_t>(random());
    }
}

instant any_instant(std::mt19937_64& random) { return instant{milliseconds{any_integer(random)}}; }

template <class State>
State any_state(std::mt19937_64& random);

template <>
sluice::fixed_window any_state(std::mt19937_64& random) {
    return {any_instant(random), any_integer(random)};
}
template <>
sluice::sliding_window any_state(std::mt19937_64& random) {
    return {any_instant(random), any_integer(random), any_integer(random)};
}
template <>
sluice::gcra any_state(std::mt19937_64& random) {
    return {any_instant(random), milliseconds{any_integer(random)}, any_integer(random)};
}
template <>
sluice::sliding_log any_state(std::mt19937_64& random) {
    sluice::sliding_log log{any_instant(random), random(), {}};
    for (std::uint64_t i = random() % 5; i > 0; --i) {
        log.entries.push_back({any_instant(random), random()});
    }
    return log;
}

}  // namespace

TEST_CASE_TEMPLATE("a refusal leaves the state as it was", State, sluice::fixed_window,
                   sluice::sliding_window, sluice::gcra, sluice::sliding_log) {
    const State full = spent<State>(5);
    const auto refused = decide(full, five_a_minute, noon + seconds{1});
    CHECK_FALSE(refused.decision.allowed);
    CHECK(refused.state == full);
}

TEST_CASE_TEMPLATE("a cost of nothing passes and counts as nothing", State, sluice::fixed_window,
                   sluice::sliding_window, sluice::gcra, sluice::sliding_log) {
    const State full = spent<State>(5);
    for (const std::int64_t cost : {std::int64_t{0}, std::int64_t{-1}, least}) {
        CAPTURE(cost);
        const auto outcome = decide(full, five_a_minute, noon, cost);
        CHECK(outcome.decision.allowed);
        CHECK(outcome.decision.remaining == 0);
        CHECK_FALSE(outcome.decision.retry_after);
        CHECK(outcome.state == full);
    }
}

TEST_CASE_TEMPLATE("a cost above the limit never passes, and is promised nothing", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::gcra,
                   sluice::sliding_log) {
    for (const std::int64_t cost : {std::int64_t{6}, most}) {
        CAPTURE(cost);
        const auto unused = decide(State{}, five_a_minute, noon, cost);
        CHECK_FALSE(unused.decision.allowed);
        CHECK(unused.decision.remaining == 5);
        CHECK_FALSE(unused.decision.retry_after);
        CHECK(unused.state == State{});
        CHECK_FALSE(peek(spent<State>(2), five_a_minute, noon, cost).retry_after);
    }
}

TEST_CASE_TEMPLATE("peek says what decide would, and consumes nothing", State, sluice::fixed_window,
                   sluice::sliding_window, sluice::gcra, sluice::sliding_log) {
    const State used = spent<State>(3);
    for (std::int64_t cost = 0; cost < 8; ++cost) {
        CAPTURE(cost);
        const auto seen = peek(used, five_a_minute, noon, cost);
        const auto decided = decide(used, five_a_minute, noon, cost).decision;
        CHECK(seen.allowed == decided.allowed);
        CHECK(seen.retry_after == decided.retry_after);
        CHECK(seen.remaining == 2);
        CHECK(decided.remaining == (decided.allowed ? 2 - cost : 2));
    }
}

TEST_CASE_TEMPLATE("a clock that goes back by up to one window admits nothing twice", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::gcra,
                   sluice::sliding_log) {
    std::vector<instant> falling;
    std::vector<instant> swinging;
    for (int i = 0; i <= 1'000; ++i) {
        falling.push_back(noon - i * five_a_minute.window / 1'000);
        swinging.push_back(i % 2 == 0 ? noon : falling.back());
    }
    CHECK(admitted<State>(falling) == 5);
    CHECK(admitted<State>(swinging) == 5);
}

TEST_CASE_TEMPLATE("retry_after spans the gap when the clock has gone back", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::gcra,
                   sluice::sliding_log) {
    const State full = spent<State>(5);
    const instant earlier = noon - five_a_minute.window;
    const auto refused = peek(full, five_a_minute, earlier, 5);
    REQUIRE(refused.retry_after);
    CHECK(*refused.retry_after > five_a_minute.window);
    CHECK(peek(full, five_a_minute, earlier + *refused.retry_after, 5).allowed);
}

TEST_CASE_TEMPLATE("a state from more than one window ahead counts as new", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::gcra,
                   sluice::sliding_log) {
    const State full = spent<State>(5);
    const instant bound = noon - five_a_minute.window;
    CHECK_FALSE(peek(full, five_a_minute, bound).allowed);
    CHECK_FALSE(decide(full, five_a_minute, bound).decision.allowed);
    for (const instant now : {bound - milliseconds{1}, bound - std::chrono::years{74},
                              sluice::earliest_instant, instant::min()}) {
        CAPTURE(now);
        for (const std::int64_t cost : {std::int64_t{1}, std::int64_t{5}, std::int64_t{6}}) {
            CAPTURE(cost);
            CHECK(peek(full, five_a_minute, now, cost) == peek(State{}, five_a_minute, now, cost));
            const auto anew = decide(State{}, five_a_minute, now, cost);
            const auto decided = decide(full, five_a_minute, now, cost);
            CHECK(decided.decision == anew.decision);
            CHECK(decided.state == (anew.decision.allowed ? anew.state : full));
        }
        CHECK(decide(full, five_a_minute, now, 0).state == full);
    }
}

TEST_CASE_TEMPLATE(
    "after any clock that was far ahead, requests are decided as those of a new client", State,
    sluice::fixed_window, sluice::sliding_window, sluice::gcra, sluice::sliding_log) {
    std::mt19937_64 random(12);
    for (int i = 0; i < 2'000; ++i) {
        const policy limits{static_cast<std::int64_t>(1 + random() % 9),
                            milliseconds{1 + random() % 100'000}};
        const milliseconds ahead{1 + random() % 1'000'000'000'000};
        State wrong = spent<State>(0);
        for (std::uint64_t left = random() % 9; left > 0; --left) {
            wrong = decide(wrong, limits, noon + limits.window + ahead).state;
        }
        State unused;
        for (int request = 0; request < 20; ++request) {
            const instant now = noon + milliseconds{random() % 200};
            const auto expected = decide(unused, limits, now);
            const auto decided = decide(wrong, limits, now);
            REQUIRE(decided.decision == expected.decision);
            wrong = decided.state;
            unused = expected.state;
        }
    }
}

TEST_CASE_TEMPLATE("a clock outside the calendar counts as its nearest end", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::gcra,
                   sluice::sliding_log) {
    CHECK(decide(State{}, five_a_minute, instant::min()).decision ==
          decide(State{}, five_a_minute, sluice::earliest_instant).decision);
    CHECK(decide(State{}, five_a_minute, instant::max()).decision ==
          decide(State{}, five_a_minute, sluice::latest_instant).decision);
    CHECK(admitted<State>(std::vector<instant>(9, instant::min())) == 5);
    CHECK(admitted<State>(std::vector<instant>(9, instant::max())) == 5);
}

TEST_CASE_TEMPLATE("a policy out of range counts as the nearest one inside", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::gcra,
                   sluice::sliding_log) {
    struct row {
        policy limits;
        policy nearest;
    };
    for (const row& r :
         {row{{0, milliseconds{0}}, {1, milliseconds{1}}},
          row{{least, milliseconds{least}}, {1, milliseconds{1}}},
          row{{most, milliseconds{most}}, {sluice::policy_max_limit, sluice::policy_max_window}}}) {
        const auto outcome = decide(State{}, r.limits, noon);
        const auto nearest = decide(State{}, r.nearest, noon);
        CHECK(outcome.decision == nearest.decision);
        CHECK(outcome.state == nearest.state);
    }
}

TEST_CASE_TEMPLATE("the largest policy is counted exactly", State, sluice::fixed_window,
                   sluice::sliding_window, sluice::gcra, sluice::sliding_log) {
    const policy largest{sluice::policy_max_limit, sluice::policy_max_window};
    const auto first = decide(State{}, largest, noon, largest.limit - 1);
    CHECK(first.decision.remaining == 1);
    const auto second = decide(first.state, largest, noon);
    CHECK(second.decision.allowed);
    CHECK(second.decision.remaining == 0);
    const auto third = decide(second.state, largest, noon);
    REQUIRE(third.decision.retry_after);
    const instant later = noon + *third.decision.retry_after;
    CHECK(peek(second.state, largest, later).allowed);
    CHECK(decide(second.state, largest, noon + 2 * largest.window, largest.limit).decision.allowed);
}

TEST_CASE_TEMPLATE("a state goes on under another policy", State, sluice::fixed_window,
                   sluice::sliding_window, sluice::gcra, sluice::sliding_log) {
    const std::vector<policy> policies{{5, std::chrono::minutes{1}},
                                       {2, std::chrono::minutes{1}},
                                       {500, std::chrono::minutes{1}},
                                       {5, seconds{1}},
                                       {7, std::chrono::days{30}}};
    for (const policy& next : policies) {
        CAPTURE(next.limit);
        CAPTURE(next.window.count());
        const State used = spent<State>(5);
        const auto seen = peek(used, next, noon, next.limit);
        CHECK(seen.remaining <= next.limit);
        if (seen.allowed) continue;
        CHECK(*seen.retry_after <= 2 * next.window + seconds{1});
        CHECK(peek(used, next, noon + *seen.retry_after, next.limit).allowed);
    }
}

TEST_CASE_TEMPLATE("any state, policy, clock and cost give a decision", State, sluice::fixed_window,
                   sluice::sliding_window, sluice::gcra, sluice::sliding_log) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 20'000; ++i) {
        const policy limits{any_integer(random), milliseconds{any_integer(random)}};
        const std::int64_t cost = any_integer(random);
        const auto outcome = decide(any_state<State>(random), limits, any_instant(random), cost);
        const auto& d = outcome.decision;
        REQUIRE(d.remaining >= 0);
        REQUIRE(d.remaining <= d.limit);
        REQUIRE(d.retry_after.has_value() == (!d.allowed && cost <= d.limit));
        REQUIRE(d.retry_after.value_or(seconds{1}) >= seconds{1});
    }
}
