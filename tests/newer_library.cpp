// SPDX-License-Identifier: MIT
// What the headers add with a newer standard library: std::format and std::expected. Compiled only.
#include <expected>
#include <format>
#include <string>
#include <type_traits>
#include <utility>

#include <sluice/base/format.hpp>
#include <sluice/sluice.hpp>

using namespace sluice;

static_assert(std::is_default_constructible_v<std::formatter<filter>>);
static_assert(std::is_default_constructible_v<std::formatter<decision>>);
static_assert(!std::is_default_constructible_v<std::formatter<collation>>);

std::string formatted(const filter& countries, const error& why) {
    return std::format("{:>9} {}", countries, why);
}

using expected_number = std::expected<int, error>;
static_assert(std::is_convertible_v<result<int>, expected_number>);
static_assert(std::is_convertible_v<expected_number, result<int>>);
static_assert(std::is_convertible_v<result<void>, std::expected<void, error>>);
static_assert(std::is_convertible_v<std::expected<void, error>, result<void>>);
static_assert(expected_number(result<int>(7)).value() == 7);
static_assert(expected_number(result<int>(fail(rule::number_malformed, 3))).error().offset == 3);
static_assert(*result<int>(expected_number(7)) == 7);
static_assert(result<int>(expected_number(std::unexpect, make_error(rule::number_malformed, 3)))
                  .error()
                  .offset == 3);

expected_number parsed(std::string_view text) {
    return parse_int64(text).map([](std::int64_t number) { return static_cast<int>(number); });
}
