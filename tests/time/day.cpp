// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/time/day.hpp>

using namespace sluice;

TEST_CASE("a day is read from its form alone") {
    const struct {
        std::string_view text;
        rule broken;
    } table[]{
        {"2023-02-29", rule::day_impossible},
        {"2026-13-01", rule::day_impossible},
        {"10000-01-01", rule::time_out_of_range},
        {"-0001-01-01", rule::time_out_of_range},
        {"2026-8-21", rule::time_malformed},
        {"2026-08-21T00:00:00Z", rule::time_malformed},
        {"2026-08-21 ", rule::time_malformed},
        {"today", rule::time_malformed},
        {"", rule::time_malformed},
    };
    for (const auto& [text, broken] : table) {
        CAPTURE(text);
        const auto day = parse_day(text);
        REQUIRE_FALSE(day);
        CHECK(day.error().broken == broken);
        CHECK(day.error().offset == 0);
    }
    CHECK(*parse_day("2026-08-21") ==
          std::chrono::local_days{std::chrono::year{2026} / std::chrono::August / 21});
}

TEST_CASE("every day is written as the calendar has it, and read back") {
    std::string expected = "0000-01-01";
    std::size_t count = 0;
    for (calendar_day day = earliest_day; day <= latest_day; day += std::chrono::days{1}) {
        if (++count % 97 != 0 && day != latest_day && day != earliest_day) continue;
        const std::chrono::year_month_day parts(day);
        const std::string text = format_day(day);
        CHECK(std::stoi(text.substr(0, 4)) == static_cast<int>(parts.year()));
        CHECK(static_cast<unsigned>(std::stoi(text.substr(5, 2))) ==
              static_cast<unsigned>(parts.month()));
        CHECK(static_cast<unsigned>(std::stoi(text.substr(8))) ==
              static_cast<unsigned>(parts.day()));
        CHECK(parse_day(text) == day);
    }
    CHECK(count == 3'652'425);
    CHECK(format_day(earliest_day - std::chrono::days{1}) == expected);
    CHECK(format_day(latest_day + std::chrono::days{1}) == "9999-12-31");
}
