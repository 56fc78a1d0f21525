// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sluice/grammars/scim.hpp>

#include "expression_cases.hpp"

namespace scim_tests {

using namespace expression_samples;

TEST_CASE("a SCIM filter is read as a tree, and written canonically") {
    static constexpr accepted cases[] = {
        {R"(NAME eq "a" and PRICE gt 5 and price lt 10)",
         R"({"all":[{"column":"name","any_of":["a"]},{"column":"price","gt":"5","lt":"10"}]})",
         R"(name eq "a" and price gt 5 and price lt 10)"},
        {R"(name co "x" or name CO "y" or name sw "z")",
         R"({"any":[{"column":"name","contains":["x","y"]},{"column":"name","starts_with":["z"]}]})",
         R"(name co "x" or name co "y" or name sw "z")"},
        {"not (name pr)", R"({"not":{"column":"name","is_null":false}})", ""},
        {"not(name pr) or due eq null",
         R"({"any":[{"not":{"column":"name","is_null":false}},{"column":"due","is_null":true}]})",
         "not (name pr) or due eq null"},
        {R"(tags eq "a" and tags eq "b")", R"({"column":"tags","all_of":["a","b"]})", ""},
        {R"(tags[value eq "a" or value co "b"])",
         R"({"any":[{"column":"tags","any_of":["a"]},{"column":"tags","contains":["b"]}]})",
         R"(tags eq "a" or tags co "b")"},
        {R"(lines[sku eq "x" and qty gt 5])",
         R"({"column":"lines","any":{"all":[{"column":"sku","any_of":["x"]},{"column":"qty","gt":5}]}})",
         ""},
        {R"(lines.sku eq "x")", R"({"column":"lines","any":{"column":"sku","any_of":["x"]}})",
         R"(lines[sku eq "x"])"},
        {R"(urn:ietf:params:scim:schemas:core:2.0:User:name eq "J\"x\u00e9")",
         R"({"column":"name","any_of":["J\"xé"]})", R"(name eq "J\"xé")"},
        {R"(meta.plan eq "pro" and createTime gt "2011-05-13T04:42:34Z")",
         R"({"all":[{"column":"meta","matches":{"path":["plan"],"equal":"pro"}},{"column":"created","gt":"2011-05-13T04:42:34.000Z"}]})",
         R"(meta.plan eq "pro" and created gt "2011-05-13T04:42:34.000Z")"},
        {"paid eq true and paid ne true",
         R"({"all":[{"column":"paid","is":true},{"not":{"column":"paid","is":true}}]})", ""},
    };
    check_accepted(cases, parse_scim_filter, to_scim_filter);
}

TEST_CASE("records are compared by their value, if they have one") {
    static constexpr schema email_columns{column{.name = "type"}, column{.name = "value"}};
    static constexpr schema columns{
        column{.name = "emails", .type = column_type::records, .records = email_columns}};
    const expression_columns all{columns_view(columns)};
    static constexpr accepted cases[] = {
        {R"(emails co "x" or emails.value eq "y" or emails NE "z")",
         R"({"any":[{"column":"emails","any":{"column":"value","contains":["x"]}},{"column":"emails","any":{"column":"value","any_of":["y"]}},{"column":"emails","any":{"column":"value","none_of":["z"]}}]})",
         R"(emails[value co "x"] or emails[value eq "y"] or emails[value ne "z"])"},
        {"emails pr or emails eq null or emails ne null",
         R"({"any":[{"column":"emails","is_null":false},{"column":"emails","is_null":true},{"column":"emails","is_null":false}]})",
         "emails pr or emails eq null or emails pr"},
    };
    check_accepted(cases, parse_scim_filter, to_scim_filter, all);
    const expression_columns few({{"emails", columns.begin()[0], set_of(test_kind::is_null)}});
    CHECK(parse_scim_filter(R"(emails co "x")", few).error().broken == rule::operator_refused);
}

TEST_CASE("a name that SCIM can't spell is an error") {
    for (const std::string_view name : {"urn:a", "a b", "ä/b", "not("}) {
        CAPTURE(name);
        const column unsayable{.name = name, .is_nullable = true};
        const expression_columns all{columns_view(&unsayable, 1)};
        CHECK(to_scim_filter(where(leaf{unsayable, null_test{false}}), all).error().param == name);
    }
}

TEST_CASE("an error of a SCIM filter is at the byte where it goes wrong") {
    static constexpr refused cases[] = {
        {"name eq 'a'", rule::query_value, 8, 1},
        {R"(name xx "a")", rule::query_operator, 5, 2},
        {R"(name eq "a)", rule::query_quote, 8, 2},
        {R"(name eq "a\x")", rule::query_escape, 8, 5},
        {R"(name eq "\ud83dx")", rule::query_escape, 8, 9},
        {":name pr", rule::column_unknown, 0, 5},
        {"not name pr", rule::expression_malformed, 4, 4},
        {R"(color eq "Redd")", rule::choice_unknown, 9, 6},
        {R"(size eq "5")", rule::value_malformed, 8, 3},
        {"name gt null", rule::value_malformed, 8, 4},
        {R"(name[value eq "x"])", rule::operator_refused, 4, 1},
        {R"(lines[sku eq "x")", rule::query_bracket, 16, 0},
        {R"(lines[kind eq "x"])", rule::column_unknown, 6, 4},
        {R"(tags[value eq "a" and value eq "b"])", rule::expression_unsupported, 4, 31},
    };
    check_refused(cases, parse_scim_filter);
}

}  // namespace scim_tests
