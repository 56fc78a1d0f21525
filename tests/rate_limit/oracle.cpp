// SPDX-License-Identifier: MIT
// Each algorithm against an oracle that keeps every admitted request and follows the definition in
// another form, over random policies, arrivals and costs; and the promises that all of them make.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/rate_limit.hpp>

namespace {

using sluice::decision;
using sluice::instant;
using sluice::policy;
using std::chrono::milliseconds;
using std::chrono::seconds;

__extension__ using wide = __int128;

struct admission {
    std::int64_t at;
    std::int64_t cost;
};

/// Everything that has been admitted, and sums over it.
struct history {
    std::vector<admission> all{};

    [[nodiscard]] std::int64_t sum(std::int64_t from, std::int64_t until) const {
        std::int64_t total = 0;
        for (const admission& one : all) {
            if (one.at >= from && one.at < until) total += one.cost;
        }
        return total;
    }
};

/// The start of the window of `at`, by a modulus that is never negative.
std::int64_t window_start(std::int64_t at, std::int64_t window) {
    return at - ((at % window) + window) % window;
}

struct fixed_window_oracle {
    using state = sluice::fixed_window;
    history past{};

    bool admits(std::int64_t limit, std::int64_t window, std::int64_t now,
                std::int64_t cost) const {
        const std::int64_t start = window_start(now, window);
        return past.sum(start, start + window) + cost <= limit;
    }
    void admit(std::int64_t, std::int64_t, std::int64_t now, std::int64_t cost) {
        past.all.push_back({now, cost});
    }
    std::int64_t reset(std::int64_t, std::int64_t window, std::int64_t now) const {
        return window_start(now, window) + window;
    }
};

struct sliding_window_oracle {
    using state = sluice::sliding_window;
    history past{};

    /// floor(x) >= n where x >= n, so the formula needs no division.
    bool admits(std::int64_t limit, std::int64_t window, std::int64_t now,
                std::int64_t cost) const {
        const std::int64_t start = window_start(now, window);
        const wide previous = past.sum(start - window, start);
        const std::int64_t current = past.sum(start, start + window);
        const wide too_much = limit - current - cost + 1;
        return previous * (window - (now - start)) < too_much * window;
    }
    void admit(std::int64_t, std::int64_t, std::int64_t now, std::int64_t cost) {
        past.all.push_back({now, cost});
    }
    std::int64_t reset(std::int64_t, std::int64_t window, std::int64_t now) const {
        return window_start(now, window) + window;
    }
};

struct sliding_log_oracle {
    using state = sluice::sliding_log;
    history past{};

    bool admits(std::int64_t limit, std::int64_t window, std::int64_t now,
                std::int64_t cost) const {
        return past.sum(now - window + 1, now + 1) + cost <= limit;
    }
    void admit(std::int64_t, std::int64_t, std::int64_t now, std::int64_t cost) {
        past.all.push_back({now, cost});
    }
    std::int64_t reset(std::int64_t, std::int64_t window, std::int64_t now) const {
        return past.all.empty() ? now : std::max(now, past.all.back().at + window);
    }
};

/// The textbook form: the theoretical arrival time as a fraction over the limit.
struct gcra_oracle {
    using state = sluice::gcra;
    wide arrival = -(wide{1} << 100);

    wide after(std::int64_t limit, std::int64_t window, std::int64_t now, std::int64_t cost) const {
        return std::max(arrival, wide{now} * limit) + wide{cost} * window;
    }
    bool admits(std::int64_t limit, std::int64_t window, std::int64_t now,
                std::int64_t cost) const {
        return after(limit, window, now, cost) <= (wide{now} + window) * limit;
    }
    void admit(std::int64_t limit, std::int64_t window, std::int64_t now, std::int64_t cost) {
        arrival = after(limit, window, now, cost);
    }
    std::int64_t reset(std::int64_t limit, std::int64_t, std::int64_t now) const {
        std::int64_t at = now;
        const wide behind = arrival - wide{now} * limit;
        if (behind > 0) at += static_cast<std::int64_t>((behind + limit - 1) / limit);
        return at;
    }
};

using random_source = std::mt19937_64;

std::int64_t between(random_source& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Limits of 1 to 10^6 and windows of 1 ms to 10 days, evenly over the orders of magnitude.
policy any_policy(random_source& random) {
    std::int64_t limit = 1;
    for (std::int64_t i = between(random, 0, 6); i > 0; --i) limit *= 10;
    std::int64_t window = 1;
    for (std::int64_t i = between(random, 0, 8); i > 0; --i) window *= 10;
    return {between(random, std::max<std::int64_t>(1, limit / 10), limit),
            milliseconds{between(random, window, window * 8)}};
}

/// Bursts, an even pace, the edges of windows, pauses.
std::int64_t any_gap(random_source& random, const policy& p) {
    const std::int64_t window = p.window.count();
    switch (between(random, 0, 8)) {
        case 0:
        case 1: return 0;
        case 2: return 1;
        case 3: return window / p.limit;
        case 4: return between(random, 0, window / 4);
        case 5: return window - 1;
        case 6: return window;
        case 7: return between(random, 0, 3 * window);
        default: return 999;
    }
}

std::int64_t any_cost(random_source& random, const policy& p) {
    switch (between(random, 0, 7)) {
        case 0: return p.limit;
        case 1: return p.limit + between(random, 1, 5);
        case 2: return 0;
        case 3: return between(random, 1, p.limit);
        case 4: return between(random, 1, (p.limit + 3) / 4);
        default: return 1;
    }
}

std::int64_t any_start(random_source& random) {
    return between(random, -1, 1) * between(random, 0, 2'000'000'000'000);
}

instant at_ms(std::int64_t count) { return instant{milliseconds{count}}; }

/// The largest cost that an oracle admits now, found by halving.
template <class Oracle>
std::int64_t remaining(const Oracle& oracle, const policy& p, std::int64_t now) {
    std::int64_t admitted = 0;
    std::int64_t refused = p.limit + 1;
    while (refused - admitted > 1) {
        const std::int64_t middle = admitted + (refused - admitted) / 2;
        (oracle.admits(p.limit, p.window.count(), now, middle) ? admitted : refused) = middle;
    }
    return admitted;
}

/// Runs `visit(state before, policy, now in ms, cost, outcome)` over random sequences.
template <class State, class Visit>
void for_any_requests(std::uint64_t seed, int sequences, Visit visit) {
    random_source random(seed);
    for (int i = 0; i < sequences; ++i) {
        const policy p = any_policy(random);
        std::int64_t now = any_start(random);
        State state;
        for (int request = 0; request < 60; ++request) {
            now += any_gap(random, p);
            const std::int64_t cost = any_cost(random, p);
            auto outcome = sluice::decide(state, p, at_ms(now), cost);
            visit(state, p, now, cost, outcome, request == 0);
            state = std::move(outcome.state);
        }
    }
}

}  // namespace

TEST_CASE_TEMPLATE("algorithms decide as their definitions say", Oracle, fixed_window_oracle,
                   sliding_window_oracle, sliding_log_oracle, gcra_oracle) {
    using State = typename Oracle::state;
    Oracle oracle;
    for_any_requests<State>(
        1, 400,
        [&](const State& state, const policy& p, std::int64_t now, std::int64_t cost,
            const auto& outcome, bool first) {
            if (first) oracle = {};
            const std::int64_t window = p.window.count();
            const decision& d = outcome.decision;
            REQUIRE(sluice::peek(state, p, at_ms(now)).remaining == remaining(oracle, p, now));
            const bool allowed = cost == 0 || oracle.admits(p.limit, window, now, cost);
            REQUIRE(d.allowed == allowed);
            if (allowed && cost > 0) oracle.admit(p.limit, window, now, cost);
            REQUIRE(d.remaining == remaining(oracle, p, now));
            REQUIRE(d.reset == at_ms(oracle.reset(p.limit, window, now)));
        });
}

TEST_CASE_TEMPLATE("a lone client is admitted after retry_after, and not a second before", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::sliding_log,
                   sluice::gcra) {
    int refusals = 0;
    for_any_requests<State>(
        2, 600,
        [&](const State& state, const policy& p, std::int64_t now, std::int64_t cost,
            const auto& outcome, bool) {
            const auto retry_after = outcome.decision.retry_after;
            REQUIRE(retry_after.has_value() == (!outcome.decision.allowed && cost <= p.limit));
            if (!retry_after) return;
            ++refusals;
            REQUIRE(*retry_after >= seconds{1});
            const instant retry = at_ms(now) + *retry_after;
            REQUIRE(sluice::decide(state, p, retry, cost).decision.allowed);
            if (*retry_after == seconds{1}) return;
            REQUIRE_FALSE(sluice::decide(state, p, retry - seconds{1}, cost).decision.allowed);
        });
    CHECK(refusals > 5'000);
}

TEST_CASE_TEMPLATE("what remains grows while nothing is asked for, and is whole after two windows",
                   State, sluice::fixed_window, sluice::sliding_window, sluice::sliding_log,
                   sluice::gcra) {
    random_source random(3);
    for_any_requests<State>(4, 100,
                            [&](const State& state, const policy& p, std::int64_t now, std::int64_t,
                                const auto&, bool) {
                                std::int64_t before = 0;
                                for (std::int64_t later = now;
                                     later < now + 3 * p.window.count();) {
                                    const decision seen = sluice::peek(state, p, at_ms(later));
                                    REQUIRE(seen.remaining >= before);
                                    before = seen.remaining;
                                    later += between(random, 1, p.window.count());
                                }
                                const instant idle = at_ms(now) + 2 * p.window;
                                REQUIRE(sluice::peek(state, p, idle).remaining == p.limit);
                            });
}

TEST_CASE_TEMPLATE("an admitted cost is taken off what remains, a refused one is not", State,
                   sluice::fixed_window, sluice::sliding_window, sluice::sliding_log,
                   sluice::gcra) {
    for_any_requests<State>(
        5, 200,
        [](const State& state, const policy& p, std::int64_t now, std::int64_t cost,
           const auto& outcome, bool) {
            const std::int64_t before = sluice::peek(state, p, at_ms(now)).remaining;
            const std::int64_t after = sluice::peek(outcome.state, p, at_ms(now)).remaining;
            REQUIRE(after == outcome.decision.remaining);
            REQUIRE(before - after == (outcome.decision.allowed ? cost : 0));
            REQUIRE(outcome.decision.reset >= at_ms(now));
        });
}

TEST_CASE_TEMPLATE("where reset tells of the whole limit, that is when it is back", State,
                   sluice::fixed_window, sluice::sliding_log, sluice::gcra) {
    for_any_requests<State>(
        6, 200,
        [](const State&, const policy& p, std::int64_t now, std::int64_t, const auto& outcome,
           bool) {
            const instant reset = outcome.decision.reset;
            REQUIRE(sluice::peek(outcome.state, p, reset).remaining == p.limit);
            if (outcome.decision.remaining == p.limit || reset == at_ms(now)) return;
            const instant just_before = reset - milliseconds{1};
            REQUIRE(sluice::peek(outcome.state, p, just_before).remaining < p.limit);
        });
}
