// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/conditions/expression.hpp>
#include <sluice/store/numbers/number_ranges.hpp>

using namespace sluice::store;
using sluice::detail::compare;
using sluice::detail::parse_decimal;

namespace {

/// Numbers so near, so large or so small that doubles don't tell all of them apart; in order.
const std::vector<std::string> numbers{"-1e400",
                                       "-1e399",
                                       "-12345678901234567891",
                                       "-12345678901234567890",
                                       "-1",
                                       "-1e-300",
                                       "-1e-400",
                                       "0",
                                       "1e-400",
                                       "1e-300",
                                       "1e-261",
                                       "1.2345678901234567e-260",
                                       "1e-259",
                                       "0.1234567890123456",
                                       "0.1234567890123457",
                                       "0.12345678901234571",
                                       "0.12345678901234572",
                                       "0.9999999999999999",
                                       "1",
                                       "1.0000000000000001",
                                       "1.0000000000000002",
                                       "9007199254740992",
                                       "9007199254740993",
                                       "9007199254740994",
                                       "1e289",
                                       "9.9e289",
                                       "1e290",
                                       "1e291",
                                       "1e300",
                                       "1e301",
                                       "1e999999999999999999999"};

/// The codes of those numbers in the order above, each second code is none.
struct numbered {
    std::vector<double> approximations;

    numbered() {
        for (const std::string& number : numbers) {
            approximations.push_back(approximate(*parse_decimal(number)));
            approximations.push_back(std::numeric_limits<double>::quiet_NaN());
        }
    }
    [[nodiscard]] code_numbers all() const {
        return {approximations, [](code c) { return *parse_decimal(numbers[c / 2]); }};
    }
    [[nodiscard]] number_ranges range(std::size_t bound, bool is_after, bool takes_above) const {
        return {all(), *parse_decimal(numbers[bound]), is_after, takes_above};
    }
};

/// Returns a bit for each code: true if the set contains it.
std::vector<bool> members(const number_ranges& set) {
    std::vector<bool> all;
    for (code c = 0; c < 2 * numbers.size() + 3; ++c) all.push_back(set.contains(c));
    std::array<std::uint64_t, 2> bits{};
    REQUIRE(all.size() > 64);
    set.match(all.size(), [](std::size_t at) { return static_cast<code>(at); }, bits.data());
    for (std::size_t c = 0; c < 128; ++c) {
        const bool is_in = c < all.size() && all[c];
        REQUIRE(((bits[c / 64] >> (c % 64)) & 1) == (is_in ? 1 : 0));
    }
    return all;
}

}  // namespace

TEST_CASE("approximations are in the order of the numbers, as far as they differ") {
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        CAPTURE(numbers[i]);
        CHECK(compare(*parse_decimal(numbers[i - 1]), *parse_decimal(numbers[i])) < 0);
        CHECK(approximate(*parse_decimal(numbers[i - 1])) <=
              approximate(*parse_decimal(numbers[i])));
    }
}

TEST_CASE("an approximation is near up to 290 digits before the point and 260 zeros after it") {
    for (const double factor : {1.0, -1.0}) {
        const auto of = [&](const std::string& text) {
            const std::string signed_text = factor < 0 ? "-" + text : text;
            return factor * approximate(*parse_decimal(signed_text));
        };
        for (const char* const text : {"1", "9.9e289", "1e289", "0.1", "12345678901234567890",
                                       "0.000123", "1e-261", "5e-200", "7e200"}) {
            CAPTURE(text);
            CHECK(of(text) == doctest::Approx(std::stod(text)).epsilon(1e-14).scale(0));
        }
        CHECK(of("1e290") == 1e300);
        CHECK(of("1e9999") == 1e300);
        CHECK(of("9.9e-262") == 0);
        CHECK(of("0") == 0);
    }
}

TEST_CASE("numbers are on their side of a bound, exactly") {
    const numbered codes;
    for (std::size_t bound = 0; bound < numbers.size(); ++bound) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            CAPTURE(numbers[bound]);
            CAPTURE(numbers[i]);
            const auto c = static_cast<code>(2 * i);
            CHECK(codes.range(bound, true, true).contains(c) == (i > bound));
            CHECK(codes.range(bound, false, true).contains(c) == (i >= bound));
            CHECK(codes.range(bound, true, false).contains(c) == (i <= bound));
            CHECK(codes.range(bound, false, false).contains(c) == (i < bound));
        }
    }
}

TEST_CASE("what is no number is in no range, and in what a range leaves") {
    const numbered codes;
    number_ranges set = codes.range(3, true, true);
    CHECK_FALSE(set.contains(1));
    CHECK_FALSE(set.contains(1'000'000));
    set.flip();
    CHECK(set.contains(1));
    CHECK(set.contains(1'000'000));
}

TEST_CASE("ranges combine like the sets that they are, and merge where they meet") {
    const numbered codes;
    std::mt19937 random(61);
    for (int round = 0; round < 400; ++round) {
        std::optional<number_ranges> set;
        std::vector<bool> expected;
        for (auto steps = 1 + random() % 12; steps > 0; --steps) {
            number_ranges other =
                codes.range(random() % numbers.size(), random() % 2 == 0, random() % 2 == 0);
            if (random() % 3 == 0) other.flip();
            const std::vector<bool> taken = members(other);
            const bool in_both = random() % 2 == 0;
            if (!set) {
                set = other;
                expected = taken;
            } else {
                in_both ? set->intersect(other) : set->merge(other);
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    expected[i] = in_both ? expected[i] && taken[i] : expected[i] || taken[i];
                }
            }
            if (random() % 4 == 0) {
                set->flip();
                expected.flip();
            }
            REQUIRE(members(*set) == expected);
        }
    }
    number_ranges merged = codes.range(4, true, true);
    for (std::size_t i = 5; i < 20; ++i) merged.merge(codes.range(i, false, true));
    CHECK(merged.bounds() == 1);
    merged.intersect(codes.range(4, true, false));
    CHECK(merged.bounds() == 0);
    CHECK(members(merged) == std::vector<bool>(2 * numbers.size() + 3, false));
}

TEST_CASE("ranges of one column in a group are one condition") {
    const numbered codes;
    const auto leaf = [&](std::size_t column, std::size_t bound, bool takes_above) {
        return expression::leaf({column, code_set(codes.range(bound, false, takes_above))});
    };
    const expression within =
        expression::all({leaf(1, 4, true), leaf(2, 6, true), leaf(1, 9, false), leaf(2, 8, false),
                         expression::leaf({1, code_set({3})})});
    REQUIRE(within.nodes().size() == 4);
    CHECK(within.nodes().back().operands == 3);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(within.nodes()[0].rows.accepted.contains(static_cast<code>(2 * i)) ==
              (i >= 4 && i < 9));
        CHECK(within.nodes()[1].rows.accepted.contains(static_cast<code>(2 * i)) ==
              (i >= 6 && i < 8));
    }
    const expression outside = expression::negation(
        expression::all({leaf(1, 4, true), expression::all({leaf(1, 9, false)})}));
    REQUIRE(outside.nodes().size() == 1);
    CHECK(outside.nodes()[0].rows.accepted.contains(0));
    CHECK_FALSE(outside.nodes()[0].rows.accepted.contains(2 * 5));
    CHECK(outside.nodes()[0].rows.accepted.contains(2 * 9));
    CHECK(outside.nodes()[0].rows.accepted.contains(1));
}

TEST_CASE("prefixes that are apart are in the order of the values, and equal ones never are") {
    const struct {
        sluice::column of;
        std::vector<std::vector<std::optional<std::string_view>>> ascending;  // too near together
    } table[] = {
        {{.name = "integer", .type = sluice::column_type::integer},
         {{std::nullopt},
          {"-9223372036854775807"},
          {"-1"},
          {"0"},
          {"1"},
          {"2"},
          {"1787279415"},
          {"1787279416"},
          {"9223372036854775806"},
          {"9223372036854775807"}}},
        {{.name = "time", .type = sluice::column_type::time},
         {{std::nullopt},
          {"-1", "1969-12-31T23:59:59.999Z"},
          {"0"},
          {"1787279415123", "2026-08-21T02:30:15.123Z"},
          {"1787279415124"}}},
        {{.name = "decimal", .type = sluice::column_type::decimal},
         {{std::nullopt},
          {"-1e9999", "-2e300"},
          {"-12.5"},
          {"-12"},
          {"-1e-260"},
          {"0", "-0", "1e-5000", "-1e-5000"},
          {"1e-260"},
          {"0.09"},
          {"0.1", "1e-1", "0.100000000000001"},
          {"9.9999999"},
          {"10", "10.0", "1e1", "10.00000000000000000000000001"},
          {"10.0000001"},
          {"1e200"},
          {"1e300", "9e9999"}}},
        {{.name = "boolean", .type = sluice::column_type::boolean},
         {{std::nullopt}, {"false"}, {"true"}}},
        {{.name = "text"},
         {{std::nullopt, "", std::string_view("\0", 1)},
          {"a"},
          {"aa"},
          {"b"},
          {"order_17", "order_170", "order_171"},
          {"order_2"},
          {"\xC3\xA9"}}},
    };
    for (const auto& [of, groups] : table) {
        const std::uint64_t margin = detail::prefix_margin(of);
        std::optional<std::uint64_t> last;
        for (const auto& group : groups) {
            const std::uint64_t prefix = detail::prefix_of_key(of, group[0]);
            CAPTURE(of.name);
            CAPTURE(group[0].value_or("null"));
            if (last) CHECK((*last < prefix && prefix - *last > margin));
            for (const auto& near : group) {
                const std::uint64_t other = detail::prefix_of_key(of, near);
                CHECK((other < prefix ? prefix - other : other - prefix) <= margin);
            }
            last = prefix;
        }
    }
}

TEST_CASE(
    "numbers whose approximations may be in the wrong order have prefixes within the margin") {
    const sluice::column of{.name = "decimal", .type = sluice::column_type::decimal};
    for (const std::string_view number : {"1", "3.3333333333333333333", "-123456789.125",
                                          "98765432109876543210", "7e-200", "-4e250"}) {
        const double exact = approximate(*parse_decimal(number));
        for (const double factor : {1 - 4e-12, 1 - 1e-14, 1 + 1e-14, 1 + 4e-12}) {
            const std::uint64_t left = detail::prefix_of_number(exact);
            const std::uint64_t right = detail::prefix_of_number(exact * factor);
            CAPTURE(number);
            CHECK((left < right ? right - left : left - right) <= detail::prefix_margin(of));
        }
    }
}
