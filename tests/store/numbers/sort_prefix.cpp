// SPDX-License-Identifier: MIT
#include <optional>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/columns/column_values.hpp>

using namespace sluice;

TEST_CASE("prefixes that are apart are in the order of the values, and equal ones never are") {
    const struct {
        column of;
        std::vector<std::vector<std::optional<std::string_view>>> ascending;  // too near together
    } table[] = {
        {{.name = "integer", .type = column_type::integer},
         {{std::nullopt},
          {"-9223372036854775808", "-9223372036854775807"},
          {"-1"},
          {"0"},
          {"1", "1.0"},
          {"2"},
          {"1787279415"},
          {"1787279416"},
          {"9223372036854775806", "9223372036854775807"}}},
        {{.name = "time", .type = column_type::time},
         {{std::nullopt},
          {"-1", "1969-12-31T23:59:59.999Z"},
          {"0"},
          {"1787279415123", "2026-08-21T02:30:15.123Z"},
          {"1787279415124"}}},
        {{.name = "decimal", .type = column_type::decimal},
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
        {{.name = "boolean", .type = column_type::boolean}, {{std::nullopt}, {"false"}, {"true"}}},
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
        const std::uint64_t margin = store::detail::prefix_margin(of);
        std::optional<std::uint64_t> last;
        for (const auto& group : groups) {
            const std::uint64_t prefix = store::detail::prefix_of_key(of, group[0]);
            CAPTURE(of.name);
            CAPTURE(group[0].value_or("null"));
            if (last) CHECK((*last < prefix && prefix - *last > margin));
            for (const auto& near : group) {
                const std::uint64_t other = store::detail::prefix_of_key(of, near);
                CHECK((other < prefix ? prefix - other : other - prefix) <= margin);
            }
            last = prefix;
        }
    }
}

TEST_CASE(
    "numbers whose approximations may be in the wrong order have prefixes within the margin") {
    const column of{.name = "decimal", .type = column_type::decimal};
    for (const std::string_view number : {"1", "3.3333333333333333333", "-123456789.125",
                                          "98765432109876543210", "7e-200", "-4e250"}) {
        const double exact = store::approximate(*sluice::detail::parse_decimal(number));
        for (const double factor : {1 - 4e-12, 1 - 1e-14, 1 + 1e-14, 1 + 4e-12}) {
            const std::uint64_t left = store::detail::prefix_of_number(exact);
            const std::uint64_t right = store::detail::prefix_of_number(exact * factor);
            CAPTURE(number);
            CHECK((left < right ? right - left : left - right) <= store::detail::prefix_margin(of));
        }
    }
}
