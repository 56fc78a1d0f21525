// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include <sluice/errors/error.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/interval.hpp>
#include <sluice/time/window.hpp>

#include "../zones.hpp"

using namespace sluice;

static_assert(std::is_trivially_copyable_v<interval>);
static_assert(interval{} == parse_interval("24h").value());
static_assert(parse_interval("all").value() == interval{interval_word::all});
constexpr interval every_time{interval_word::all}, this_year{interval_word::ytd};
static_assert(every_time.is_all() && !this_year.is_all());

namespace {

struct counted_text {
    std::string_view text;
    std::int64_t count;
    time_unit unit;
};

constexpr counted_text counted_texts[] = {
    {"1min", 1, time_unit::minute},
    {"90min", 90, time_unit::minute},
    {"525600000min", 525'600'000, time_unit::minute},
    {"6h", 6, time_unit::hour},
    {"24h", 24, time_unit::hour},
    {"8760000h", 8'760'000, time_unit::hour},
    {"7d", 7, time_unit::day},
    {"14d", 14, time_unit::day},
    {"365000d", 365'000, time_unit::day},
    {"2w", 2, time_unit::week},
    {"52000w", 52'000, time_unit::week},
    {"3mo", 3, time_unit::month},
    {"12000mo", 12'000, time_unit::month},
    {"1y", 1, time_unit::year},
    {"1000y", 1'000, time_unit::year},
};

struct refused_text {
    std::string_view text;
    rule broken;
    std::size_t length;  // of the bytes at fault, the first ones
    std::string_view suggestion;
};

constexpr refused_text refused_texts[] = {
    {"0h", rule::number_too_small, 1, ""},
    {"000d", rule::number_too_small, 3, ""},
    {"525600001min", rule::number_too_large, 9, ""},
    {"8760001h", rule::number_too_large, 7, ""},
    {"365001d", rule::number_too_large, 6, ""},
    {"52001w", rule::number_too_large, 5, ""},
    {"12001mo", rule::number_too_large, 5, ""},
    {"1001y", rule::number_too_large, 4, ""},
    {"2147483648d", rule::number_too_large, 10, ""},
    {"4294967297h", rule::number_too_large, 10, ""},
    {"9223372036854775807min", rule::number_too_large, 19, ""},
    {"9223372036854775808min", rule::number_too_large, 19, ""},
    {"18446744073709551617d", rule::number_too_large, 20, ""},
    {"", rule::choice_unknown, 0, ""},
    {"h", rule::choice_unknown, 1, ""},
    {"6", rule::choice_unknown, 1, ""},
    {"6H", rule::choice_unknown, 2, ""},
    {"7D", rule::choice_unknown, 2, "7d"},
    {"24H", rule::choice_unknown, 3, "24h"},
    {"MTD", rule::choice_unknown, 3, "mtd"},
    {"mdt", rule::choice_unknown, 3, "mtd"},
    {"30", rule::choice_unknown, 2, "30d"},
    {"5m", rule::choice_unknown, 2, ""},
    {"5s", rule::choice_unknown, 2, ""},
    {"6hours", rule::choice_unknown, 6, ""},
    {"06h", rule::choice_unknown, 3, ""},
    {"-6h", rule::choice_unknown, 3, ""},
    {"+6h", rule::choice_unknown, 3, ""},
    {"1.5d", rule::choice_unknown, 4, ""},
    {"1e2d", rule::choice_unknown, 4, ""},
    {"6 h", rule::choice_unknown, 3, ""},
    {" 6h", rule::choice_unknown, 3, ""},
    {"6h ", rule::choice_unknown, 3, ""},
    {"6h6h", rule::choice_unknown, 4, ""},
    {"6\xD9\xA6h", rule::choice_unknown, 4, ""},
    {"\xEF\xBC\x96h", rule::choice_unknown, 4, ""},
    {"7 days ago", rule::choice_unknown, 10, ""},
    {std::string_view("6h\0", 3), rule::choice_unknown, 3, ""},
};

struct counted_window {
    std::string_view text;
    std::string_view zone;
    std::string_view now;
    std::string_view start;
};

// From Python's zoneinfo. Days, weeks, months and years keep the wall time, hours don't.
constexpr counted_window counted_windows[] = {
    {"6h", "UTC", "2026-08-21T02:30", "2026-08-20T20:30"},
    {"15min", "UTC", "2026-08-21T02:30", "2026-08-21T02:15"},
    {"14d", "UTC", "2026-08-21T02:30", "2026-08-07T02:30"},
    {"2w", "UTC", "2026-08-21T02:30", "2026-08-07T02:30"},
    {"3mo", "UTC", "2026-08-21T02:30", "2026-05-21T02:30"},
    {"4y", "UTC", "2024-02-29T12:00", "2020-02-29T12:00"},
    {"1y", "UTC", "2024-02-29T12:00", "2023-02-28T12:00"},
    {"1mo", "UTC", "2026-03-31T12:00", "2026-02-28T12:00"},
    {"1000y", "UTC", "2026-08-21T02:30", "1026-08-21T02:30"},
    {"365000d", "UTC", "2026-08-21T02:30", "1027-04-21T02:30"},
    {"90min", "Asia/Kolkata", "2026-08-21T02:30", "2026-08-21T01:00"},
    // the clocks go forward, and back
    {"1d", "Europe/Berlin", "2026-03-29T12:00", "2026-03-28T13:00"},
    {"24h", "Europe/Berlin", "2026-03-29T12:00", "2026-03-28T12:00"},
    {"1d", "Europe/Berlin", "2026-10-25T12:00", "2026-10-24T11:00"},
    {"24h", "Europe/Berlin", "2026-10-25T12:00", "2026-10-24T12:00"},
    {"36h", "America/New_York", "2026-11-02T12:00", "2026-11-01T00:00"},
    {"2d", "America/New_York", "2026-11-02T12:00", "2026-10-31T11:00"},
    {"1w", "Australia/Lord_Howe", "2026-04-06T00:00", "2026-03-29T23:30"},
    // a wall time that the clocks skip, and one that comes twice
    {"1d", "Europe/Berlin", "2026-03-30T00:30", "2026-03-29T01:30"},
    {"1w", "Europe/Berlin", "2026-04-05T00:30", "2026-03-29T01:30"},
    {"1mo", "Europe/Berlin", "2026-04-29T00:30", "2026-03-29T01:30"},
    {"1d", "Europe/Berlin", "2026-10-26T01:30", "2026-10-25T00:30"},
    {"1d", "Pacific/Apia", "2011-12-31T12:00", "2011-12-30T12:00"},
};

}  // namespace

TEST_CASE("an interval is a count of units") {
    for (const auto& [text, count, unit] : counted_texts) {
        CAPTURE(text);
        const auto parsed = parse_interval(text);
        REQUIRE(parsed);
        CHECK(*parsed == interval{time_ago{count, unit}});
        CHECK(to_string(*parsed) == text);
    }
}

TEST_CASE("an interval is a word") {
    constexpr interval_word words[] = {interval_word::mtd, interval_word::qtd, interval_word::ytd,
                                       interval_word::all};
    static_assert(std::size(words) == interval_words.size());
    for (const interval_word word : words) {
        const std::string text = to_string(interval{word});
        CHECK(text == interval_words[static_cast<std::size_t>(word)]);
        CHECK(parse_interval(text) == interval{word});
    }
}

TEST_CASE("any other text is no interval") {
    for (const auto& [text, broken, length, suggestion] : refused_texts) {
        CAPTURE(text);
        const auto refused = parse_interval(text);
        REQUIRE(!refused);
        CHECK(refused.error().broken == broken);
        CHECK(refused.error().offset == 0);
        CHECK(refused.error().length == length);
        CHECK(refused.error().suggestion == suggestion);
        CHECK(!refused.error().accepts.empty());
    }
}

TEST_CASE("a counted interval keeps the wall time of its zone, unless it counts hours or minutes") {
    for (const auto& [text, zone, now, start] : counted_windows) {
        CAPTURE(text);
        CAPTURE(zone);
        CAPTURE(now);
        const window_request request{parse_interval(text).value(), {}, {}};
        const auto range = resolve_window(request, zone_of(zone), utc(now));
        REQUIRE(range);
        CHECK(format_timestamp(range->start.value()) == format_timestamp(utc(start)));
        CHECK(range->end == utc(now));
    }
}

TEST_CASE("a random text is an interval only if it is one's canonical text") {
    std::mt19937_64 random(11);
    constexpr std::string_view bytes = "0123456789hdwmoytinqal H-";
    for (int i = 0; i < 100'000; ++i) {
        std::string text;
        for (auto size = random() % 6; size > 0; --size) {
            text.push_back(bytes[random() % bytes.size()]);
        }
        if (const auto parsed = parse_interval(text)) REQUIRE(to_string(*parsed) == text);
    }
}
