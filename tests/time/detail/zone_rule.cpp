// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/time/detail/zone_rule.hpp>

#include "../../zones.hpp"

using namespace sluice;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

std::chrono::sys_seconds utc_seconds(std::string_view text) {
    return std::chrono::floor<seconds>(utc(text));
}

struct fixed_offset {
    std::string_view text;
    seconds ahead;
};
constexpr fixed_offset fixed_offsets[] = {
    {"UTC0", seconds{0}},
    {"<-03>3", -hours{3}},
    {"<+0545>-5:45", hours{5} + minutes{45}},
    {"IST-5:30", hours{5} + minutes{30}},
    {"<-00>+0:00:01", -seconds{1}},
    {"LMT-1:02:03", hours{1} + minutes{2} + seconds{3}},
};

// The first second of another offset, and what it is.
struct yearly {
    std::string_view text;
    std::string_view change;
    hours before;
    hours after;
};
constexpr yearly yearly_changes[] = {
    // the second Sunday of March, the first of November
    {"EST5EDT,M3.2.0,M11.1.0", "2038-03-14T07:00", -hours{5}, -hours{4}},
    {"EST5EDT,M3.2.0,M11.1.0", "2038-11-07T06:00", -hours{4}, -hours{5}},
    {"EST5EDT4,M3.2.0/2,M11.1.0/2:00:00", "2038-03-14T07:00", -hours{5}, -hours{4}},
    // the last Sunday
    {"CET-1CEST,M3.5.0,M10.5.0/3", "2038-03-28T01:00", hours{1}, hours{2}},
    {"CET-1CEST,M3.5.0,M10.5.0/3", "2038-10-31T01:00", hours{2}, hours{1}},
    // summer time that goes back in winter
    {"IST-1GMT0,M10.5.0,M3.5.0/1", "2038-03-28T01:00", hours{0}, hours{1}},
    {"IST-1GMT0,M10.5.0,M3.5.0/1", "2038-10-31T01:00", hours{1}, hours{0}},
    // the southern summer ends in the next year
    {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2040-03-31T16:00", hours{11}, hours{10}},
    {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2040-10-06T16:00", hours{10}, hours{11}},
    // an hour before the day, two days after it
    {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2060-03-28T01:00", -hours{2}, -hours{1}},
    {"EET-2EEST,M3.4.4/50,M10.4.4/50", "2050-03-26T00:00", hours{2}, hours{3}},
    // days of the year: J60 is 1 March of every year, 59 the 60th day
    {"AAA0BBB,J60/0,J300/0", "2040-03-01T00:00", hours{0}, hours{1}},
    {"AAA0BBB,J60/0,J300/0", "2041-03-01T00:00", hours{0}, hours{1}},
    {"AAA0BBB,J59/0,J300/0", "2040-02-28T00:00", hours{0}, hours{1}},
    {"AAA0BBB,59/0,300/0", "2040-02-29T00:00", hours{0}, hours{1}},
    {"AAA0BBB,59/0,300/0", "2041-03-01T00:00", hours{0}, hours{1}},
    // no end: it begins again when it ends
    {"EST5EDT,0/0,J365/25", "2040-01-01T05:00", -hours{4}, -hours{4}},
    {"EST5EDT,0/0,J365/25", "2041-01-01T05:00", -hours{4}, -hours{4}},
};

constexpr std::string_view no_rules[] = {
    "",
    "UTC",
    "0",
    "UT0",
    "<UTC0",
    "<>0",
    "UTC0 ",
    "UTC-168",
    "UTC0:60",
    "UTC0:00:60",
    "UTC-0:",
    "U7C0",
    "EST5EDT",
    "EST5EDT4",
    "EST5EDT,",
    "EST5EDT,M3.2.0",
    "EST5EDT,M3.2.0,",
    "EST5EDT,M3.2.0,M11.1",
    "EST5EDT,M0.2.0,M11.1.0",
    "EST5EDT,M13.2.0,M11.1.0",
    "EST5EDT,M3.0.0,M11.1.0",
    "EST5EDT,M3.6.0,M11.1.0",
    "EST5EDT,M3.2.7,M11.1.0",
    "EST5EDT,J0,M11.1.0",
    "EST5EDT,J366,M11.1.0",
    "EST5EDT,366,M11.1.0",
    "EST5EDT,M3.2.0/168,M11.1.0",
    "EST5EDT,M3.2.0/,M11.1.0",
    "EST5EDT,M3.2.0,M11.1.0,",
    "EST5EDT,M3.2.0,M11.1.0/2:00:00:00",
    "EST5EDT,1000,M11.1.0",
};

}  // namespace

TEST_CASE("a rule without days of change is one offset") {
    for (const auto& [text, ahead] : fixed_offsets) {
        CAPTURE(text);
        const auto rule = detail::parse_zone_rule(text);
        REQUIRE(rule);
        for (const std::string_view at : {"0000-01-01T00:00", "2038-07-01T00:00"}) {
            CHECK(rule->offset_at(utc_seconds(at)) == ahead);
            CHECK(rule->offset_for(
                      std::chrono::local_seconds{utc_seconds(at).time_since_epoch()}) == ahead);
        }
    }
}

TEST_CASE("the offset changes at a second of each year") {
    for (const auto& [text, change, before, after] : yearly_changes) {
        CAPTURE(text);
        CAPTURE(change);
        const auto rule = detail::parse_zone_rule(text);
        REQUIRE(rule);
        const std::chrono::sys_seconds at = utc_seconds(change);
        CHECK(rule->offset_at(at - seconds{1}) == before);
        CHECK(rule->offset_at(at) == after);
        // Wall times that are skipped or come twice have the offset before.
        const std::chrono::local_seconds shown{at.time_since_epoch() + std::max(before, after)};
        CHECK(rule->offset_for(shown - seconds{1}) == before);
        CHECK(rule->offset_for(shown) == after);
        CHECK(rule->offset_for(shown - hours{3}) == before);
    }
}

TEST_CASE("a text that is no rule is refused") {
    for (const std::string_view text : no_rules) {
        CAPTURE(text);
        CHECK(!detail::parse_zone_rule(text));
    }
    for (std::size_t size = 0; size < 22; ++size) {
        const std::string cut(std::string_view("EST5EDT,M3.2.0,M11.1.0").substr(0, size));
        CHECK_MESSAGE(detail::parse_zone_rule(cut).has_value() == (size == 4), cut);
    }
}
