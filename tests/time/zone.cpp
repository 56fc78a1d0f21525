// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/ascii.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/system_zones.hpp>
#include <sluice/time/zone.hpp>

#include "../zones.hpp"

using namespace sluice;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::milliseconds;
using std::chrono::seconds;

static_assert(std::is_trivially_copyable_v<time_zone>);
static_assert(time_zone::utc().name() == "UTC");

namespace {

wall_time wall(std::string_view text) { return wall_time{utc(text).time_since_epoch()}; }

local_days day_of(wall_time shown) { return std::chrono::floor<days>(shown); }

template <class Time>
std::string text_of(Time at) {
    return format_timestamp(
        instant{std::chrono::time_point_cast<milliseconds>(at).time_since_epoch()});
}

// A zone whose clocks are always as far ahead as its data say.
time_zone fixed_zone(std::string_view name, const seconds& ahead) {
    return {name, &ahead,
            [](const void* data, std::chrono::sys_seconds) noexcept {
                return *static_cast<const seconds*>(data);
            },
            [](const void* data, std::chrono::local_seconds) noexcept {
                return *static_cast<const seconds*>(data);
            }};
}

struct conversion {
    std::string_view zone;
    std::string_view shown;
    std::string_view instant;
};

// From another implementation, which reads the same database.
constexpr conversion conversions[] = {
    {"UTC", "2026-08-21T02:30", "2026-08-21T02:30"},
    {"Asia/Kolkata", "2026-03-29T02:30", "2026-03-28T21:00"},
    // an hour skipped, an hour shown twice
    {"America/New_York", "2026-03-08T01:59:59.999", "2026-03-08T06:59:59.999"},
    {"America/New_York", "2026-03-08T02:00", "2026-03-08T07:00"},
    {"America/New_York", "2026-03-08T02:30", "2026-03-08T07:30"},
    {"America/New_York", "2026-03-08T03:00", "2026-03-08T07:00"},
    {"America/New_York", "2026-11-01T00:59:59.999", "2026-11-01T04:59:59.999"},
    {"America/New_York", "2026-11-01T01:30", "2026-11-01T05:30"},
    {"America/New_York", "2026-11-01T02:00", "2026-11-01T07:00"},
    {"Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30"},
    {"Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30"},
    // half an hour
    {"Australia/Lord_Howe", "2025-10-05T02:15", "2025-10-04T15:45"},
    {"Australia/Lord_Howe", "2025-10-05T02:30", "2025-10-04T15:30"},
    {"Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45"},
    {"Australia/Lord_Howe", "2026-04-05T02:00", "2026-04-04T15:30"},
    // at midnight
    {"America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00"},
    {"America/Sao_Paulo", "2018-11-04T00:59:59.999", "2018-11-04T03:59:59.999"},
    {"America/Sao_Paulo", "2019-02-16T23:30", "2019-02-17T01:30"},
    {"America/Sao_Paulo", "2019-02-17T00:00", "2019-02-17T03:00"},
    {"Asia/Beirut", "2025-03-30T00:00", "2025-03-29T22:00"},
    {"Asia/Beirut", "2025-10-25T23:30", "2025-10-25T20:30"},
    // winter time in the middle of spring
    {"Africa/Casablanca", "2025-02-23T02:30", "2025-02-23T01:30"},
    {"Africa/Casablanca", "2025-04-06T02:30", "2025-04-06T02:30"},
    // a day skipped
    {"Pacific/Apia", "2011-12-29T23:59", "2011-12-30T09:59"},
    {"Pacific/Apia", "2011-12-30T12:00", "2011-12-30T22:00"},
    {"Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00"},
    // local mean time, to the second
    {"America/New_York", "1883-11-18T11:00", "1883-11-18T15:56:02"},
    // after the last change that the files list, by the rule in their last line
    {"America/New_York", "2037-07-01T12:00", "2037-07-01T16:00"},
    {"America/New_York", "2038-07-01T12:00", "2038-07-01T16:00"},
    {"America/New_York", "2100-03-14T01:59:59.999", "2100-03-14T06:59:59.999"},
    {"America/New_York", "2100-03-14T02:30", "2100-03-14T07:30"},
    {"America/New_York", "2100-11-07T01:30", "2100-11-07T05:30"},
    {"America/New_York", "2100-11-07T02:00", "2100-11-07T07:00"},
    {"Europe/Berlin", "2199-10-27T02:30", "2199-10-27T00:30"},
    {"Europe/Dublin", "2050-01-01T00:00", "2050-01-01T00:00"},
    {"Europe/Dublin", "2050-03-27T01:30", "2050-03-27T01:30"},
    {"Europe/Dublin", "2050-07-01T00:00", "2050-06-30T23:00"},
    {"Australia/Lord_Howe", "2040-10-07T02:15", "2040-10-06T15:45"},
    {"Australia/Lord_Howe", "2040-04-01T01:45", "2040-03-31T14:45"},
    {"Australia/Sydney", "2099-01-01T00:00", "2098-12-31T13:00"},
    {"America/Nuuk", "2060-03-27T23:30", "2060-03-28T01:30"},
    {"America/Nuuk", "2060-03-28T00:00", "2060-03-28T01:00"},
    {"America/Santiago", "2070-01-01T00:00", "2070-01-01T03:00"},
    {"Asia/Gaza", "2150-07-01T12:00", "2150-07-01T09:00"},
    {"Asia/Kolkata", "2150-07-01T12:00", "2150-07-01T06:30"},
    {"Europe/Berlin", "9999-07-01T00:00", "9999-06-30T22:00"},
};

struct day_start {
    std::string_view zone;
    std::string_view day;
    std::string_view instant;
};

constexpr day_start day_starts[] = {
    {"UTC", "2026-08-21T00:00", "2026-08-21T00:00"},
    {"America/New_York", "2026-03-08T00:00", "2026-03-08T05:00"},
    {"America/New_York", "2026-03-09T00:00", "2026-03-09T04:00"},
    // midnight is skipped
    {"America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00"},
    {"Asia/Beirut", "2025-03-30T00:00", "2025-03-29T22:00"},
    {"America/Havana", "2026-03-08T00:00", "2026-03-08T05:00"},
    // half an hour on both sides of midnight is skipped: the day begins at 00:30
    {"America/Toronto", "1919-03-31T00:00", "1919-03-31T04:30"},
    // midnight comes twice, at 00:00 and after 00:01 became 23:01
    {"America/St_Johns", "2006-10-29T00:00", "2006-10-29T02:30"},
    // a day skipped, and the one after it
    {"Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00"},
    {"Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00"},
};

constexpr std::string_view no_zones[] = {
    "",           "Nowhere",      "Europe",           "Europe/",     "Europe/Atlantis",
    " UTC",       "UTC ",         "posixrules",       "localtime",   "Factory",
    "posix/UTC",  "right/UTC",    "zone.tab",         "tzdata.zi",   "leapseconds",
    "+02:00",     "UTC+2",        "../../etc/passwd", "/etc/passwd", "Europe\\Berlin",
    "Europe/Ber", "EuropeBerlin",
};

}  // namespace

TEST_CASE("UTC needs no data") {
    const time_zone zone = time_zone::utc();
    CHECK(zone.to_wall(utc("2026-08-21T02:30:15.123")) == wall("2026-08-21T02:30:15.123"));
    CHECK(zone.to_instant(wall("2026-08-21T02:30:15.123")) == utc("2026-08-21T02:30:15.123"));
    CHECK(zone.start_of_day(day_of(wall("2026-08-21T02:30"))) == utc("2026-08-21T00:00"));
}

TEST_CASE("a caller's own zone answers from its data") {
    const seconds ahead = hours{2};
    const time_zone zone = fixed_zone("Test/Two", ahead);
    CHECK(zone.name() == "Test/Two");
    CHECK(zone.to_wall(utc("2026-08-21T23:30")) == wall("2026-08-22T01:30"));
    CHECK(zone.to_instant(wall("2026-08-22T01:30")) == utc("2026-08-21T23:30"));
    CHECK(zone.start_of_day(day_of(wall("2026-08-22T01:30"))) == utc("2026-08-21T22:00"));
    CHECK(zone == fixed_zone("Test/Two", ahead));
    CHECK(zone != time_zone::utc());
}

TEST_CASE("a database of a caller's own zones finds them in any order and case") {
    const seconds one = hours{1};
    const seconds two = hours{2};
    const time_zone_database database(
        {fixed_zone("Test/Two", two), time_zone::utc(), fixed_zone("Test/One", one)});
    CHECK(database.find("TEST/one") == fixed_zone("Test/One", one));
    CHECK(database.find("test/TWO") == fixed_zone("Test/Two", two));
    CHECK(database.find("utc") == time_zone::utc());
    CHECK(!database.find("Test/Three"));
    CHECK(!time_zone_database({}).find("UTC"));
}

TEST_CASE("the system's zones and aliases are found in any case, in their own spelling") {
    for (const std::string_view name :
         {"Europe/Berlin", "America/Argentina/Buenos_Aires", "US/Pacific", "UTC", "Etc/UTC", "GMT",
          "Etc/GMT+12", "Asia/Calcutta", "GB-Eire", "Zulu"}) {
        CAPTURE(name);
        CHECK(zone_of(name).name() == name);
        CHECK(zone_of(detail::to_lower(name)).name() == name);
    }
    CHECK(zone_of("eUROPE/bERLIN").name() == "Europe/Berlin");
    const instant summer = utc("2026-07-01T00:00");
    CHECK(zone_of("US/Pacific").to_wall(summer) == zone_of("America/Los_Angeles").to_wall(summer));
}

TEST_CASE("every zone of the database is found by its name alone") {
    REQUIRE(zones().zones().size() > 400);
    for (const time_zone& zone : zones().zones()) {
        CAPTURE(zone.name());
        CHECK(zones().find(zone.name()) == zone);
        CHECK(zones().find(detail::to_lower(zone.name())) == zone);
        CHECK(!zones().find(std::string(zone.name()) + "?"));
        CHECK(!zones().find("posix/" + std::string(zone.name())));
    }
}

TEST_CASE("a name that is no zone is refused as a whole") {
    for (const std::string_view name : no_zones) {
        CAPTURE(name);
        const auto zone = zones().find(name);
        REQUIRE(!zone);
        CHECK(zone.error().broken == rule::time_zone_unknown);
        CHECK(zone.error().code == error_code::unprocessable_entity);
        CHECK(zone.error().offset == 0);
        CHECK(zone.error().length == name.size());
    }
    CHECK(!zones().find(std::string_view("UTC\0", 4)));
    CHECK(!zones().find(std::string(1'000'000, 'A')));
}

TEST_CASE("a skipped wall time moves on by the gap and a repeated one is the first") {
    for (const auto& [zone, shown, at] : conversions) {
        CAPTURE(zone);
        CAPTURE(shown);
        CHECK(text_of(zone_of(zone).to_instant(wall(shown))) == text_of(utc(at)));
    }
}

TEST_CASE("the second of two equal wall times is still shown") {
    const time_zone zone = zone_of("America/New_York");
    CHECK(zone.to_wall(utc("2026-11-01T05:30")) == wall("2026-11-01T01:30"));
    CHECK(zone.to_wall(utc("2026-11-01T06:30")) == wall("2026-11-01T01:30"));
}

TEST_CASE("a day begins at its first instant, even where midnight is skipped or repeated") {
    for (const auto& [zone, day, at] : day_starts) {
        CAPTURE(zone);
        CAPTURE(day);
        CHECK(text_of(zone_of(zone).start_of_day(day_of(wall(day)))) == text_of(utc(at)));
    }
}

TEST_CASE("in every zone a day begins when the clocks first show it") {
    constexpr std::pair<std::string_view, std::string_view> spans[] = {
        {"2011-12-01T00:00", "2027-01-01T00:00"}, {"2037-10-01T00:00", "2039-01-01T00:00"}};
    for (const time_zone& zone : zones().zones()) {
        CAPTURE(zone.name());
        for (const auto& [begin, end] : spans) {
            for (local_days day = day_of(wall(begin)); day < wall(end); day += days{1}) {
                const instant start = zone.start_of_day(day);
                const bool first =
                    zone.to_wall(start) >= day && zone.to_wall(start - milliseconds{1}) < day;
                if (!first) CHECK_MESSAGE(first, text_of(day));
            }
        }
    }
}

TEST_CASE("in every zone a wall time comes back, or later by the gap that skips it") {
    std::mt19937_64 random(7);
    for (const time_zone& zone : zones().zones()) {
        CAPTURE(zone.name());
        for (int i = 0; i < 200; ++i) {
            const wall_time shown =
                wall("1900-01-01T00:00") + milliseconds{random() % (400ULL * 366 * 86'400'000)};
            const wall_time again = zone.to_wall(zone.to_instant(shown));
            if (again != shown) CHECK(zone.to_wall(zone.to_instant(again)) == again);
            REQUIRE(again >= shown);
        }
    }
}

TEST_CASE("the first and last instants have a wall time in every zone") {
    for (const time_zone& zone : zones().zones()) {
        CAPTURE(zone.name());
        for (const instant at : {earliest_instant, latest_instant}) {
            CHECK(zone.to_instant(zone.to_wall(at)) == at);
        }
    }
}

TEST_CASE("threads may read one database at the same time") {
    struct expected {
        std::string_view zone;
        wall_time shown;
        instant at;
    };
    std::vector<expected> all;
    for (const auto& [zone, shown, at] : conversions) all.push_back({zone, wall(shown), utc(at)});
    const time_zone_database& database = zones();
    std::atomic<int> wrong = 0;
    const auto read = [&] {
        for (int i = 0; i < 200; ++i) {
            for (const expected& one : all) {
                const auto zone = database.find(one.zone);
                if (!zone || zone->to_instant(one.shown) != one.at) ++wrong;
            }
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(read);
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("loading again gives the same zones") {
    const auto again = load_time_zones();
    REQUIRE(again);
    CHECK(again->zones() == zones().zones());
}
