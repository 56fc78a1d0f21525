// SPDX-License-Identifier: MIT
#include <string>

#include <doctest/doctest.h>

#include <sluice/grammars/cql2_json.hpp>

#include "expression_cases.hpp"

namespace cql2_json_tests {

using namespace expression_samples;

/// A condition in both of CQL2's forms, each as it is written.
struct pair_of_forms {
    std::string_view text;
    std::string_view json;
};

TEST_CASE("CQL2's text and JSON are the same tree, and each is written from the other") {
    static constexpr pair_of_forms cases[] = {
        {"name = 'a' AND price > 5 AND price < 10 OR NOT (size <> 1)",
         R"({"op":"or","args":[{"op":"and","args":[{"op":"=","args":[{"property":"name"},"a"]},{"op":">","args":[{"property":"price"},5]},{"op":"<","args":[{"property":"price"},10]}]},{"op":"not","args":[{"op":"<>","args":[{"property":"size"},1]}]}]})"},
        {"name LIKE 'x%' OR name NOT LIKE '%z\\%%'",
         R"({"op":"or","args":[{"op":"like","args":[{"property":"name"},"x%"]},{"op":"not","args":[{"op":"like","args":[{"property":"name"},"%z\\%%"]}]}]})"},
        {"price BETWEEN 100.0 AND 150.0",
         R"({"op":"between","args":[{"property":"price"},100.0,150.0]})"},
        {"size IN (1,2) OR name NOT IN ('a','b')",
         R"({"op":"or","args":[{"op":"in","args":[{"property":"size"},[1,2]]},{"op":"not","args":[{"op":"in","args":[{"property":"name"},["a","b"]]}]}]})"},
        {"name IS NULL OR name IS NOT NULL",
         R"({"op":"or","args":[{"op":"isNull","args":[{"property":"name"}]},{"op":"not","args":[{"op":"isNull","args":[{"property":"name"}]}]}]})"},
        {"NOT (name IS NULL)",
         R"({"op":"not","args":[{"op":"and","args":[{"op":"isNull","args":[{"property":"name"}]}]}]})"},
        {"A_CONTAINS(tags, ('a','b'))",
         R"({"op":"a_contains","args":[{"property":"tags"},["a","b"]]})"},
        {"created >= TIMESTAMP('2012-08-10T05:30:00.000Z') AND due = DATE('2026-08-21')",
         R"({"op":"and","args":[{"op":">=","args":[{"property":"created"},{"timestamp":"2012-08-10T05:30:00.000Z"}]},{"op":"=","args":[{"property":"due"},{"date":"2026-08-21"}]}]})"},
        {"lines.qty BETWEEN 1 AND 2 AND meta.plan = 'p\"q'",
         R"({"op":"and","args":[{"op":"between","args":[{"property":"lines.qty"},1,2]},{"op":"=","args":[{"property":"meta.plan"},"p\"q"]}]})"},
        {"paid = true OR paid <> true OR TRUE",
         R"({"op":"or","args":[{"op":"=","args":[{"property":"paid"},true]},{"op":"<>","args":[{"property":"paid"},true]},true]})"},
    };
    for (const auto& [text, json] : cases) {
        CAPTURE(text);
        const auto rows = parse_cql2(text, orders());
        REQUIRE_MESSAGE(rows, message(rows.error()));
        CHECK(to_cql2_json(*rows, orders()) == std::string(json));
        const auto read = parse_cql2_json(json, orders());
        REQUIRE_MESSAGE(read, message(read.error()));
        CHECK(tree_of(*read) == tree_of(*rows));
        CHECK(to_cql2(*read, orders()) == std::string(text));
    }
}

TEST_CASE("CQL2 JSON is read with members in any order, white space and casei") {
    static constexpr accepted cases[] = {
        {R"( { "args" : [ { "property" : "size" } , 5 ] , "op" : "<" } )",
         R"({"column":"size","lt":5})", R"({"op":"<","args":[{"property":"size"},5]})"},
        {R"({"op":"=","args":[{"op":"casei","args":[{"property":"customer.country"}]},{"op":"casei","args":["US"]}]})",
         R"({"column":"customer.country","collation":"ignore_case","any_of":["us"]})",
         R"({"op":"=","args":[{"property":"customer.country"},"us"]})"},
        {R"({"property":"paid"})", R"({"column":"paid","is":true})",
         R"({"op":"=","args":[{"property":"paid"},true]})"},
        {R"({"op":"a_overlaps","args":[{"property":"tags"},["a\u00e9","b"]]})",
         R"({"column":"tags","any_of":["aé","b"]})",
         R"({"op":"in","args":[{"property":"tags"},["aé","b"]]})"},
        {R"({"op":"and","args":[true,{"op":"not","args":[false]}]})",
         R"({"all":[{"all":[]},{"not":{"any":[]}}]})", ""},
        {"", R"({"all":[]})", ""},
    };
    check_accepted(cases, parse_cql2_json, to_cql2_json);
}

TEST_CASE("an error of CQL2 JSON is at the byte where it goes wrong") {
    static constexpr refused cases[] = {
        {R"({"op":"=","args":[{"property":"nam"},"a"]})", rule::column_unknown, 18, 18},
        {R"({"op":"=","args":[{"property":"size"},"a"]})", rule::value_malformed, 38, 3},
        {R"({"op":">","args":[{"property":"tags"},"a"]})", rule::operator_refused, 6, 3},
        {R"({"op":"=","args":[{"property":"size"},{"property":"price"}]})",
         rule::expression_unsupported, 38, 20},
        {R"({"op":"=","args":[{"op":"+","args":[1,2]},1]})", rule::expression_unsupported, 24, 3},
        {R"({"op":"s_within","args":[]})", rule::expression_unsupported, 6, 10},
        {R"({"op":"like","args":[{"property":"meta.plan"},"p%"]})", rule::operator_refused, 6, 6},
        {R"({"op":"like","args":[{"property":"name"},"a%b"]})", rule::expression_unsupported, 41,
         5},
        {R"({"op":"=","args":[{"op":"casei","args":[{"property":"name"}]},"a"]})",
         rule::expression_unsupported, 24, 7},
        {R"({"op":"=","args":[{"property":"created"},"2012-08-10T05:30:00Z"]})",
         rule::value_malformed, 41, 22},
        {R"({"op":"=","args":[{"property":"due"},{"date":"2026-02-30"}]})", rule::day_impossible,
         37, 21},
        {R"({"op":"a_contains","args":[{"property":"name"},["a"]]})", rule::operator_refused, 6,
         12},
        {R"({"op":"in","args":[{"property":"name"},"a"]})", rule::query_value, 39, 1},
        {R"({"op":"=","args":[{"property":"name"}]})", rule::expression_malformed, 37, 1},
        {R"({"op":"=","args":[{"property":"name"},"a","b"]})", rule::query_bracket, 41, 1},
        {R"({"op":"not","args":[true,true]})", rule::query_bracket, 24, 1},
        {R"({"op":"and","args":[]})", rule::query_condition, 20, 1},
        {R"({"op":"and","args":[true,]})", rule::query_condition, 25, 1},
        {R"({"op":"=","args":[{"property":"name"},null]})", rule::query_value, 38, 4},
        {R"({"op":"=","args":[{"property":"name"},"a\x"]})", rule::query_escape, 38, 5},
        {R"({"op":"=","args":[{"property":"name"},"\ud83d"]})", rule::query_escape, 38, 8},
        {R"({"op":"=","args":[{"property":"\ude00"},5]})", rule::query_escape, 30, 8},
        {R"({"op":"=","args":[{"property":"name"},"a)", rule::query_quote, 38, 2},
        {R"({"op":"=","args":[{"property":"name"},"a"]+)", rule::query_bracket, 42, 1},
        {R"({"args":[{"property":"name"},"a"],"op":"=")", rule::expression_malformed, 1, 6},
        {R"({"property":5})", rule::expression_unsupported, 1, 10},
        {R"({"op":"=","args":[{"property":"paid"},true],"args":[{"property":"paid"},false]})",
         rule::expression_malformed, 44, 6},
        {R"({"op":"=","op":"<>","args":[{"property":"size"},1]})", rule::expression_malformed, 10,
         4},
        {R"({"op":"and","args":[true,{"op":"not","args":[true],"x":1}]})",
         rule::expression_malformed, 51, 3},
        {R"({"op":5,"args":[]})", rule::expression_malformed, 1, 4},
        {R"({"args":{},"op":"="})", rule::expression_malformed, 1, 6},
        {R"({"property":"paid","property":"id"})", rule::query_bracket, 18, 1},
        {R"({"properti":"paid"})", rule::expression_unsupported, 0, 19},
        {R"({"property":"paid"}})", rule::query_end, 19, 1},
        {R"({"property":"paid"},true)", rule::query_end, 19, 1},
        {"{", rule::expression_malformed, 1, 0},
        {"[", rule::query_condition, 0, 1},
        {"price > 5", rule::query_condition, 0, 5},
    };
    check_refused(cases, parse_cql2_json);
}

}  // namespace cql2_json_tests
