// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/grammars/grammar.hpp>
#include <sluice/query/json_writer.hpp>

// What a grammar writes of a column with any name reads as the same tree, or the error names it.

namespace grammar_names_tests {

using namespace sluice;

constexpr std::string_view hostile_names[] = {
    "a",        "A",        "a b",      " a",         "a ",
    "",         "1x",       "é",        "\xC3",       "a\tb",
    "a\nb",     "a'b",      "a\"b",     "a`b",        "a\\b",
    "a(b",      "a)b",      "(a)",      "a[b]",       "a,b",
    "a;b",      "a:b",      ":a",       "a=b",        "a!b",
    "a<b",      "a>b",      "a*",       "*",          "-a",
    "+a",       "a-b",      "a|b",      "a/b",        "/",
    "a.b",      ".a",       "a.",       "a..b",       ".",
    "a.NOT",    "a->b",     "a->>b",    "$a",         "$it",
    "$it.a",    "a@b",      "a#b",      "a$b",        "a%b",
    "a&b",      "~a",       "a~b",      "{a}",        "and",
    "or",       "not",      "AND",      "OR",         "NOT",
    "Not",      "not.a",    "not$a",    "and.a",      "or.a",
    "not.and",  "eq",       "ne",       "in",         "pr",
    "has",      "is",       "null",     "true",       "false",
    "TRUE",     "true.a",   "any",      "all",        "any.all",
    "item",     "record",   "record.a", "a.any",      "contains",
    "tolower",  "like",     "between",  "BETWEEN.a",  "timestamp",
    "DATE",     "casei",    "CASEI.a",  "A_OVERLAPS", "a_contains:b",
    "property", "op",       "args",     "a.eq",       "a.in.b",
    "eq.a",     "a.not",    "a.cs",     "neq",        "value",
    "a\0b",     "metadata", "l.a",      "l",          "m",
    "m.k",      "urn:x:a"};

/// Columns with a name to test, beside others that a reader might take for it.
struct table {
    std::array<column, 2> inner;  // of the records
    std::vector<column> columns;
};
table make_table(std::string_view name, bool is_nullable) {
    table built{{column{.name = name}, column{.name = "A", .type = column_type::integer}}, {}};
    const record_columns records(built.inner.data(), built.inner.size());
    built.columns = {
        {.name = name, .is_nullable = is_nullable},
        {.name = "a", .type = column_type::integer},
        {.name = "l", .type = column_type::records, .records = records},
        {.name = "m", .type = column_type::json},
    };
    return built;
}

std::string json(const where& rows) { return to_json(list_query{.rows = rows}); }

/// Checks that every grammar reads what it writes of a tree as that tree, or fails to write it with
/// the name. Returns the number that write it.
std::size_t count_written(const where& rows, const expression_columns& columns,
                          std::string_view name) {
    std::size_t count = 0;
    for (const grammar_record& record : grammar_records) {
        CAPTURE(record.name);
        const auto text = record.write(rows, columns);
        if (!text) {
            CHECK(text.error().broken == rule::expression_inexpressible);
            const std::string_view param = text.error().param;
            const bool is_hidden = param == "a" || param == "A";  // the other column
            CHECK((param == name || param == "not" || param == "any" || is_hidden));
            continue;
        }
        CAPTURE(*text);
        const auto read = record.parse(*text, columns);
        REQUIRE_MESSAGE(read, message(read.error()));
        CHECK_MESSAGE(*read == rows, json(*read));
        ++count;
    }
    return count;
}

where any_of(const column& subject, std::string value) {
    return where(leaf{subject, text_test{filter(std::vector{std::move(value)}, false)}});
}

/// Conditions on a column of texts, alone and beside others.
std::vector<where> conditions_on(const column& subject, const column& other) {
    const where equal = any_of(subject, "x");
    const where large(leaf{other, bounds<std::int64_t>{.least = 5}});
    std::vector<where> trees{
        equal,
        where(leaf{subject, text_test{filter(std::vector<std::string>{"x", "y"}, true)}}),
        where(leaf{subject, part_test{part_place::at_start, {"x"}}}),
        where(leaf{subject, bounds<std::string>{.least = "x"}}),
        where::negation(where(leaf{subject, part_test{part_place::at_end, {"x"}}})),
        where::all({large, equal}),
        where::any({equal, large}),
        where::all({where::any({large, equal}), large}),
        where::negation(where::all({equal, large})),
    };
    if (subject.is_nullable) trees.emplace_back(leaf{subject, null_test{true}});
    return trees;
}

TEST_CASE("a column of any name is written as the same tree, or refused by its name") {
    std::size_t written = 0;
    for (const std::string_view name : hostile_names) {
        CAPTURE(name);
        const table columns = make_table(name, true);
        for (const where& rows : conditions_on(columns.columns[0], columns.columns[1])) {
            written += count_written(rows, columns_view(columns.columns), name);
        }
    }
    CHECK(written > 2'500);
}

TEST_CASE("so are aliases, columns of records, keys of JSON, and lists") {
    for (const std::string_view name : hostile_names) {
        CAPTURE(name);
        const table columns = make_table("plain", true);
        const column& plain = columns.columns[0];
        const expression_columns aliases({{name, plain}, {"a", columns.columns[1]}});
        for (const where& rows : conditions_on(plain, columns.columns[1])) {
            count_written(rows, aliases, "plain");
        }
        const table around = make_table(name, false);
        for (const where& rows : conditions_on(around.inner[0], around.inner[1])) {
            const where records(leaf{around.columns[2], record_test(rows)});
            count_written(records, columns_view(around.columns), name);
        }
        const std::string key = "metadata['" + std::string(name) + "']=x";
        if (const auto query = parse_metadata_query(key)) {
            count_written(where(leaf{around.columns[3], *query}), columns_view(around.columns),
                          "m");
        }
        const column list{.name = name, .is_list = true};
        const std::array lists{list, around.columns[1]};
        const where shares = any_of(list, "x");
        count_written(shares, columns_view(lists), name);
        count_written(where::all({shares, shares}), columns_view(lists), name);
    }
}

TEST_CASE("a column that a grammar can't spell, and one in quotes") {
    const auto text_of = [](std::string_view name, grammar kind) {
        const table columns = make_table(name, false);
        const auto text =
            record_of(kind).write(any_of(columns.columns[0], "x"), columns_view(columns.columns));
        return text ? *text : message(text.error());
    };
    const std::string refused = message([] {
        error why = make_error(rule::expression_inexpressible);
        why.param = "a b";
        return why;
    }());
    CHECK(text_of("a b", grammar::odata) == refused);
    CHECK(text_of("a b", grammar::aip160) == refused);
    CHECK(text_of("a b", grammar::rsql) == refused);
    CHECK(text_of("a b", grammar::scim) == refused);
    CHECK(text_of("a b", grammar::cql2) == "\"a b\" = 'x'");
    CHECK(text_of("a b", grammar::postgrest) == "(\"a b\".eq.x)");
    CHECK(text_of("not", grammar::cql2) == "\"not\" = 'x'");
    CHECK(text_of("A_CONTAINS", grammar::cql2) == "\"A_CONTAINS\" = 'x'");
    CHECK(text_of("x.in", grammar::postgrest) == "(\"x.in\".eq.x)");
    CHECK(text_of("é", grammar::odata) == "é eq 'x'");
    CHECK(text_of("A", grammar::odata) == "A eq 'x'");
    CHECK(text_of("A", grammar::scim).find("A") != std::string::npos);
}

TEST_CASE("the first name that allows a test is written") {
    const column of{.name = "created", .is_nullable = true};
    const expression_columns columns({
        {.name = "state", .subject = of, .allowed = set_of(test_kind::any_of)},
        {.name = "since", .subject = of, .allowed = set_of(test_kind::bounds)},
    });
    CHECK(to_odata_filter(any_of(of, "x"), columns) == "state eq 'x'");
    CHECK(to_odata_filter(where(leaf{of, bounds<std::string>{.least = "x"}}), columns) ==
          "since ge 'x'");
    CHECK(to_odata_filter(where(leaf{of, null_test{true}}), columns).error().param == "created");
}

TEST_CASE("values that are no UTF-8 are refused with their column") {
    const table columns = make_table("plain", false);
    const expression_columns named{columns_view(columns.columns)};
    for (const where& rows :
         {any_of(columns.columns[0], "\xFF"),
          where(leaf{columns.columns[0], part_test{part_place::anywhere, {"\xFF"}}}),
          where(leaf{columns.columns[0], bounds<std::string>{.most = "\xFF"}})}) {
        for (const grammar_record& record : grammar_records) {
            CHECK(record.write(rows, named).error().param == "plain");
            CHECK(record.write(where::negation(rows), named).error().broken ==
                  rule::expression_inexpressible);
        }
    }
}

}  // namespace grammar_names_tests
