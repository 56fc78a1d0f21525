// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/error.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/window.hpp>
#include <sluice/time/zone.hpp>

#include "../zones.hpp"

using namespace sluice;
using std::chrono::hours;
using std::chrono::milliseconds;

static_assert(std::is_trivially_copyable_v<time_range>);
static_assert(std::is_trivially_copyable_v<window_request>);

namespace {

time_expression expression(std::string_view text) {
    const auto read = parse_time_expression(text);
    REQUIRE(read);
    return *read;
}

std::optional<time_expression> optional_expression(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(expression(text));
}

std::string text_of(const result<instant>& at) {
    return at ? format_timestamp(*at) : message(at.error());
}

struct resolved {
    std::string_view zone;
    std::string_view now;
    std::string_view text;
    std::string_view start;
    std::string_view end;
};

// From another implementation, which reads the same database.
constexpr resolved resolved_times[] = {
    {"UTC", "2026-08-21T02:30:15.123", "now", "2026-08-21T02:30:15.123", "2026-08-21T02:30:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "today", "2026-08-21T00:00", "2026-08-21T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "yesterday", "2026-08-20T00:00", "2026-08-20T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "tomorrow", "2026-08-22T00:00", "2026-08-22T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "this week", "2026-08-17T00:00", "2026-08-23T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "last week", "2026-08-10T00:00", "2026-08-16T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "this month", "2026-08-01T00:00", "2026-08-31T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "last month", "2026-07-01T00:00", "2026-07-31T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "this quarter", "2026-07-01T00:00",
     "2026-09-30T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "last quarter", "2026-04-01T00:00",
     "2026-06-30T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "this year", "2026-01-01T00:00", "2026-12-31T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "last year", "2025-01-01T00:00", "2025-12-31T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "2026-08-21", "2026-08-21T00:00", "2026-08-21T23:59:59.999"},
    {"UTC", "2026-08-21T02:30:15.123", "2026-08-21T02:30", "2026-08-21T02:30", "2026-08-21T02:30"},
    {"UTC", "2026-08-21T02:30:15.123", "90 minutes ago", "2026-08-21T01:00:15.123",
     "2026-08-21T01:00:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "36 hours ago", "2026-08-19T14:30:15.123",
     "2026-08-19T14:30:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "3 days ago", "2026-08-18T02:30:15.123",
     "2026-08-18T02:30:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "2 weeks ago", "2026-08-07T02:30:15.123",
     "2026-08-07T02:30:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "6 months ago", "2026-02-21T02:30:15.123",
     "2026-02-21T02:30:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "1 year ago", "2025-08-21T02:30:15.123",
     "2025-08-21T02:30:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "0 minutes ago", "2026-08-21T02:30:15.123",
     "2026-08-21T02:30:15.123"},
    {"UTC", "2026-08-21T02:30:15.123", "0 months ago", "2026-08-21T02:30:15.123",
     "2026-08-21T02:30:15.123"},
    // a week begins on Monday
    {"UTC", "2026-08-23T23:59:59.999", "this week", "2026-08-17T00:00", "2026-08-23T23:59:59.999"},
    {"UTC", "2026-08-23T23:59:59.999", "last week", "2026-08-10T00:00", "2026-08-16T23:59:59.999"},
    {"UTC", "2026-08-24T00:00", "this week", "2026-08-24T00:00", "2026-08-30T23:59:59.999"},
    {"UTC", "2026-08-24T00:00", "last week", "2026-08-17T00:00", "2026-08-23T23:59:59.999"},
    // ends of quarters and years
    {"UTC", "2025-12-31T23:59:59.999", "this quarter", "2025-10-01T00:00",
     "2025-12-31T23:59:59.999"},
    {"UTC", "2025-12-31T23:59:59.999", "last quarter", "2025-07-01T00:00",
     "2025-09-30T23:59:59.999"},
    {"UTC", "2025-12-31T23:59:59.999", "this year", "2025-01-01T00:00", "2025-12-31T23:59:59.999"},
    {"UTC", "2025-12-31T23:59:59.999", "last year", "2024-01-01T00:00", "2024-12-31T23:59:59.999"},
    {"UTC", "2026-01-01T00:00", "this week", "2025-12-29T00:00", "2026-01-04T23:59:59.999"},
    {"UTC", "2026-01-01T00:00", "this quarter", "2026-01-01T00:00", "2026-03-31T23:59:59.999"},
    {"UTC", "2026-01-01T00:00", "last quarter", "2025-10-01T00:00", "2025-12-31T23:59:59.999"},
    {"UTC", "2026-01-01T00:00", "last month", "2025-12-01T00:00", "2025-12-31T23:59:59.999"},
    {"UTC", "2026-01-01T00:00", "this year", "2026-01-01T00:00", "2026-12-31T23:59:59.999"},
    {"UTC", "2026-01-01T00:00", "last year", "2025-01-01T00:00", "2025-12-31T23:59:59.999"},
    {"UTC", "2026-01-01T00:00", "yesterday", "2025-12-31T00:00", "2025-12-31T23:59:59.999"},
    {"UTC", "2026-03-31T12:00", "this quarter", "2026-01-01T00:00", "2026-03-31T23:59:59.999"},
    {"UTC", "2026-03-31T12:00", "last quarter", "2025-10-01T00:00", "2025-12-31T23:59:59.999"},
    {"UTC", "2026-03-31T12:00", "1 month ago", "2026-02-28T12:00", "2026-02-28T12:00"},
    {"UTC", "2026-03-31T12:00", "13 months ago", "2025-02-28T12:00", "2025-02-28T12:00"},
    {"UTC", "2026-04-01T00:00", "this quarter", "2026-04-01T00:00", "2026-06-30T23:59:59.999"},
    {"UTC", "2026-04-01T00:00", "last quarter", "2026-01-01T00:00", "2026-03-31T23:59:59.999"},
    // leap days and short months
    {"UTC", "2024-02-29T12:00", "1 year ago", "2023-02-28T12:00", "2023-02-28T12:00"},
    {"UTC", "2024-02-29T12:00", "4 years ago", "2020-02-29T12:00", "2020-02-29T12:00"},
    {"UTC", "2024-02-29T12:00", "12 months ago", "2023-02-28T12:00", "2023-02-28T12:00"},
    {"UTC", "2024-02-29T12:00", "1 month ago", "2024-01-29T12:00", "2024-01-29T12:00"},
    {"UTC", "2024-02-29T12:00", "this month", "2024-02-01T00:00", "2024-02-29T23:59:59.999"},
    {"UTC", "2024-02-29T12:00", "tomorrow", "2024-03-01T00:00", "2024-03-01T23:59:59.999"},
    {"UTC", "2024-03-31T00:00", "1 month ago", "2024-02-29T00:00", "2024-02-29T00:00"},
    {"UTC", "2024-03-31T00:00", "last month", "2024-02-01T00:00", "2024-02-29T23:59:59.999"},
    {"UTC", "2025-03-01T00:00", "yesterday", "2025-02-28T00:00", "2025-02-28T23:59:59.999"},
    {"UTC", "2025-03-01T00:00", "last month", "2025-02-01T00:00", "2025-02-28T23:59:59.999"},
    {"UTC", "2025-03-01T00:00", "1 day ago", "2025-02-28T00:00", "2025-02-28T00:00"},
    {"UTC", "2000-03-01T00:00", "yesterday", "2000-02-29T00:00", "2000-02-29T23:59:59.999"},
    {"UTC", "2000-03-01T00:00", "100 years ago", "1900-03-01T00:00", "1900-03-01T00:00"},
    // the zone decides which day it is
    {"America/New_York", "2026-01-01T04:59:59.999", "today", "2025-12-31T05:00",
     "2026-01-01T04:59:59.999"},
    {"America/New_York", "2026-01-01T04:59:59.999", "this quarter", "2025-10-01T04:00",
     "2026-01-01T04:59:59.999"},
    {"America/New_York", "2026-01-01T04:59:59.999", "this year", "2025-01-01T05:00",
     "2026-01-01T04:59:59.999"},
    {"America/New_York", "2026-01-01T05:00", "today", "2026-01-01T05:00",
     "2026-01-02T04:59:59.999"},
    {"America/New_York", "2026-01-01T05:00", "this quarter", "2026-01-01T05:00",
     "2026-04-01T03:59:59.999"},
    {"America/New_York", "2026-01-01T05:00", "this year", "2026-01-01T05:00",
     "2027-01-01T04:59:59.999"},
    // days of 23 and 25 hours, wall times that are skipped or come twice
    {"America/New_York", "2026-03-08T12:00", "today", "2026-03-08T05:00",
     "2026-03-09T03:59:59.999"},
    {"America/New_York", "2026-03-08T12:00", "1 day ago", "2026-03-07T13:00", "2026-03-07T13:00"},
    {"America/New_York", "2026-03-08T12:00", "24 hours ago", "2026-03-07T12:00",
     "2026-03-07T12:00"},
    {"America/New_York", "2026-03-08T12:00", "this week", "2026-03-02T05:00",
     "2026-03-09T03:59:59.999"},
    {"America/New_York", "2026-03-08T12:00", "tomorrow", "2026-03-09T04:00",
     "2026-03-10T03:59:59.999"},
    {"America/New_York", "2026-03-09T06:30", "1 day ago", "2026-03-08T07:30", "2026-03-08T07:30"},
    {"America/New_York", "2026-03-09T06:30", "1 week ago", "2026-03-02T07:30", "2026-03-02T07:30"},
    {"America/New_York", "2026-03-09T05:30", "1 day ago", "2026-03-08T06:30", "2026-03-08T06:30"},
    {"America/New_York", "2026-03-09T05:30", "today", "2026-03-09T04:00",
     "2026-03-10T03:59:59.999"},
    {"America/New_York", "2026-11-02T06:30", "1 day ago", "2026-11-01T05:30", "2026-11-01T05:30"},
    {"America/New_York", "2026-11-01T06:30", "0 days ago", "2026-11-01T06:30", "2026-11-01T06:30"},
    {"America/New_York", "2026-11-01T06:30", "0 years ago", "2026-11-01T06:30", "2026-11-01T06:30"},
    {"America/New_York", "2026-11-01T06:30", "1 day ago", "2026-10-31T05:30", "2026-10-31T05:30"},
    {"America/New_York", "2026-11-01T06:30", "today", "2026-11-01T04:00",
     "2026-11-02T04:59:59.999"},
    {"America/New_York", "2026-11-01T06:30", "2026-11-01T01:30", "2026-11-01T05:30",
     "2026-11-01T05:30"},
    // half an hour
    {"Australia/Lord_Howe", "2025-10-05T16:15", "1 day ago", "2025-10-04T16:15",
     "2025-10-04T16:15"},
    {"Australia/Lord_Howe", "2025-10-05T16:15", "today", "2025-10-05T13:00",
     "2025-10-06T12:59:59.999"},
    {"Australia/Lord_Howe", "2025-10-05T15:15", "1 day ago", "2025-10-04T15:45",
     "2025-10-04T15:45"},
    {"Australia/Lord_Howe", "2026-04-05T00:00", "today", "2026-04-04T13:00",
     "2026-04-05T13:29:59.999"},
    {"Australia/Lord_Howe", "2026-04-05T00:00", "2026-04-05T01:45", "2026-04-04T14:45",
     "2026-04-04T14:45"},
    // midnight is skipped, and 23:00 to midnight comes twice
    {"America/Sao_Paulo", "2018-11-04T12:00", "today", "2018-11-04T03:00",
     "2018-11-05T01:59:59.999"},
    {"America/Sao_Paulo", "2018-11-04T12:00", "yesterday", "2018-11-03T03:00",
     "2018-11-04T02:59:59.999"},
    {"America/Sao_Paulo", "2018-11-04T12:00", "this week", "2018-10-29T03:00",
     "2018-11-05T01:59:59.999"},
    {"America/Sao_Paulo", "2018-11-04T12:00", "2018-11-03", "2018-11-03T03:00",
     "2018-11-04T02:59:59.999"},
    {"America/Sao_Paulo", "2018-11-04T12:00", "2018-11-04", "2018-11-04T03:00",
     "2018-11-05T01:59:59.999"},
    {"America/Sao_Paulo", "2018-11-04T12:00", "2018-11-04T00:30", "2018-11-04T03:30",
     "2018-11-04T03:30"},
    {"America/Sao_Paulo", "2018-11-06T02:30", "1 day ago", "2018-11-05T02:30", "2018-11-05T02:30"},
    {"America/Sao_Paulo", "2018-11-06T02:30", "2 days ago", "2018-11-04T03:30", "2018-11-04T03:30"},
    {"America/Sao_Paulo", "2019-02-17T12:00", "today", "2019-02-17T03:00",
     "2019-02-18T02:59:59.999"},
    {"America/Sao_Paulo", "2019-02-17T12:00", "yesterday", "2019-02-16T02:00",
     "2019-02-17T02:59:59.999"},
    {"Asia/Beirut", "2025-03-30T12:00", "today", "2025-03-29T22:00", "2025-03-30T20:59:59.999"},
    {"Asia/Beirut", "2025-03-30T12:00", "yesterday", "2025-03-28T22:00", "2025-03-29T21:59:59.999"},
    {"Asia/Beirut", "2025-03-30T12:00", "2025-03-30", "2025-03-29T22:00",
     "2025-03-30T20:59:59.999"},
    {"Asia/Beirut", "2025-03-30T12:00", "2025-03-29", "2025-03-28T22:00",
     "2025-03-29T21:59:59.999"},
    {"Asia/Beirut", "2025-10-26T12:00", "today", "2025-10-25T22:00", "2025-10-26T21:59:59.999"},
    {"Asia/Beirut", "2025-10-26T12:00", "yesterday", "2025-10-24T21:00", "2025-10-25T21:59:59.999"},
    // a gap from 23:30 to 00:30
    {"America/Toronto", "1919-03-31T12:00", "today", "1919-03-31T04:30", "1919-04-01T03:59:59.999"},
    {"America/Toronto", "1919-03-31T12:00", "yesterday", "1919-03-30T05:00",
     "1919-03-31T04:29:59.999"},
    {"America/Toronto", "1919-03-31T12:00", "1919-03-31", "1919-03-31T04:30",
     "1919-04-01T03:59:59.999"},
    // midnight comes twice
    {"America/St_Johns", "2006-10-29T12:00", "today", "2006-10-29T02:30",
     "2006-10-30T03:29:59.999"},
    {"America/St_Johns", "2006-10-29T12:00", "yesterday", "2006-10-28T02:30",
     "2006-10-29T02:29:59.999"},
    // a day that never was
    {"Pacific/Apia", "2011-12-31T00:00", "today", "2011-12-30T10:00", "2011-12-31T09:59:59.999"},
    {"Pacific/Apia", "2011-12-31T00:00", "yesterday", "2011-12-30T10:00",
     "2011-12-30T09:59:59.999"},
    {"Pacific/Apia", "2011-12-31T00:00", "1 day ago", "2011-12-31T00:00", "2011-12-31T00:00"},
    {"Pacific/Apia", "2011-12-31T00:00", "this week", "2011-12-26T10:00",
     "2012-01-01T09:59:59.999"},
    {"Pacific/Apia", "2011-12-31T00:00", "2011-12-31", "2011-12-30T10:00",
     "2011-12-31T09:59:59.999"},
    {"Pacific/Apia", "2011-12-31T00:00", "2011-12-29", "2011-12-29T10:00",
     "2011-12-30T09:59:59.999"},
    {"Asia/Kolkata", "2026-08-21T02:30:15.123", "today", "2026-08-20T18:30",
     "2026-08-21T18:29:59.999"},
    {"Asia/Kolkata", "2026-08-21T02:30:15.123", "2026-08-21", "2026-08-20T18:30",
     "2026-08-21T18:29:59.999"},
    {"Asia/Kolkata", "2026-08-21T02:30:15.123", "2026-08-21T02:30", "2026-08-20T21:00",
     "2026-08-20T21:00"},
};

constexpr std::size_t counted_intervals = common_intervals.size() - 1;  // all but `all`

struct counted_back {
    std::string_view zone;
    std::string_view now;
    std::array<std::string_view, counted_intervals> starts;  // in the order of the intervals
};

constexpr counted_back counted_back_windows[] = {
    {"UTC",
     "2026-08-21T02:30:15.123",
     {"2026-08-20T02:30:15.123", "2026-08-14T02:30:15.123", "2026-07-22T02:30:15.123",
      "2026-05-23T02:30:15.123", "2025-08-21T02:30:15.123", "2026-08-01T00:00", "2026-07-01T00:00",
      "2026-01-01T00:00"}},
    // leap day
    {"UTC",
     "2024-02-29T12:00",
     {"2024-02-28T12:00", "2024-02-22T12:00", "2024-01-30T12:00", "2023-12-01T12:00",
      "2023-02-28T12:00", "2024-02-01T00:00", "2024-01-01T00:00", "2024-01-01T00:00"}},
    {"UTC",
     "2024-03-31T00:00",
     {"2024-03-30T00:00", "2024-03-24T00:00", "2024-03-01T00:00", "2024-01-01T00:00",
      "2023-03-31T00:00", "2024-03-01T00:00", "2024-01-01T00:00", "2024-01-01T00:00"}},
    // ends of quarters and years
    {"UTC",
     "2025-12-31T23:59:59.999",
     {"2025-12-30T23:59:59.999", "2025-12-24T23:59:59.999", "2025-12-01T23:59:59.999",
      "2025-10-02T23:59:59.999", "2024-12-31T23:59:59.999", "2025-12-01T00:00", "2025-10-01T00:00",
      "2025-01-01T00:00"}},
    {"UTC",
     "2026-01-01T00:00",
     {"2025-12-31T00:00", "2025-12-25T00:00", "2025-12-02T00:00", "2025-10-03T00:00",
      "2025-01-01T00:00", "2026-01-01T00:00", "2026-01-01T00:00", "2026-01-01T00:00"}},
    // 7 days back the wall time is skipped
    {"America/New_York",
     "2026-03-15T06:30",
     {"2026-03-14T06:30", "2026-03-08T07:30", "2026-02-13T07:30", "2025-12-15T07:30",
      "2025-03-15T06:30", "2026-03-01T05:00", "2026-01-01T05:00", "2026-01-01T05:00"}},
    {"Australia/Lord_Howe",
     "2025-10-11T15:15",
     {"2025-10-10T15:15", "2025-10-04T15:45", "2025-09-11T15:45", "2025-07-13T15:45",
      "2024-10-11T15:15", "2025-09-30T13:30", "2025-09-30T13:30", "2024-12-31T13:00"}},
    {"America/Sao_Paulo",
     "2018-11-11T02:30",
     {"2018-11-10T02:30", "2018-11-04T03:30", "2018-10-12T03:30", "2018-08-13T03:30",
      "2017-11-11T02:30", "2018-11-01T03:00", "2018-10-01T03:00", "2018-01-01T02:00"}},
    // 7 days back it comes twice
    {"America/New_York",
     "2026-11-08T06:30",
     {"2026-11-07T06:30", "2026-11-01T05:30", "2026-10-09T05:30", "2026-08-10T05:30",
      "2025-11-08T06:30", "2026-11-01T04:00", "2026-10-01T04:00", "2026-01-01T05:00"}},
    // it is the second of two now
    {"America/New_York",
     "2026-11-01T06:30",
     {"2026-10-31T06:30", "2026-10-25T05:30", "2026-10-02T05:30", "2026-08-03T05:30",
      "2025-11-01T05:30", "2026-11-01T04:00", "2026-10-01T04:00", "2026-01-01T05:00"}},
    {"Pacific/Apia",
     "2012-01-06T00:00",
     {"2012-01-05T00:00", "2011-12-31T00:00", "2011-12-08T00:00", "2011-10-09T00:00",
      "2011-01-07T00:00", "2011-12-31T10:00", "2011-12-31T10:00", "2011-12-31T10:00"}},
};

struct unresolved {
    std::string_view zone;
    std::string_view now;
    std::string_view text;
    edge which;
};

// What lies outside the years 0000 to 9999.
constexpr unresolved unresolved_times[] = {
    {"Asia/Kolkata", "2026-08-21T02:30", "0000-01-01", edge::start},
    {"Asia/Kolkata", "2026-08-21T02:30", "0000-01-01T00:00", edge::start},
    {"America/New_York", "2026-08-21T02:30", "9999-12-31", edge::end},
    {"America/New_York", "2026-08-21T02:30", "9999-12-31T23:59", edge::end},
    {"UTC", "9999-12-31T12:00", "tomorrow", edge::start},
    {"UTC", "0000-01-01T12:00", "yesterday", edge::end},
    {"UTC", "0000-01-01T12:00", "last week", edge::start},
    {"UTC", "0000-01-01T12:00", "last month", edge::start},
    {"UTC", "0000-01-01T12:00", "last quarter", edge::start},
    {"UTC", "0000-01-01T12:00", "last year", edge::start},
    {"UTC", "0000-01-01T00:00", "1 minute ago", edge::start},
    {"UTC", "0000-01-01T00:59", "1 hour ago", edge::start},
    {"UTC", "0000-01-01T12:00", "1 day ago", edge::start},
    {"UTC", "0000-01-31T12:00", "1 month ago", edge::start},
    {"UTC", "2026-08-21T02:30", "2027 years ago", edge::start},
    {"UTC", "9999-12-31T23:59", "9999999999 minutes ago", edge::start},
    {"UTC", "9999-12-31T23:59", "99999999 hours ago", edge::start},
    {"UTC", "9999-12-31T23:59", "3660000 days ago", edge::start},
    {"UTC", "9999-12-31T23:59", "530000 weeks ago", edge::start},
    {"UTC", "9999-12-31T23:59", "120000 months ago", edge::start},
    {"UTC", "9999-12-31T23:59", "10000 years ago", edge::start},
    {"UTC", "2026-08-21T02:30", "9223372036854775807 minutes ago", edge::start},
    {"UTC", "2026-08-21T02:30", "9223372036854775807 hours ago", edge::start},
    {"UTC", "2026-08-21T02:30", "9223372036854775807 days ago", edge::start},
    {"UTC", "2026-08-21T02:30", "9223372036854775807 weeks ago", edge::end},
    {"UTC", "2026-08-21T02:30", "9223372036854775807 months ago", edge::end},
    {"UTC", "2026-08-21T02:30", "9223372036854775807 years ago", edge::end},
    {"UTC", "2026-08-21T02:30", "4294967297 years ago", edge::end},
};

// An empty start or end is one that wasn't given.
struct window {
    std::string_view length;
    std::string_view start;
    std::string_view end;
    std::string_view from;  // empty: no lower bound
    std::string_view to;    // empty: no upper bound
};

// When it is 2026-08-21T02:30 in UTC.
constexpr window windows[] = {
    {"24h", "", "", "2026-08-20T02:30", "2026-08-21T02:30"},
    {"all", "", "", "", ""},
    // an end alone: the interval counts back from it
    {"24h", "", "2026-08-10T12:00", "2026-08-09T12:00", "2026-08-10T12:00"},
    {"24h", "", "2026-08-10", "2026-08-09T23:59:59.999", "2026-08-10T23:59:59.999"},
    {"7d", "", "2026-08-10", "2026-08-03T23:59:59.999", "2026-08-10T23:59:59.999"},
    {"1y", "", "2024-02-29T12:00", "2023-02-28T12:00", "2024-02-29T12:00"},
    {"mtd", "", "2026-06-10", "2026-06-01T00:00", "2026-06-10T23:59:59.999"},
    {"qtd", "", "last month", "2026-07-01T00:00", "2026-07-31T23:59:59.999"},
    {"ytd", "", "last year", "2025-01-01T00:00", "2025-12-31T23:59:59.999"},
    {"mtd", "", "1780272000", "2026-06-01T00:00", "2026-06-01T00:00"},
    {"7d", "", "tomorrow", "2026-08-15T23:59:59.999", "2026-08-22T23:59:59.999"},
    {"all", "", "2026-08-10", "", "2026-08-10T23:59:59.999"},
    // a start takes precedence
    {"24h", "2026-08-01", "", "2026-08-01T00:00", "2026-08-21T02:30"},
    {"all", "2026-08-01", "", "2026-08-01T00:00", ""},
    {"all", "tomorrow", "", "2026-08-22T00:00", ""},
    {"all", "2026-08-01", "now", "2026-08-01T00:00", "2026-08-21T02:30"},
    {"ytd", "now", "", "2026-08-21T02:30", "2026-08-21T02:30"},
    {"7d", "2026-08-01", "2026-08-02", "2026-08-01T00:00", "2026-08-02T23:59:59.999"},
    {"7d", "today", "today", "2026-08-21T00:00", "2026-08-21T23:59:59.999"},
    {"7d", "3 days ago", "1 day ago", "2026-08-18T02:30", "2026-08-20T02:30"},
    {"7d", "1 hour ago", "1 hour ago", "2026-08-21T01:30", "2026-08-21T01:30"},
    {"7d", "0000-01-01", "9999-12-31", "0000-01-01T00:00", "9999-12-31T23:59:59.999"},
};

struct refused_window {
    std::string_view now;
    std::string_view preset;
    std::string_view start;
    std::string_view end;
    rule broken;
    std::string_view param;
    std::size_t length;
};

constexpr refused_window refused_windows[] = {
    {"2026-08-21T02:30", "24h", "tomorrow", "", rule::window_reversed, "start", 8},
    {"2026-08-21T02:30", "all", "2026-08-22", "today", rule::window_reversed, "start", 10},
    {"2026-08-21T02:30", "24h", "now", "1 minute ago", rule::window_reversed, "start", 3},
    {"2026-08-21T02:30", "24h", "1787279400", "1787279399", rule::window_reversed, "start", 10},
    {"2026-08-21T02:30", "24h", "3000 years ago", "", rule::time_out_of_range, "start", 14},
    {"2026-08-21T02:30", "24h", "", "3000 years ago", rule::time_out_of_range, "end", 14},
    {"2026-08-21T02:30", "all", "", "3000 years ago", rule::time_out_of_range, "end", 14},
    {"2026-08-21T02:30", "24h", "now", "3000 years ago", rule::time_out_of_range, "end", 14},
    {"2026-08-21T02:30", "24h", "4000 years ago", "3000 years ago", rule::time_out_of_range,
     "start", 14},
    // counted back from an end that was given, and from now
    {"2026-08-21T02:30", "24h", "", "0000-01-01T12:00", rule::time_out_of_range, "end", 16},
    {"2026-08-21T02:30", "1y", "", "0000-12-31", rule::time_out_of_range, "end", 10},
    {"0000-06-01T00:00", "1y", "", "", rule::time_out_of_range, "", 0},
};

window_request request_of(std::string_view length, std::string_view start = {},
                          std::string_view end = {}) {
    return {parse_interval(length).value(), optional_expression(start), optional_expression(end)};
}

// Times of every form, near the present of the tests.
const std::vector<std::string_view> sample_times{
    "now",          "today",         "yesterday",           "tomorrow",
    "last week",    "this week",     "last month",          "this month",
    "last quarter", "this quarter",  "last year",           "this year",
    "1 hour ago",   "3 days ago",    "2 weeks ago",         "5 months ago",
    "1 year ago",   "2026-08-20",    "2026-08-20T10:00",    "2026-08-20T10:00:00Z",
    "1787279415",   "1787279415123", "9999-12-31T23:59:59", "0000-01-01",
};

}  // namespace

TEST_CASE("a time resolves to its first moment as a start and its last as an end") {
    for (const auto& [zone, now, text, start, end] : resolved_times) {
        CAPTURE(zone);
        CAPTURE(now);
        CAPTURE(text);
        const time_expression read = expression(text);
        CHECK(text_of(resolve(read, edge::start, zone_of(zone), utc(now))) == text_of(utc(start)));
        CHECK(text_of(resolve(read, edge::end, zone_of(zone), utc(now))) == text_of(utc(end)));
    }
}

TEST_CASE("a time outside the years 0000 to 9999 is out of range as a whole") {
    for (const auto& [zone, now, text, which] : unresolved_times) {
        CAPTURE(zone);
        CAPTURE(text);
        const auto at = resolve(expression(text), which, zone_of(zone), utc(now));
        REQUIRE(!at);
        CHECK(at.error().broken == rule::time_out_of_range);
        CHECK(at.error().offset == 0);
        CHECK(at.error().length == text.size());
    }
}

TEST_CASE("the furthest that each unit reaches back") {
    const instant now = utc("9999-12-31T00:00");
    for (const auto& [text, at] : std::vector<std::pair<std::string_view, std::string_view>>{
             {"9999 years ago", "0000-12-31T00:00"},
             {"119999 months ago", "0000-01-31T00:00"},
             {"521774 weeks ago", "0000-01-07T00:00"},
             {"3652424 days ago", "0000-01-01T00:00"},
             {"87658176 hours ago", "0000-01-01T00:00"},
             {"5259490560 minutes ago", "0000-01-01T00:00"},
         }) {
        CAPTURE(text);
        CHECK(text_of(resolve(expression(text), edge::start, time_zone::utc(), now)) ==
              text_of(utc(at)));
    }
}

TEST_CASE("a present outside the years 0000 to 9999 resolves nothing") {
    for (const instant now : {instant::min(), earliest_instant - milliseconds{1},
                              latest_instant + milliseconds{1}, instant::max()}) {
        for (const std::string_view text : sample_times) {
            CAPTURE(text);
            CHECK(!resolve(expression(text), edge::start, zone_of("Pacific/Apia"), now));
        }
        for (const std::string_view text : common_intervals) {
            const auto range = resolve_window(request_of(text), zone_of("Pacific/Apia"), now);
            REQUIRE(!range);
            CHECK(range.error().broken == rule::time_out_of_range);
            CHECK(range.error().param.empty());
        }
    }
}

TEST_CASE("an interval counts back from now in the time zone") {
    for (const auto& [zone, now, starts] : counted_back_windows) {
        CAPTURE(zone);
        CAPTURE(now);
        for (std::size_t at = 0; at < starts.size(); ++at) {
            CAPTURE(common_intervals[at]);
            const window_request request = request_of(common_intervals[at]);
            const auto range = resolve_window(request, zone_of(zone), utc(now));
            REQUIRE(range);
            CHECK(text_of(range->start.value()) == text_of(utc(starts[at])));
            CHECK(range->end == utc(now));
        }
        CHECK(resolve_window(request_of("all"), zone_of(zone), utc(now)) == time_range{});
        CHECK(resolve_window({parse_interval("all").value(), {}, {}, end_of_all::now},
                             zone_of(zone), utc(now)) == time_range{std::nullopt, utc(now)});
    }
}

TEST_CASE("an interval counts back from an end as it would from now") {
    for (const auto& [zone, now, starts] : counted_back_windows) {
        CAPTURE(zone);
        CAPTURE(now);
        const time_expression end{utc(now)};
        for (const std::string_view text : common_intervals) {
            const interval length = parse_interval(text).value();
            CHECK(resolve_window({length, {}, end}, zone_of(zone), utc("2030-01-01T00:00")) ==
                  resolve_window({length, {}, {}, end_of_all::now}, zone_of(zone), utc(now)));
        }
    }
}

TEST_CASE("a window is its interval, its end or its start, as far as they are given") {
    const instant now = utc("2026-08-21T02:30");
    for (const auto& [length, start, end, from, to] : windows) {
        CAPTURE(start);
        CAPTURE(end);
        const auto range = resolve_window(request_of(length, start, end), time_zone::utc(), now);
        REQUIRE(range);
        CHECK(range->start.has_value() == !from.empty());
        if (range->start) CHECK(text_of(*range->start) == text_of(utc(from)));
        CHECK(range->end.has_value() == !to.empty());
        if (range->end) CHECK(text_of(*range->end) == text_of(utc(to)));

        window_request ends_now = request_of(length, start, end);
        ends_now.without_end = end_of_all::now;
        if (start == "tomorrow") {
            const auto reversed = resolve_window(ends_now, time_zone::utc(), now);
            CHECK(reversed.error().broken == rule::window_reversed);
            continue;
        }
        const auto bounded = resolve_window(ends_now, time_zone::utc(), now);
        CHECK(bounded == time_range{range->start, range->end.value_or(now)});
    }
}

TEST_CASE("a window that is open on a side holds all that lies there") {
    const instant at = utc("2026-08-21T02:30");
    for (const auto& [window, holds_before, holds_after] :
         std::vector<std::tuple<time_range, bool, bool>>{{{}, true, true},
                                                         {{at, {}}, false, true},
                                                         {{{}, at}, true, false},
                                                         {{at, at}, false, false}}) {
        CHECK(!window.empty());
        CHECK(window.contains(at));
        CHECK(window.contains(at - milliseconds{1}) == holds_before);
        CHECK(window.contains(instant::min()) == holds_before);
        CHECK(window.contains(at + milliseconds{1}) == holds_after);
        CHECK(window.contains(instant::max()) == holds_after);
    }
}

TEST_CASE("without a request a window is the last 24 hours") {
    const instant now = utc("2026-08-21T02:30:15.123");
    CHECK(resolve_window({}, time_zone::utc(), now) == time_range{now - hours{24}, now});
}

TEST_CASE("a refused window names the parameter at fault") {
    for (const auto& [now, preset, start, end, broken, param, length] : refused_windows) {
        CAPTURE(start);
        CAPTURE(end);
        const auto range =
            resolve_window(request_of(preset, start, end), time_zone::utc(), utc(now));
        REQUIRE(!range);
        CHECK(range.error().broken == broken);
        CHECK(range.error().code == code_of(broken));
        CHECK(range.error().param == param);
        CHECK(range.error().offset == 0);
        CHECK(range.error().length == length);
    }
}

TEST_CASE("a window that the clocks skipped is empty") {
    struct row {
        std::string_view zone, now, start, end;
    };
    const row rows[] = {
        // the day that Samoa went over the date line, as a day, as its hours and by name
        {"Pacific/Apia", "2012-01-06T00:00", "2011-12-30", "2011-12-30"},
        {"Pacific/Apia", "2012-01-06T00:00", "2011-12-30T00:00", "2011-12-30"},
        {"Pacific/Apia", "2012-01-06T00:00", "2011-12-30", "2011-12-30T23:59:59.999"},
        {"Pacific/Apia", "2012-01-06T00:00", "2011-12-30T05:00", "2011-12-30T06:00"},
        {"Pacific/Apia", "2011-12-31T00:00", "yesterday", "yesterday"},
        // an hour in spring, all or part of it
        {"America/New_York", "2026-03-09T00:00", "2026-03-08T02:00", "2026-03-08T02:59:59.999"},
        {"America/New_York", "2026-03-09T00:00", "2026-03-08T02:10", "2026-03-08T02:50"},
        // half an hour, and an hour at midnight
        {"Australia/Lord_Howe", "2025-10-06T00:00", "2025-10-05T02:05", "2025-10-05T02:25"},
        {"America/Sao_Paulo", "2018-11-06T00:00", "2018-11-04T00:00", "2018-11-04T00:30"},
    };
    for (const row& entry : rows) {
        CAPTURE(entry.zone);
        CAPTURE(entry.start);
        CAPTURE(entry.end);
        const auto range = resolve_window(request_of("24h", entry.start, entry.end),
                                          zone_of(entry.zone), utc(entry.now));
        REQUIRE(range);
        CHECK(range->empty());
        CHECK(*range->start - *range->end == milliseconds{1});
        CHECK(*range->start ==
              resolve(expression(entry.start), edge::start, zone_of(entry.zone), utc(entry.now)));
    }
}

TEST_CASE("a window whose start was skipped begins with the end of the gap if it ends soon after") {
    struct row {
        std::string_view zone, now, start, end, first, last;
    };
    const row rows[] = {
        {"America/New_York", "2026-03-09T00:00", "2026-03-08T02:45", "2026-03-08T03:29",
         "2026-03-08T07:00", "2026-03-08T07:29"},
        {"America/New_York", "2026-03-09T00:00", "2026-03-08T02:59:59.999", "2026-03-08T03:00",
         "2026-03-08T07:00", "2026-03-08T07:00"},
        {"America/New_York", "2026-03-09T00:00", "2026-03-08T02:30", "2026-03-08T03:29:59.999",
         "2026-03-08T07:00", "2026-03-08T07:29:59.999"},
        {"America/New_York", "2026-03-09T00:00", "2026-03-08T02:30", "2026-03-08T03:30",
         "2026-03-08T07:30", "2026-03-08T07:30"},
        {"America/New_York", "2026-03-09T00:00", "2026-03-08T02:30", "2026-03-08T07:10:00Z",
         "2026-03-08T07:00", "2026-03-08T07:10"},
        {"America/New_York", "2026-03-08T07:10", "2026-03-08T02:30", "", "2026-03-08T07:00",
         "2026-03-08T07:10"},
        {"America/New_York", "2026-03-09T06:30", "1 day ago", "2026-03-08T03:10",
         "2026-03-08T07:00", "2026-03-08T07:10"},
        {"Europe/Berlin", "2100-01-01T00:00", "2045-03-26T02:45", "2045-03-26T03:29",
         "2045-03-26T01:00", "2045-03-26T01:29"},
        {"Australia/Lord_Howe", "2025-10-06T00:00", "2025-10-05T02:20", "2025-10-05T02:40",
         "2025-10-04T15:30", "2025-10-04T15:40"},
        {"America/Sao_Paulo", "2018-11-06T00:00", "2018-11-04T00:45", "2018-11-04T01:15",
         "2018-11-04T03:00", "2018-11-04T03:15"},
        {"Pacific/Apia", "2012-01-06T00:00", "2011-12-30T12:00", "2011-12-31T06:00",
         "2011-12-30T10:00", "2011-12-30T16:00"},
    };
    for (const row& entry : rows) {
        CAPTURE(entry.zone);
        CAPTURE(entry.start);
        CAPTURE(entry.end);
        CHECK(resolve_window(request_of("24h", entry.start, entry.end), zone_of(entry.zone),
                             utc(entry.now)) == time_range{utc(entry.first), utc(entry.last)});
    }
}

TEST_CASE("what the clocks skipped is no part of a window, and hides no reversed one") {
    const time_zone apia = zone_of("Pacific/Apia");
    const time_zone new_york = zone_of("America/New_York");
    const auto window_of = [](const time_zone& zone, std::string_view start, std::string_view end) {
        return resolve_window(request_of("24h", start, end), zone, utc("2027-01-01T00:00"));
    };
    const time_range three{utc("2011-12-29T10:00"), utc("2011-12-31T09:59:59.999")};
    CHECK(window_of(apia, "2011-12-29", "2011-12-31") == three);
    CHECK(window_of(apia, "2011-12-30", "2011-12-31") ==
          time_range{utc("2011-12-30T10:00"), three.end});
    CHECK(window_of(apia, "2011-12-29", "2011-12-30") ==
          time_range{three.start, utc("2011-12-30T09:59:59.999")});
    // one moment moves on by the gap, and so does either end of a longer window
    const instant moved = utc("2026-03-08T07:30");
    CHECK(window_of(new_york, "2026-03-08T02:30", "2026-03-08T02:30") == time_range{moved, moved});
    CHECK(window_of(new_york, "2026-03-08T02:30", "2026-03-08T05:00") ==
          time_range{moved, utc("2026-03-08T09:00")});
    CHECK(window_of(new_york, "2026-03-08T01:30", "2026-03-08T02:30") ==
          time_range{utc("2026-03-08T06:30"), moved});
    const std::array<std::array<std::string_view, 2>, 6> reversed{{
        {"2011-12-31", "2011-12-30"},
        {"2011-12-31", "2011-12-29"},
        {"2011-12-30T12:00", "2011-12-30T11:00"},
        {"2026-03-08T02:30", "2026-03-08T01:50"},
        {"2026-03-08T02:30", "2026-03-08T06:50:00Z"},
        // in autumn the second 01:10 comes after the first 01:50
        {"2026-11-01T06:10:00Z", "2026-11-01T01:50"},
    }};
    for (const auto& [start, end] : reversed) {
        CAPTURE(start);
        CAPTURE(end);
        const auto range = window_of(start.starts_with("2011") ? apia : new_york, start, end);
        REQUIRE(!range);
        CHECK(range.error().broken == rule::window_reversed);
    }
}

TEST_CASE("no window starts after its end, and an absolute time does not depend on now") {
    std::mt19937_64 random(9);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    const auto& all = zones().zones();
    const instant first = utc("1900-01-01T00:00");
    for (int i = 0; i < 30'000; ++i) {
        const time_zone& zone = all[below(all.size())];
        const instant now = first + milliseconds{below(136ULL * 366 * 86'400'000)};
        const std::string_view start =
            below(3) == 0 ? "" : sample_times[below(sample_times.size())];
        const std::string_view end = below(3) == 0 ? "" : sample_times[below(sample_times.size())];
        const auto length = common_intervals[below(common_intervals.size())];
        const window_request request = request_of(length, start, end);
        const auto range = resolve_window(request, zone, now);
        CAPTURE(zone.name());
        CAPTURE(start);
        CAPTURE(end);
        if (range && !range->empty() && range->start && range->end) {
            REQUIRE(*range->start <= *range->end);
        }
        if (!range) REQUIRE((request.start || request.end));
        if (request.start && is_absolute(*request.start)) {
            REQUIRE(resolve(*request.start, edge::start, zone, now) ==
                    resolve(*request.start, edge::start, zone, first));
        }
    }
}

TEST_CASE("a named period holds the present and meets the one before it") {
    std::mt19937_64 random(10);
    constexpr std::array<std::array<std::string_view, 2>, 5> neighbours{
        {{"yesterday", "today"},
         {"last week", "this week"},
         {"last month", "this month"},
         {"last quarter", "this quarter"},
         {"last year", "this year"}}};
    for (const std::string_view name : {"UTC", "America/New_York", "Europe/Berlin",
                                        "Australia/Lord_Howe", "Asia/Kolkata", "Asia/Beirut"}) {
        const time_zone zone = zone_of(name);
        for (int i = 0; i < 500; ++i) {
            const instant now =
                utc("1980-01-01T00:00") + milliseconds{random() % (50ULL * 366 * 86'400'000)};
            CAPTURE(name);
            CAPTURE(text_of(now));
            for (const auto& [last, present] : neighbours) {
                const instant start = resolve(expression(present), edge::start, zone, now).value();
                const instant end = resolve(expression(present), edge::end, zone, now).value();
                REQUIRE(start <= now);
                REQUIRE(now <= end);
                REQUIRE(resolve(expression(last), edge::end, zone, now).value() ==
                        start - milliseconds{1});
                REQUIRE(resolve(expression(present), edge::start, zone, end).value() == start);
            }
        }
    }
}
