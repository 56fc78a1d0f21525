// SPDX-License-Identifier: MIT
#include <chrono>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/time/bucket.hpp>

#include "../zones.hpp"

using namespace sluice;
using namespace std::chrono_literals;

TEST_CASE("days are in the buckets of the calendar") {
    struct {
        time_bucket length;
        std::string_view day, start, next;
    } const cases[] = {
        {time_bucket::day, "2026-08-21", "2026-08-21", "2026-08-22"},
        {time_bucket::day, "2024-02-28", "2024-02-28", "2024-02-29"},
        {time_bucket::week, "2026-08-21", "2026-08-17", "2026-08-24"},  // a Friday
        {time_bucket::week, "2026-08-17", "2026-08-17", "2026-08-24"},
        {time_bucket::week, "2027-01-03", "2026-12-28", "2027-01-04"},
        {time_bucket::month, "2024-02-29", "2024-02-01", "2024-03-01"},
        {time_bucket::month, "2026-12-31", "2026-12-01", "2027-01-01"},
        {time_bucket::quarter, "2026-08-21", "2026-07-01", "2026-10-01"},
        {time_bucket::quarter, "2026-12-01", "2026-10-01", "2027-01-01"},
        {time_bucket::year, "2026-08-21", "2026-01-01", "2027-01-01"},
    };
    for (const auto& [length, day, start, next] : cases) {
        CAPTURE(day);
        const calendar_day begin = bucket_start(length, *parse_day(day));
        CHECK(format_day(begin) == start);
        CHECK(format_day(next_bucket(length, begin)) == next);
    }
}

TEST_CASE("buckets of times begin when the zone's clocks say so") {
    struct {
        time_bucket length;
        std::string_view zone, at, start, next;
    } const cases[] = {
        {time_bucket::hour, "UTC", "2026-08-21T02:30", "2026-08-21T02:00", "2026-08-21T03:00"},
        {time_bucket::hour, "Asia/Kolkata", "2026-08-21T02:10", "2026-08-21T01:30",
         "2026-08-21T02:30"},
        // Clocks are set back: 02:30 is shown twice, in two buckets, on a day of 25 hours.
        {time_bucket::hour, "Europe/Paris", "2026-10-25T00:30", "2026-10-25T00:00",
         "2026-10-25T01:00"},
        {time_bucket::hour, "Europe/Paris", "2026-10-25T01:30", "2026-10-25T01:00",
         "2026-10-25T02:00"},
        {time_bucket::day, "Europe/Paris", "2026-10-25T22:59", "2026-10-24T22:00",
         "2026-10-25T23:00"},
        // Clocks are set forward: 02:00 to 03:00 is skipped, on a day of 23 hours.
        {time_bucket::hour, "Europe/Paris", "2026-03-29T00:59", "2026-03-29T00:00",
         "2026-03-29T01:00"},
        {time_bucket::day, "Europe/Paris", "2026-03-29T12:00", "2026-03-28T23:00",
         "2026-03-29T22:00"},
        // Midnight is skipped: the day begins at 01:00.
        {time_bucket::day, "Africa/Cairo", "2026-04-24T12:00", "2026-04-23T22:00",
         "2026-04-24T21:00"},
        // Clocks are set back by 30 minutes: 01:30 is shown twice.
        {time_bucket::hour, "Australia/Lord_Howe", "2026-04-04T14:45", "2026-04-04T14:00",
         "2026-04-04T15:00"},
        {time_bucket::hour, "Australia/Lord_Howe", "2026-04-04T15:10", "2026-04-04T15:00",
         "2026-04-04T15:30"},
        // 2011-12-30 is skipped.
        {time_bucket::day, "Pacific/Apia", "2011-12-30T09:00", "2011-12-29T10:00",
         "2011-12-30T10:00"},
        {time_bucket::month, "America/New_York", "2026-11-15T00:00", "2026-11-01T04:00",
         "2026-12-01T05:00"},
        {time_bucket::week, "America/New_York", "2026-11-02T04:59", "2026-10-26T04:00",
         "2026-11-02T05:00"},
        {time_bucket::year, "Asia/Tokyo", "2025-12-31T15:00", "2025-12-31T15:00",
         "2026-12-31T15:00"},
    };
    for (const auto& [length, zone, at, start, next] : cases) {
        CAPTURE(zone);
        CAPTURE(at);
        const instant begin = bucket_start(length, utc(at), zone_of(zone));
        CHECK(format_timestamp(begin) == format_timestamp(utc(start)));
        CHECK(format_timestamp(next_bucket(length, begin, zone_of(zone))) ==
              format_timestamp(utc(next)));
    }
}

TEST_CASE("every instant lies in one bucket, which ends where the next begins") {
    std::mt19937_64 random(11);
    for (const time_zone& zone : zones().zones()) {
        for (int round = 0; round < 12; ++round) {
            const auto length = static_cast<time_bucket>(random() % 6);
            const instant at{std::chrono::milliseconds(random() % 3'000'000'000'000)};
            const instant start = bucket_start(length, at, zone);
            const instant next = next_bucket(length, start, zone);
            CAPTURE(zone.name());
            CAPTURE(to_string(length));
            CAPTURE(format_timestamp(at));
            CHECK(start <= at);
            CHECK(at < next);
            CHECK(bucket_start(length, start, zone) == start);
            CHECK(bucket_start(length, next - 1ms, zone) == start);
            CHECK(bucket_start(length, next, zone) == next);
            // The clocks show the bucket's first hour or day, or one after it that they don't skip.
            const wall_time shown = zone.to_wall(start);
            const auto day = std::chrono::floor<std::chrono::days>(shown);
            if (length == time_bucket::hour) {
                CHECK(std::chrono::floor<std::chrono::hours>(shown) <=
                      std::chrono::floor<std::chrono::hours>(zone.to_wall(at)));
            } else {
                CHECK(zone.start_of_day(bucket_start(length, day)) == start);
            }
        }
    }
}

TEST_CASE("steps lead from one bucket to the next") {
    for (const std::string_view name :
         {"UTC", "Europe/Paris", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns"}) {
        const time_zone zone = zone_of(name);
        for (const time_bucket length : {time_bucket::hour, time_bucket::day, time_bucket::month}) {
            CAPTURE(name);
            CAPTURE(to_string(length));
            const instant first = *parse_timestamp("2011-12-28T10:15:30.123Z");
            detail::bucket_steps at(length, first, zone);
            instant expected = bucket_start(length, first, zone);
            for (int step = 0; step < 9'000; ++step) {  // hours of more than a year
                REQUIRE(at.start() == expected);
                at.advance();
                expected = next_bucket(length, expected, zone);
            }
        }
    }
}

TEST_CASE("buckets have names") {
    for (const std::string_view name : time_bucket_names) {
        CHECK(to_string(*find_time_bucket(name)) == name);
    }
    CHECK_FALSE(find_time_bucket("minute"));
    CHECK_FALSE(find_time_bucket(""));
}
