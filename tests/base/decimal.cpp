// SPDX-License-Identifier: MIT
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/decimal.hpp>

namespace {

using sluice::detail::compare;
using sluice::detail::decimal;
using sluice::detail::is_whole;
using sluice::detail::parse_decimal;
using sluice::detail::to_int64_saturated;

constexpr auto int64_max = std::numeric_limits<std::int64_t>::max();
constexpr auto int64_min = std::numeric_limits<std::int64_t>::min();

constexpr std::strong_ordering order_of(std::string_view a, std::string_view b) {
    return compare(*parse_decimal(a), *parse_decimal(b));
}

static_assert(order_of("10", "1e1") == 0);
static_assert(order_of("9007199254740993", "9007199254740992") > 0);
static_assert(!parse_decimal("01"));
static_assert(to_int64_saturated(*parse_decimal("1e2")) == 100);

/// A number as the oracle writes it: sign, then 60 digits on each side of the point.
struct fixed_point {
    bool negative = false;
    std::string digits = std::string(120, '0');

    [[nodiscard]] bool is_zero() const { return digits == std::string(120, '0'); }
};

/// The oracle's value of `mantissa * 10^exponent`, laid out digit by digit.
fixed_point fixed_point_of(std::int64_t mantissa, int exponent) {
    fixed_point number;
    number.negative = mantissa < 0;
    std::uint64_t rest = static_cast<std::uint64_t>(mantissa);
    if (mantissa < 0) rest = 0 - rest;
    for (int place = 59 - exponent; rest > 0; --place, rest /= 10) {
        number.digits.at(static_cast<std::size_t>(place)) = static_cast<char>('0' + rest % 10);
    }
    return number;
}

std::strong_ordering order_of(const fixed_point& a, const fixed_point& b) {
    if (a.is_zero() && b.is_zero()) return std::strong_ordering::equal;
    const bool a_below = a.negative && !a.is_zero();
    const bool b_below = b.negative && !b.is_zero();
    if (a_below != b_below) return b_below <=> a_below;
    return a_below ? b.digits <=> a.digits : a.digits <=> b.digits;
}

/// One of the many spellings of `mantissa * 10^exponent`.
std::string spell(std::int64_t mantissa, int exponent, std::mt19937& random) {
    std::string digits = std::to_string(mantissa);
    const std::string sign = digits[0] == '-' ? "-" : "";
    digits.erase(0, sign.size());
    for (auto zeros = random() % 4; zeros > 0 && mantissa != 0; --zeros, --exponent) digits += '0';
    if (const auto shift = random() % (digits.size() + 4); shift > 0) {
        while (digits.size() <= shift) digits.insert(0, "0");
        digits.insert(digits.size() - shift, ".");
        exponent += static_cast<int>(shift);
    }
    if (exponent == 0 && random() % 2 == 0) return sign + digits;
    const std::string plus = exponent >= 0 && random() % 2 == 0 ? "+" : "";
    return sign + digits + (random() % 2 == 0 ? "e" : "E") + plus + std::to_string(exponent);
}

}  // namespace

TEST_CASE("a decimal is exactly one JSON number") {
    for (const char* text :
         {"0", "-0", "1", "-1", "10", "1234567890", "0.0", "0.5", "-0.5", "10.0", "1e1", "1E1",
          "1e+1", "1e-1", "1e01", "0e0", "-0.0e-0", "12.34e56", "1e999999999999999999999"}) {
        CAPTURE(text);
        CHECK(parse_decimal(text).has_value());
    }
    for (const char* text :
         {"",     "-",     "+1",   "--1",   "01",  "-01", "00",    "00.5",     ".5",
          "1.",   "-.5",   "1.e1", "1e",    "1e+", "1e-", "e1",    "1e1.0",    "1 ",
          " 1",   "1\n",   "1,0",  "0x10",  "NaN", "nan", "inf",   "Infinity", "1_000",
          "1..0", "1e1e1", "true", "\"1\"", "1-1", "1f",  "1.0.0", "١"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_decimal(text).has_value());
    }
    CHECK_FALSE(parse_decimal(std::string_view("1\0", 2)).has_value());
}

TEST_CASE("every number has one value, however it is spelled") {
    const std::vector<std::vector<std::string>> groups{
        {"-1e999999999999999999999", "-10e999999999999999999998"},
        {"-10.5", "-105e-1", "-0.00105e4"},
        {"-1", "-1.0", "-10e-1"},
        {"-1e-999999999999999999999"},
        {"0", "-0", "0.0", "0e5", "-0e-5", "0.000e999999999999999999999"},
        {"1e-999999999999999999999", "0.1e-999999999999999999998"},
        {"1e-999999999999999999998"},
        {"1e-400"},
        {"0.001", "1e-3", "0.0010", "0.01E-1"},
        {"0.1"},
        {"0.10000000000000000000000000000000001"},
        {"9", "9.0", "0.9e1", "900e-2", "9e0000"},
        {"9.99999999999999999999999999999999999"},
        {"10", "10.0", "1e1", "1E+1", "100e-1", "0.1e02", "0.00001e6"},
        {"10.01"},
        {"9007199254740992", "9007199254740992.0"},
        {"9007199254740993"},
        {"1e308", "10e307"},
        {"1.7976931348623159e308"},
        {"1e400", "0.1e401"},
        {"1e999999999999999999999", "0.01e1000000000000000000001"},
        {"1e1000000000000000000000"},
        {"1.5e1000000000000000000000"},
    };
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t j = 0; j < groups.size(); ++j) {
            for (const std::string& a : groups[i]) {
                for (const std::string& b : groups[j]) {
                    CAPTURE(a);
                    CAPTURE(b);
                    CHECK((order_of(a, b) == (i <=> j)));
                }
            }
        }
    }
}

TEST_CASE("long texts compare exactly") {
    const std::string nines(100'000, '9');
    const std::string zeros(100'000, '0');
    CHECK((order_of("1" + zeros, nines) > 0));
    CHECK((order_of("1" + zeros, "1e100000") == 0));
    CHECK((order_of("0." + zeros + "1", "1e-100001") == 0));
    CHECK((order_of("1e" + nines, "1e" + nines) == 0));
    CHECK((order_of("1e" + nines, "1e1" + zeros) < 0));
    CHECK((order_of("10e" + nines, "1e1" + zeros) == 0));
    CHECK((order_of("1e-" + nines, "1e-1" + zeros) > 0));
    CHECK((order_of("1e-" + nines, "1e" + nines) < 0));
    CHECK((order_of("1e" + zeros, "1") == 0));
}

TEST_CASE("a decimal is whole where its value has no fraction") {
    for (const char* text : {"0", "-0", "0.0", "0e-5", "2", "2.0", "1e2", "-3", "1.5e1", "1200e-2",
                             "0.5e1", "1e999999999999999999999", "0e-999999999999999999999"}) {
        CAPTURE(text);
        CHECK(is_whole(*parse_decimal(text)));
    }
    for (const char* text : {"0.5", "-0.5", "2.5", "1e-1", "1200e-3", "1.25e1", "0.1",
                             "1e-999999999999999999999", "9007199254740992.1"}) {
        CAPTURE(text);
        CHECK_FALSE(is_whole(*parse_decimal(text)));
    }
}

TEST_CASE("a whole decimal becomes a 64-bit number, the nearest where it is beyond") {
    struct row {
        const char* text;
        std::int64_t value;
    };
    constexpr row rows[]{
        {"0", 0},
        {"-0", 0},
        {"0e999999999999999999999", 0},
        {"7", 7},
        {"-7", -7},
        {"1e2", 100},
        {"-1.5e1", -15},
        {"1200e-2", 12},
        {"1000", 1000},
        {"9007199254740993", 9007199254740993},
        {"999999999999999999", 999999999999999999},
        {"1e18", 1'000'000'000'000'000'000},
        {"9223372036854775806", int64_max - 1},
        {"9223372036854775807", int64_max},
        {"9223372036854775807.0", int64_max},
        {"9223372036854775808", int64_max},
        {"9999999999999999999", int64_max},
        {"10000000000000000000", int64_max},
        {"1e19", int64_max},
        {"18446744073709551616", int64_max},
        {"184467440737095516170", int64_max},
        {"1e999999999999999999999", int64_max},
        {"-9223372036854775807", int64_min + 1},
        {"-9223372036854775808", int64_min},
        {"-9223372036854775809", int64_min},
        {"-9999999999999999999", int64_min},
        {"-1e999999999999999999999", int64_min},
        {"2.9", 2},
        {"-2.9", -2},
        {"1e-999999999999999999999", 0},
    };
    for (const row& r : rows) {
        CAPTURE(r.text);
        CHECK(to_int64_saturated(*parse_decimal(r.text)) == r.value);
    }
}

TEST_CASE("random decimals compare as their digits laid out in full") {
    std::mt19937 random(20'240'601);
    const std::array<std::int64_t, 4> bounds{10, 1'000, 1'000'000'000, int64_max};
    for (int round = 0; round < 20'000; ++round) {
        std::uniform_int_distribution<std::int64_t> mantissas(0, bounds[random() % bounds.size()]);
        std::uniform_int_distribution<int> exponents(-20, 20);
        const std::int64_t a = mantissas(random) * (random() % 2 == 0 ? 1 : -1);
        const std::int64_t b =
            random() % 3 == 0 ? a : mantissas(random) * (random() % 2 == 0 ? 1 : -1);
        const int a_exponent = exponents(random);
        const int b_exponent = random() % 2 == 0 ? a_exponent : exponents(random);
        const std::string a_text = spell(a, a_exponent, random);
        const std::string b_text = spell(b, b_exponent, random);
        CAPTURE(a_text);
        CAPTURE(b_text);
        const auto expected =
            order_of(fixed_point_of(a, a_exponent), fixed_point_of(b, b_exponent));
        REQUIRE((order_of(a_text, b_text) == expected));
    }
}

TEST_CASE("random whole numbers survive the way through text") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 20'000; ++round) {
        const auto value = static_cast<std::int64_t>(random() >> (random() % 64));
        const std::string text = std::to_string(value);
        const auto number = parse_decimal(text);
        REQUIRE(number.has_value());
        REQUIRE(is_whole(*number));
        REQUIRE(to_int64_saturated(*number) == value);
    }
}
