// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/unicode.hpp>
#include <sluice/errors/rules.hpp>
#include <sluice/metadata/query.hpp>

using namespace std::string_literals;
using namespace std::string_view_literals;
using sluice::metadata_node_kind;
using sluice::metadata_query;
using sluice::parse_metadata_query;
using sluice::rule;
using sluice::scalar;

static_assert(sluice::metadata_node{}.kind == metadata_node_kind::condition &&
              sluice::metadata_node{}.size == 1);  // a node by itself is a leaf

namespace {

std::string times(std::string_view part, std::size_t count) {
    std::string whole;
    for (std::size_t i = 0; i < count; ++i) whole += part;
    return whole;
}

metadata_query parsed(std::string_view text) {
    const auto query = parse_metadata_query(text);
    CAPTURE(text);
    REQUIRE(query.has_value());
    return *query;
}

sluice::error failure(std::string_view text) {
    const auto query = parse_metadata_query(text);
    REQUIRE_FALSE(query.has_value());
    return query.error();
}

/// The tree as a downstream reader walks it: `and(a:1, not(or(b:2, c:3)))`.
std::string outline(const metadata_query& query, std::size_t at = 0) {
    const auto node = query.nodes()[at];
    if (node.kind == metadata_node_kind::condition) {
        const auto& condition = query.conditions()[node.condition];
        std::string text;
        for (const std::string& key : condition.path) text += (text.empty() ? "" : "/") + key;
        return text.append(to_string(condition.op)).append(condition.value);
    }
    std::string text = node.kind == metadata_node_kind::negation      ? "not("
                       : node.kind == metadata_node_kind::conjunction ? "and("
                                                                      : "or(";
    for (auto child = at + 1; child < at + node.size; child += query.nodes()[child].size) {
        text.append(child == at + 1 ? "" : ", ").append(outline(query, child));
    }
    return text + ")";
}

std::size_t longest_branch(const metadata_query& query, std::size_t at = 0) {
    std::size_t below = 0;
    const auto size = query.nodes()[at].size;
    for (auto child = at + 1; child < at + size; child += query.nodes()[child].size) {
        below = std::max(below, longest_branch(query, child));
    }
    return below + 1;
}

std::size_t units(std::string_view text) { return sluice::detail::utf16_length(text); }

}  // namespace

TEST_CASE("an expression becomes the tree that its grammar gives it") {
    struct row {
        const char* text;
        const char* tree;
        const char* canonical;
    };
    const row rows[]{
        {"metadata['a']:1", "a:1", "metadata['a']:1"},
        {"metadata[\"a\"]='1'", "a:1", "metadata['a']:1"},
        {"metadata['a']!=1", "a!=1", "metadata['a']!=1"},
        {"metadata['a']>1", "a>1", "metadata['a']>1"},
        {"metadata['a']>=1", "a>=1", "metadata['a']>=1"},
        {"metadata['a']<-1.5e3", "a<-1.5e3", "metadata['a']<-1.5e3"},
        {"metadata['a']<='1'", "a<=1", "metadata['a']<=1"},
        {"\t metadata\r\n[ 'a' ] [\t\"b\"\n] >= \"1\" ", "a/b>=1", "metadata['a']['b']>=1"},
        {"metadata['']:''", ":", "metadata['']:''"},
        // keys and values
        {"metadata['a b']:'c d'", "a b:c d", "metadata['a b']:'c d'"},
        {R"(metadata['it\'s']:"it's")", "it's:it's", R"(metadata["it's"]:"it's")"},
        {R"(metadata["say \"hi\""]:'\'q')", R"(say "hi":'q)", R"(metadata['say "hi"']:"'q")"},
        {R"(metadata['\\']:'\\ ')", R"(\:\ )", R"(metadata['\\']:'\\ ')"},
        {R"(metadata['a']:b\c\\d)", R"(a:b\c\\d)", R"(metadata['a']:b\c\\d)"},
        {R"(metadata['a']:"b\\c\\'d")", R"(a:b\c\'d)", R"(metadata['a']:"b\\c\\'d")"},
        {R"(metadata['a']:'\'"\'" ')", R"(a:'"'" )", R"(metadata['a']:'\'"\'" ')"},
        {R"(metadata['a']:"''\" ")", R"(a:''" )", R"(metadata['a']:"''\" ")"},
        {"metadata['a']:'b)'", "a:b)", "metadata['a']:'b)'"},
        {"metadata['a']:'(b'", "a:(b", "metadata['a']:'(b'"},
        {"metadata['a']:':b'", "a::b", "metadata['a']:':b'"},
        {"metadata['a']=\"=b\"", "a:=b", "metadata['a']:'=b'"},
        {"metadata['a']!='=b'", "a!==b", "metadata['a']!='=b'"},
        {"metadata['a']:'!b'", "a:!b", "metadata['a']:'!b'"},
        {"metadata['a']:'<b'", "a:<b", "metadata['a']:'<b'"},
        {"metadata['a']:'>b'", "a:>b", "metadata['a']:'>b'"},
        {"metadata['a']:'b=c'", "a:b=c", "metadata['a']:b=c"},
        {"metadata['a']:AND", "a:AND", "metadata['a']:AND"},
        {"metadata['AND']:' AND '", "AND: AND ", "metadata['AND']:' AND '"},
        {"metadata['metadata']:\"metadata['a']\"", "metadata:metadata['a']",
         "metadata['metadata']:\"metadata['a']\""},
        {"metadata[']']:']'", "]:]", "metadata[']']:']'"},
        {"metadata['[']:'['", "[:[", "metadata['[']:'['"},
        {"metadata['ключ']:\xF0\x9F\x98\x80", "ключ:\xF0\x9F\x98\x80",
         "metadata['ключ']:\xF0\x9F\x98\x80"},
        {"metadata['a']:\xC2\xA0", "a:\xC2\xA0", "metadata['a']:\xC2\xA0"},
        {"metadata['a\nb']:'\t'", "a\nb:\t", "metadata['a\nb']:'\t'"},
        // precedence and grouping
        {"metadata['a']:1 AND metadata['b']:2 AND metadata['c']:3", "and(a:1, b:2, c:3)",
         "metadata['a']:1 AND metadata['b']:2 AND metadata['c']:3"},
        {"metadata['a']:1 or metadata['b']:2 and metadata['c']:3", "or(a:1, and(b:2, c:3))",
         "metadata['a']:1 OR metadata['b']:2 AND metadata['c']:3"},
        {"metadata['a']:1 aNd metadata['b']:2 Or metadata['c']:3", "or(and(a:1, b:2), c:3)",
         "metadata['a']:1 AND metadata['b']:2 OR metadata['c']:3"},
        {"(metadata['a']:1 AND metadata['b']:2) OR metadata['c']:3", "or(and(a:1, b:2), c:3)",
         "metadata['a']:1 AND metadata['b']:2 OR metadata['c']:3"},
        {"metadata['a']:1 AND (metadata['b']:2 OR metadata['c']:3)", "and(a:1, or(b:2, c:3))",
         "metadata['a']:1 AND (metadata['b']:2 OR metadata['c']:3)"},
        {"(metadata['a']:1 AND metadata['b']:2) AND metadata['c']:3", "and(and(a:1, b:2), c:3)",
         "(metadata['a']:1 AND metadata['b']:2) AND metadata['c']:3"},
        {"metadata['a']:1 OR ((metadata['b']:2 OR metadata['c']:3))", "or(a:1, or(b:2, c:3))",
         "metadata['a']:1 OR (metadata['b']:2 OR metadata['c']:3)"},
        {"(((metadata['a']:1)))", "a:1", "metadata['a']:1"},
        {"NOT metadata['a']:1", "not(a:1)", "NOT metadata['a']:1"},
        {"not(metadata['a']:1)", "not(a:1)", "NOT metadata['a']:1"},
        {"NOT NOT metadata['a']:1", "not(not(a:1))", "NOT NOT metadata['a']:1"},
        {"NOT(NOT metadata['a']:1)", "not(not(a:1))", "NOT NOT metadata['a']:1"},
        {"NOT metadata['a']:1 AND metadata['b']:2", "and(not(a:1), b:2)",
         "NOT metadata['a']:1 AND metadata['b']:2"},
        {"NOT(metadata['a']:1 AND metadata['b']:2)", "not(and(a:1, b:2))",
         "NOT (metadata['a']:1 AND metadata['b']:2)"},
        {"NOT(metadata['a']:1)OR metadata['b']:2", "or(not(a:1), b:2)",
         "NOT metadata['a']:1 OR metadata['b']:2"},
        // tokens that touch
        {"metadata['a']:'1'AND(metadata['b']:\"2\"OR NOT(metadata['c']:3))",
         "and(a:1, or(b:2, not(c:3)))",
         "metadata['a']:1 AND (metadata['b']:2 OR NOT metadata['c']:3)"},
    };
    for (const row& r : rows) {
        CAPTURE(r.text);
        const metadata_query query = parsed(r.text);
        CHECK(outline(query) == r.tree);
        CHECK(to_string(query) == r.canonical);
        CHECK(parsed(r.canonical) == query);
    }
}

TEST_CASE("a nul byte is a character like any other") {
    const auto query = parsed("metadata['a\0b']:\0"sv);
    CHECK(query.conditions()[0].path[0] == "a\0b"s);
    CHECK(query.conditions()[0].value == "\0"sv);
    CHECK(to_string(query) == "metadata['a\0b']:\0"sv);
}

TEST_CASE("a blank expression is empty and matches everything") {
    for (const std::string_view text : {""sv, " "sv, "\t\r\n "sv}) {
        const metadata_query query = parsed(text);
        CHECK(query.empty());
        CHECK(query == metadata_query());
        CHECK(query.nodes().empty());
        CHECK(query.conditions().empty());
        CHECK(to_string(query).empty());
        CHECK(query.matches([](auto) { return std::optional<scalar>(); }));
    }
    CHECK_FALSE(parsed("metadata['a']:''").empty());
    CHECK_FALSE(parsed("metadata['a']:''") == metadata_query());
}

TEST_CASE("queries are equal where their trees are") {
    const auto query = parsed("metadata['a']:1 AND metadata['b']:2");
    for (const char* same : {"metadata['a']=1 AND metadata['b']=2",
                             "( metadata[\"a\"] : '1' and(metadata['b']:\"2\"))"}) {
        CHECK(parsed(same) == query);
    }
    for (const char* other :
         {"metadata['a']:1 OR metadata['b']:2", "metadata['b']:2 AND metadata['a']:1",
          "metadata['a']:1.0 AND metadata['b']:2", "metadata['A']:1 AND metadata['b']:2",
          "metadata['a']['b']:1 AND metadata['b']:2", "metadata['a']!=1 AND metadata['b']:2",
          "metadata['a']:1", "NOT (metadata['a']:1 AND metadata['b']:2)",
          "metadata['a']:1 AND NOT metadata['b']:2",
          "metadata['a']:1 AND metadata['b']:2 AND metadata['b']:2"}) {
        CAPTURE(other);
        CHECK_FALSE(parsed(other) == query);
    }
}

TEST_CASE("copies share what they view, and outlive the original") {
    auto original = parsed("metadata['a']['b']:10 AND metadata['c']:'a text too long to be small'");
    const metadata_query copy = original;
    original = parsed("metadata['x']:y");
    CHECK(outline(copy) == "and(a/b:10, c:a text too long to be small)");
    CHECK(copy.conditions()[0].number.has_value());
    CHECK_FALSE(copy.conditions()[1].number.has_value());
    CHECK(original.conditions()[0].value == "y");
}

TEST_CASE("an error names the rule and the token that breaks it") {
    // The token stands between bars, which are no part of the text.
    struct row {
        rule broken;
        std::string_view marked;
    };
    const row rows[]{
        {rule::query_condition, "|x|"},
        {rule::query_condition, "  |plan|:pro"},
        {rule::query_condition, "|Metadata|['a']:1"},
        {rule::query_condition, "|metadatas|['a']:1"},
        {rule::query_condition, "|'|a'"},
        {rule::query_condition, "|)|"},
        {rule::query_condition, "(|)|"},
        {rule::query_condition, "(|"},
        {rule::query_condition, "|AND| metadata['a']:1"},
        {rule::query_condition, "metadata['a']:1 AND|"},
        {rule::query_condition, "metadata['a']:1 AND  |"},
        {rule::query_condition, "metadata['a']:1 AND |OR| metadata['b']:1"},
        {rule::query_condition, "metadata['a']:1 ANd |ANDmetadata|['b']:1"},
        {rule::query_condition, "NOT|"},
        {rule::query_condition, "NOT (|"},
        {rule::query_condition, "|NOTmetadata|['a']:1"},
        {rule::query_condition, "|NOT1|"},
        {rule::query_condition, "|\xF0\x9F\x98\x80|\xF0\x9F\x98\x80"},
        {rule::query_condition, "|\xE2\x82|"},
        {rule::query_condition, "|\x80|\x80"},
        {rule::query_key, "metadata|"},
        {rule::query_key, "metadata |:|1"},
        {rule::query_key, "metadata|.|plan:pro"},
        {rule::query_key, "metadata[|"},
        {rule::query_key, "metadata[|plan|]:pro"},
        {rule::query_key, "metadata[ |0|]:pro"},
        {rule::query_key, "metadata[|]|:pro"},
        {rule::query_key, "metadata['a'][|]|:1"},
        {rule::query_key, "metadata |metadata|['a']:1"},
        {rule::query_bracket, "metadata['a'|"},
        {rule::query_bracket, "metadata['a' |"},
        {rule::query_bracket, "metadata['a'|:|1"},
        {rule::query_bracket, "metadata['a' |b|]:1"},
        {rule::query_bracket, "metadata['a'|'|b']:1"},
        {rule::query_operator, "metadata['a']|"},
        {rule::query_operator, "metadata['a'] |"},
        {rule::query_operator, "metadata['a'] |!| =1"},
        {rule::query_operator, "metadata['a']|~|1"},
        {rule::query_operator, "metadata['a'] |is| 1"},
        {rule::query_operator, "(metadata['a']|)|"},
        {rule::query_value, "metadata['a']:|"},
        {rule::query_value, "metadata['a'] >= \n|"},
        {rule::query_value, "(metadata['a']:|)|"},
        {rule::query_value, "(metadata['a']!= |)|"},
        {rule::query_quote, "metadata['|"},
        {rule::query_quote, "metadata['a|"},
        {rule::query_quote, "metadata[\"a'] |"},
        {rule::query_quote, "metadata['a']:'|"},
        {rule::query_quote, "metadata['a']:'b AND metadata[\"c\"]:d|"},
        {rule::query_quote, "metadata['a']:\"b'|"},
        {rule::query_quote, "metadata['a']:'\\'|"},
        {rule::query_escape, "metadata['a|\\n|']:1"},
        {rule::query_escape, "metadata['a']:'|\\\"|'"},
        {rule::query_escape, "metadata['a']:\"|\\'|\""},
        {rule::query_escape, "metadata['a']:'b\\\\|\\c|'"},
        {rule::query_escape, "metadata['a']:'|\\\xE2\x82\xAC|'"},
        {rule::query_escape, "metadata['a']:'|\\|"},
        {rule::query_parenthesis, "(metadata['a']:1|"},
        {rule::query_parenthesis, "((metadata['a']:1) |"},
        {rule::query_end, "metadata['a']:1 |metadata|['b']:2"},
        {rule::query_end, "metadata['a']:AND |metadata|['b']:2"},
        {rule::query_end, "metadata['a']:1|)|"},
        {rule::query_end, "(metadata['a']:1)|)|"},
        {rule::query_end, "metadata['a']:'1'|b|"},
        {rule::query_end, "metadata['a']:'1'|'|2'"},
        {rule::query_end, "metadata['a']:1 |ANDmetadata|['b']:2"},
        {rule::query_end, "metadata['a']:1 |NOT| metadata['b']:2"},
        {rule::query_end, "metadata['a']:1 |AND_|"},
        {rule::query_end, "(metadata['a']:1 |metadata|['b']:2)"},
        {rule::query_number, "metadata['a']>|x|"},
        {rule::query_number, "metadata['a'] >= |''| AND metadata['b']:1"},
        {rule::query_number, "(metadata['a']<  |'1 '|)"},
        {rule::query_number, "metadata['a']<=|\"1\\\"\"|"},
        {rule::query_number, "metadata['a']>|01| OR metadata['b']:1"},
        {rule::query_number, "metadata['a']>|+1|"},
        {rule::query_number, "metadata['a']<|NaN|"},
        {rule::query_operator_unknown, "metadata['a']|==|'pro'"},
        {rule::query_operator_unknown, "metadata['a'] |==|pro AND metadata['b']:1"},
        {rule::query_operator_unknown, "metadata['a']|===|pro"},
        {rule::query_operator_unknown, "metadata['a']|=>|5"},
        {rule::query_operator_unknown, "metadata['a'] |=<| 5"},
        {rule::query_operator_unknown, "metadata['a'] |<>| 5"},
        {rule::query_operator_unknown, "metadata['a'] |!==| 5"},
        {rule::query_operator_unknown, "(metadata['a']|:=|5)"},
        {rule::query_operator_unknown, "metadata['a']|==|"},
        {rule::query_bare, "metadata['a']:|:|b"},
        {rule::query_bare, "metadata['a']= |=|5"},
        {rule::query_bare, "metadata['a']:|!|b"},
        {rule::query_bare, "metadata['a']:|<|b"},
        {rule::query_bare, "metadata['a']> |=|1"},
        {rule::query_bare, "metadata['a']>|>|1"},
        {rule::query_bare, "metadata['a']!= |=|1"},
        {rule::query_bare, "metadata['a']:b|'|c'"},
        {rule::query_bare, "metadata['a']:it|'|s"},
        {rule::query_bare, "metadata['a']:b|\"|"},
        {rule::query_bare, "metadata['a']:|[|b]"},
        {rule::query_bare, "metadata['a']:b|]|"},
        {rule::query_bare, "metadata['a']:|(|b)"},
        {rule::query_bare, "metadata['a']:b|(|c)"},
        {rule::query_bare, "metadata['a']:bmetadata|[|'c']:d"},
        {rule::query_bare, "metadata['a']>5metadata|[|'b']:1"},
        // the first in the text wins
        {rule::query_number, "metadata['a']>|x| AND"},
        {rule::query_end, "metadata['a']:1 |x| metadata['a']>x"},
    };
    for (const row& r : rows) {
        CAPTURE(r.marked);
        std::string text(r.marked);
        const std::size_t first = text.find('|');
        const std::size_t last = text.rfind('|');
        std::erase(text, '|');
        const sluice::error e = failure(text);
        CHECK(to_string(e.broken) == to_string(r.broken));
        CHECK(e.offset == first);
        CHECK(e.length == (last == first ? 0 : last - first - 1));
        CHECK(http_status(e.code) == (r.broken == rule::query_number ? 422 : 400));
    }
}

TEST_CASE("what other languages write between conditions is told at its place") {
    struct row {
        const char* before;
        const char* written;
        const char* after;
        const char* accepts;
    };
    constexpr const char* conjunction = "write AND instead of &&";
    constexpr const char* disjunction = "write OR instead of ||";
    constexpr const char* comma = "write AND or OR instead of the comma";
    const row rows[]{
        {"metadata['a']:'b'", "&&", "metadata['c']:d", conjunction},
        {"metadata['a']:'b' ", "&&", " metadata['c']:d", conjunction},
        {"metadata['a']:b ", "&&", " metadata['c']:d", conjunction},
        {"metadata['a']:b", "&&", "metadata['c']:d", conjunction},
        {"metadata['a']:b", "&&", " metadata['c']:d", conjunction},
        {"metadata['a']:b", "&&", "(metadata['c']:d)", conjunction},
        {"(metadata['a']:b)", "&&", "(metadata['c']:d)", conjunction},
        {"metadata['a']:", "&&", "metadata['c']:d", conjunction},
        {"metadata['a']:b ", "&", " metadata['c']:d", "write AND instead of &"},
        {"metadata['a']>5 ", "||", " metadata['c']:d", disjunction},
        {"metadata['a']>5", "||", "metadata['c']:d", disjunction},
        {"(metadata['a']:b ", "||", " metadata['c']:d)", disjunction},
        {"(metadata['a']:b", "||", " metadata['c']:d)", disjunction},
        {"metadata['a']:'b' ", "|", " metadata['c']:d", "write OR instead of |"},
        {"metadata['a']:'b'", ",", "metadata['c']:'d'", comma},
        {"metadata['a']:'b'", ",", " metadata['c']:'d'", comma},
        {"metadata['a']:b", ",", "metadata['c']:d", comma},
        {"metadata['a']:b", ",", " metadata['c']:d", comma},
        {"metadata['a']:1,000", ",", "\tmetadata['c']:d", comma},
        {"(metadata['a']:1 ", ",", " metadata['b']:2", comma},
        {"(metadata['a']:1", ",", " metadata['b']:2)", comma},
        {"metadata['a']:1 AND metadata['b']:2", ",", "metadata['c']:3", comma},
    };
    for (const row& r : rows) {
        const std::string before(r.before);
        CAPTURE(before);
        CAPTURE(r.written);
        const sluice::error e = failure(before + r.written + r.after);
        CHECK(to_string(e.broken) == "query_connective");
        CHECK(e.code == sluice::error_code::bad_request);
        CHECK(e.offset == before.size());
        CHECK(e.length == std::string_view(r.written).size());
        CHECK(e.accepts == r.accepts);
    }
}

TEST_CASE("an operator of another language is told with ours") {
    const std::pair<const char*, const char*> rows[]{
        {"==", "write = instead of =="},  {"===", "write = instead of ==="},
        {"=>", "write >= instead of =>"}, {"=<", "write <= instead of =<"},
        {"<>", "write != instead of <>"}, {"!==", "write != instead of !=="},
        {":=", "write = instead of :="},
    };
    for (const auto& [written, accepts] : rows) {
        for (const char* value : {"5", " 5", "'5'", ""}) {
            CHECK(failure(std::string("metadata['a'] ") + written + value).accepts == accepts);
        }
    }
}

TEST_CASE("a value without quotes may hold what no token begins with") {
    for (const char* value : {"b,", "a,b", "R&D", "b&&", "a|b", "{b}", "a:b", "a=b", "a!b", "a<b>",
                              "https://x.io/?a=1&b=2", "-1", "\\", ";", "AND", "metadata"}) {
        CAPTURE(value);
        const auto query = parse_metadata_query(std::string("metadata['a']:") + value);
        REQUIRE(query);
        CHECK(query->conditions()[0].value == value);
        CHECK(to_string(*query) == std::string("metadata['a']:") + value);
        const auto grouped =
            parse_metadata_query(std::string("(metadata['a']:") + value + " AND metadata['b']:1)");
        REQUIRE(grouped);
        CHECK(parse_metadata_query(to_string(*grouped)) == grouped);
    }
}

TEST_CASE("a condition compares what stands on its left by the type it has") {
    constexpr auto absent = std::optional<scalar>();
    const auto text = [](const char* value) { return std::optional(scalar::string(value)); };
    const auto number = [](const char* json) { return std::optional(scalar::number(json)); };
    const auto boolean = [](bool value) { return std::optional(scalar::boolean(value)); };
    struct row {
        std::optional<scalar> left;
        const char* condition;
        bool holds;
    };
    const row rows[]{
        // text is text
        {text("pro"), ":pro", true},
        {text("pro"), "='pro'", true},
        {text("pro"), ":Pro", false},
        {text("pro"), ":pr", false},
        {text("pro"), ":'pro '", false},
        {text(""), ":''", true},
        {text(""), ":x", false},
        {text("10"), ":10", true},
        {text("10"), ":'10'", true},
        {text("10"), ":10.0", false},
        {text("1e1"), ":10", false},
        {text("true"), ":true", true},
        {text("null"), ":null", true},
        // numbers by text and by value
        {number("10"), ":10", true},
        {number("10"), ":'10'", true},
        {number("10"), ":10.0", true},
        {number("10"), ":1e1", true},
        {number("10"), ":'1e1'", true},
        {number("10"), ":' 10'", false},
        {number("10"), ":11", false},
        {number("10"), ":ten", false},
        {number("10.50"), ":10.5", true},
        {number("-0"), ":0", true},
        {number("0.1"), ":0.1000", true},
        {number("9007199254740993"), ":9007199254740992", false},
        {number("9007199254740993"), ":9007199254740993.0", true},
        {number("1e999999999999999999999"), ":1e999999999999999999998", false},
        {number("NaN"), ":NaN", true},
        {number("NaN"), ":1", false},
        // booleans by their JSON text
        {boolean(true), ":true", true},
        {boolean(true), ":'true'", true},
        {boolean(true), ":TRUE", false},
        {boolean(true), ":1", false},
        {boolean(false), ":false", true},
        {boolean(false), ":0", false},
        // nothing equals nothing
        {absent, ":''", false},
        {absent, ":null", false},
        {absent, "=undefined", false},
        // != is NOT =
        {absent, "!=x", true},
        {absent, "!=''", true},
        {text("x"), "!=x", false},
        {text("y"), "!=x", true},
        {text("10"), "!=10.0", true},
        {number("10"), "!=10.0", false},
        {boolean(true), "!=true", false},
        {boolean(true), "!=false", true},
        // order by value
        {number("10"), ">9", true},
        {number("10"), ">9.999999999999999999999", true},
        {number("10"), ">10", false},
        {number("10"), ">=10.0", true},
        {number("10"), "<=1e1", true},
        {number("10"), "<10", false},
        {number("10"), "<1e999999999999999999999", true},
        {number("10"), ">-1e999999999999999999999", true},
        {number("9007199254740993"), ">9007199254740992", true},
        {number("-1"), "<'0'", true},
        {text("10"), ">9", true},
        {text("10.0"), ">=10", true},
        {text("9"), "<10", true},
        {text(" 10"), ">9", false},
        {text(" 10"), "<=9", false},
        {text("ten"), ">9", false},
        {text("ten"), "<9", false},
        {text("+10"), ">9", false},
        {text(""), "<9", false},
        {text(""), ">=0", false},
        {number("NaN"), ">0", false},
        {number("NaN"), "<=0", false},
        {boolean(true), ">0", false},
        {boolean(true), "<=2", false},
        {absent, ">0", false},
        {absent, "<0", false},
        {absent, ">=0", false},
        {absent, "<=0", false},
    };
    for (const row& r : rows) {
        CAPTURE(r.condition);
        CAPTURE((r.left ? r.left->text : "(absent)"));
        const std::string positive = "metadata['k']"s + r.condition;
        const auto lookup = [&](std::span<const std::string>) { return r.left; };
        CHECK(parsed(positive).matches(lookup) == r.holds);
        CHECK(parsed("NOT " + positive).matches(lookup) == !r.holds);
        const auto query = parsed(positive);
        CHECK(query.conditions()[0].matches(r.left) == r.holds);
    }
}

TEST_CASE("lookups are given the path, from left to right, until the outcome is decided") {
    struct row {
        const char* text;
        const char* joined;
        bool holds;
    };
    // t is true, f is false
    const row rows[]{
        {"metadata['t']['x']:1", "t/x ", true},
        {"metadata['f']:1 AND metadata['t']:1", "f ", false},
        {"metadata['t']:1 AND metadata['f']:1 AND metadata['t']:1", "t f ", false},
        {"metadata['t']:1 OR metadata['f']:1", "t ", true},
        {"metadata['f']:1 OR metadata['f']:1 OR metadata['f']:1", "f f f ", false},
        {"metadata['f']:1 AND metadata['t']:1 OR metadata['t']['y']:1", "f t/y ", true},
        {"NOT metadata['t']:1 OR NOT (metadata['f']:1 OR metadata['t']:1)", "t f t ", false},
    };
    for (const row& r : rows) {
        CAPTURE(r.text);
        std::string joined;
        const auto query = parsed(r.text);
        CHECK(query.matches([&](std::span<const std::string> path) {
            for (const std::string& key : path) joined += (&key == path.data() ? "" : "/") + key;
            joined += ' ';
            return std::optional(scalar::number(path[0] == "t" ? "1" : "0"));
        }) == r.holds);
        CHECK(joined == r.joined);
    }
}

TEST_CASE("a key is an index where it is a decimal number without leading zeros") {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const std::vector<std::pair<std::string, std::optional<std::size_t>>> table{
        {"0", 0},
        {"7", 7},
        {"10", 10},
        {std::to_string(most), most},
        {std::to_string(most) + "0", std::nullopt},
        {"18446744073709551616", std::nullopt},
        {"", std::nullopt},
        {"00", std::nullopt},
        {"01", std::nullopt},
        {"-1", std::nullopt},
        {"+1", std::nullopt},
        {"1.0", std::nullopt},
        {" 1", std::nullopt},
        {"1 ", std::nullopt},
        {"x", std::nullopt}};
    for (const auto& [key, index] : table) {
        CAPTURE(key);
        CHECK(sluice::parse_array_index(key) == index);
    }
}

TEST_CASE("a map of strings is enough to match") {
    const auto query = parsed("metadata['plan']:pro AND metadata['seats'] > 5");
    const auto matches = [&](const std::map<std::string, std::string>& metadata) {
        return query.matches([&](std::span<const std::string> path) -> std::optional<scalar> {
            const auto member = path.size() == 1 ? metadata.find(path[0]) : metadata.end();
            if (member == metadata.end()) return std::nullopt;
            return scalar::string(member->second);
        });
    };
    CHECK(matches({{"plan", "pro"}, {"seats", "12"}}));
    CHECK_FALSE(matches({{"plan", "pro"}, {"seats", "5"}}));
    CHECK_FALSE(matches({{"plan", "pro"}}));
    CHECK_FALSE(matches({}));
}

TEST_CASE("parentheses and NOTs nest 64 levels together, no more") {
    const std::string leaf = "metadata['a']:1";
    const auto nested = [&](std::size_t parentheses, std::size_t nots) {
        return times("(", parentheses) + times("NOT ", nots) + leaf + times(")", parentheses);
    };
    for (const std::size_t nots : {0U, 1U, 32U, 63U, 64U}) {
        CAPTURE(nots);
        const auto query = parsed(nested(64 - nots, nots));
        CHECK(query.nodes().size() == nots + 1);
        CHECK(parsed(to_string(query)) == query);
    }
    const auto too_deep = [](std::size_t offset, std::size_t length) {
        return sluice::make_error(rule::query_too_deep, offset, length);
    };
    CHECK(failure(nested(65, 0)) == too_deep(64, 1));
    CHECK(failure(nested(0, 65)) == too_deep(64 * 4, 3));
    CHECK(failure(nested(1, 64)) == too_deep(1 + 63 * 4, 3));
    CHECK(failure(nested(64, 1)) == too_deep(64, 3));
    CHECK(failure(times("NOT(", 32) + "NOT " + leaf + times(")", 32)) == too_deep(32 * 4, 3));
    CHECK(failure(times("NOT(", 32) + "(" + leaf + times(")", 33)) == too_deep(32 * 4, 1));
    CHECK(failure(leaf + " AND " + nested(65, 0)) == too_deep(leaf.size() + 5 + 64, 1));
}

TEST_CASE("levels end where their parentheses do") {
    const std::string side = times("NOT (", 32) + "metadata['a']:1" + times(")", 32);
    const auto query = parsed(side + " AND " + side + " OR " + side + " AND NOT " + times("(", 63) +
                              "metadata['a']:1" + times(")", 63));
    CHECK(query.conditions().size() == 4);
    CHECK(parsed(to_string(query)) == query);
}

TEST_CASE("the longest branch of a tree has 131 nodes") {
    const std::string level = "metadata['a']:1 OR metadata['a']:1 AND ";
    const auto query = parsed(times(level + "(", 64) + level + "metadata['a']:1" + times(")", 64));
    CHECK(longest_branch(query) == 131);
    CHECK(parsed(to_string(query)) == query);
}

TEST_CASE("an expression has 256 conditions, no more") {
    const std::string one = "metadata['a']:1 AND ";
    const std::string last = "metadata['a']:1";
    const auto query = parsed(times(one, 255) + last);
    CHECK(query.conditions().size() == 256);
    CHECK(query.nodes().size() == 257);
    CHECK(parsed(to_string(query)) == query);
    const auto error = sluice::make_error(rule::query_too_many, 256 * one.size(), 8);
    CHECK(failure(times(one, 256) + last) == error);
    CHECK(failure(times(one, 300) + last) == error);
    CHECK(failure(times(one, 256) + "metadata") == error);
    CHECK(error.code == sluice::error_code::unprocessable_entity);
}

TEST_CASE("an expression has 10,000 UTF-16 code units, no more") {
    const std::string head = "metadata['a']:";
    const auto filled = [&](std::string_view part, std::size_t length) {
        std::string text = head;
        while (units(text) + units(part) <= length) text += part;
        return text + times("x", length - units(text));
    };
    for (const char* part : {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
        CAPTURE(part);
        const std::string longest = filled(part, 10'000);
        const auto query = parsed(longest);
        CHECK(to_string(query) == longest);
        const std::string longer = filled(part, 10'001);
        CHECK(failure(longer) == sluice::make_error(rule::query_too_long, 0, longer.size()));
    }
    CHECK(parsed(times(" ", 10'000)).empty());
    CHECK(failure(times(" ", 10'001)) == sluice::make_error(rule::query_too_long, 0, 10'001));
    // the length is looked at first
    CHECK((failure(times("(", 10'001)).broken == rule::query_too_long));
    CHECK((failure(times("(", 10'000)).broken == rule::query_too_deep));
}

TEST_CASE("a text that fills the limit has a canonical text within it") {
    // Its readable form would have spaces that no text of this tree needs: around 80 AND and OR
    // that follow a quote, and before 80 groups.
    const std::string part =
        "metadata[\"k\"]='a b'AND NOT(metadata['k']='c)'OR metadata['k']=d)AND ";
    const std::string text = times(part, 80) + "metadata['k']='x y";
    const std::string full = text + times("z", 9'999 - text.size()) + "'";
    REQUIRE(units(full) == 10'000);
    const auto query = parsed(full);
    const std::string canonical = to_string(query);
    CHECK(units(canonical) <= 10'000);
    CHECK(
        canonical.starts_with("metadata['k']:'a b'AND NOT(metadata['k']:'c)'OR metadata['k']:d)"));
    CHECK(parsed(canonical) == query);
    CHECK(to_string(parsed(canonical)) == canonical);
}

TEST_CASE("hostile texts fail fast") {
    constexpr std::size_t megabyte = 1'000'000;
    for (const char* part :
         {"(", "NOT ", "metadata['a']:1 AND ", " ", "\\", "'", "\x80", "\xF0\x9F", "metadata[",
          "))", "metadata['a']['a']", "\xF0\x9F\x98\x80"}) {
        CAPTURE(part);
        const std::string text = times(part, megabyte / std::string_view(part).size());
        CHECK(failure(text) == sluice::make_error(rule::query_too_long, 0, text.size()));
        const std::string open = "metadata['a']:'" + text;
        CHECK(failure(open) == sluice::make_error(rule::query_too_long, 0, open.size()));
    }
    CHECK((failure(times("NOT ", 2'500)).broken == rule::query_too_deep));
    CHECK((failure(times("(NOT(", 2'000)).broken == rule::query_too_deep));
    CHECK((failure(times("x", 10'000)).length == 10'000));
    CHECK((failure(times(")", 10'000)).broken == rule::query_condition));
    CHECK((failure("metadata" + times("['']", 2'498)).broken == rule::query_operator));
    CHECK((failure("metadata['" + times("\\\\", 4'995)).broken == rule::query_quote));
    const auto huge = parsed("metadata['a']>1e" + times("9", 9'984));
    CHECK(huge.conditions()[0].number.has_value());
}

namespace {

// What follows builds random trees of its own, writes them in many ways, and evaluates them
// without the library: values are numbers of thousandths or no numbers, as the table says.

struct sample {
    std::string_view text;
    std::optional<long> thousandths = std::nullopt;
};

constexpr sample samples[]{
    {"0", 0},
    {"-0", 0},
    {"10", 10'000},
    {"10.0", 10'000},
    {"1e1", 10'000},
    {"100E-1", 10'000},
    {"2.5", 2'500},
    {"0.025e+2", 2'500},
    {"-3", -3'000},
    {"1e-3", 1},
    {"0.001", 1},
    {""},
    {"pro"},
    {"a b"},
    {"x)"},
    {"(x"},
    {"'"},
    {"\"'"},
    {"''\""},
    {"it's"},
    {"say \"hi\""},
    {"\\"},
    {"\\'"},
    {"=5"},
    {"and"},
    {"NOT"},
    {"true"},
    {"false"},
    {"null"},
    {" 10"},
    {"+1"},
    {"01"},
    {"1."},
    {"\t"},
    {"\r\n"},
    {"\xC3\xA9\xF0\x9F\x98\x80"},
    {"\xFF"},
    {"\xE2\x82"},
    {"metadata['a']:1"},
};

const std::vector<std::vector<std::string>> paths{
    {"a"},
    {"b"},
    {"a", "b"},
    {""},
    {"a b", "0"},
    {"it's"},
    {"say \"hi\""},
    {"]"},
    {"\\"},
    {"AND"},
    {"\xF0\x9F\x98\x80"},
    {"\xE2\x82"},
    {"[", "'\"\\", "\n"},
};

const std::vector<std::string_view> comparisons{"=", "!=", ">", ">=", "<", "<="};

enum class shape { leaf, negated, all, any };

struct expression {
    shape form = shape::leaf;
    std::vector<expression> parts;
    std::size_t path = 0;
    std::size_t comparison = 0;
    std::size_t value = 0;
};

/// The value at a path: nothing, or a sample with a type.
struct cell {
    bool present = false;
    scalar::kind type = scalar::kind::string;
    std::size_t value = 0;
};

using document = std::vector<cell>;  // one cell a path

class generator {
public:
    explicit generator(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t bound) { return random_() % bound; }
    bool chance(std::size_t percent) { return below(100) < percent; }

    expression tree(std::size_t levels) {
        expression node;
        node.form = levels == 0 ? shape::leaf : static_cast<shape>(below(4));
        if (node.form == shape::leaf) return leaf();
        const std::size_t count = node.form == shape::negated ? 1 : 2 + below(3);
        for (std::size_t i = 0; i < count; ++i) node.parts.push_back(tree(levels - 1));
        return node;
    }

    document cells() {
        document members(paths.size());
        for (cell& c : members) {
            c.present = chance(80);
            c.value = below(std::size(samples));
            if (samples[c.value].thousandths && chance(60)) c.type = scalar::kind::number;
            const std::string_view text = samples[c.value].text;
            if ((text == "true" || text == "false") && chance(70)) c.type = scalar::kind::boolean;
        }
        return members;
    }

    /// One of the texts of a tree: from as dense as can be (0) to richly spaced (100).
    std::string write(const expression& e, std::size_t richness) {
        richness_ = richness;
        tokens_.clear();
        write_tree(e);
        std::string text = gap(false);
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            text += tokens_[i].text;
            text += gap(tokens_[i].ends_open && i + 1 < tokens_.size() && tokens_[i + 1].is_word);
        }
        return text;
    }

private:
    struct token {
        std::string text;
        bool is_word = false;    ///< begins with a letter
        bool ends_open = false;  ///< a word after it would be read as a part of it
    };

    expression leaf() {
        expression test;
        test.path = below(paths.size());
        test.comparison = below(comparisons.size());
        do {
            test.value = below(std::size(samples));
        } while (test.comparison > 1 && !samples[test.value].thousandths);
        return test;
    }

    std::string gap(bool needed) {
        std::string text;
        while (chance(richness_ / 2)) text += " \t\r\n"[below(4)];
        return needed && text.empty() ? " " : text;
    }

    void add(std::string text) { tokens_.push_back({std::move(text), false, false}); }
    void add_word(std::string_view word) {
        std::string text(word);
        for (char& c : text) {
            if (word != "metadata" && chance(50)) c = static_cast<char>(c ^ 0x20);
        }
        tokens_.push_back({text, true, true});
    }

    std::string quoted(std::string_view text) {
        const char quote = chance(50) ? '"' : '\'';
        std::string quoted_text(1, quote);
        for (const char c : text) {
            if (c == quote || c == '\\') quoted_text += '\\';
            quoted_text += c;
        }
        return quoted_text + quote;
    }

    void write_tree(const expression& e) {
        if (e.form == shape::leaf) return write_leaf(e);
        if (e.form == shape::negated) add_word("NOT");
        for (std::size_t i = 0; i < e.parts.size(); ++i) {
            if (i > 0) add_word(e.form == shape::all ? "AND" : "OR");
            write_part(e.form, e.parts[i]);
        }
    }

    void write_part(shape around, const expression& part) {
        const bool is_group = part.form == shape::all || part.form == shape::any;
        const bool needed = is_group && !(around == shape::any && part.form == shape::all);
        const std::size_t pairs = (needed ? 1 : 0) + (chance(richness_ / 4) ? 1 + below(2) : 0);
        for (std::size_t i = 0; i < pairs; ++i) add("(");
        write_tree(part);
        for (std::size_t i = 0; i < pairs; ++i) add(")");
    }

    void write_leaf(const expression& e) {
        add_word("metadata");
        for (const std::string& key : paths[e.path]) {
            add("[");
            add(quoted(key));
            add("]");
        }
        add(std::string(e.comparison == 0 && chance(50) ? ":" : comparisons[e.comparison]));
        const std::string_view value = samples[e.value].text;
        const bool bare = !value.empty() && value.find_first_of(":=!<>") != 0 &&
                          value.find_first_of(" \t\r\n'\"[]()") == std::string_view::npos;
        if (bare && chance(70)) return tokens_.push_back({std::string(value), true, true});
        add(quoted(value));
    }

    std::mt19937 random_;
    std::size_t richness_ = 0;
    std::vector<token> tokens_;
};

bool holds(const expression& e, const document& cells) {
    const auto part_holds = [&](const expression& part) { return holds(part, cells); };
    if (e.form == shape::all) return std::all_of(e.parts.begin(), e.parts.end(), part_holds);
    if (e.form == shape::any) return std::any_of(e.parts.begin(), e.parts.end(), part_holds);
    if (e.form == shape::negated) return !holds(e.parts[0], cells);
    const cell& left = cells[e.path];
    const auto left_number = samples[left.value].thousandths;
    const auto right_number = samples[e.value].thousandths;
    const bool same =
        left.present &&
        (samples[left.value].text == samples[e.value].text ||
         (left.type == scalar::kind::number && right_number && *left_number == *right_number));
    if (e.comparison == 0) return same;
    if (e.comparison == 1) return !same;
    if (!left.present || left.type == scalar::kind::boolean || !left_number) return false;
    if (e.comparison == 2) return *left_number > *right_number;
    if (e.comparison == 3) return *left_number >= *right_number;
    return e.comparison == 4 ? *left_number < *right_number : *left_number <= *right_number;
}

std::optional<scalar> look_up(const document& cells, std::span<const std::string> path) {
    const auto place = std::find_if(paths.begin(), paths.end(), [&](const auto& known) {
        return std::equal(known.begin(), known.end(), path.begin(), path.end());
    });
    const cell& c = cells.at(static_cast<std::size_t>(place - paths.begin()));
    if (!c.present) return std::nullopt;
    return scalar{c.type, samples[c.value].text};
}

std::string compact(const metadata_query& query) {
    constexpr auto spacing = sluice::detail::metadata_spacing::compact;
    return sluice::detail::metadata_writer(query.nodes(), query.conditions(), spacing).write();
}

/// Puts a bare value that fills the limit before an expression.
std::string filled(const std::string& text) {
    const std::string head = "metadata['fill']:";
    const std::string tail = " AND(" + text + ")";
    return head + times("x", 10'000 - units(head) - units(tail)) + tail;
}

void check_round_trip(const metadata_query& query) {
    const std::string canonical = to_string(query);
    CAPTURE(canonical);
    REQUIRE(units(canonical) <= sluice::metadata_query_max_length);
    const auto again = parse_metadata_query(canonical);
    REQUIRE(again.has_value());
    REQUIRE(*again == query);
    REQUIRE(to_string(*again) == canonical);
}

}  // namespace

TEST_CASE("all texts of a tree are one query, which its canonical text gives back") {
    generator random(4);
    for (int round = 0; round < 3'000; ++round) {
        const expression tree = random.tree(random.below(5));
        const metadata_query query = parsed(random.write(tree, 0));
        check_round_trip(query);
        const std::string dense = compact(query);
        REQUIRE(parsed(dense) == query);
        for (const std::size_t richness : {0U, 30U, 90U}) {
            const std::string text = random.write(tree, richness);
            CAPTURE(text);
            const auto read = parse_metadata_query(text);
            REQUIRE(read.has_value());
            REQUIRE(*read == query);
            REQUIRE(units(dense) <= units(text));
        }
    }
}

TEST_CASE("texts that fill the limit round-trip too") {
    generator random(5);
    for (int round = 0; round < 300; ++round) {
        const std::string text = random.write(random.tree(4), random.chance(50) ? 0 : 20);
        if (units(text) > 9'900) continue;
        const std::string full = filled(text);
        REQUIRE(units(full) == sluice::metadata_query_max_length);
        check_round_trip(parsed(full));
    }
}

TEST_CASE("queries hold where a naive evaluation of the same tree does") {
    generator random(6);
    std::size_t held = 0;
    for (int round = 0; round < 2'000; ++round) {
        const expression tree = random.tree(random.below(5));
        const metadata_query query = parsed(random.write(tree, 30));
        for (int i = 0; i < 10; ++i) {
            const document cells = random.cells();
            const bool expected = holds(tree, cells);
            CAPTURE(to_string(query));
            REQUIRE(query.matches([&](auto path) { return look_up(cells, path); }) == expected);
            held += expected ? 1 : 0;
        }
    }
    CHECK(held > 4'000);
    CHECK(held < 16'000);
}

TEST_CASE("a text cut short fails at its end, if at all") {
    generator random(7);
    for (int round = 0; round < 100; ++round) {
        const std::string text = random.write(random.tree(2), 30);
        for (std::size_t size = 0; size < text.size(); ++size) {
            const std::string_view cut = std::string_view(text).substr(0, size);
            CAPTURE(cut);
            const auto query = parse_metadata_query(cut);
            if (!query) REQUIRE(query.error().offset + query.error().length == size);
        }
    }
}

TEST_CASE("mutated texts are read or refused, with an error inside the text") {
    constexpr std::string_view alphabet = "()[]'\"\\:=!<> \nANDORTmetdax109.e-\xF0\x9F\x98\x80";
    generator random(8);
    std::size_t refused = 0;
    for (int round = 0; round < 30'000; ++round) {
        std::string text = random.write(random.tree(random.below(3)), 30);
        for (auto edits = 1 + random.below(4); edits > 0; --edits) {
            const std::size_t at = random.below(text.size() + 1);
            const char byte = random.chance(70) ? alphabet[random.below(alphabet.size())]
                                                : static_cast<char>(random.below(256));
            if (random.chance(50)) {
                text.insert(at, 1, byte);
            } else {
                text.replace(at, 1, random.chance(50) ? std::string(1, byte) : ""s);
            }
        }
        CAPTURE(text);
        const auto query = parse_metadata_query(text);
        if (query) {
            check_round_trip(*query);
        } else {
            ++refused;
            REQUIRE(query.error().offset + query.error().length <= text.size());
            REQUIRE(http_status(query.error().code) / 100 == 4);
        }
    }
    CHECK(refused > 5'000);
    CHECK(refused < 29'000);
}

TEST_CASE("each condition tells where it stands in the text") {
    const std::string_view text =
        " metadata['a']:1 AND NOT ( metadata [ 'b' ] [\"c\"]  >=  '2' OR\tmetadata['d\\'']!=x y)";
    const std::string_view expected[] = {"metadata['a']:1", "metadata [ 'b' ] [\"c\"]  >=  '2'",
                                         "metadata['d\\'']!=x"};
    const std::string wanted(text.substr(0, text.size() - 3));
    const auto query = sluice::parse_metadata_query(wanted + ")").value();
    REQUIRE(query.conditions().size() == std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        const auto& [offset, length] =
            std::pair(query.conditions()[i].offset, query.conditions()[i].length);
        CHECK(wanted.substr(offset, length) == expected[i]);
    }
}
