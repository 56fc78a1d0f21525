// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sluice/grammars/cql2.hpp>

#include "expression_cases.hpp"

namespace cql2_tests {

using namespace expression_samples;

TEST_CASE("a CQL2 text is read as a tree, and written canonically") {
    static constexpr accepted cases[] = {
        {"name = 'a' AND price > 5 AND price < 10 or not size <> 1",
         R"({"any":[{"all":[{"column":"name","any_of":["a"]},{"column":"price","gt":"5","lt":"10"}]},{"not":{"column":"size","none_of":["1"]}}]})",
         "name = 'a' AND price > 5 AND price < 10 OR NOT (size <> 1)"},
        {"name LIKE 'x%' OR name LIKE '%y' OR name LIKE '%z\\%%' OR name LIKE 'q'",
         R"({"any":[{"column":"name","starts_with":["x"]},{"column":"name","ends_with":["y"]},{"column":"name","contains":["z%"]},{"column":"name","any_of":["q"]}]})",
         "name LIKE 'x%' OR name LIKE '%y' OR name LIKE '%z\\%%' OR name = 'q'"},
        {"name NOT LIKE '%Mike%'", R"({"not":{"column":"name","contains":["Mike"]}})", ""},
        {"price BETWEEN 100.0 and 150.0 AND size NOT BETWEEN 1 AND 2",
         R"({"all":[{"column":"price","gte":"100.0","lte":"150.0"},{"not":{"column":"size","gte":1,"lte":2}}]})",
         "price BETWEEN 100.0 AND 150.0 AND NOT (size BETWEEN 1 AND 2)"},
        {"lines.qty BETWEEN 1 AND 2",
         R"({"column":"lines","any":{"column":"qty","gte":1,"lte":2}})", ""},
        {"name NOT IN ('a','b') AND NOT name IN ('c') AND size in (1, 2)",
         R"({"all":[{"column":"name","none_of":["a","b","c"]},{"column":"size","any_of":["1","2"]}]})",
         "name NOT IN ('a','b','c') AND size IN (1,2)"},
        {"name IS NULL OR NOT name IS NULL",
         R"({"any":[{"column":"name","is_null":true},{"column":"name","is_null":false}]})",
         "name IS NULL OR name IS NOT NULL"},
        {"CASEI(customer.country) = CASEI('us')",
         R"({"column":"customer.country","collation":"ignore_case","any_of":["us"]})",
         "customer.country = 'us'"},
        {"A_CONTAINS(tags, ('a','b')) AND A_OVERLAPS(tags,('c','d'))",
         R"({"all":[{"column":"tags","all_of":["a","b"]},{"column":"tags","any_of":["c","d"]}]})",
         "A_CONTAINS(tags, ('a','b')) AND tags IN ('c','d')"},
        {"NOT A_OVERLAPS(tags,('c','d'))", R"({"column":"tags","none_of":["c","d"]})",
         "tags NOT IN ('c','d')"},
        {"createTime >= TIMESTAMP('2012-08-10T05:30:00Z') AND due = DATE('2026-08-21')",
         R"({"all":[{"column":"created","gte":"2012-08-10T05:30:00.000Z"},{"column":"due","any_of":["2026-08-21"]}]})",
         "created >= TIMESTAMP('2012-08-10T05:30:00.000Z') AND due = DATE('2026-08-21')"},
        {"paid AND NOT paid AND \"name\" = 'it''s'",
         R"({"all":[{"column":"paid","is":true},{"not":{"column":"paid","is":true}},{"column":"name","any_of":["it's"]}]})",
         "paid = true AND paid <> true AND name = 'it''s'"},
        {"TRUE OR FALSE", R"({"any":[{"all":[]},{"any":[]}]})", ""},
    };
    check_accepted(cases, parse_cql2, to_cql2);
}

TEST_CASE("an error of a CQL2 text is at the byte where it goes wrong") {
    static constexpr refused cases[] = {
        {"nam = 'a'", rule::column_unknown, 0, 3},
        {"size", rule::query_operator, 4, 0},
        {"size > price", rule::expression_unsupported, 7, 5},
        {"size = (2 / 5)", rule::expression_unsupported, 7, 1},
        {"size = 1 + 1", rule::expression_unsupported, 9, 1},
        {"(size = 4 DIV 2)", rule::expression_unsupported, 10, 3},
        {"5 < size", rule::expression_unsupported, 0, 1},
        {"meta.plan LIKE 'p%'", rule::operator_refused, 10, 4},
        {"color LIKE '%e%'", rule::operator_refused, 6, 4},
        {"size + 1 = 2", rule::expression_unsupported, 5, 1},
        {"avg(size) < 4", rule::expression_unsupported, 0, 3},
        {"CASEI(name) = 'x'", rule::expression_unsupported, 0, 6},
        {"name LIKE 'a%b'", rule::expression_unsupported, 10, 5},
        {"createTime >= '2012-08-10T05:30:00Z'", rule::value_malformed, 14, 22},
        {"due = DATE('2026-02-30')", rule::day_impossible, 6, 18},
        {"name IS", rule::expression_malformed, 7, 0},
        {"size BETWEEN 1 OR 2", rule::expression_malformed, 15, 2},
        {"A_CONTAINS(name, ('a'))", rule::operator_refused, 0, 10},
        {"name = 'a", rule::query_quote, 7, 2},
        {"\"name = 'a'", rule::query_quote, 0, 11},
        {"name = 'a' \"x\"", rule::query_end, 11, 1},
    };
    check_refused(cases, parse_cql2);
}

}  // namespace cql2_tests
