// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sluice/grammars/rsql.hpp>

#include "expression_cases.hpp"

namespace rsql_tests {

using namespace expression_samples;

TEST_CASE("an RSQL filter is read as a tree, and written canonically") {
    static constexpr accepted cases[] = {
        {"name==a;price=gt=5;price<10",
         R"({"all":[{"column":"name","any_of":["a"]},{"column":"price","gt":"5","lt":"10"}]})",
         "name==a;price=gt=5;price=lt=10"},
        {"name==*ab*,name==b*,name!='*c d'",
         R"({"any":[{"column":"name","contains":["ab"]},{"column":"name","starts_with":["b"]},{"not":{"column":"name","ends_with":["c d"]}}]})",
         ""},
        {R"(name=='\*x' and name==*)",
         R"({"all":[{"column":"name","any_of":["*x"]},{"column":"name","contains":[""]}]})",
         R"(name=='\*x';name=='**')"},
        {R"(name=='a\*b*',name==**,name=in=(a*b,c))",
         R"({"any":[{"column":"name","starts_with":["a*b"]},{"column":"name","contains":[""]},{"column":"name","any_of":["a*b","c"]}]})",
         R"(name=='a\*b*',name=='**',name=in=('a\*b',c))"},
        {R"(name=='it\'s',name=="a\\b",name=="don't")",
         R"({"column":"name","any_of":["it's","a\\b","don't"]})",
         R"(name=in=("it's",a\b,"don't"))"},
        {"name=in=(a,'b c' or d)", R"({"column":"name","any_of":["a","b c","d"]})",
         "name=in=(a,'b c',d)"},
        {"tags==a;tags==b", R"({"column":"tags","all_of":["a","b"]})", ""},
        {"name=out=(a,'')",
         R"({"all":[{"column":"name","none_of":["a"]},{"not":{"column":"name","gte":"","lte":""}}]})",
         "name!=a;name!=''"},
        {"tags=out=(a,b)", R"({"column":"tags","none_of":["a","b"]})", ""},
        {"lines.sku==x;lines/qty>=5",
         R"({"all":[{"column":"lines","any":{"column":"sku","any_of":["x"]}},{"column":"lines","any":{"column":"qty","gte":5}}]})",
         "lines.sku==x;lines.qty=ge=5"},
        {"meta.plan==pro", R"({"column":"meta","matches":{"path":["plan"],"equal":"pro"}})",
         "meta.plan=='pro'"},
        {"name=null= , name=notnull=",
         R"({"any":[{"column":"name","is_null":true},{"column":"name","is_null":false}]})",
         "name=null=,name=notnull="},
        {"paid!=true;price!=10",
         R"({"all":[{"not":{"column":"paid","is":true}},{"not":{"column":"price","gte":"10","lte":"10"}}]})",
         ""},
        {"(name==a,size==1);size==2",
         R"({"all":[{"any":[{"column":"name","any_of":["a"]},{"column":"size","any_of":["1"]}]},{"column":"size","any_of":["2"]}]})",
         ""},
        {"createTime>2026-08-21T02:30:15Z",
         R"({"column":"created","gt":"2026-08-21T02:30:15.000Z"})",
         "created=gt=2026-08-21T02:30:15.000Z"},
    };
    check_accepted(cases, parse_rsql, to_rsql);
}

TEST_CASE("an error of an RSQL filter is at the byte where it goes wrong") {
    static constexpr refused cases[] = {
        {"nme==1", rule::column_unknown, 0, 3},
        {"name=x", rule::query_operator, 4, 1},
        {"name==", rule::query_value, 6, 0},
        {"name==a*b", rule::expression_unsupported, 6, 3},
        {R"(name!='*a\**b')", rule::expression_unsupported, 6, 8},
        {"name=='x", rule::query_quote, 6, 2},
        {R"(name=='x\')", rule::query_quote, 6, 4},
        {"color==Rde", rule::choice_unknown, 7, 3},
        {"price==x", rule::value_malformed, 7, 1},
        {"state=gt=a", rule::operator_refused, 5, 4},
        {"name==a;", rule::query_condition, 8, 0},
        {"name==a b", rule::query_end, 8, 1},
        {"name==a(b", rule::query_end, 7, 1},
        {"name=in=(a,,b)", rule::query_value, 11, 1},
        {"name=in=(a,b", rule::query_parenthesis, 12, 0},
        {"(name==a", rule::query_parenthesis, 8, 0},
        {"name==a)", rule::query_end, 7, 1},
        {"meta.plan==*x*;lines==x", rule::operator_refused, 20, 2},
    };
    check_refused(cases, parse_rsql);
}

TEST_CASE("RSQL has no NOT of a group") {
    const where paid(leaf{*order_columns.find("paid"), boolean_test{true}});
    const where size(leaf{*order_columns.find("size"), null_test{true}});
    const auto text = to_rsql(where::negation(where::all({paid, size})), orders());
    CHECK(text.error().broken == rule::expression_inexpressible);
    CHECK(text.error().param == "not");
}

}  // namespace rsql_tests
