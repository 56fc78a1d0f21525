// SPDX-License-Identifier: MIT
#include <string>

#include <doctest/doctest.h>

#include <sluice/grammars/odata.hpp>

#include "expression_cases.hpp"

namespace odata_tests {

using namespace expression_samples;

TEST_CASE("a $filter is read as a tree, and written canonically") {
    static constexpr accepted cases[] = {
        {"", R"({"all":[]})", ""},
        {"name eq 'Milk'", R"({"column":"name","any_of":["Milk"]})", ""},
        {"name EQ 'it''s' AND price LT 2.55",
         R"({"all":[{"column":"name","any_of":["it's"]},{"column":"price","lt":"2.55"}]})",
         "name eq 'it''s' and price lt 2.55"},
        {"price gt 1 and price lt 5 and name ne 'a' and name ne 'b'",
         R"({"all":[{"column":"price","gt":"1","lt":"5"},{"column":"name","none_of":["a","b"]}]})",
         ""},
        {"(price gt 1) and price lt 5",
         R"({"all":[{"column":"price","gt":"1"},{"column":"price","lt":"5"}]})",
         "price gt 1 and (price lt 5)"},
        {"name eq 'a' or name eq 'b'", R"({"column":"name","any_of":["a","b"]})",
         "name in ('a','b')"},
        {"not (name eq 'a' or size gt 5)",
         R"({"not":{"any":[{"column":"name","any_of":["a"]},{"column":"size","gt":5}]}})", ""},
        {"not name eq 'a'", R"({"column":"name","none_of":["a"]})", "name ne 'a'"},
        {"not endswith(name,'ilk')", R"({"not":{"column":"name","ends_with":["ilk"]}})",
         "not (endswith(name,'ilk'))"},
        {"price ne 10 or weight eq -1.5e3",
         R"({"any":[{"not":{"column":"price","gte":"10","lte":"10"}},{"column":"weight","gte":-1500,"lte":-1500}]})",
         "price ne 10 or weight eq -1500"},
        {"name eq '' or name eq null or name ne null",
         R"({"any":[{"column":"name","gte":"","lte":""},{"column":"name","is_null":true},{"column":"name","is_null":false}]})",
         ""},
        {"id ne null and paid", R"({"all":[{"all":[]},{"column":"paid","is":true}]})",
         "true and paid eq true"},
        {"ToLower(customer/country) eq 'us' and tags/Any(t:t eq 'a') and paid eq True",
         R"({"all":[{"column":"customer.country","collation":"ignore_case","any_of":["us"]},{"column":"tags","any_of":["a"]},{"column":"paid","is":true}]})",
         "customer/country eq 'us' and tags/any(item:item eq 'a') and paid eq true"},
        {"TRUE EQ False", R"({"any":[]})", "false"},
        {"false", R"({"any":[]})", ""},
        {"customer/country eq 'US' and tolower(customer/country) eq 'us'",
         R"({"all":[{"column":"customer.country","collation":"ignore_case","any_of":["US"]},{"column":"customer.country","collation":"ignore_case","any_of":["us"]}]})",
         "customer/country eq 'US' and customer/country eq 'us'"},
        {"contains(tolower(customer/country),'u') or endswith( ToLower( customer/country ) ,'s')",
         R"({"any":[{"column":"customer.country","collation":"ignore_case","contains":["u"]},{"column":"customer.country","collation":"ignore_case","ends_with":["s"]}]})",
         "contains(customer/country,'u') or endswith(customer/country,'s')"},
        {"createTime ge 2026-08-21T02:30:15Z and createTime lt 2026-08-22T00:00:00+02:00",
         R"({"column":"created","gte":"2026-08-21T02:30:15.000Z","lt":"2026-08-21T22:00:00.000Z"})",
         "created ge 2026-08-21T02:30:15.000Z and created lt 2026-08-21T22:00:00.000Z"},
        {"created gt 2026-08-21T02:30Z and created le 2026-08-21T14:30-01:00",
         R"({"column":"created","gt":"2026-08-21T02:30:00.000Z","lte":"2026-08-21T15:30:00.000Z"})",
         "created gt 2026-08-21T02:30:00.000Z and created le 2026-08-21T15:30:00.000Z"},
        {"due in (2026-08-21,2026-08-22) or token eq 0190C7A6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
         R"({"any":[{"column":"due","any_of":["2026-08-21","2026-08-22"]},{"column":"token","any_of":["0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"]}]})",
         "due in (2026-08-21,2026-08-22) or token eq 0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"},
        {"color gt 'Red' and color ne Sales.Color'Yellow'",
         R"({"all":[{"column":"color","gt":"Red"},{"column":"color","none_of":["Yellow"]}]})",
         "color gt 'Red' and color ne 'Yellow'"},
        {"meta/plan eq 'pro' and meta/n gt 5",
         R"({"all":[{"column":"meta","matches":{"path":["plan"],"equal":"pro"}},{"column":"meta","matches":{"path":["n"],"gt":"5"}}]})",
         "meta/plan eq 'pro' and meta/n gt '5'"},
        {"tags/any(t:t eq 'a') and tags/any(t:t eq 'b')", R"({"column":"tags","all_of":["a","b"]})",
         "tags/any(item:item eq 'a') and tags/any(item:item eq 'b')"},
        {"tags/all(t:t ne 'a' and t ne 'b')", R"({"column":"tags","none_of":["a","b"]})",
         "tags/all(item:item ne 'a' and item ne 'b')"},
        {"tags/any(t:contains(t,'x') or contains(t,'y'))",
         R"({"column":"tags","contains":["x","y"]})",
         "tags/any(item:contains(item,'x') or contains(item,'y'))"},
        {"tags/all(t:not contains(t,'x'))", R"({"not":{"column":"tags","contains":["x"]}})",
         "not (tags/any(item:contains(item,'x')))"},
        {"lines/any(l:l/sku eq 'x' and l/qty gt 5)",
         R"({"column":"lines","any":{"all":[{"column":"sku","any_of":["x"]},{"column":"qty","gt":5}]}})",
         "lines/any(record:record/sku eq 'x' and record/qty gt 5)"},
        {"lines/all(l:l/qty gt 5)",
         R"({"not":{"column":"lines","any":{"not":{"column":"qty","gt":5}}}})",
         "not (lines/any(record:not (record/qty gt 5)))"},
        {"lines/any()", R"({"column":"lines","any":{"all":[]}})", ""},
        {R"(name in ["Milk",'Ch''eese', "\u00e9"] or size in (1 , 2))",
         R"({"any":[{"column":"name","any_of":["Milk","Ch'eese","é"]},{"column":"size","any_of":["1","2"]}]})",
         "name in ('Milk','Ch''eese','é') or size in (1,2)"},
        {"name in ('a','','b') and not (name in (''))",
         R"({"all":[{"any":[{"column":"name","any_of":["a","b"]},{"column":"name","gte":"","lte":""}]},{"not":{"column":"name","gte":"","lte":""}}]})",
         "(name in ('a','b') or name eq '') and name ne ''"},
        {"name in () or size in []", R"({"any":[{"any":[]},{"any":[]}]})", "false or false"},
        {"true eq false or true ne false and (true)",
         R"({"any":[{"any":[]},{"all":[{"all":[]},{"all":[]}]}]})", "false or true and true"},
        {"$it/name eq 'a' and $it/customer/country eq ('b')",
         R"({"all":[{"column":"name","any_of":["a"]},{"column":"customer.country","collation":"ignore_case","any_of":["b"]}]})",
         "name eq 'a' and customer/country eq 'b'"},
        {"tags has Some.Flags'a,b' or tags has 'c' or hassubset(tags,[\"a\"])",
         R"({"any":[{"column":"tags","all_of":["a","b"]},{"column":"tags","any_of":["c","a"]}]})",
         "tags/any(item:item eq 'a') and tags/any(item:item eq 'b') or tags/any(item:item in "
         "('c','a'))"},
        {"price gt +1.5 and size lt -2",
         R"({"all":[{"column":"price","gt":"1.5"},{"column":"size","lt":-2}]})",
         "price gt 1.5 and size lt -2"},
        {"lines/any(l:true) and tags/all(t:true)",
         R"({"all":[{"column":"lines","any":{"all":[]}},{"all":[]}]})", "lines/any() and true"},
        {"state eq 'open'", R"({"column":"name","any_of":["open"]})", "name eq 'open'"},
    };
    check_accepted(cases, parse_odata_filter, to_odata_filter);
}

TEST_CASE("an error of a $filter is at the byte where it goes wrong") {
    static constexpr refused cases[] = {
        {"name eq '\xC3'", rule::text_encoding, 9, 1},
        {"pric gt 5", rule::column_unknown, 0, 4},
        {"secret eq 'x'", rule::column_unknown, 0, 6},
        {"price eq 'x'", rule::value_malformed, 9, 3},
        {"name eq 5", rule::value_malformed, 8, 1},
        {"size eq 1.5", rule::number_not_whole, 8, 3},
        {"size gt 99999999999999999999", rule::number_too_large, 8, 20},
        {"created gt 2026-02-30T00:00:00Z", rule::day_impossible, 11, 20},
        {"created gt 2026-08-21T02:30", rule::value_malformed, 11, 16},
        {"created gt 2026-08-21T02:30.5Z", rule::value_malformed, 11, 19},
        {"created gt 2026-08-21T24:00Z", rule::value_malformed, 11, 17},
        {"color eq 'Redd'", rule::choice_unknown, 9, 6},
        {"state gt 'a'", rule::operator_refused, 6, 2},
        {"tags gt 'a'", rule::operator_refused, 5, 2},
        {"price add 2 gt 5", rule::expression_unsupported, 6, 3},
        {"size eq 5 Sub 2", rule::expression_unsupported, 10, 3},
        {"(size eq 5 add 2)", rule::expression_unsupported, 11, 3},
        {"size/ eq 5", rule::column_unknown, 0, 5},
        {"customer//country eq 'US'", rule::column_unknown, 0, 17},
        {"tags has ''", rule::expression_unsupported, 9, 2},
        {"tags has 'a,'", rule::expression_unsupported, 9, 4},
        {"length(name) eq 5", rule::expression_unsupported, 0, 6},
        {"name eq id", rule::expression_unsupported, 8, 2},
        {"color has Sales.Color'Red'", rule::expression_unsupported, 6, 3},
        {"name eq duration'P1D'", rule::expression_unsupported, 8, 8},
        {"name eq .'a'", rule::expression_unsupported, 8, 1},
        {"name eq 5.0'a'", rule::expression_unsupported, 8, 3},
        {"any()", rule::expression_malformed, 3, 1},
        {"all(l:true)", rule::expression_malformed, 3, 1},
        {"lines/all()", rule::expression_malformed, 10, 1},
        {"name eq ('a','b')", rule::query_parenthesis, 12, 1},
        {"name in (name)", rule::expression_unsupported, 9, 4},
        {"name in [\"a\"", rule::query_bracket, 12, 0},
        {"name in [\"a\\x\"]", rule::query_escape, 9, 5},
        {R"(name in ["\ud83d"])", rule::query_escape, 9, 8},
        {"name in (\"a\")", rule::query_value, 9, 1},
        {"true eq 5", rule::value_malformed, 8, 1},
        {"lines/any(l:$it/paid)", rule::expression_unsupported, 12, 8},
        {"hassubset(name,['a'])", rule::operator_refused, 0, 9},
        {"tags/any(t:true)", rule::expression_unsupported, 0, 8},
        {"tolower(name) eq 'a'", rule::expression_unsupported, 0, 7},
        {"contains(tolower(name),'a')", rule::expression_unsupported, 9, 7},
        {"contains(tolower(tolower(customer/country)),'u')", rule::expression_unsupported, 17, 7},
        {"contains(trim(name),'a')", rule::expression_unsupported, 9, 4},
        {"tags/any(t:t eq 'a' and t eq 'b')", rule::expression_unsupported, 0, 8},
        {"lines/any(l:name eq 'x')", rule::expression_unsupported, 12, 4},
        {"lines/any(l:l/skuu eq 'x')", rule::column_unknown, 12, 6},
        {"lines/any(l)", rule::expression_malformed, 11, 1},
        {"customer/country in ('a','')", rule::expression_unsupported, 25, 2},
        {"name in 'a'", rule::query_value, 8, 1},
        {"name eq", rule::query_value, 7, 0},
        {"name", rule::query_operator, 4, 0},
        {"name is 'a'", rule::query_operator, 5, 2},
        {"name gt null", rule::value_malformed, 8, 4},
        {"name eq 'abc", rule::query_quote, 8, 4},
        {"(name eq 'a'", rule::query_parenthesis, 12, 0},
        {"name eq 'a')", rule::query_end, 11, 1},
        {"name eq 'a' name", rule::query_end, 12, 4},
        {"and name eq 'a'", rule::column_unknown, 0, 3},
        {"name eq 'a' and", rule::query_condition, 15, 0},
        {" name eq 'a'", rule::query_condition, 0, 1},
        {"name eq 'a' ", rule::query_end, 11, 1},
        {"name eq'a'", rule::query_value, 7, 1},
        {"name eq 'a'and paid", rule::query_end, 11, 3},
        {"paid and(paid)", rule::query_end, 5, 3},
        {"not(paid)", rule::expression_unsupported, 0, 3},
    };
    check_refused(cases, parse_odata_filter);
}

TEST_CASE("size, tests and levels of an expression have limits") {
    std::string many = "size gt 0";
    for (int more = 1; more < 257; ++more) many.append(" or price gt 0");
    std::string deep = std::string(65, '(') + "paid" + std::string(65, ')');
    const auto broken = [](const std::string& text) {
        return parse_odata_filter(text, orders()).error().broken;
    };
    CHECK(broken(many) == rule::query_too_many);
    CHECK(broken(deep) == rule::query_too_deep);
    CHECK(broken(std::string(10'001, ' ')) == rule::query_too_long);
    CHECK(parse_odata_filter(many.substr(0, many.size() - 14), orders()).has_value());
    CHECK(parse_odata_filter(deep.substr(1, deep.size() - 2), orders()).has_value());
    std::string negations;
    for (int level = 0; level < 65; ++level) negations.append("not ");
    CHECK(broken(negations + "paid") == rule::query_too_deep);
}

TEST_CASE("what a $filter can't say is an error with its name") {
    const auto refused_name = [](const where& rows) {
        const auto text = to_odata_filter(rows, orders());
        REQUIRE_FALSE(text.has_value());
        CHECK(text.error().broken == rule::expression_inexpressible);
        return text.error().param;
    };
    const where paid(leaf{*order_columns.find("paid"), boolean_test{true}});
    CHECK(refused_name(where::all({paid})) == "all");
    CHECK(refused_name(where(leaf{*order_columns.find("secret"), null_test{true}})) == "secret");
    CHECK(refused_name(where(leaf{*order_columns.find("tags"), all_of_test{{"a"}}})) == "all_of");
    CHECK(refused_name(where(leaf{*order_columns.find("size"), bounds<std::int64_t>{}})) ==
          "bounds");
    for (const std::string_view name : {"a..b", ".a", "a.", "not", "TRUE", "$it.a", "a b"}) {
        CAPTURE(name);
        const column unsayable{.name = name, .is_nullable = true};
        const expression_columns all{columns_view(&unsayable, 1)};
        CHECK(to_odata_filter(where(leaf{unsayable, null_test{true}}), all).error().param == name);
    }
}

}  // namespace odata_tests
