// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/store/numbers/number_list.hpp>

using namespace sluice::store;
using sluice::calendar_day;
using sluice::cell;
using sluice::column;
using sluice::column_type;
using sluice::instant;

TEST_CASE("keys of doubles are in their order, and both zeros are one") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double ascending[] = {-infinity, -1e300, -1.5, -1, -5e-324, 0,
                                    5e-324,    1,      1.5,  2,  1e300,   infinity};
    for (std::size_t i = 1; i < std::size(ascending); ++i) {
        CAPTURE(ascending[i]);
        CHECK(key_of_real(ascending[i - 1]) < key_of_real(ascending[i]));
    }
    CHECK(key_of_real(-0.0) == 0);
    CHECK(key_of_real(0.0) == 0);
}

TEST_CASE("a decimal of few digits is an integer of its scale") {
    const struct {
        std::string_view text;
        std::optional<unsigned> scale;
        std::int64_t digits;  // at scale 4
    } table[] = {{"0", 0, 0},
                 {"-0.0", 0, 0},
                 {"19.90", 1, 199'000},
                 {"-7", 0, -70'000},
                 {"1e3", 0, 10'000'000},
                 {"0.0125", 4, 125},
                 {"-1.5e-2", 3, -150},
                 {"99999999999999", 0, 999'999'999'999'990'000},
                 {"1e17", {}, 0},
                 {"123456789012345678", {}, 0},
                 {"1e-19", {}, 0},
                 {"1e400", {}, 0},
                 {"1e-400", {}, 0}};
    for (const auto& [text, scale, digits] : table) {
        CAPTURE(text);
        const auto number = scaled_decimal::of(*sluice::detail::parse_decimal(text));
        CHECK(number.has_value() == scale.has_value());
        if (!number) continue;
        CHECK(number->scale() == scale);
        CHECK(number->at_scale(4) == digits);
        const auto unpacked = scaled_decimal::unpack(number->pack());
        REQUIRE(unpacked);
        CHECK(unpacked->scale() == scale);
        CHECK(unpacked->at_scale(4) == digits);
        if (*scale > 0) CHECK_FALSE(number->at_scale(*scale - 1));
    }
    CHECK_FALSE(scaled_decimal::unpack(scaled_decimal::unpackable));
    const auto long_number =
        scaled_decimal::of(*sluice::detail::parse_decimal("12345678901234567"));
    CHECK(long_number.value().at_scale(2) == 1'234'567'890'123'456'700);
    CHECK_FALSE(long_number.value().at_scale(3));
}

TEST_CASE("the numbers of every type have keys in their order") {
    const struct {
        column_type type;
        cell value;
        std::int64_t key;
    } table[] = {{column_type::integer, std::int64_t{-5}, -5},
                 {column_type::real, 1.5, key_of_real(1.5)},
                 {column_type::real, std::int64_t{2}, key_of_real(2)},
                 {column_type::time, instant(std::chrono::milliseconds(-7)), -7},
                 {column_type::date, calendar_day(std::chrono::days(20'000)), 20'000}};
    for (const auto& [type, value, key] : table) {
        const column of{.name = "number", .type = type};
        REQUIRE(number_list::holds(of));
        number_list numbers(of);
        numbers.push_back(value, {});
        REQUIRE(numbers.size() == 2);
        CHECK(numbers.keys()[0] == 0);
        CHECK(numbers.keys()[1] == key);
    }
    CHECK_FALSE(number_list::holds({.name = "text"}));
    CHECK_FALSE(number_list::holds({.name = "flag", .type = column_type::boolean}));
    CHECK_FALSE(
        number_list::holds({.name = "list", .type = column_type::integer, .is_list = true}));
}
