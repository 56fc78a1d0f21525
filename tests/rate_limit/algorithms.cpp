// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>
#include <type_traits>

#include <doctest/doctest.h>

#include <sluice/rate_limit.hpp>
#include <sluice/rate_limit/algorithms.hpp>

// Each table is worked out by hand from the definition of its algorithm.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

namespace {

using sluice::instant;
using sluice::policy;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// One request and what becomes of it. Times are in milliseconds since the epoch.
struct step {
    std::int64_t at;
    std::int64_t cost;
    bool allowed;
    std::int64_t remaining;
    std::int64_t reset;
    int retry_after = 0;  ///< seconds; 0: none
};

constexpr instant at_ms(std::int64_t count) { return instant{milliseconds{count}}; }

template <class State>
void check_steps(const policy& limits, const std::vector<step>& steps) {
    State state;
    for (const step& expected : steps) {
        CAPTURE(expected.at);
        CAPTURE(expected.cost);
        const auto outcome = sluice::decide(state, limits, at_ms(expected.at), expected.cost);
        CHECK(outcome.decision.allowed == expected.allowed);
        CHECK(outcome.decision.limit == limits.limit);
        CHECK(outcome.decision.remaining == expected.remaining);
        CHECK(outcome.decision.reset.time_since_epoch().count() == expected.reset);
        CHECK(outcome.decision.retry_after.value_or(seconds{0}).count() == expected.retry_after);
        state = outcome.state;
    }
}

template <class State>
constexpr bool admits_two_then_refuses() {
    const policy limits{2, seconds{10}};
    State state;
    for (int i = 0; i < 2; ++i) {
        auto outcome = sluice::decide(state, limits, at_ms(5));
        if (!outcome.decision.allowed || outcome.decision.remaining != 1 - i) return false;
        state = outcome.state;
    }
    return !sluice::decide(state, limits, at_ms(6)).decision.allowed &&
           sluice::decide(state, limits, at_ms(20'005), 2).decision.allowed;
}
static_assert(admits_two_then_refuses<sluice::fixed_window>());
static_assert(admits_two_then_refuses<sluice::sliding_window>());
static_assert(admits_two_then_refuses<sluice::gcra>());
static_assert(admits_two_then_refuses<sluice::sliding_log>());

}  // namespace

TEST_CASE("fixed window counts anew in each window") {
    check_steps<sluice::fixed_window>({3, seconds{10}}, {
                                                            {0, 1, true, 2, 10'000},
                                                            {9'999, 2, true, 0, 10'000},
                                                            {9'999, 1, false, 0, 10'000, 1},
                                                            {10'000, 3, true, 0, 20'000},
                                                            {10'000, 1, false, 0, 20'000, 10},
                                                            {11'001, 1, false, 0, 20'000, 9},
                                                            {57'000, 2, true, 1, 60'000},
                                                            {57'000, 2, false, 1, 60'000, 3},
                                                            {57'000, 1, true, 0, 60'000},
                                                        });
}

TEST_CASE("fixed windows before the epoch are aligned to it too") {
    check_steps<sluice::fixed_window>({1, seconds{10}}, {
                                                            {-10'001, 1, true, 0, -10'000},
                                                            {-10'000, 1, true, 0, 0},
                                                            {-1, 1, false, 0, 0, 1},
                                                            {0, 1, true, 0, 10'000},
                                                        });
}

TEST_CASE("sliding window weighs the window before by what is left of this one") {
    check_steps<sluice::sliding_window>({10, seconds{1}}, {
                                                              {500, 6, true, 4, 1'000},
                                                              // 6 · 1.000 + 0 = 6
                                                              {1'000, 2, true, 2, 2'000},
                                                              // 6 · 0.999 + 2 = 5 + 2
                                                              {1'001, 1, true, 2, 2'000},
                                                              // 6 · 0.500 + 3 = 6
                                                              {1'500, 5, false, 4, 2'000, 1},
                                                              {1'500, 4, true, 0, 2'000},
                                                              // 6 · 0.001 + 7 = 0 + 7
                                                              {1'999, 3, true, 0, 2'000},
                                                              // 10 · 1.000
                                                              {2'000, 1, false, 0, 3'000, 1},
                                                              // 10 · 0.999 = 9
                                                              {2'001, 1, true, 0, 3'000},
                                                              // two windows on, nothing is left
                                                              {4'000, 10, true, 0, 5'000},
                                                          });
}

TEST_CASE("sliding window tells how long a client must wait") {
    check_steps<sluice::sliding_window>({60, seconds{60}},
                                        {
                                            {59'000, 60, true, 0, 60'000},
                                            // the 60 weigh 59 from 60,001 on: 60 · rest < 60 min
                                            {59'500, 1, false, 0, 60'000, 1},
                                            // they weigh 30 from 89,001 on: 60 · rest < 31 min
                                            {59'500, 30, false, 0, 60'000, 30},
                                            // and nothing from 119,001 on: 60 · rest < 1 min
                                            {59'500, 60, false, 0, 60'000, 60},
                                            {60'000, 1, false, 0, 120'000, 1},
                                            // 60 · 59/60 = 59
                                            {61'000, 1, true, 0, 120'000},
                                            {61'000, 1, false, 0, 120'000, 1},
                                            // 60 · rest < 50 min from 70,001 on
                                            {61'000, 10, false, 0, 120'000, 10},
                                            // the one of this window is in the way until 120,001
                                            {61'000, 60, false, 0, 120'000, 60},
                                        });
}

TEST_CASE("sliding windows before the epoch are aligned to it too") {
    check_steps<sluice::sliding_window>({4, seconds{10}}, {
                                                              {-15'000, 4, true, 0, -10'000},
                                                              {-10'000, 1, false, 0, 0, 1},
                                                              {-5'000, 2, true, 0, 0},
                                                              {-1, 2, true, 0, 0},
                                                              {0, 1, false, 0, 10'000, 1},
                                                              {5'000, 2, true, 0, 10'000},
                                                          });
}

TEST_CASE("gcra gives units back one by one, by exact thirds of a window") {
    check_steps<sluice::gcra>({3, seconds{10}}, {
                                                    {0, 1, true, 2, 3'334},
                                                    {0, 1, true, 1, 6'667},
                                                    {0, 1, true, 0, 10'000},
                                                    {0, 1, false, 0, 10'000, 4},
                                                    {0, 3, false, 0, 10'000, 10},
                                                    {3'333, 1, false, 0, 10'000, 1},
                                                    // behind by 10,000 - 3,334 + 3,333⅓ = 9,999⅓
                                                    {3'334, 1, true, 0, 13'334},
                                                    {6'666, 1, false, 0, 13'334, 1},
                                                    {6'667, 1, true, 0, 16'667},
                                                    {10'000, 1, true, 0, 20'000},
                                                    {13'333, 1, false, 0, 20'000, 1},
                                                    {19'999, 1, true, 1, 23'334},
                                                    {60'000, 3, true, 0, 70'000},
                                                });
}

TEST_CASE("sliding log never passes more than the limit in one window's length") {
    check_steps<sluice::sliding_log>({3, seconds{10}}, {
                                                           {0, 1, true, 2, 10'000},
                                                           {1'000, 1, true, 1, 11'000},
                                                           {2'000, 1, true, 0, 12'000},
                                                           {3'000, 1, false, 0, 12'000, 7},
                                                           {9'999, 1, false, 0, 12'000, 1},
                                                           {10'000, 1, true, 0, 20'000},
                                                           {10'500, 1, false, 0, 20'000, 1},
                                                           {10'500, 2, false, 0, 20'000, 2},
                                                           {10'500, 3, false, 0, 20'000, 10},
                                                           {12'000, 2, true, 0, 22'000},
                                                           {21'999, 2, false, 1, 22'000, 1},
                                                           {22'000, 3, true, 0, 32'000},
                                                       });
}

namespace {

/// Admitted costs, and the cost that is still available by each algorithm's definition.
struct admitted {
    struct charge {
        std::int64_t at, cost;
    };
    std::vector<charge> all{};

    [[nodiscard]] std::int64_t between(std::int64_t from, std::int64_t until) const {
        std::int64_t sum = 0;
        for (const charge& spent : all)
            sum += spent.at >= from && spent.at < until ? spent.cost : 0;
        return sum;
    }
    static std::int64_t start_of(std::int64_t at, std::int64_t window) {
        return at - ((at % window) + window) % window;
    }
    [[nodiscard]] std::int64_t available(const sluice::fixed_window&, std::int64_t limit,
                                         std::int64_t window, std::int64_t at) const {
        const std::int64_t start = start_of(at, window);
        return limit - between(start, start + window);
    }
    [[nodiscard]] std::int64_t available(const sluice::sliding_window&, std::int64_t limit,
                                         std::int64_t window, std::int64_t at) const {
        const std::int64_t start = start_of(at, window);
        const std::int64_t faded = between(start - window, start) * (start + window - at) / window;
        return std::max<std::int64_t>(0, limit - faded - between(start, start + window));
    }
    [[nodiscard]] std::int64_t available(const sluice::sliding_log&, std::int64_t limit,
                                         std::int64_t window, std::int64_t at) const {
        return limit - between(at - window + 1, at + 1);
    }
    /// In units of 1/limit ms.
    [[nodiscard]] std::int64_t available(const sluice::gcra&, std::int64_t limit,
                                         std::int64_t window, std::int64_t at) const {
        std::int64_t arrival = -1'000'000;
        for (const charge& spent : all) {
            arrival = std::max(arrival, spent.at * limit) + spent.cost * window;
        }
        return ((at + window) * limit - std::max(arrival, at * limit)) / window;
    }
};

template <class State>
void check_small_policies() {
    std::mt19937 random(11);
    for (std::int64_t limit = 1; limit <= 5; ++limit) {
        for (const std::int64_t window : {1, 2, 3, 5, 8}) {
            const policy limits{limit, milliseconds{window}};
            State state;
            admitted past;
            std::int64_t now = -20;
            for (int i = 0; i < 150; ++i) {
                now += static_cast<std::int64_t>(random() % 4) * (random() % 8 == 0 ? window : 1);
                const auto cost =
                    1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
                CAPTURE(limit);
                CAPTURE(window);
                CAPTURE(now);
                CAPTURE(cost);
                const std::int64_t left = past.available(state, limit, window, now);
                REQUIRE(state.available(limits, at_ms(now)) == left);
                if (cost > left) {
                    const auto ready_at = state.ready(limits, at_ms(now), cost);
                    const std::int64_t ready = ready_at.time_since_epoch().count();
                    CHECK(past.available(state, limit, window, ready) >= cost);
                    for (std::int64_t at = now; at < ready; ++at) {
                        CHECK(past.available(state, limit, window, at) < cost);
                    }
                    continue;
                }
                state.spend(limits, at_ms(now), cost);
                past.all.push_back({now, cost});
                const auto reset = state.reset(limits, at_ms(now)).time_since_epoch().count();
                if constexpr (std::is_same_v<State, sluice::gcra> ||
                              std::is_same_v<State, sluice::sliding_log>) {
                    CHECK(past.available(state, limit, window, reset) == limit);
                    CHECK(past.available(state, limit, window, reset - 1) < limit);
                } else {
                    CHECK(reset == admitted::start_of(now, window) + window);
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("under small policies each algorithm is its definition, and ready() the first moment") {
    check_small_policies<sluice::fixed_window>();
    check_small_policies<sluice::sliding_window>();
    check_small_policies<sluice::gcra>();
    check_small_policies<sluice::sliding_log>();
}

TEST_CASE(
    "a state of another policy, or of none, is within the limit and waits no longer than it may") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const policy limits{3, seconds{10}};
    const instant now = at_ms(14'000);
    const auto check = [&](const auto& state, std::int64_t available, std::int64_t reset) {
        CHECK(state.available(limits, now) == available);
        CHECK(state.reset(limits, now) == at_ms(reset));
    };
    for (const auto& [used, available] :
         {std::pair(most, 0), {4, 0}, {3, 0}, {2, 1}, {-1, 3}, {least, 3}}) {
        CAPTURE(used);
        check(sluice::fixed_window{at_ms(10'000), used}, available, 20'000);
        check(sluice::fixed_window{at_ms(9'999), used}, 3, 20'000);
        check(sluice::sliding_window{at_ms(10'000), 0, used}, available, 20'000);
        check(sluice::sliding_window{at_ms(-1), 0, used}, 3, 20'000);
    }
    // Of the window before 0.6 is left at 14,000.
    for (const auto& [previous, available] :
         {std::pair(most, 0), {6, 0}, {5, 0}, {4, 1}, {3, 2}, {1, 3}, {-9, 3}, {least, 3}}) {
        CAPTURE(previous);
        check(sluice::sliding_window{at_ms(10'000), previous, 0}, available, 20'000);
        check(sluice::sliding_window{at_ms(0), 0, previous}, available, 20'000);
        check(sluice::sliding_window{at_ms(9'999), 9, previous}, available, 20'000);
    }
    const struct {
        std::int64_t latest, backlog, fraction, available, reset;
    } behind[] = {
        {14'000, 10'000, 0, 0, 24'000},    {14'000, 6'666, 2, 1, 20'667},
        {14'000, 6'667, 0, 0, 20'667},     {14'000, most, most, 0, 24'000},
        {14'000, least, least, 3, 14'000}, {14'000, 0, 2, 2, 14'001},
        {12'000, 3'000, 0, 2, 15'000},     {4'000, 10'000, 2, 3, 14'000},
        {3'000, 10'000, 0, 3, 14'000},     {15'000, 3'000, 0, 2, 17'000},
    };
    for (const auto& [latest, backlog, fraction, available, reset] : behind) {
        CAPTURE(latest);
        CAPTURE(backlog);
        check(sluice::gcra{at_ms(latest), milliseconds{backlog}, fraction}, available, reset);
    }
}

namespace {

using namespace std::chrono_literals;

/// A state whose members are those of another, visited one by one.
template <class State>
State copy_by_members(const State& from) {
    State state;
    std::string names;
    sluice::visit_members(from, [&](const std::string& name, const auto& member) {
        sluice::visit_members(state, [&](const std::string& member_name, auto& target) {
            if constexpr (std::is_assignable_v<decltype(target), decltype(member)>) {
                if (member_name == name) target = member;
            }
        });
        names += name + ' ';
    });
    CHECK(names.starts_with("latest "));
    return state;
}

}  // namespace

TEST_CASE_TEMPLATE("a state is its members", state, sluice::fixed_window, sluice::sliding_window,
                   sluice::gcra, sluice::sliding_log) {
    const sluice::policy limits{5, 1min};
    const sluice::instant start{1'787'279'415'123ms};
    state local;
    for (int request = 0; request < 40; ++request) {
        const sluice::instant now = start + request * 7s;
        const auto [expected, next] = sluice::decide(local, limits, now, 1 + request % 2);
        const auto [decision, unused] =
            sluice::decide(copy_by_members(local), limits, now, 1 + request % 2);
        CHECK(decision.allowed == expected.allowed);
        CHECK(decision.remaining == expected.remaining);
        CHECK(decision.reset == expected.reset);
        local = next;
    }
}
