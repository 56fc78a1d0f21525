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

// Limits of expressions: bytes, levels, tests and values, of readers and writers.

namespace grammar_limits_tests {

using namespace sluice;

constexpr schema line_columns{column{.name = "sku"}};
constexpr schema columns{
    column{.name = "a"},
    column{.name = "n", .type = column_type::integer},
    column{.name = "d", .type = column_type::decimal},
    column{.name = "tags", .is_list = true},
    column{.name = "meta", .type = column_type::json},
    column{.name = "lines", .type = column_type::records, .records = line_columns}};

std::string repeated(std::string_view part, std::size_t size = expression_max_bytes) {
    std::string text;
    while (text.size() + part.size() <= size) text.append(part);
    return text;
}

struct refused {
    grammar kind;
    std::string text;
    rule broken;
    std::size_t offset;
};

TEST_CASE("the longest texts of brackets, NOTs and conditions end where a limit is") {
    const std::string json_and = R"({"op":"and","args":[)";
    const std::string json_not = R"({"op":"not","args":[)";
    const refused cases[] = {
        {grammar::odata, repeated("("), rule::query_too_deep, 64},
        {grammar::odata, repeated("not "), rule::query_too_deep, 64 * 4},
        {grammar::odata, repeated("not ("), rule::query_too_deep, 64 * 5},
        {grammar::odata, repeated("not (("), rule::query_too_deep, 32 * 6},
        {grammar::odata, repeated("a eq 'x' or n eq 1 or "), rule::query_too_many, 128 * 22},
        {grammar::odata, repeated("a eq 'x' and n eq 1 and "), rule::query_too_many, 128 * 24},
        {grammar::odata, repeated("a eq 'x' or "), rule::query_too_many, 256 * 12},
        {grammar::odata, repeated("lines/any(x:"), rule::expression_unsupported, 12},
        {grammar::aip160, repeated("("), rule::query_too_deep, 64},
        {grammar::aip160, repeated("-"), rule::query_condition, 1},
        {grammar::aip160, repeated("-("), rule::query_too_deep, 64 * 2},
        {grammar::aip160, repeated("NOT ("), rule::query_too_deep, 64 * 5},
        {grammar::aip160, repeated("a=x n=1 "), rule::query_too_many, 128 * 8},
        {grammar::aip160, repeated("a=x OR n=1 OR "), rule::query_too_many, 128 * 14},
        {grammar::rsql, repeated("("), rule::query_too_deep, 64},
        {grammar::rsql, repeated("a==x;n==1;"), rule::query_too_many, 128 * 10},
        {grammar::rsql, repeated("a==x,"), rule::query_too_many, 256 * 5},
        {grammar::cql2, repeated("("), rule::query_too_deep, 64},
        {grammar::cql2, repeated("NOT "), rule::query_too_deep, 64 * 4},
        {grammar::cql2, repeated("a='x' OR n=1 OR "), rule::query_too_many, 128 * 16},
        {grammar::scim, repeated("("), rule::query_too_deep, 64},
        {grammar::scim, repeated("not ("), rule::query_too_deep, 64 * 5},
        {grammar::scim, repeated(R"(a eq "x" or n eq 1 or )"), rule::query_too_many, 128 * 22},
        {grammar::scim, repeated("lines["), rule::column_unknown, 6},
        {grammar::postgrest, repeated("("), rule::query_too_deep, 65},
        {grammar::postgrest, repeated("and("), rule::query_too_deep, 65 * 4},
        {grammar::postgrest, repeated("not.and("), rule::query_too_deep, 65 * 8},
        {grammar::postgrest, repeated("a.eq.x,n.eq.1,"), rule::query_too_many, 128 * 14},
        {grammar::cql2_json, repeated(json_and, 2'000) + "true" + repeated("]}", 200),
         rule::query_too_deep, 65 * json_and.size()},
        {grammar::cql2_json, repeated(json_not, 2'000) + "true" + repeated("]}", 200),
         rule::query_too_deep, 65 * json_not.size()},
        {grammar::cql2_json, json_and + repeated("true,", 9'000) + "true]}", rule::query_too_many,
         json_and.size() + 256 * 5},
        {grammar::cql2_json, repeated("["), rule::query_condition, 0},
    };
    for (const auto& [kind, text, broken, offset] : cases) {
        CAPTURE(to_string(kind));
        CAPTURE(text.substr(0, 24));
        const auto read = record_of(kind).parse(text, expression_columns(columns_view(columns)));
        REQUIRE_FALSE(read.has_value());
        CAPTURE(message(read.error()));
        CHECK(read.error().broken == broken);
        CHECK(read.error().offset == offset);
    }
}

TEST_CASE("a list of values has at most 1,000, and a name any number of steps") {
    const expression_columns named{columns_view(columns)};
    const auto list_of = [](std::size_t count) {
        std::string text = "a=in=(";
        for (std::size_t at = 0; at < count; ++at) text.append("x,");
        text.back() = ')';
        return text;
    };
    CHECK(parse_rsql(list_of(filter_max_values), named).has_value());
    const auto read = parse_rsql(list_of(filter_max_values + 1), named);
    CHECK(read.error().broken == rule::filter_too_many);
    CHECK(read.error().offset == 6 + 2 * filter_max_values);
    for (const std::string_view step : {"a.", "meta.", "lines.", "zz."}) {
        const std::string text = repeated(step, 9'990) + "a";
        CAPTURE(step);
        const auto unknown = parse_aip160_filter(text + " = 1", named);
        CHECK(unknown.error().offset == (step == "meta." ? text.size() + 3 : 0));
    }
}

/// Returns a condition of each kind.
std::vector<where> leaves() {
    const auto find = [](std::string_view name) { return *columns.find(name); };
    const auto texts = [](bool excludes) {
        return text_test{filter(std::vector<std::string>{"x"}, excludes)};
    };
    const where sku(leaf{line_columns.begin()[0], texts(false)});
    return {where(leaf{find("a"), texts(false)}),
            where(leaf{find("a"), texts(true)}),
            where(leaf{find("a"), part_test{part_place::anywhere, {"x"}}}),
            where(leaf{find("n"), bounds<std::int64_t>{.least = 1, .most = 2}}),
            where(leaf{find("d"), bounds<decimal_number>{.least = *parse_decimal_number("1"),
                                                         .most = *parse_decimal_number("1")}}),
            where(leaf{find("tags"), texts(false)}),
            where(leaf{find("tags"), all_of_test{{"x", "y"}}}),
            where(leaf{find("meta"), *parse_metadata_query("metadata['k']=x")}),
            where(leaf{find("lines"), record_test(sku)})};
}

TEST_CASE("what is written of trees at the limits reads as the same, or isn't written") {
    const expression_columns named{columns_view(columns)};
    std::vector<where> trees;
    for (const where& condition : leaves()) {
        for (const std::size_t levels : {62U, 63U, 64U, 65U}) {
            where negated = condition, nested = condition;
            for (std::size_t level = 0; level < levels; ++level) {
                negated = where::negation(std::move(negated));
                nested = level % 2 == 0 ? where::all({condition, std::move(nested)})
                                        : where::any({std::move(nested), condition});
            }
            trees.push_back(std::move(negated));
            trees.push_back(std::move(nested));
        }
        for (const std::size_t count : {127U, 128U, 129U, 255U, 256U, 257U}) {
            trees.push_back(where::any(std::vector(count, where::all({condition, condition}))));
            trees.push_back(where::all(std::vector(count, condition)));
        }
    }
    for (const std::size_t count : {255U, 256U, 257U, 999U}) {
        std::vector<std::string> values;
        for (std::size_t at = 0; at < count; ++at) values.push_back(std::to_string(at));
        for (const std::string_view name : {"a", "n", "tags"}) {
            trees.emplace_back(leaf{*columns.find(name), text_test{filter(values, false)}});
            trees.emplace_back(leaf{*columns.find(name), text_test{filter(values, true)}});
        }
        trees.emplace_back(leaf{*columns.find("tags"), all_of_test{values}});
        trees.emplace_back(leaf{*columns.find("a"), part_test{part_place::at_end, values}});
    }
    trees.emplace_back(
        leaf{*columns.find("a"), part_test{part_place::anywhere, {std::string(9'990, 'x')}}});
    std::array<std::size_t, grammar_records.size()> written{};
    for (const where& rows : trees) {
        for (const grammar_record& record : grammar_records) {
            CAPTURE(record.name);
            const auto text = record.write(rows, named);
            if (!text) {
                const any_rule broken = text.error().broken;
                const bool is_limit = broken == rule::query_too_deep ||
                                      broken == rule::query_too_many ||
                                      broken == rule::query_too_long;
                CHECK((is_limit || broken == rule::expression_inexpressible));
                continue;
            }
            CAPTURE(*text);
            const auto read = record.parse(*text, named);
            REQUIRE_MESSAGE(read, message(read.error()));
            CHECK(*read == rows);
            ++written[static_cast<std::size_t>(record.kind)];
        }
    }
    for (const std::size_t count : written) CHECK(count > 40);
}

TEST_CASE("a text of over 10,000 bytes is refused as a whole") {
    for (const grammar_record& record : grammar_records) {
        CAPTURE(record.name);
        const std::string text(expression_max_bytes + 1, ' ');
        const auto read = record.parse(text, expression_columns(columns_view(columns)));
        CHECK(read.error().broken == rule::query_too_long);
        CHECK(record.parse(text.substr(1), expression_columns(columns_view(columns))) == where());
    }
}

}  // namespace grammar_limits_tests
