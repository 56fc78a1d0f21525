// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/any_limiter.hpp>
#include <sluice/rate_limit/redis/request.hpp>

// Compiled with a copy of the headers in which add_algorithm.cmake has added an algorithm
// `cooldown`.

using namespace sluice;
using std::chrono::milliseconds;

TEST_CASE("an added algorithm has its name, and so has each other") {
    CHECK(parse_algorithm("cooldown") == algorithm_kind::cooldown);
    CHECK(algorithm_names.size() == 5);
    for (const std::string_view name : algorithm_names) {
        CHECK(to_string(parse_algorithm(name).value()) == name);
        CHECK(any_limiter(parse_algorithm(name).value()).algorithm() == parse_algorithm(name));
    }
    CHECK(to_string(static_cast<algorithm_kind>(5)).empty());
    CHECK(parse_algorithm("leaky").error().accepts.find("cooldown") != std::string_view::npos);
}

TEST_CASE("an added algorithm admits what a loop over a client's requests does") {
    const policy limits{3, milliseconds(1'000)};
    any_limiter limiter(algorithm_kind::cooldown);
    std::mt19937 random(7);
    std::array<std::optional<instant>, 4> admitted{};  // the last one of each client
    instant now{milliseconds(1'000'000)};
    for (int i = 0; i < 5'000; ++i) {
        now += milliseconds(random() % 400);
        const std::size_t client = random() % admitted.size();
        const auto cost = static_cast<std::int64_t>(random() % 5);
        std::optional<instant>& latest = admitted[client];
        const bool is_free = !latest || *latest + limits.window <= now;
        const decision outcome = limiter.check(std::to_string(client), limits, now, cost);
        CHECK(outcome.allowed == (cost == 0 || (is_free && cost <= limits.limit)));
        if (outcome.allowed && cost > 0) latest = now;
    }
}

TEST_CASE("an added algorithm's state has its members, and Redis its branches") {
    cooldown state;
    std::vector<std::string> names;
    visit_members(state, [&](const char* name, auto&) { names.emplace_back(name); });
    CHECK(names == std::vector<std::string>{"latest"});
    const std::array policies{shared_policy{{3, milliseconds(1'000)}}};
    const auto request = make_redis_request({"a", policies}, algorithm_kind::cooldown);
    REQUIRE(request);
    CHECK(request->arguments.front() == "cooldown");
    CHECK(request->keys.front() == "sluice:{a}:cooldown:1000");
}
