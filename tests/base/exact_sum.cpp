// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/exact_sum.hpp>

using namespace sluice::detail;

namespace {

decimal number(std::string_view text) {
    const auto parsed = parse_decimal(text);
    REQUIRE(parsed);
    return *parsed;
}
std::string sum_of(const std::vector<std::string_view>& numbers) {
    decimal_sum sum;
    for (const std::string_view text : numbers) REQUIRE(sum.add(number(text)));
    return sum.text();
}

}  // namespace

TEST_CASE("sums of decimals are exact") {
    struct {
        std::vector<std::string_view> numbers;
        std::string_view sum;
    } const cases[] = {
        {{}, "0"},
        {{"0"}, "0"},
        {{"19.90", "0.10"}, "20"},
        {{"0.1", "0.2"}, "0.3"},
        {{"-0.1", "0.1"}, "0"},
        {{"1", "-2.5"}, "-1.5"},
        {{"999999999", "1"}, "1000000000"},
        {{"-999999999.999999999", "-0.000000001"}, "-1000000000"},
        {{"1e30", "1e-30"}, "1000000000000000000000000000000.000000000000000000000000000001"},
        {{"1e30", "1", "-1e30"}, "1"},
        {{"5e-10"}, "0.0000000005"},
        {{"1200"}, "1200"},
        {{"123456789012345678901234567890", "-0.5"}, "123456789012345678901234567889.5"},
        {{"-1e20", "1"}, "-99999999999999999999"},
    };
    for (const auto& [numbers, sum] : cases) {
        CAPTURE(sum);
        CHECK(sum_of(numbers) == sum);
    }
}

#ifdef __SIZEOF_INT128__
__extension__ using compilers_integer = __int128;

std::string text_of(compilers_integer number) {
    std::string text;
    const bool is_negative = number < 0;
    for (; text.empty() || number != 0; number /= 10) {
        const int digit = static_cast<int>(number % 10);
        text.insert(text.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    }
    return is_negative ? "-" + text : text;
}

TEST_CASE("integers of 128 bits are those of the compiler") {
    std::mt19937_64 random(7);
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    const auto draw = [&]() -> std::int64_t {
        if (random() % 8 == 0) return random() % 2 == 0 ? least : most;
        return static_cast<std::int64_t>(random()) >> (random() % 64);
    };
    for (int round = 0; round < 20'000; ++round) {
        const std::int64_t a = draw(), b = draw(), c = draw();
        wide_integer sum = wide_integer::product(a, b);
        compilers_integer expected = static_cast<compilers_integer>(a) * b;
        CHECK(sum.text() == text_of(expected));
        CHECK((sum < wide_integer(c)) == (expected < c));
        CHECK((sum > wide_integer(c)) == (expected > c));
        if (sum < wide_integer(c)) CHECK(sum.prefix() <= wide_integer(c).prefix());
        if (wide_integer(c) < sum) CHECK(wide_integer(c).prefix() <= sum.prefix());
        CHECK((wide_integer(a).prefix() < wide_integer(c).prefix()) == (a < c));
        sum += c;
        expected += c;
        CHECK(sum.text() == text_of(expected));
        const auto whole = static_cast<std::int64_t>(expected);
        CHECK(sum.as_int64() == (whole == expected ? std::optional(whole) : std::nullopt));
    }
}
#endif

TEST_CASE("sums of decimals equal those of 128 bits") {
    std::mt19937_64 random(5);
    for (int round = 0; round < 300; ++round) {
        decimal_sum sum, shuffled, merged;
        wide_integer all = 0;
        for (int at = 0; at < 20; ++at) {
            const auto hundredths = static_cast<std::int64_t>(random()) >> (random() % 60);
            all += hundredths;
            std::string text = std::to_string(hundredths);
            REQUIRE(sum.add(number(text)));
            shuffled.add(wide_integer::product(hundredths, 100), 2);
        }
        merged.add(sum);
        merged.add(shuffled);
        CHECK(sum.text() == all.text());
        CHECK(shuffled.text() == all.text());
        all += all;
        CHECK(merged.text() == all.text());
    }
}

TEST_CASE("sums have at most 10,000 digits on both sides of the point") {
    decimal_sum sum;
    CHECK(sum.add(number("1e9999")));
    CHECK_FALSE(sum.add(number("1e10000")));
    CHECK(sum.add(number("1e-10000")));
    CHECK_FALSE(sum.add(number("1e-10001")));
    CHECK_FALSE(sum.add(number("1e99999999999999999999")));
    CHECK(sum.text() == "1" + std::string(9'999, '0') + "." + std::string(9'999, '0') + "1");
}

TEST_CASE("decimals of one value have one text") {
    struct {
        std::vector<std::string_view> spellings;
        std::string_view text;
    } const cases[] = {
        {{"0", "-0", "0.0", "0e5"}, "0"},
        {{"10", "10.0", "1e1", "100e-1"}, "10"},
        {{"-0.50", "-5e-1"}, "-0.5"},
        {{"0.001", "1e-3"}, "0.001"},
        {{"120.5"}, "120.5"},
        {{"1e400", "10e399"}, "1e400"},
        {{"1.5e-400", "15e-401"}, "1.5e-400"},
        {{"1e40", "10e39"}, "1e40"},
        {{"1e999999999999999999"}, "1e999999999999999999"},
    };
    for (const auto& [spellings, text] : cases) {
        for (const std::string_view spelling : spellings) {
            CAPTURE(spelling);
            CHECK(canonical_decimal(number(spelling)) == text);
        }
    }
}

TEST_CASE("sums of doubles are rounded once, in any order") {
    struct {
        std::vector<double> numbers;
        double sum;
    } cases[] = {
        {{}, 0.0},
        {{0.1, 0.2, 0.3, -0.3, -0.2, -0.1}, 0.0},
        {std::vector<double>(10, 0.1), 1.0},
        {{1e100, 1.0, -1e100, 1e-100}, 1.0},
        {{1e308, -1e308, 5.0}, 5.0},
        {{9007199254740992.0, 1.0, 1e-20}, 9007199254740994.0},  // halfway, and a little more
        {{9007199254740992.0, 1.0}, 9007199254740992.0},
        {{std::numeric_limits<double>::infinity(), 1.0}, std::numeric_limits<double>::infinity()},
    };
    std::mt19937_64 random(3);
    for (auto& [numbers, expected] : cases) {
        for (int round = 0; round < 20; ++round) {
            real_sum sum, first, second;
            for (const double number : numbers) {
                sum.add(number);
                (random() % 2 == 0 ? first : second).add(number);
            }
            first.add(second);
            CHECK(sum.value() == expected);
            CHECK(first.value() == expected);
            std::shuffle(numbers.begin(), numbers.end(), random);
        }
    }
    real_sum opposite;
    opposite.add(std::numeric_limits<double>::infinity());
    opposite.add(-std::numeric_limits<double>::infinity());
    CHECK(std::isnan(opposite.value()));
}
