// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/base/scaled_number.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/decimal_number.hpp>

using namespace sluice;

namespace {

constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

/// Returns the order of two texts, read digit by digit.
std::strong_ordering order_of(std::string_view a, std::string_view b) {
    return detail::compare(*detail::parse_decimal(a), *detail::parse_decimal(b));
}

}  // namespace

TEST_CASE("a decimal number is written from an integer and its scale") {
    const struct {
        std::int64_t digits;
        int scale;
        std::string_view text;
    } table[]{
        {1999, 2, "19.99"},
        {1990, 2, "19.90"},
        {-5, 2, "-0.05"},
        {0, 3, "0.000"},
        {7, 0, "7"},
        {-123, 3, "-0.123"},
        {int64_max, 18, "9.223372036854775807"},
        {int64_min, 18, "-9.223372036854775808"},
        {int64_min, 0, "-9223372036854775808"},
    };
    for (const auto& [digits, scale, text] : table) {
        CAPTURE(text);
        const decimal_number number(digits, scale);
        CHECK(number.text() == text);
        CHECK(number == parse_decimal_number(text).value());
        CHECK(to_integer(number, scale).value() == digits);
    }
}

TEST_CASE("a decimal number is read as an integer of a scale") {
    const struct {
        std::string_view text;
        int scale;
        std::int64_t digits;
    } table[]{
        {"19.9", 2, 1990},
        {"1e3", 0, 1000},
        {"1e3", 2, 100000},
        {"-0.0", 2, 0},
        {"5e-2", 2, 5},
        {"0", 18, 0},
        {"-3", 1, -30},
        {"12.340000000", 2, 1234},
        {"9223372036854775807", 0, int64_max},
    };
    for (const auto& [text, scale, digits] : table) {
        CAPTURE(text);
        CHECK(to_integer(parse_decimal_number(text).value(), scale).value() == digits);
    }
    const struct {
        std::string_view text;
        int scale;
        rule broken;
        std::optional<std::int64_t> bound;
    } refused[]{
        {"19.999", 2, rule::number_not_whole, {}},
        {"1e-400", 18, rule::number_not_whole, {}},
        {"1e400", 0, rule::number_too_large, int64_max},
        {"-1e400", 0, rule::number_too_small, int64_min},
        {"92233720368547758.08", 2, rule::number_too_large, int64_max},
    };
    for (const auto& [text, scale, broken, bound] : refused) {
        CAPTURE(text);
        const auto number = to_integer(parse_decimal_number(text).value(), scale);
        REQUIRE(!number);
        CHECK(number.error().broken == broken);
        CHECK(number.error().bound == bound);
    }
}

TEST_CASE("a decimal number is converted to a double and back") {
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK(to_double(decimal_number(1999, 2)) == 19.99);
    CHECK(to_double(parse_decimal_number("1e400").value()) == infinite);
    CHECK(to_double(parse_decimal_number("-1e400").value()) == -infinite);
    CHECK(to_double(parse_decimal_number("1e-400").value()) == 0.0);
    for (const double number : {0.1, -0.0, 5e-324, 1.7976931348623157e308, -19.99, 1e22}) {
        CHECK(to_double(to_decimal(number).value()) == number);
    }
    CHECK(to_decimal(0.1).value().text() == "0.1");
    for (const double number : {infinite, -infinite, std::nan("")}) {
        REQUIRE(!to_decimal(number));
        CHECK(to_decimal(number).error().broken == rule::number_malformed);
    }
}

TEST_CASE("equal numbers have one hash, whatever their exponents are") {
    const struct {
        std::string_view a, b;
    } table[]{
        {"10", "1e1"},
        {"-0", "0e999999999999999999999"},
        {"100e399999999999999999", "0.1e400000000000000002"},
        {"10e400000000000000000", "1e400000000000000001"},
        {"100e99999999999999999999998", "1e100000000000000000000000"},
        {"0.1e-400000000000000000", "1e-400000000000000001"},
        {"-0.01e-99999999999999999999999", "-1e-100000000000000000000001"},
    };
    for (const auto& [a, b] : table) {
        CAPTURE(a);
        const decimal_number left = parse_decimal_number(a).value();
        const decimal_number right = parse_decimal_number(b).value();
        CHECK(left == right);
        CHECK(std::hash<decimal_number>()(left) == std::hash<decimal_number>()(right));
    }
}

TEST_CASE("scaled numbers are ordered as their texts") {
    std::mt19937_64 random(7);
    constexpr std::array<std::int64_t, 9> edges{int64_min, int64_max, 0,     1,  -1,
                                                10,        100,       -1000, 999};
    const auto digits = [&] {
        if (random() % 3 == 0) return edges[random() % edges.size()];
        return static_cast<std::int64_t>(random()) >> random() % 64;
    };
    const auto scaled = [&] {
        return scaled_number{digits(), static_cast<int>(random() % (scaled_number::scale_max + 1))};
    };
    for (int round = 0; round < 20'000; ++round) {
        const scaled_number a = scaled(), b = scaled();
        const decimal_number left(a), right(b);
        CAPTURE(left.text());
        CAPTURE(right.text());
        const auto order = order_of(left.text(), right.text());
        CHECK((a <=> b) == order);
        CHECK((left <=> right) == order);
        CHECK((left <=> b) == order);
        CHECK((parse_decimal_number(left.text()).value() <=> right) == order);
        CHECK(bounds<decimal_number>{.least = right}.contains(a) == (order >= 0));
    }
}

TEST_CASE("numbers of many digits are ordered exactly beside short ones") {
    constexpr std::array<std::string_view, 8> texts{
        "0",    "1e400",  "-1e400", "1000000000000000001",
        "1e18", "1e-400", "10",     "0.1234567890123456789"};
    for (const std::string_view a : texts) {
        for (const std::string_view b : texts) {
            CAPTURE(a);
            CAPTURE(b);
            const decimal_number left = parse_decimal_number(a).value();
            const decimal_number right = parse_decimal_number(b).value();
            CHECK((left <=> right) == order_of(a, b));
            if (right.scaled()) CHECK((left <=> *right.scaled()) == order_of(a, b));
        }
    }
}
