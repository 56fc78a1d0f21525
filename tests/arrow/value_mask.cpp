// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/value_mask.hpp>

#include "make_array.hpp"

using namespace sluice;
using namespace arrow_test;
using arrow::day_test;
using arrow::fault;
using arrow::integer_test;
using arrow::name_test;
using arrow::row_bits;
using arrow::row_span;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<bool> bools(const arrow::import_result<row_bits>& mask) {
    REQUIRE(mask);
    return to_bools(*mask);
}
std::vector<bool> reals(const arrow_test::column& array, const bounds<double>& within) {
    return bools(arrow::real_mask(array.type(), array.array,
                                  {0, static_cast<std::size_t>(array.array.length)}, within));
}
std::vector<bool> days(const arrow_test::column& array, const integer_test& wanted) {
    const auto rows = static_cast<std::size_t>(array.array.length);
    return bools(arrow::day_mask(array.type(), array.array, {0, rows}, day_test{wanted},
                                 row_bits(rows, true)));
}
std::vector<bool> names(const arrow_test::column& array, const name_test& wanted) {
    return bools(arrow::name_mask(array.type(), array.array,
                                  {0, static_cast<std::size_t>(array.array.length)}, wanted));
}
std::vector<bool> nulls(const arrow_test::column& array) {
    const row_span rows{0, static_cast<std::size_t>(array.array.length)};
    const auto wanted = bools(arrow::null_mask(array.type(), array.array, rows, null_test{true}));
    auto others = bools(arrow::null_mask(array.type(), array.array, rows, null_test{false}));
    others.flip();
    CHECK(others == wanted);
    return wanted;
}

}  // namespace

TEST_CASE("floats and integers of every width lie within bounds as doubles") {
    const bounds<double> within{.least = 0.0, .most = 2.0, .excludes_most = true};
    const std::vector<std::optional<double>> numbers{
        -0.5, -0.0, 0.0, 0.5, 2.0, not_a_number, infinity, -infinity, std::nullopt};
    const std::vector<bool> expected{false, true, true, true, false, false, false, false, false};
    CHECK(reals(*make_values<double>("g", numbers, 1.0), within) == expected);
    CHECK(reals(*make_values<double>("g", numbers, 1.0, 3), within) == expected);
    std::vector<std::optional<float>> floats;
    for (const auto& number : numbers) {
        floats.push_back(number ? std::optional(static_cast<float>(*number)) : std::nullopt);
    }
    CHECK(reals(*make_values<float>("f", floats, 1.0F), within) == expected);
    const std::vector<std::optional<std::uint16_t>> halves{
        0xB800, 0x8000, 0x0000, 0x3800, 0x4000, 0x7E00, 0x7C00, 0xFC00, std::nullopt};
    CHECK(reals(*make_values<std::uint16_t>("e", halves, 0x3C00), within) == expected);
    CHECK(reals(*make_integers("c", {-1, 0, 1, 2, std::nullopt}), within) ==
          std::vector<bool>{false, true, true, false, false});
    CHECK(reals(*make_integers("L", {-1, 1}), {.least = 1e19}) == std::vector<bool>{true, false});
    CHECK(
        reals(*make_coded("c", {1, 0, std::nullopt}, make_values<double>("g", {1.0, not_a_number})),
              {}) == std::vector<bool>{false, true, false});
    CHECK(reals(*make_nulls(2), {}) == std::vector<bool>{false, false});
}

TEST_CASE("a float of 16 bits has the value of its bits") {
    struct row {
        std::uint16_t bits;
        double value;
    };
    for (const auto& [bits, value] : std::vector<row>{{0x3555, 0.333251953125},
                                                      {0x7BFF, 65504},
                                                      {0x0400, 0x1p-14},
                                                      {0x03FF, 0x3FFp-24},
                                                      {0x0001, 0x1p-24},
                                                      {0x8001, -0x1p-24},
                                                      {0xC000, -2}}) {
        CAPTURE(bits);
        CHECK(arrow::detail::half{bits}.value() == value);
    }
}

TEST_CASE("dates in days, in milliseconds and as text are days") {
    const integer_test within(bounds<std::int64_t>{.least = -1, .most = 0});
    const std::vector<bool> expected{false, true, true, false, false};
    CHECK(days(*make_values<std::int32_t>("tdD", {-2, -1, 0, 1, std::nullopt}), within) ==
          expected);
    constexpr std::int64_t day = 86'400'000;
    CHECK(days(*make_values<std::int64_t>("tdm", {-day - 1, -day, day - 1, day, std::nullopt}),
               within) == expected);
    const cells texts{"1969-12-30", "1969-12-31", "1970-01-01", "1970-01-02", std::nullopt};
    CHECK(days(*make_text("u", texts), within) == expected);
    CHECK(days(*make_coded("c", {0, 1, 2, 3, std::nullopt}, make_text("u", texts)), within) ==
          expected);
    const integer_test ends({-719'162, 2'932'896}, true);  // neither 0001-01-01 nor 9999-12-31
    CHECK(days(*make_text("vu", {"0001-01-01", "9999-12-31", "2000-01-01", std::nullopt}), ends) ==
          std::vector<bool>{false, false, true, true});
    CHECK(days(*make_nulls(1), ends) == std::vector<bool>{true});
}

TEST_CASE("a text that is no day is refused in rows that are present") {
    const auto array = make_text("u", {"1970-01-01", "1970-02-30"});
    const day_test test{integer_test({0}, false)};
    const auto mask = [&](const row_bits& present) {
        return arrow::day_mask(array->type(), array->array, {0, 2}, test, present);
    };
    const auto refused = mask(row_bits(2, true));
    REQUIRE_FALSE(refused);
    CHECK(message(refused.error()) == "row 1: expected a day such as 2026-08-21");
    row_bits first(2, false);
    first.words()[0] = 1;
    CHECK(bools(mask(first))[0]);
}

TEST_CASE("UUIDs are compared in any case, and as 16 bytes") {
    using id = std::array<std::uint8_t, 16>;
    const std::string text = "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e";
    const id bytes{0x01, 0x90, 0xc7, 0xa6, 0x5e, 0x2b, 0x7c, 0x61,
                   0x9f, 0x0e, 0x8d, 0x7b, 0x1a, 0x2c, 0x3d, 0x4e};
    const name_test wanted({text, "no UUID"}, collation::ignore_case, false);
    const name_test others({text}, collation::ignore_case, true);
    const auto texts =
        make_text("u", {text, "0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E", "", std::nullopt});
    CHECK(names(*texts, wanted) == std::vector<bool>{true, true, false, false});
    CHECK(names(*texts, others) == std::vector<bool>{false, false, true, true});
    const auto ids = make_values<id>("w:16", {bytes, id(), std::nullopt}, bytes);
    CHECK(names(*ids, wanted) == std::vector<bool>{true, false, false});
    CHECK(names(*ids, others) == std::vector<bool>{false, true, true});
    std::string stored, lower;
    for (const std::uint8_t byte : bytes) {
        stored.push_back(static_cast<char>(byte));
        lower.push_back(sluice::detail::to_lower(stored.back()));
    }
    for (const std::string format : {"z", "Z", "vz"}) {
        CAPTURE(format);
        const auto held = make_text(format, {stored, text, lower, std::string(16, '0'), ""});
        CHECK(names(*held, wanted) == std::vector<bool>{true, true, false, false, false});
        CHECK(names(*held, others) == std::vector<bool>{false, false, true, true, true});
    }
    CHECK(names(*make_text("u", {stored}), wanted) == std::vector<bool>{false});
    CHECK(names(*make_nulls(1), others) == std::vector<bool>{true});
}

TEST_CASE("rows without a value are null, and NaN is no value") {
    CHECK(nulls(*make_text("u", {"", std::nullopt, "a"})) == std::vector<bool>{false, true, false});
    CHECK(nulls(*make_values<double>("g", {not_a_number, std::nullopt, 0.0})) ==
          std::vector<bool>{true, true, false});
    CHECK(nulls(*make_lists<std::int32_t>("+l", {0, std::nullopt}, make_text("u", {}))) ==
          std::vector<bool>{false, true});
    CHECK(nulls(*make_coded("c", {0, 1, std::nullopt}, make_text("u", {"a", std::nullopt}))) ==
          std::vector<bool>{false, true, true});
    CHECK(nulls(*make_nulls(2)) == std::vector<bool>{true, true});
    CHECK(nulls(*make_values<std::int64_t>("tDs", {1, std::nullopt})) ==
          std::vector<bool>{false, true});
    for (const std::string format : {"+ud:0", "+us:0", "+r"}) {
        CAPTURE(format);
        arrow_test::column field(format, 0);
        field.wire();
        const auto checked = arrow::check_null_type(field.type());
        REQUIRE_FALSE(checked);
        CHECK(checked.error().kind == fault::unsupported);
        CHECK(checked.error().what.starts_with("expected a type whose values can be null, not "));
    }
}
