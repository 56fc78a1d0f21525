// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/grammars/order.hpp>

#include "expression_cases.hpp"

namespace order_tests {

using namespace expression_samples;

using order_parser = result<std::vector<sort_key>> (*)(std::string_view, const expression_columns&);

struct order_case {
    order_parser parse;
    std::string_view text;
    std::string_view keys;  ///< names of columns, `-` before a descending one
};
struct wrong_order {
    order_parser parse;
    std::string_view text;
    rule broken;
    std::size_t offset;
    std::size_t length;
};

std::string text_of(const std::vector<sort_key>& keys) {
    std::string text;
    for (const sort_key& key : keys) {
        if (!text.empty()) text.push_back(' ');
        if (key.direction == sort_order::descending) text.push_back('-');
        text.append(key.by.name);
    }
    return text;
}

TEST_CASE("the order of a grammar is read as sort keys") {
    static constexpr order_case cases[] = {
        {parse_odata_order, "", ""},
        {parse_odata_order, "name", "name"},
        {parse_odata_order, "name\tasc", "name"},
        {parse_odata_order, "name ASC,price , createTime desc", "name price -created"},
        {parse_odata_order, " customer/country desc ", "-customer.country"},
        {parse_aip160_order, "name,customer.country desc", "name -customer.country"},
        {parse_signed_order, "-price,+name, size", "-price name size"},
        {parse_scim_order, "NAME", "name"},
        {parse_scim_order, "urn:x:User:customer.country", "customer.country"},
        {parse_postgrest_order, "price.desc,name.asc,customer.country",
         "-price name customer.country"},
        {parse_postgrest_order, "price.desc.nullslast,name.nullsfirst", "-price name"},
    };
    for (const auto& [parse, text, keys] : cases) {
        CAPTURE(text);
        const auto order = parse(text, orders());
        REQUIRE_MESSAGE(order, message(order.error()));
        CHECK(text_of(*order) == keys);
    }
}

TEST_CASE("an error of an order is at the byte where it goes wrong") {
    static constexpr wrong_order cases[] = {
        {parse_odata_order, "nam", rule::column_unknown, 0, 3},
        {parse_odata_order, "name,secret", rule::column_unknown, 5, 6},
        {parse_odata_order, "name desc,", rule::expression_malformed, 10, 0},
        {parse_odata_order, "name,,price", rule::expression_malformed, 5, 1},
        {parse_odata_order, "name down", rule::expression_malformed, 5, 4},
        {parse_odata_order, "name descending", rule::expression_malformed, 5, 10},
        {parse_odata_order, "name desc price", rule::expression_malformed, 10, 5},
        {parse_odata_order, "price,state,name", rule::sort_repeated, 12, 4},
        {parse_odata_order, "length(name)", rule::expression_unsupported, 0, 6},
        {parse_odata_order, "size,tags", rule::operator_refused, 5, 4},
        {parse_odata_order, "lines", rule::operator_refused, 0, 5},
        {parse_odata_order, "meta", rule::operator_refused, 0, 4},
        {parse_odata_order, "name\xFF", rule::text_encoding, 4, 1},
        {parse_aip160_order, "name -", rule::expression_malformed, 5, 1},
        {parse_signed_order, "--name", rule::column_unknown, 1, 5},
        {parse_signed_order, "name desc", rule::expression_malformed, 5, 4},
        {parse_signed_order, "-", rule::expression_malformed, 1, 0},
        {parse_scim_order, "name,size", rule::expression_malformed, 4, 1},
        {parse_postgrest_order, "name.down", rule::column_unknown, 0, 9},
        {parse_postgrest_order, "name.desc.nullsfirst", rule::expression_unsupported, 10, 10},
        {parse_postgrest_order, "size,name.nullslast", rule::expression_unsupported, 10, 9},
    };
    for (const auto& [parse, text, broken, offset, length] : cases) {
        CAPTURE(text);
        const auto order = parse(text, orders());
        REQUIRE_FALSE(order.has_value());
        CHECK(to_string(order.error().broken) == to_string(broken));
        CHECK(order.error().offset == offset);
        CHECK(order.error().length == length);
    }
    const auto near = parse_odata_order("pirce", orders());
    CHECK(near.error().suggestion == "price");
    const auto long_text = parse_odata_order(std::string(10'001, ' '), orders());
    CHECK(long_text.error().broken == rule::query_too_long);
}

TEST_CASE("the direction of a SCIM order is a word") {
    CHECK(parse_scim_direction("ascending") == sort_order::ascending);
    CHECK(parse_scim_direction("Descending") == sort_order::descending);
    const auto wrong = parse_scim_direction("desc");
    CHECK(wrong.error().broken == rule::choice_unknown);
    CHECK(wrong.error().length == 4);
}

}  // namespace order_tests
