// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/reference/plan.hpp>

namespace {

using sluice::reference::plan;

struct row {
    plan subscribed;
    std::string_view name;
    std::optional<std::int64_t> per_minute;
    std::optional<std::int64_t> analytics_per_second;
};

constexpr std::array<row, 5> published{{
    {plan::free, "free", 60, std::nullopt},
    {plan::pro, "pro", 600, 2},
    {plan::business, "business", 1'200, 4},
    {plan::advanced, "advanced", 3'000, 8},
    {plan::enterprise, "enterprise", std::nullopt, std::nullopt},
}};

static_assert(*sluice::reference::parse_plan("advanced") == plan::advanced);
static_assert(sluice::reference::limits_of(plan::pro).per_minute == 600);

}  // namespace

TEST_CASE("plans have the published limits") {
    for (const row& expected : published) {
        CAPTURE(expected.name);
        CHECK(sluice::reference::limits_of(expected.subscribed) ==
              sluice::reference::plan_limits{expected.per_minute, expected.analytics_per_second});
    }
}

TEST_CASE("plans go to text and back") {
    for (const row& expected : published) {
        CAPTURE(expected.name);
        CHECK(to_string(expected.subscribed) == expected.name);
        CHECK(sluice::reference::parse_plan(expected.name) == expected.subscribed);
    }
}

TEST_CASE("a text that names no plan is refused as a whole, with the names") {
    for (const std::string_view text :
         {"", "Business", " pro", "pro ", "enterprises", "free,pro", "\xff"}) {
        CAPTURE(text);
        const auto parsed = sluice::reference::parse_plan(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().broken == sluice::rule::choice_unknown);
        CHECK(parsed.error().code == sluice::error_code::unprocessable_entity);
        CHECK(parsed.error().offset == 0);
        CHECK(parsed.error().length == text.size());
        CHECK(parsed.error().param == "plan");
        CHECK(parsed.error().accepts == "expected free, pro, business, advanced or enterprise");
    }
    CHECK(sluice::message(sluice::reference::parse_plan("Business").error()) ==
          "plan: not one of the accepted values (did you mean 'business'?), expected free, pro, "
          "business, advanced or enterprise");
}
