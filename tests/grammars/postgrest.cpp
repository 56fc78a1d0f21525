// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sluice/grammars/postgrest.hpp>

#include "expression_cases.hpp"

namespace postgrest_tests {

using namespace expression_samples;

TEST_CASE("a logical filter of PostgREST is read as a tree, and written canonically") {
    static constexpr accepted cases[] = {
        {"or=(name.eq.open,and(price.gt.10,customer.country.eq.US))",
         R"({"any":[{"column":"name","any_of":["open"]},{"all":[{"column":"price","gt":"10"},{"column":"customer.country","collation":"ignore_case","any_of":["US"]}]}]})",
         "(name.eq.open,and(price.gt.10,customer.country.eq.US))"},
        {"and(price.gt.1,price.lte.5,name.neq.a,name.not.eq.b)",
         R"({"all":[{"column":"price","gt":"1","lte":"5"},{"column":"name","none_of":["a","b"]}]})",
         "(and(price.gt.1,price.lte.5,name.not.in.(a,b)))"},
        {"size.in.(1,2)", R"({"column":"size","any_of":["1","2"]})", "(size.in.(1,2))"},
        {R"((name.in.("a,b","c\"\\",d e)))", R"({"column":"name","any_of":["a,b","c\"\\","d e"]})",
         R"((name.in.("a,b","c\"\\","d e")))"},
        {"not.or(name.eq.a,size.gt.5)",
         R"({"not":{"any":[{"column":"name","any_of":["a"]},{"column":"size","gt":5}]}})",
         "(not.or(name.eq.a,size.gt.5))"},
        {"(name.is.null,name.not.is.null,due.is.not_null,due.not.is.not_null)",
         R"({"any":[{"column":"name","is_null":true},{"column":"name","is_null":false},{"column":"due","is_null":false},{"column":"due","is_null":true}]})",
         "(name.is.null,name.is.not_null,due.is.not_null,due.is.null)"},
        {"(paid.is.true,paid.eq.false,paid.not.is.true,and(paid.is.true))",
         R"({"any":[{"column":"paid","is":true},{"column":"paid","is":false},{"not":{"column":"paid","is":true}},{"column":"paid","is":true}]})",
         "(paid.eq.true,paid.eq.false,paid.neq.true,paid.eq.true)"},
        {R"((name.like.*a%,name.like.b*,name.not.like."%c d",name.like.e,name.like.\*f*))",
         R"({"any":[{"column":"name","contains":["a"]},{"column":"name","starts_with":["b"]},{"not":{"column":"name","ends_with":["c d"]}},{"column":"name","any_of":["e"]},{"column":"name","starts_with":["*f"]}]})",
         R"((name.like.*a*,name.like.b*,name.not.like."*c d",name.eq.e,name.like."\\*f*"))"},
        {"name.in.(),size.not.in.()", R"({"any":[{"any":[]},{"not":{"any":[]}}]})",
         "inexpressible"},
        {"customer.country.ilike.u*",
         R"({"column":"customer.country","collation":"ignore_case","starts_with":["u"]})",
         "(customer.country.like.u*)"},
        {R"((and(tags.cs.{a,"b,c"},tags.not.ov.{d}),tags.ov.{a},tags.like.*x*))",
         R"({"any":[{"all":[{"column":"tags","all_of":["a","b,c"]},{"column":"tags","none_of":["d"]}]},{"column":"tags","any_of":["a"]},{"column":"tags","contains":["x"]}]})",
         ""},
        {"(lines.sku.eq.x,lines.qty.gt.5)",
         R"({"any":[{"column":"lines","any":{"column":"sku","any_of":["x"]}},{"column":"lines","any":{"column":"qty","gt":5}}]})",
         ""},
        {"(and(meta->>plan.eq.pro,meta->a->>eq.gt.5))",
         R"({"all":[{"column":"meta","matches":{"path":["plan"],"equal":"pro"}},{"column":"meta","matches":{"path":["a","eq"],"gt":"5"}}]})",
         R"((and(meta->>plan.eq."pro",meta->a->>eq.gt."5")))"},
        {"(createTime.gte.2026-08-21T02:30Z)",
         R"({"column":"created","gte":"2026-08-21T02:30:00.000Z"})",
         "(created.gte.2026-08-21T02:30:00.000Z)"},
        {R"((createTime.gte.2026-08-21T02:30:15Z,name.eq.""))",
         R"({"any":[{"column":"created","gte":"2026-08-21T02:30:15.000Z"},{"column":"name","gte":"","lte":""}]})",
         R"((created.gte.2026-08-21T02:30:15.000Z,name.eq.""))"},
    };
    check_accepted(cases, parse_postgrest, to_postgrest);
}

TEST_CASE("an error of a logical filter is at the byte where it goes wrong") {
    static constexpr refused cases[] = {
        {"(nam.eq.a)", rule::column_unknown, 1, 3},
        {"(customer.contry.eq.a)", rule::column_unknown, 1, 15},
        {"(name.eqq.a)", rule::query_operator, 6, 3},
        {"(name)", rule::query_operator, 5, 1},
        {"(name.)", rule::query_operator, 6, 1},
        {"(name.eq)", rule::query_operator, 8, 1},
        {"(customer.country.eqq.a)", rule::query_operator, 18, 3},
        {"(name.not.eqq.a)", rule::query_operator, 10, 3},
        {"(name.not)", rule::query_operator, 9, 1},
        {"(name.not.not.eq.a)", rule::query_operator, 10, 3},
        {"(name.not.)", rule::query_operator, 10, 1},
        {"(price.eq.x)", rule::value_malformed, 10, 1},
        {"(size.gt.1.5)", rule::number_not_whole, 9, 3},
        {"(color.eq.Redd)", rule::choice_unknown, 10, 4},
        {"(state.gt.a)", rule::operator_refused, 7, 2},
        {"(tags.eq.a)", rule::operator_refused, 6, 2},
        {"(name.cs.{a})", rule::operator_refused, 6, 2},
        {"(tags.cs.a)", rule::query_value, 9, 1},
        {"(tags.cs.{a)", rule::query_bracket, 12, 0},
        {"(name.match.a)", rule::expression_unsupported, 6, 5},
        {"(name.eq(any).{a,b})", rule::expression_unsupported, 6, 2},
        {"(name.ilike.a*)", rule::expression_unsupported, 6, 5},
        {"(meta->>plan.like.p*)", rule::operator_refused, 13, 4},
        {"(color.like.*e*)", rule::operator_refused, 7, 4},
        {"(name.like.a*b)", rule::expression_unsupported, 11, 3},
        {"(name.like.a_)", rule::expression_unsupported, 11, 2},
        {"(name.is.unknown)", rule::query_value, 9, 7},
        {"(name.eq.\"a)", rule::query_quote, 9, 3},
        {"(\"name.eq.a)", rule::query_quote, 1, 11},
        {"(name.in.a)", rule::query_value, 9, 1},
        {"(name.eq.a", rule::query_parenthesis, 10, 0},
        {"(name.eq.a))", rule::query_end, 11, 1},
        {"(name.eq.a,)", rule::query_condition, 11, 1},
        {"and(name.eq.a", rule::query_parenthesis, 13, 0},
        {"()", rule::query_condition, 1, 1},
    };
    check_refused(cases, parse_postgrest);
}

TEST_CASE("a long name without an operator is refused at once") {
    std::string name = "(name";
    while (name.size() < 9'990) name += ".a";
    const auto rows = parse_postgrest(name + ")", orders());
    REQUIRE_FALSE(rows);
    CHECK(rows.error().broken == rule::query_operator);
    CHECK(rows.error().offset == 6);
}

}  // namespace postgrest_tests
