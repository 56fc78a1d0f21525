// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <doctest/doctest.h>

#include <sluice/errors/error.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/zone.hpp>

#include "../mutate.hpp"

using namespace sluice;
using std::chrono::milliseconds;

static_assert(std::is_trivially_copyable_v<time_expression>);
static_assert(noexcept(parse_time_expression("")));
static_assert(*parse_time_expression("3 days ago") == time_expression{time_ago{3, time_unit::day}});

namespace {

constexpr instant epoch_second{std::chrono::seconds{1'787'279'415}};

wall_time wall_of(instant at) { return wall_time{at.time_since_epoch()}; }

std::chrono::local_days day_of(instant at) {
    return std::chrono::floor<std::chrono::days>(wall_of(at));
}

struct accepted {
    std::string_view text;
    time_expression::form_type form;
    std::string_view canonical;
};

const accepted accepted_times[] = {
    // instants
    {"2026-08-21T02:30:15Z", epoch_second, "2026-08-21T02:30:15.000Z"},
    {"2026-08-21 04:30:15.000999+02:00", epoch_second, "2026-08-21T02:30:15.000Z"},
    {"1787279415", epoch_second, "2026-08-21T02:30:15.000Z"},
    {"1787279415000", epoch_second, "2026-08-21T02:30:15.000Z"},
    {"1787279415123", epoch_second + milliseconds{123}, "2026-08-21T02:30:15.123Z"},
    {"0000000000", instant{}, "1970-01-01T00:00:00.000Z"},
    {"0000000000001", instant{milliseconds{1}}, "1970-01-01T00:00:00.001Z"},
    {"9999999999", instant{std::chrono::seconds{9'999'999'999}}, "2286-11-20T17:46:39.000Z"},
    {"9999999999999", instant{milliseconds{9'999'999'999'999}}, "2286-11-20T17:46:39.999Z"},
    // days
    {"2026-08-21", day_of(epoch_second), "2026-08-21"},
    {"0000-01-01", day_of(earliest_instant), "0000-01-01"},
    {"9999-12-31", day_of(latest_instant), "9999-12-31"},
    // wall times
    {"2026-08-21T02:30:15", wall_of(epoch_second), "2026-08-21T02:30:15.000"},
    {"2026-08-21t02:30:15.5", wall_of(epoch_second) + milliseconds{500}, "2026-08-21T02:30:15.500"},
    {"2026-08-21 02:30:15.000999999", wall_of(epoch_second), "2026-08-21T02:30:15.000"},
    {"2026-08-21T02:30", wall_of(epoch_second) - std::chrono::seconds{15},
     "2026-08-21T02:30:00.000"},
    {"2026-08-21T02:30:60", wall_of(epoch_second) + std::chrono::seconds{45},
     "2026-08-21T02:31:00.000"},
    {"9999-12-31T23:59:59.999", wall_of(latest_instant), "9999-12-31T23:59:59.999"},
    // words
    {"now", current_time{}, "now"},
    {"NOW", current_time{}, "now"},
    {"today", named_period::today, "today"},
    {"Yesterday", named_period::yesterday, "yesterday"},
    {"tOMORROW", named_period::tomorrow, "tomorrow"},
    {"last week", named_period::last_week, "last week"},
    {"last month", named_period::last_month, "last month"},
    {"last quarter", named_period::last_quarter, "last quarter"},
    {"Last Year", named_period::last_year, "last year"},
    {"this week", named_period::this_week, "this week"},
    {"THIS MONTH", named_period::this_month, "this month"},
    {"this quarter", named_period::this_quarter, "this quarter"},
    {"this year", named_period::this_year, "this year"},
    // counts
    {"1 minute ago", time_ago{1, time_unit::minute}, "1 minute ago"},
    {"90 minutes ago", time_ago{90, time_unit::minute}, "90 minutes ago"},
    {"1 hours ago", time_ago{1, time_unit::hour}, "1 hour ago"},
    {"24 hour ago", time_ago{24, time_unit::hour}, "24 hours ago"},
    {"3 Days Ago", time_ago{3, time_unit::day}, "3 days ago"},
    {"2 WEEKS AGO", time_ago{2, time_unit::week}, "2 weeks ago"},
    {"12 months ago", time_ago{12, time_unit::month}, "12 months ago"},
    {"1 year ago", time_ago{1, time_unit::year}, "1 year ago"},
    {"0 days ago", time_ago{0, time_unit::day}, "0 days ago"},
    {"007 days ago", time_ago{7, time_unit::day}, "7 days ago"},
    {"9223372036854775807 minutes ago", time_ago{INT64_MAX, time_unit::minute},
     "9223372036854775807 minutes ago"},
    {"9223372036854775808 days ago", time_ago{INT64_MAX, time_unit::day},
     "9223372036854775807 days ago"},
    {"99999999999999999999999999999999 days ago", time_ago{INT64_MAX, time_unit::day},
     "9223372036854775807 days ago"},
};

constexpr std::string_view refused_times[] = {
    "",
    " ",
    "\t",
    "soon",
    "now ",
    " now",
    "now()",
    "todayyesterday",
    "a week ago",
    // dates and wall times
    "2026",
    "2026-08",
    "2026-8-21",
    "2026-08-21T",
    "2026-08-21T02",
    "2026-08-21T02:3",
    "2026-08-21T24:00",
    "2026-08-21T02:60",
    "2026-08-21T02:30:61",
    "2026-08-21T02:30:",
    "2026-08-21T02:30:15.",
    "2026-08-21T02:30:15.1234567890",
    "2026-08-21T02:30.5",
    "2026-08-21T02:30Z",
    "2026-08-21T02:30+02:00",
    "2026-08-21Z",
    "2026-08-21+02:00",
    "2026-08-21  02:30",
    "21-08-2026",
    "08/21/2026",
    "2026-W34",
    "Fri, 21 Aug 2026 02:30:15 GMT",
    // epochs have 10 or 13 digits
    "0",
    "178727941",
    "17872794150",
    "178727941500",
    "17872794150000",
    "-178727941",
    "-1787279415",
    "+178727941",
    "1787279415.0",
    "178727941x",
    "1787279415 ",
    // words
    "last",
    "this",
    "last day",
    "last  week",
    "last week ",
    "lastweek",
    "last_week",
    "last weeks",
    "next week",
    "this hour",
    "last\tweek",
    // counts
    "ago",
    " ago",
    "days ago",
    "3 ago",
    "3  ago",
    "3 days",
    "3 days  ago",
    "3  days ago",
    "3days ago",
    "3 daysago",
    "3 days ago ",
    " 3 days ago",
    "3 dayss ago",
    "3 s ago",
    "3 quarters ago",
    "3 seconds ago",
    "3 decades ago",
    "-3 days ago",
    "+3 days ago",
    "3.0 days ago",
    "1e3 days ago",
    "three days ago",
    "3 days hence",
    "3 days ago 3 days ago",
};

void check_refused(std::string_view text) {
    CAPTURE(text);
    const auto read = parse_time_expression(text);
    REQUIRE(!read);
    CHECK(read.error().broken == rule::time_malformed);
    CHECK(read.error().code == error_code::bad_request);
    CHECK(read.error().offset == 0);
    CHECK(read.error().length == text.size());
}

}  // namespace

TEST_CASE("a time reads as its form and is written in its canonical text") {
    for (const auto& [text, form, canonical] : accepted_times) {
        CAPTURE(text);
        const auto read = parse_time_expression(text);
        REQUIRE(read);
        CHECK(read->form == form);
        CHECK(read->length == text.size());
        CHECK(to_string(*read) == canonical);
        CHECK(parse_time_expression(canonical) == *read);
    }
}

TEST_CASE("any other text is no time") {
    for (const std::string_view text : refused_times) check_refused(text);
    check_refused(std::string_view("now\0", 4));
    check_refused(std::string(1'000'000, '1'));
    check_refused(std::string(1'000'000, ' '));
    check_refused(std::string(1'000'000, '9') + " days hence");
}

TEST_CASE("a day that no calendar has is told apart from a text that is no time") {
    for (const std::string_view day :
         {"2026-02-29", "2026-02-30", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-01",
          "2026-01-00", "2026-01-32", "2026-99-99"}) {
        for (const std::string_view rest :
             {"", "T10:00", " 10:00:15", "T10:00:15.5", "t10:00:15Z", "T10:00:15+02:00"}) {
            const std::string text = std::string(day).append(rest);
            CAPTURE(text);
            const auto read = parse_time_expression(text);
            REQUIRE(!read);
            CHECK(read.error().broken == rule::day_impossible);
            CHECK(read.error().code == error_code::bad_request);
            CHECK(read.error().offset == 0);
            CHECK(read.error().length == 10);
        }
    }
    for (const std::string_view text : {"2026-02-30T", "2026-02-30T24:00", "2026-02-30x",
                                        "2026-02-30 ", "2026-2-30", "2026-02-3O"}) {
        check_refused(text);
    }
}

TEST_CASE("a plus that became a space is an error at its place, where an offset would be") {
    const struct {
        std::string_view text;
        rule broken;
        std::uint32_t offset, length;
    } cases[] = {
        {"2026-08-21T02:30:15 02:00", rule::time_plus, 19, 1},
        {"2026-08-21 02:30:15 02:00", rule::time_plus, 19, 1},
        {"2026-08-21t02:30:15.123456789 00:00", rule::time_plus, 29, 1},
        {"2026-08-21T02:30:15 -02:00", rule::time_malformed, 0, 26},
        {"2026-08-21T02:30:15 24:00", rule::time_malformed, 0, 25},
        {"2026-08-21T02:30 02:00", rule::time_malformed, 0, 22},
        {"2026-08-21 02:00:00:00", rule::time_malformed, 0, 22},
    };
    for (const auto& [text, broken, offset, length] : cases) {
        CAPTURE(text);
        const auto read = parse_time_expression(text);
        REQUIRE(!read);
        CHECK(read.error().broken == broken);
        CHECK(read.error().offset == offset);
        CHECK(read.error().length == length);
    }
}

TEST_CASE("a time outside the years 0000 to 9999 is told apart from a text that is no time") {
    for (const std::string_view text :
         {"0000-01-01T00:00:00+00:01", "9999-12-31T23:59:00-00:01", "9999-12-31T23:59:60",
          "9999-12-31T23:59:60Z", "10000-01-01", "10000-02-29T10:00", "12026-08-21T02:30:15Z",
          "+12026-08-21", "-0001-01-01", "-2026-08-21T02:30:15Z",
          "123456789012345678901234567890-01-01"}) {
        CAPTURE(text);
        const auto read = parse_time_expression(text);
        REQUIRE(!read);
        CHECK(read.error().broken == rule::time_out_of_range);
        CHECK(read.error().code == error_code::bad_request);
        CHECK(read.error().offset == 0);
        CHECK(read.error().length == text.size());
    }
    for (const std::string_view text :
         {"02026-08-21", "+2026-08-21", "-0000-01-01", "10000-01", "10000-13-01", "10000-01-01x",
          "-026-01-01", "--0001-01-01", "+-0001-01-01", "10000", "-1787279415"}) {
        check_refused(text);
    }
}

TEST_CASE("a near miss of a period is told") {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"yesterdy", "yesterday"}, {"last weak", "last week"}, {"thismonth", "this month"},
        {"tody", "today"},         {"last_year", "last year"}, {"soon", ""},
        {"2026-8-21", ""},
    };
    for (const auto& [text, suggestion] : table) {
        CAPTURE(text);
        CHECK(parse_time_expression(text).error().suggestion == suggestion);
    }
}

TEST_CASE("leading zeros of a count may go on for ever") {
    CHECK(parse_time_expression(std::string(1'000'000, '0') + "3 days ago") ==
          time_expression{time_ago{3, time_unit::day}});
}

TEST_CASE("the message of a malformed time names the forms") {
    const std::string text = message(parse_time_expression("soon").error());
    for (const std::string_view form :
         {"RFC 3339", "YYYY-MM-DD", "YYYY-MM-DDTHH:MM", "epoch", "now", "today", "yesterday",
          "tomorrow", "ago", "last", "this"}) {
        CAPTURE(form);
        CHECK(text.find(form) != std::string::npos);
    }
}

TEST_CASE("instants, wall times and days mean the same at any present") {
    for (const std::string_view text : {"2026-08-21T02:30:15Z", "1787279415", "1787279415000",
                                        "2026-08-21", "2026-08-21T02:30"}) {
        CAPTURE(text);
        CHECK(is_absolute(parse_time_expression(text).value()));
    }
    for (const std::string_view text :
         {"now", "today", "yesterday", "tomorrow", "last year", "this week", "0 days ago"}) {
        CAPTURE(text);
        CHECK(!is_absolute(parse_time_expression(text).value()));
    }
}

TEST_CASE("expressions are equal when they mean the same, however they were written") {
    CHECK(parse_time_expression("1787279415") == parse_time_expression("2026-08-21T02:30:15Z"));
    CHECK(parse_time_expression("1 day ago") == parse_time_expression("01 DAYS AGO"));
    CHECK(parse_time_expression("1 day ago") != parse_time_expression("24 hours ago"));
    CHECK(parse_time_expression("1 day ago") != parse_time_expression("yesterday"));
    CHECK(parse_time_expression("2026-08-21") != parse_time_expression("2026-08-21T00:00"));
    CHECK(parse_time_expression("2026-08-21T00:00") !=
          parse_time_expression("2026-08-21T00:00:00Z"));
}

TEST_CASE("a mutated time is refused as a whole or has a canonical text") {
    constexpr std::string_view bytes = "0123456789-:.+TZ agolstdywekmnthur\xC3";
    std::mt19937_64 random(8);
    for (int i = 0; i < 100'000; ++i) {
        const auto& accepted = accepted_times[random() % std::size(accepted_times)];
        const std::string text = mutated(std::string(accepted.text), bytes, random);
        CAPTURE(text);
        const auto read = parse_time_expression(text);
        if (!read) {
            REQUIRE(read.error().length ==
                    (read.error().broken == rule::day_impossible ? 10 : text.size()));
        } else {
            REQUIRE(read->length == text.size());
            REQUIRE(parse_time_expression(to_string(*read)) == *read);
        }
    }
}
