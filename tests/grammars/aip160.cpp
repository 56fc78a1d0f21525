// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sluice/grammars/aip160.hpp>

#include "expression_cases.hpp"

namespace aip160_tests {

using namespace expression_samples;

TEST_CASE("an AIP-160 filter is read as a tree, and written canonically") {
    static constexpr accepted cases[] = {
        {R"(name = "a" AND price > 5 price < 10)",
         R"({"all":[{"column":"name","any_of":["a"]},{"column":"price","gt":"5","lt":"10"}]})",
         R"(name = "a" AND price > 5 AND price < 10)"},
        {R"(name = "a" OR name = "b" AND size = 1)",
         R"({"all":[{"column":"name","any_of":["a","b"]},{"column":"size","any_of":["1"]}]})",
         R"((name = "a" OR name = "b") AND size = 1)"},
        {R"(name:"x" OR name = "y*" OR name != "*z")",
         R"({"any":[{"column":"name","contains":["x"]},{"column":"name","starts_with":["y"]},{"not":{"column":"name","ends_with":["z"]}}]})",
         R"(name = "*x*" OR name = "y*" OR name != "*z")"},
        {R"(-name:x)", R"({"not":{"column":"name","contains":["x"]}})", R"(name != "*x*")"},
        {"NOT name:* OR name = *",
         R"({"any":[{"column":"name","is_null":true},{"column":"name","is_null":false}]})",
         "NOT name:* OR name:*"},
        {R"(name = "\*x" OR name = '\303\277\u263A\n')",
         R"({"column":"name","any_of":["*x","ÿ☺\n"]})", "name = \"\\*x\" OR name = \"ÿ☺\n\""},
        {"name:** AND name = '*' AND name = **",
         R"({"all":[{"column":"name","contains":["**"]},{"column":"name","contains":[""]},{"column":"name","contains":[""]}]})",
         R"(name = "*\*\**" AND name = "**" AND name = "**")"},
        {R"(tags:"*" OR tags = ** OR tags:*)",
         R"({"any":[{"column":"tags","any_of":["*"]},{"column":"tags","contains":[""]},{"column":"tags","is_null":false}]})",
         R"(tags = "\*" OR tags = "**" OR tags:*)"},
        {R"(name = "*\*\*a*" OR name:a*b OR name > a*b OR size != 5)",
         R"({"any":[{"column":"name","contains":["**a","a*b"]},{"column":"name","gt":"a*b"},{"column":"size","none_of":["5"]}]})",
         R"(name = "*\*\*a*" OR name = "*a\*b*" OR name > "a\*b" OR size != 5)"},
        {R"(name = "\ud83d\ude00x")", R"({"column":"name","any_of":["😀x"]})", "name = \"😀x\""},
        {"tags:a AND tags:b", R"({"column":"tags","all_of":["a","b"]})",
         R"(tags = "a" AND tags = "b")"},
        {"lines.sku:x OR lines.qty = 5",
         R"({"any":[{"column":"lines","any":{"column":"sku","contains":["x"]}},{"column":"lines","any":{"column":"qty","any_of":["5"]}}]})",
         R"(lines.sku = "*x*" OR lines.qty = 5)"},
        {"meta.plan = pro", R"({"column":"meta","matches":{"path":["plan"],"equal":"pro"}})",
         R"(meta.plan = "pro")"},
        {R"(createTime > "2011-05-13T04:42:34Z" createTime <= timestamp("2012-05-13T04:42:34Z"))",
         R"({"column":"created","gt":"2011-05-13T04:42:34.000Z","lte":"2012-05-13T04:42:34.000Z"})",
         R"(created > "2011-05-13T04:42:34.000Z" AND created <= "2012-05-13T04:42:34.000Z")"},
        {"paid AND NOT paid",
         R"({"all":[{"column":"paid","is":true},{"not":{"column":"paid","is":true}}]})",
         "paid = true AND paid != true"},
        {"color = Red OR color != Green OR price >= (-2.4)",
         R"({"any":[{"column":"color","any_of":["Red"]},{"column":"color","none_of":["Green"]},{"column":"price","gte":"-2.4"}]})",
         R"(color = "Red" OR color != "Green" OR price >= -2.4)"},
    };
    check_accepted(cases, parse_aip160_filter, to_aip160_filter);
}

TEST_CASE("words without a field are searched in the endpoint's columns") {
    static constexpr accepted cases[] = {
        {"New \"York\"",
         R"({"all":[{"any":[{"column":"name","contains":["New"]},{"column":"id","contains":["New"]}]},{"any":[{"column":"name","contains":["York"]},{"column":"id","contains":["York"]}]}]})",
         R"((name = "*New*" OR id = "*New*") AND (name = "*York*" OR id = "*York*"))"},
    };
    check_accepted(cases, parse_aip160_filter, to_aip160_filter, searched_orders());
}

TEST_CASE("an error of an AIP-160 filter is at the byte where it goes wrong") {
    static constexpr refused cases[] = {
        {"New York", rule::column_unknown, 0, 3},
        {"name", rule::query_operator, 4, 0},
        {"(-2.5) >= -2.4", rule::column_unknown, 2, 3},
        {"name = f(x)", rule::expression_unsupported, 7, 1},
        {"name = (a OR b)", rule::expression_unsupported, 7, 1},
        {"name = (a", rule::query_parenthesis, 9, 0},
        {"f(x) = 1", rule::expression_unsupported, 0, 1},
        {R"(createTime:"2011-05-13T04:42:34Z")", rule::operator_refused, 10, 1},
        {R"(name = "x\y")", rule::query_escape, 9, 2},
        {R"(name = "\377")", rule::query_escape, 7, 6},
        {R"(name = "\ud83d")", rule::query_escape, 8, 2},
        {R"(name = "\ud83d\n0041")", rule::query_escape, 8, 2},
        {R"(name = "\ude00\ud83d")", rule::query_escape, 8, 2},
        {"<", rule::query_condition, 0, 1},
        {R"(name = "foo)", rule::query_quote, 7, 4},
        {"name = foo\x01", rule::query_end, 10, 1},
        {"NOT", rule::query_condition, 0, 3},
        {"name = a AND", rule::query_condition, 9, 3},
        {"AND name = a", rule::query_condition, 0, 3},
        {"paid AND(paid)", rule::query_condition, 5, 3},
        {"NOT(paid)", rule::query_condition, 0, 3},
        {"NOT NOT paid", rule::query_condition, 4, 3},
        {"-NOT paid", rule::query_condition, 1, 3},
        {"- paid", rule::query_condition, 0, 1},
        {"-\tpaid", rule::query_condition, 0, 1},
        {"(paid )", rule::query_parenthesis, 5, 1},
        {"name = OR", rule::query_value, 7, 2},
        {R"(price = "5")", rule::value_malformed, 8, 3},
        {R"(name = "\u12)", rule::query_escape, 8, 2},
        {"name = a*b", rule::expression_unsupported, 7, 3},
        {R"(name != "*a*b")", rule::expression_unsupported, 8, 6},
        {"\"name\" = a", rule::expression_unsupported, 0, 6},
        {"meta:plan", rule::expression_unsupported, 4, 1},
        {"meta.plan:*", rule::expression_unsupported, 9, 1},
        {"meta.plan = *", rule::expression_unsupported, 10, 1},
    };
    check_refused(cases, parse_aip160_filter);
}

}  // namespace aip160_tests
