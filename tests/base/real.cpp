// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/base/real.hpp>

using sluice::detail::parse_any_real;
using sluice::detail::parse_real;
using sluice::detail::real_text;

TEST_CASE("a number reads as the nearest double, and none beyond the largest") {
    constexpr double largest = std::numeric_limits<double>::max();
    const struct {
        std::string_view text;
        std::optional<double> number;
    } table[]{
        {"0", 0.0},
        {"0.1", 0.1},
        {"-1.5e3", -1500.0},
        {"9007199254740993", 9007199254740992.0},
        {"5e-324", 5e-324},
        {"1e-400", 0.0},
        {"-1e-999999999999", -0.0},
        {"1.7976931348623157e308", largest},
        {"1e309", {}},
        {"-1e400", {}},
        {"+1", {}},
        {"01", {}},
        {"1.", {}},
        {"nan", {}},
        {"inf", {}},
        {"0x1", {}},
        {" 1", {}},
        {"1,5", {}},
        {"", {}},
    };
    for (const auto& [text, number] : table) {
        CAPTURE(text);
        CHECK(parse_real(text) == number);
    }
    CHECK(std::signbit(*parse_real("-1e-400")));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    CHECK(parse_any_real("1e309") == infinity);
    CHECK(parse_any_real("-1e999999999999") == -infinity);
    CHECK(parse_any_real("0.1") == 0.1);
    CHECK(parse_any_real("inf") == std::nullopt);
}

TEST_CASE("the text of a double reads back as the same double") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 20'000; ++round) {
        const auto number = std::bit_cast<double>(std::uint64_t{random()});
        if (!std::isfinite(number)) continue;
        CHECK(parse_real(real_text(number)) == number);
    }
    CHECK(real_text(0.1) == "0.1");
    CHECK(real_text(-2) == "-2");
    CHECK(real_text(-0.0) == "0");
    for (const double infinity : {HUGE_VAL, -HUGE_VAL}) {
        CHECK(parse_any_real(real_text(infinity)) == infinity);
    }
}
