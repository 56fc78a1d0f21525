// SPDX-License-Identifier: MIT
#include <set>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/errors/rules.hpp>

using namespace sluice;

TEST_CASE("a rule is named by its enumerator") {
    CHECK(to_string(rule::parameter_unknown) == "parameter_unknown");
    CHECK(to_string(rule::filter_dash) == "filter_dash");
    CHECK(to_string(rule::window_reversed) == "window_reversed");
    CHECK(to_string(rule::unexpected_failure) == "unexpected_failure");
}

TEST_CASE("no two rules have the same name") {
    std::set<std::string_view> names;
    const auto last = static_cast<std::uint8_t>(rule::unexpected_failure);
    for (std::uint8_t value = 0; value <= last; ++value) {
        names.insert(to_string(static_cast<rule>(value)));
    }
    CHECK(names.size() == std::size_t{last} + 1);
}
