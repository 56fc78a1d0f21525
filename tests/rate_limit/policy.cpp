// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/rate_limit/policy.hpp>

namespace {

using sluice::rule;
using std::chrono::milliseconds;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

static_assert(*sluice::make_policy(600, std::chrono::minutes{1}) ==
              sluice::policy{600, std::chrono::minutes{1}});
static_assert(sluice::policy_max_limit * sluice::policy_max_window.count() < most / 2);

}  // namespace

TEST_CASE("a policy takes a limit and a window in range") {
    struct row {
        std::int64_t limit;
        milliseconds window;
    };
    for (const row& good : {row{1, milliseconds{1}}, row{60, std::chrono::minutes{1}},
                            row{sluice::policy_max_limit, sluice::policy_max_window}}) {
        const auto limits = sluice::make_policy(good.limit, good.window);
        REQUIRE(limits);
        CHECK(limits->limit == good.limit);
        CHECK(limits->window == good.window);
    }
}

TEST_CASE("a policy refuses what is out of range and says which") {
    struct row {
        std::int64_t limit;
        milliseconds window;
        rule broken;
        std::string_view message;
    };
    constexpr std::string_view limit_range = "expected a whole number from 1 to 100000000";
    constexpr std::string_view window_range = "expected 1 millisecond to 366 days";
    for (const row& bad : {
             row{0, milliseconds{1}, rule::number_too_small, limit_range},
             row{-1, milliseconds{1}, rule::number_too_small, limit_range},
             row{least, milliseconds{0}, rule::number_too_small, limit_range},
             row{100'000'001, milliseconds{1}, rule::number_too_large, limit_range},
             row{most, milliseconds{1}, rule::number_too_large, limit_range},
             row{1, milliseconds{0}, rule::number_too_small, window_range},
             row{1, milliseconds{-5}, rule::number_too_small, window_range},
             row{1, milliseconds{least}, rule::number_too_small, window_range},
             row{1, std::chrono::days{367}, rule::number_too_large, window_range},
             row{1, milliseconds{most}, rule::number_too_large, window_range},
         }) {
        CAPTURE(bad.limit);
        CAPTURE(bad.window.count());
        const auto limits = sluice::make_policy(bad.limit, bad.window);
        REQUIRE_FALSE(limits);
        CHECK(limits.error().broken == bad.broken);
        CHECK(limits.error().code == sluice::error_code::unprocessable_entity);
        CHECK(limits.error().param == (bad.message == limit_range ? "limit" : "window"));
        CHECK(limits.error().accepts == bad.message);
    }
}
