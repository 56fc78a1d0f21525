// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/errors/error.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/time/instant.hpp>

#include "../mutate.hpp"

using namespace sluice;
using std::chrono::milliseconds;

static_assert(*parse_timestamp("1970-01-01T00:00:01.5Z") == instant{milliseconds{1500}});
static_assert(!parse_timestamp("1970-01-01"));
static_assert(noexcept(parse_timestamp("")));

namespace {

struct accepted {
    std::string_view text;
    std::int64_t ms;
};

constexpr std::int64_t day_ms = 86'400'000;

// Milliseconds from another implementation of the calendar.
constexpr accepted accepted_timestamps[] = {
    {"1970-01-01T00:00:00Z", 0},
    {"2026-08-21T02:30:15.123Z", 1'787'279'415'123},
    {"2026-08-21T04:30:15.123+02:00", 1'787'279'415'123},
    {"2026-08-20T14:30:15.123-12:00", 1'787'279'415'123},
    {"2024-02-29T23:59:59.999-12:00", 1'709'294'399'999},
    {"1969-12-31T23:59:59.999Z", -1},
    {"1969-12-31T23:59:58.001Z", -1'999},
    {"2000-02-29T12:00:00Z", 951'825'600'000},
    {"1900-02-28T00:00:00Z", -2'203'977'600'000},
    {"2025-01-01T05:45:00+05:45", 1'735'689'600'000},
    {"2025-12-31T23:59:59.5-23:59", 1'767'311'939'500},
    {"0000-01-01T00:00:00Z", -62'167'219'200'000},
    {"0000-02-29T00:00:00Z", -62'167'219'200'000 + 59 * day_ms},
    {"0001-01-01T00:00:00Z", -62'135'596'800'000},
    {"9999-12-31T23:59:59.999Z", 253'402'300'799'999},
    // separators and cases
    {"1970-01-01t00:00:00z", 0},
    {"1970-01-01 00:00:00Z", 0},
    {"1970-01-01 00:00:00z", 0},
    {"1970-01-01T00:00:00+00:00", 0},
    {"1970-01-01T00:00:00-00:00", 0},
    {"1970-01-01T23:59:00+23:59", 0},
    // fractions are cut, not rounded
    {"1970-01-01T00:00:00.1Z", 100},
    {"1970-01-01T00:00:00.01Z", 10},
    {"1970-01-01T00:00:00.001Z", 1},
    {"1970-01-01T00:00:00.0009Z", 0},
    {"1970-01-01T00:00:00.12345678Z", 123},
    {"1970-01-01T00:00:00.999999999Z", 999},
    {"1969-12-31T23:59:59.9999Z", -1},
    // leap seconds
    {"2016-12-31T23:59:60Z", 1'483'228'800'000},
    {"2016-12-31T23:59:60.5Z", 1'483'228'800'500},
    {"2017-01-01T05:29:60+05:30", 1'483'228'800'000},
    {"1970-01-01T00:00:60Z", 60'000},
    // the year of the text may be outside when the instant isn't
    {"0000-01-01T00:00:00-00:01", -62'167'219'200'000 + 60'000},
    {"9999-12-31T23:59:60+00:01", 253'402'300'800'000 - 60'000},
};

constexpr std::string_view refused_timestamps[] = {
    "",
    " ",
    "now",
    "1970-01-01",
    "1970-01-01T",
    "1970-01-01T00:00Z",
    "1970-01-01T00:00:00",
    "1970-01-01T00:00:00 Z",
    " 1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00Z ",
    "1970-01-01T00:00:00ZZ",
    "1970-01-01T00:00:00Z+00:00",
    "1970-01-01_00:00:00Z",
    "1970-01-01  00:00:00Z",
    "1970-01-01\t00:00:00Z",
    // separators and widths
    "1970/01/01T00:00:00Z",
    "19700101T000000Z",
    "1970-1-01T00:00:00Z",
    "1970-01-1T00:00:00Z",
    "1970-01-01T0:00:00Z",
    "1970-01-01T00.00.00Z",
    "01970-01-01T00:00:00Z",
    "+1970-01-01T00:00:00Z",
    "-001-01-01T00:00:00Z",
    "970-01-01T00:00:00Z",
    // times that no clock shows
    "1970-01-01T24:00:00Z",
    "1970-01-01T00:60:00Z",
    "1970-01-01T00:00:61Z",
    "1970-01-01T00:00:99Z",
    // fractions
    "1970-01-01T00:00:00.Z",
    "1970-01-01T00:00:00.1234567890Z",
    "1970-01-01T00:00:00,5Z",
    "1970-01-01T00:00:00.-5Z",
    "1970-01-01T00:00:00.5.5Z",
    // offsets
    "1970-01-01T00:00:00+",
    "1970-01-01T00:00:00+01",
    "1970-01-01T00:00:00+0100",
    "1970-01-01T00:00:00+1:00",
    "1970-01-01T00:00:00+24:00",
    "1970-01-01T00:00:00+00:60",
    "1970-01-01T00:00:00+-1:00",
    "1970-01-01T00:00:00 02:00",
    "1970-01-01T00:00:00+01:00:00",
    "1970-01-01T00:00:00UTC",
    // bytes that are no digits
    "197\xD9\xA0-01-01T00:00:00Z",
    "1970-01-01T00:00:0:Z",
    "1970-01-01T00:00:0/Z",
};

constexpr std::string_view impossible_days[] = {
    "1970-00-01T00:00:00Z", "1970-13-01T00:00:00Z", "1970-01-00T00:00:00Z", "1970-01-32T00:00:00Z",
    "1970-04-31T00:00:00Z", "1970-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2000-02-30T00:00:00Z",
};

constexpr std::string_view times_out_of_range[] = {
    "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:00-00:01", "9999-12-31T23:59:60Z",
    "10000-01-01T00:00:00Z",     "+10000-01-01T00:00:00Z",    "-0001-01-01T00:00:00Z",
};

instant at_ms(std::int64_t ms) { return instant{milliseconds{ms}}; }

void check_refused(std::string_view text, rule broken, std::size_t length) {
    CAPTURE(text);
    const auto read = parse_timestamp(text);
    REQUIRE(!read);
    CHECK(read.error().broken == broken);
    CHECK(read.error().code == error_code::bad_request);
    CHECK(read.error().offset == 0);
    CHECK(read.error().length == length);
}
void check_refused(std::string_view text) {
    check_refused(text, rule::time_malformed, text.size());
}

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(int year, int month) {
    constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

std::string day_text(int year, int month, int day, std::string_view rest) {
    std::array<char, 40> text;
    const int size = std::snprintf(text.data(), text.size(), "%04d-%02d-%02d", year, month, day);
    return std::string(text.data(), static_cast<std::size_t>(size)).append(rest);
}

}  // namespace

TEST_CASE("a timestamp reads as its milliseconds since the epoch") {
    for (const auto& [text, ms] : accepted_timestamps) {
        CAPTURE(text);
        const auto read = parse_timestamp(text);
        REQUIRE(read);
        CHECK(read->time_since_epoch().count() == ms);
    }
}

TEST_CASE("any other text is no timestamp") {
    for (const std::string_view text : refused_timestamps) check_refused(text);
    check_refused(std::string_view("1970-01-01T00:00:00Z\0", 21));
    check_refused(std::string(100'000, '1'));
    check_refused("1970-01-01T00:00:00." + std::string(100'000, '0') + "Z");
}

TEST_CASE("a day that no calendar has and a time out of range are named as such") {
    for (const std::string_view text : impossible_days)
        check_refused(text, rule::day_impossible, 10);
    for (const std::string_view text : times_out_of_range) {
        check_refused(text, rule::time_out_of_range, text.size());
    }
}

TEST_CASE("the message of a malformed timestamp names the form") {
    CHECK(message(parse_timestamp("soon").error()) ==
          "not a time, expected RFC 3339 such as 2026-08-21T02:30:15Z");
}

TEST_CASE("an instant is written with 24 characters") {
    CHECK(format_timestamp(at_ms(1'787'279'415'123)) == "2026-08-21T02:30:15.123Z");
    CHECK(format_timestamp(at_ms(0)) == "1970-01-01T00:00:00.000Z");
    CHECK(format_timestamp(at_ms(-1)) == "1969-12-31T23:59:59.999Z");
    CHECK(format_timestamp(earliest_instant) == "0000-01-01T00:00:00.000Z");
    CHECK(format_timestamp(latest_instant) == "9999-12-31T23:59:59.999Z");
}

TEST_CASE("an instant that has no text is written as the nearest that has") {
    CHECK(format_timestamp(earliest_instant - milliseconds{1}) == "0000-01-01T00:00:00.000Z");
    CHECK(format_timestamp(latest_instant + milliseconds{1}) == "9999-12-31T23:59:59.999Z");
    CHECK(format_timestamp(instant::min()) == "0000-01-01T00:00:00.000Z");
    CHECK(format_timestamp(instant::max()) == "9999-12-31T23:59:59.999Z");
    CHECK(!is_writable(latest_instant + milliseconds{1}));
    CHECK(!is_writable(earliest_instant - milliseconds{1}));
}

TEST_CASE("a timestamp is appended after what is there") {
    std::string out = "at ";
    append_timestamp(out, at_ms(0));
    CHECK(out == "at 1970-01-01T00:00:00.000Z");
}

TEST_CASE("the first and last day of every month of the years 0000 to 9999") {
    std::int64_t ms = earliest_instant.time_since_epoch().count();
    std::int64_t wrong = 0;
    const auto check = [&](const std::string& text, std::int64_t expected) {
        if (parse_timestamp(text) != at_ms(expected)) ++wrong;
        if (format_timestamp(at_ms(expected)) != text) ++wrong;
    };
    for (int year = 0; year <= 9999; ++year) {
        for (int month = 1; month <= 12; ++month) {
            const int days = days_in_month(year, month);
            check(day_text(year, month, 1, "T00:00:00.000Z"), ms);
            ms += days * day_ms;
            check(day_text(year, month, days, "T23:59:59.999Z"), ms - 1);
            if (parse_timestamp(day_text(year, month, days + 1, "T00:00:00Z"))) ++wrong;
        }
    }
    CHECK(wrong == 0);
    CHECK(at_ms(ms - 1) == latest_instant);
}

TEST_CASE("every instant reads as it was written") {
    std::mt19937_64 random(5);
    std::uniform_int_distribution<std::int64_t> ms(earliest_instant.time_since_epoch().count(),
                                                   latest_instant.time_since_epoch().count());
    for (int i = 0; i < 20'000; ++i) {
        const instant at = at_ms(ms(random));
        const std::string text = format_timestamp(at);
        CAPTURE(text);
        REQUIRE(text.size() == 24);
        REQUIRE(parse_timestamp(text) == at);
    }
}

TEST_CASE("a mutated timestamp is refused or is an instant that can be written") {
    constexpr std::string_view bytes = "0123456789-:.+TtZz \xFF";
    std::mt19937_64 random(6);
    for (int i = 0; i < 50'000; ++i) {
        const auto& accepted = accepted_timestamps[random() % std::size(accepted_timestamps)];
        const std::string text = mutated(std::string(accepted.text), bytes, random);
        CAPTURE(text);
        const auto read = parse_timestamp(text);
        if (!read) {
            REQUIRE(read.error().length ==
                    (read.error().broken == rule::day_impossible ? 10 : text.size()));
        } else {
            REQUIRE(is_writable(*read));
            REQUIRE(parse_timestamp(format_timestamp(*read)) == read);
        }
    }
}

TEST_CASE("a timestamp shows the calendar's day and the clock's time") {
    std::mt19937_64 random(8);
    std::uniform_int_distribution<std::int64_t> ms(-100'000'000'000'000, 300'000'000'000'000);
    for (int i = 0; i < 100'000; ++i) {
        const instant at = at_ms(ms(random));
        const instant nearest = std::clamp(at, earliest_instant, latest_instant);
        const auto day = std::chrono::floor<std::chrono::days>(nearest);
        const std::chrono::year_month_day date{day};
        const std::chrono::hh_mm_ss time{nearest - day};
        std::array<char, 40> expected{};
        std::snprintf(expected.data(), expected.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                      static_cast<int>(time.minutes().count()),
                      static_cast<int>(time.seconds().count()),
                      static_cast<int>(time.subseconds().count()));
        std::array<char, timestamp_size + 2> written{};
        written.back() = '!';
        write_timestamp(written.data() + 1, at);
        REQUIRE(std::string_view(written.data() + 1, timestamp_size) == expected.data());
        REQUIRE(written.front() == '\0');
        REQUIRE(written.back() == '!');
    }
}

TEST_CASE("a text in the written form reads the same digit by digit and eight at a time") {
    constexpr std::string_view bytes = "0123456789:-.TtZz /;+\x01\x80\xB0\xFF";
    std::mt19937_64 random(9);
    int both = 0;
    for (int i = 0; i < 400'000; ++i) {
        std::string text = "2024-02-29T12:34:56.789Z";
        for (std::uint64_t change = random() % 3; change-- > 0;) {
            text[random() % text.size()] = bytes[random() % bytes.size()];
        }
        CAPTURE(text);
        detail::time_reader reader(text);
        instant slow{reader.date().time_since_epoch()};
        reader.separator();
        slow += reader.hours_and_minutes();
        slow += reader.seconds();
        slow -= reader.offset();
        const auto fast = detail::read_canonical(text);
        if (!fast) continue;
        ++both;
        REQUIRE(reader.complete());
        REQUIRE(slow == earliest_instant + milliseconds{*fast});
    }
    CHECK(both > 150'000);
}

TEST_CASE("every day of the years 0000 to 9999 is read and written eight digits at a time") {
    std::int64_t number = 0;
    for (int year = 0; year <= 9'999; ++year) {
        for (unsigned month = 1; month <= 12; ++month) {
            const std::chrono::year_month_day_last last{
                std::chrono::year{year}, std::chrono::month_day_last{std::chrono::month{month}}};
            for (unsigned day = 1; day <= 31; ++day) {
                std::array<char, 40> text{};
                std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT00:00:00.000Z", year, month,
                              day);
                const auto read = detail::read_canonical({text.data(), timestamp_size});
                const bool exists = day <= static_cast<unsigned>(last.day());
                if (read.has_value() != exists) CHECK_MESSAGE(false, text.data());
                if (!exists) continue;
                const instant at = earliest_instant + std::chrono::days{number};
                if (*read != number++ * 86'400'000) CHECK_MESSAGE(false, text.data());
                if (format_timestamp(at) != text.data()) CHECK_MESSAGE(false, text.data());
            }
        }
    }
    CHECK(number == 3'652'425);
}
