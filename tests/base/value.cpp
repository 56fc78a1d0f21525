// SPDX-License-Identifier: MIT
#include <chrono>
#include <compare>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/format.hpp>
#include <sluice/base/value.hpp>
#include <sluice/sluice.hpp>

namespace value_test {

using namespace sluice;
using std::chrono::milliseconds;

// Every value type is listed: tests/python/test_values.py reads this file.
static_assert(is_value<filter>);
static_assert(is_value<metadata_query>);
static_assert(is_value<decimal_number>);
static_assert(is_value<scaled_number>);
static_assert(is_value<uuid>);
static_assert(is_value<time_expression>);
static_assert(is_value<interval>);
static_assert(is_value<time_range>);
static_assert(is_value<page>);
static_assert(is_value<cursor>);
static_assert(is_value<sort_key>);
static_assert(is_value<list_query>);
static_assert(is_value<policy>);
static_assert(is_value<decision>);
static_assert(is_value<error>);
static_assert(!is_value<std::string> && !is_value<collation>);

template <class T>
std::string printed(const T& value) {
    std::ostringstream output;
    output << value;
    return output.str();
}

/// Checks values that differ, in their order: their texts, hashes and comparisons.
template <class T>
void check(std::initializer_list<std::pair<T, std::string_view>> values) {
    std::unordered_set<T> all;
    for (const auto& [value, text] : values) {
        CAPTURE(text);
        CHECK(printed(value) == text);
        CHECK(std::hash<T>()(value) == std::hash<T>()(T(value)));
        CHECK(all.insert(value).second);
        CHECK(!all.insert(value).second);
#if defined(__cpp_lib_format)
        CHECK(std::format("{:>60}", value) == std::format("{:>60}", text));
#endif
    }
    CHECK(all.size() == values.size());
}
/// Like check(), for values that have an order.
template <std::three_way_comparable T>
void check_ordered(std::initializer_list<std::pair<T, std::string_view>> values) {
    check(values);
    for (const auto& a : values) {
        for (const auto& b : values) {
            CAPTURE(a.second);
            CAPTURE(b.second);
            CHECK((a.first <=> b.first == 0) == (&a == &b));
            CHECK((a.first < b.first) == (&a < &b));
        }
    }
}

filter filter_of(std::string_view text) { return parse_filter(text).value(); }
decimal_number decimal_of(std::string_view text) { return parse_decimal_number(text).value(); }
instant at(std::string_view text) { return parse_timestamp(text).value(); }

TEST_CASE("values hash, order and print") {
    check_ordered<filter>({{filter(), ""},
                           {filter_of("CA"), "CA"},
                           {filter_of("CA,US"), "CA,US"},
                           {filter_of("US"), "US"},
                           {filter_of("-CA"), "-CA"}});
    check_ordered<metadata_query>(
        {{metadata_query(), to_string(metadata_query())},
         {parse_metadata_query("metadata['plan']:pro").value(), "metadata['plan']:pro"},
         {parse_metadata_query("metadata['seats']>5").value(), "metadata['seats']>5"}});
    check_ordered<decimal_number>({{decimal_of("-1e400"), "-1e400"},
                                   {decimal_of("9.5"), "9.5"},
                                   {decimal_of("10.0"), "10.0"},
                                   {decimal_of("1e400"), "1e400"}});
    check_ordered<scaled_number>(
        {{{-5, 2}, "-0.05"}, {{0, 0}, "0"}, {{19, 1}, "1.9"}, {{199, 2}, "1.99"}});
    check_ordered<uuid>({{uuid(), "00000000-0000-0000-0000-000000000000"},
                         {parse_uuid("0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E").value(),
                          "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"}});
    check_ordered<time_expression>({{parse_time_expression("2026-08-21").value(), "2026-08-21"},
                                    {parse_time_expression("now").value(), "now"},
                                    {parse_time_expression("Yesterday").value(), "yesterday"}});
    check_ordered<interval>({{parse_interval("30d").value(), "30d"},
                             {parse_interval("7d").value(), "7d"},
                             {parse_interval("all").value(), "all"}});
    check_ordered<time_range>({{{}, "../.."},
                               {{{}, at("2026-08-21T00:00:00Z")}, "../2026-08-21T00:00:00.000Z"},
                               {{at("2026-08-21T00:00:00Z"), {}}, "2026-08-21T00:00:00.000Z/.."},
                               {{at("2026-08-21T00:00:00Z"), at("2026-08-22T00:00:00Z")},
                                "2026-08-21T00:00:00.000Z/2026-08-22T00:00:00.000Z"}});
    check_ordered<page>({{{1, 100}, "page 1 of 100 rows"},
                         {{2, 50}, "page 2 of 50 rows"},
                         {{2, 50, 7}, "page 2 of 50 rows after 7"}});
    const cursor first{.query_mark = 1, .keys = {"a"}}, second{.query_mark = 1, .keys = {"b"}};
    const cursor long_one{.query_mark = 2, .keys = {std::string(2'000, 'x')}};
    check_ordered<cursor>(
        {{first, to_string(first).value()}, {second, to_string(second).value()}, {long_one, ""}});
    check_ordered<policy>({{{4, milliseconds(250)}, "4 per 250 ms"},
                           {{600, std::chrono::minutes(1)}, "600 per 60000 ms"}});
    check_ordered<decision>(
        {{{.limit = 4, .reset = instant(), .retry_after = std::chrono::seconds(2)},
          "refused, 0 of 4 left, reset at 1970-01-01T00:00:00.000Z, retry after 2 s"},
         {{.allowed = true, .limit = 4, .remaining = 3},
          "allowed, 3 of 4 left, reset at 1970-01-01T00:00:00.000Z"}});
}

TEST_CASE("values without an order hash and print") {
    const column total{.name = "total", .type = column_type::decimal};
    check<sort_key>({{{total}, "total"}, {{total, sort_order::descending}, "-total"}});
    check<error>(
        {{make_error(rule::filter_dash, 3, 3), message(make_error(rule::filter_dash, 3))},
         {make_error(rule::number_malformed), message(make_error(rule::number_malformed))}});
    list_query paged, sorted{.order = {{total}}};
    paged.wanted.number = 2;
    check<list_query>(
        {{{}, to_json(list_query())}, {paged, to_json(paged)}, {sorted, to_json(sorted)}});
}

TEST_CASE("equal values of different texts hash alike") {
    const std::hash<decimal_number> hash;
    for (const auto& [a, b] :
         {std::pair("10", "1e1"), std::pair("10.00", "10"), std::pair("-0.0", "0"),
          std::pair("0.1e-3", "1e-4"), std::pair("1000000000000000000000", "1e21")}) {
        CAPTURE(a);
        CHECK(decimal_of(a) == decimal_of(b));
        CHECK(hash(decimal_of(a)) == hash(decimal_of(b)));
    }
    CHECK(hash(decimal_number(1990, 2)) == std::hash<scaled_number>()(scaled_number{199, 1}));
    const column total{.name = "total", .type = column_type::decimal};
    const auto query_of = [&](std::string_view least) {
        return list_query{
            .rows = where(leaf{total, bounds<decimal_number>{.least = decimal_of(least)}, {}})};
    };
    CHECK(query_of("10") == query_of("10.0"));
    CHECK(std::hash<list_query>()(query_of("10")) == std::hash<list_query>()(query_of("10.0")));
}

}  // namespace value_test
