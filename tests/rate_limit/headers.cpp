// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/rate_limit.hpp>

namespace {

using sluice::decision;
using sluice::header;
using sluice::instant;
using sluice::policy;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr instant at_ms(std::int64_t count) { return instant{milliseconds{count}}; }

std::string lines(const std::vector<header>& headers) {
    std::string text;
    for (const header& one : headers) text += one.name + ": " + one.value + "\n";
    return text;
}

}  // namespace

TEST_CASE("responses tell the limit, what remains and when it resets") {
    CHECK(lines(sluice::rate_limit_headers({true, 600, 599, at_ms(1'787'279'460'000), {}})) ==
          "x-ratelimit-limit: 600\n"
          "x-ratelimit-remaining: 599\n"
          "x-ratelimit-reset: 1787279460\n");
}

TEST_CASE("refused responses also tell how long to wait") {
    CHECK(lines(sluice::rate_limit_headers({false, 2, 0, at_ms(1'001), seconds{7}})) ==
          "x-ratelimit-limit: 2\n"
          "x-ratelimit-remaining: 0\n"
          "x-ratelimit-reset: 2\n"
          "retry-after: 7\n");
}

TEST_CASE("the reset is rounded up to whole seconds, before the epoch too") {
    struct row {
        std::int64_t reset;
        std::string_view written;
    };
    for (const row& r : {row{0, "0"}, row{1, "1"}, row{999, "1"}, row{1'000, "1"}, row{-1, "0"},
                         row{-999, "0"}, row{-1'000, "-1"}, row{-1'001, "-1"}}) {
        CAPTURE(r.reset);
        CHECK(sluice::rate_limit_headers({true, 1, 0, at_ms(r.reset), {}})[2].value == r.written);
    }
}

TEST_CASE("a decision's headers hold what the decision says") {
    const policy limits{1, seconds{1}};
    const auto first = sluice::decide(sluice::sliding_window{}, limits, at_ms(10'250));
    CHECK(lines(sluice::rate_limit_headers(first.decision)) ==
          "x-ratelimit-limit: 1\n"
          "x-ratelimit-remaining: 0\n"
          "x-ratelimit-reset: 11\n");
    const auto second = sluice::decide(first.state, limits, at_ms(10'250));
    CHECK(lines(sluice::rate_limit_headers(second.decision)) ==
          "x-ratelimit-limit: 1\n"
          "x-ratelimit-remaining: 0\n"
          "x-ratelimit-reset: 11\n"
          "retry-after: 1\n");
}

TEST_CASE("the draft's fields tell quota, window, what remains and until when") {
    struct row {
        decision d;
        policy limits;
        std::int64_t now;
        std::string_view policy_field;
        std::string_view limit_field;
    };
    const std::vector<row> rows{
        {{true, 100, 50, at_ms(90'000), {}},
         {100, seconds{60}},
         60'000,
         R"("default";q=100;w=60)",
         R"("default";r=50;t=30)"},
        {{true, 100, 50, at_ms(90'000), {}},
         {100, seconds{60}},
         60'001,
         R"("default";q=100;w=60)",
         R"("default";r=50;t=30)"},
        {{false, 4, 0, at_ms(1'000), seconds{3}},
         {4, milliseconds{1'500}},
         100,
         R"("default";q=4;w=2)",
         R"("default";r=0;t=3)"},
        {{true, 4, 4, at_ms(1'000), {}},
         {4, milliseconds{1}},
         1'000,
         R"("default";q=4;w=1)",
         R"("default";r=4;t=0)"},
        {{true, 4, 4, at_ms(1'000), {}},
         {4, seconds{1}},
         5'000,
         R"("default";q=4;w=1)",
         R"("default";r=4;t=0)"},
    };
    for (const row& r : rows) {
        const auto fields = sluice::rate_limit_fields(r.d, r.limits, at_ms(r.now));
        REQUIRE(fields);
        REQUIRE(fields->size() == 2);
        CHECK((*fields)[0] == header{"ratelimit-policy", std::string(r.policy_field)});
        CHECK((*fields)[1] == header{"ratelimit", std::string(r.limit_field)});
    }
}

TEST_CASE("numbers in the draft's fields have at most 15 digits, whatever the clock says") {
    for (const instant reset : {sluice::latest_instant, sluice::earliest_instant}) {
        const auto fields =
            sluice::rate_limit_fields({true, 1, 1, reset, {}}, {1, seconds{1}}, instant::min());
        REQUIRE(fields);
        const std::string& field = (*fields)[1].value;
        const std::string time = field.substr(field.find(";t=") + 3);
        CHECK(time.size() <= 15);
        CHECK(time.find_first_not_of("0123456789") == std::string::npos);
    }
}

TEST_CASE("a policy's name is quoted, and must be printable ASCII") {
    const auto named = [](std::string_view name) {
        return sluice::rate_limit_fields({true, 2, 1, at_ms(0), {}}, {2, seconds{1}}, at_ms(0),
                                         name);
    };
    struct good {
        std::string_view name;
        std::string_view field;
    };
    for (const good& g :
         {good{"", R"("";r=1;t=0)"}, good{"per minute", R"("per minute";r=1;t=0)"},
          good{R"(a"b\c)", R"("a\"b\\c";r=1;t=0)"}, good{" !~;=", R"(" !~;=";r=1;t=0)"}}) {
        CAPTURE(g.name);
        REQUIRE(named(g.name));
        CHECK((*named(g.name))[1].value == g.field);
    }
    struct bad {
        std::string_view name;
        std::uint32_t offset;
    };
    for (const bad& b : {bad{"a\r\nset-cookie: x", 1}, bad{"\t", 0}, bad{"caf\xc3\xa9", 3},
                         bad{"ab\x7f", 2}, bad{std::string_view("a\0b", 3), 1}}) {
        CAPTURE(b.offset);
        REQUIRE_FALSE(named(b.name));
        CHECK(named(b.name).error().broken == sluice::rule::field_value);
        CHECK(named(b.name).error().offset == b.offset);
        CHECK(named(b.name).error().length == 1);
        CHECK(named(b.name).error().param == "name");
    }
}
