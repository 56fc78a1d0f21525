// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/json_reader.hpp>
#include <sluice/query/json_writer.hpp>

#include "make_tests.hpp"

using namespace sluice;
using test_samples::columns;
using test_samples::named;

namespace {

const columns_view all_columns(columns.begin(), columns.size());

part_test part(part_place place, std::vector<std::string> parts) {
    return {place, std::move(parts)};
}
std::string with(std::string_view rows) { return "{\"where\":" + std::string(rows) + "}"; }

/// Returns `text` inside `count` pairs of `before` and `after`.
std::string nested(std::string_view before, std::string_view text, std::string_view after,
                   int count) {
    std::string all;
    for (int at = 0; at < count; ++at) all.append(before);
    all.append(text);
    for (int at = 0; at < count; ++at) all.append(after);
    return all;
}

}  // namespace

TEST_CASE("a test holds for the values of its column") {
    using enum part_place;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string_view listed[] = {"Ab", ""};
    const std::int64_t ports[] = {80, -7};
    const cell absent, tags{std::span<const std::string_view>(listed)},
        no_tags{std::span<const std::string_view>()}, numbers{std::span<const std::int64_t>(ports)};
    const auto day = [](std::string_view text) { return parse_day(text).value(); };
    const struct {
        std::string_view name;
        column_test test;
        cell value;
        bool holds;
    } table[]{
        {"name", part(anywhere, {"b_"}), cell("ab_c"), true},
        {"name", part(anywhere, {"b_"}), cell("abxc"), false},
        {"name", part(anywhere, {"B"}), cell("abc"), false},
        {"name", part(anywhere, {"x", "c"}), cell("abc"), true},
        {"name", part(anywhere, {""}), cell(""), true},
        {"name", part(anywhere, {""}), absent, false},
        {"name", part(anywhere, {}), cell("a"), false},
        {"name", part(at_start, {"ab"}), cell("abc"), true},
        {"name", part(at_start, {"bc"}), cell("abc"), false},
        {"name", part(at_end, {"bc"}), cell("abc"), true},
        {"name", part(at_end, {"ab"}), cell("abc"), false},
        {"name", part(at_end, {"abcd"}), cell("abc"), false},
        {"city", part(anywhere, {"BC"}), cell("abcd"), true},
        {"city", part(at_end, {"CD"}), cell("abcd"), true},
        {"city", part(anywhere, {"ü"}), cell("Ü"), false},
        {"tags", part(at_start, {"aB"}), tags, true},
        {"tags", part(at_end, {""}), no_tags, false},
        {"tags", all_of_test{{"AB", ""}}, tags, true},
        {"tags", all_of_test{{"AB", "c"}}, tags, false},
        {"tags", all_of_test{}, no_tags, true},
        {"tags", all_of_test{}, absent, false},
        {"tags", null_test{true}, no_tags, false},
        {"tags", null_test{true}, absent, true},
        {"ports", all_of_test{{"80"}}, numbers, true},
        {"ports", all_of_test{{"080"}}, numbers, false},
        {"ports", text_test{filter({"-7"})}, numbers, true},
        {"ports", text_test{filter({"8"}, true)}, numbers, true},
        {"name", bounds<std::string>{.least = "a", .excludes_least = true}, cell("a"), false},
        {"name", bounds<std::string>{.least = "a", .excludes_least = true}, cell("\xFF"), true},
        {"name", bounds<std::string>{.most = "Z"}, absent, false},
        {"size", bounds<std::string>{.least = "medium"}, cell("Large"), true},
        {"size", bounds<std::string>{.least = "medium"}, cell("small"), false},
        {"size", bounds<std::string>{.least = "medium"}, cell("medium"), true},
        {"size", bounds<std::string>{.most = "medium"}, cell("tiny"), false},
        {"size", bounds<std::string>{.most = "tiny"}, cell("small"), false},
        {"size", bounds<std::string>{.least = "tiny"}, cell("small"), false},
        {"score", bounds<double>{.least = 0.0}, cell(-0.0), true},
        {"score", bounds<double>{.least = 0.5}, cell(nan), false},
        {"score", bounds<double>{}, cell(nan), false},
        {"score", bounds<double>{.most = 0.5}, cell(std::int64_t{0}), true},
        {"score", null_test{true}, cell(nan), true},
        {"score", null_test{false}, cell(0.0), true},
        {"due", bounds<calendar_day>{.most = day("2024-02-29")}, cell(day("2024-02-29")), true},
        {"due", bounds<calendar_day>{.most = day("2024-02-29")}, cell(day("2024-03-01")), false},
        {"due", text_test{filter({"2024-02-29"})}, cell(day("2024-02-29")), true},
        {"token", text_test{filter({"0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"})},
         cell("0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E"), true},
        {"created", null_test{false}, cell(instant()), true},
        {"data", null_test{true}, absent, true},
        {"data", null_test{false}, cell("{}"), true},
        {"seats", null_test{true}, cell("1"), true},  // of another type
    };
    int number = 0;
    for (const auto& [name, test, value, expected] : table) {
        CAPTURE(number++);
        CHECK(holds({named(name), test, {}}, value) == expected);
    }
}

TEST_CASE("tests and trees hold for the rows that a naive reading says") {
    test_samples::random_tests random(31);
    std::vector<test_samples::row> rows;
    for (int count = 0; count < 60; ++count) rows.push_back(random.make_row());
    std::size_t met = 0;
    for (int round = 0; round < 2'000; ++round) {
        const auto [tree, meets] = random.make_tree(round % 4);
        list_query query;
        query.rows = tree;
        CAPTURE(to_json(query));
        for (const test_samples::row& row : rows) {
            CHECK(tree.matches(row) == meets(row));
            met += meets(row) ? 1 : 0;
        }
        const auto read = parse_list_query(to_json(query), all_columns);
        REQUIRE(read);
        CHECK(read->rows == tree);
        CHECK(to_json(*read) == to_json(query));
        CHECK(query_mark(*read) == query_mark(query));
    }
    CHECK(met > 20'000);
    CHECK(met < 100'000);
}

TEST_CASE("each type of column has the tests of the form") {
    const struct {
        std::string_view column, tests;
    } table[]{
        {"id", "any_of none_of contains starts_with ends_with bounds"},
        {"name", "any_of none_of contains starts_with ends_with bounds is_null"},
        {"city", "any_of none_of contains starts_with ends_with is_null"},
        {"region", "any_of none_of is_null"},
        {"tags", "any_of none_of all_of contains starts_with ends_with is_null"},
        {"seats", "any_of none_of bounds is_null"},
        {"ports", "any_of none_of all_of is_null"},
        {"total", "bounds is_null"},
        {"score", "bounds is_null"},
        {"created", "bounds"},
        {"due", "any_of none_of bounds is_null"},
        {"token", "any_of none_of is_null"},
        {"tokens", "any_of none_of all_of is_null"},
        {"size", "any_of none_of bounds is_null"},
        {"sizes", "any_of none_of all_of is_null"},
        {"open", "is is_null"},
        {"data", "matches is_null"},
        {"lines", "any is_null"},
    };
    CHECK(std::size(table) == columns.size());
    for (const auto& [name, tests] : table) {
        std::string allowed;
        for (const test_record& record : test_records) {
            if (!allows_test(named(name), record.kind)) continue;
            allowed.append(allowed.empty() ? "" : " ").append(record.name);
        }
        CAPTURE(name);
        CHECK(allowed == tests);
    }
}

TEST_CASE("a test that can't be read is refused by the member at fault") {
    const struct {
        std::string json;
        rule broken;
        std::string message;
    } table[]{
        {R"({"column":"name","contains":[]})", rule::field_value,
         "where.contains of column name: a value that is not accepted, expected at least one text"},
        {R"({"column":"name","contains":"a"})", rule::field_type,
         "where.contains of column name: has the wrong type, expected an array"},
        {R"({"column":"name","starts_with":["a",1]})", rule::field_type,
         "where.starts_with[1] of column name: has the wrong type, expected a text"},
        {R"({"column":"region","contains":["a"]})", rule::field_unknown,
         "where: unknown test 'contains' of column region, expected any_of, none_of or is_null"},
        {R"({"column":"city","gte":"a"})", rule::field_unknown,
         "where: unknown test 'gte' of column city, expected any_of, none_of, contains, "
         "starts_with, ends_with or is_null"},
        {R"({"column":"id","is_null":true})", rule::field_unknown,
         "where: unknown test 'is_null' of column id, expected any_of, none_of, contains, "
         "starts_with, ends_with, gt, gte, lt or lte"},
        {R"({"column":"name","is_null":1})", rule::field_type,
         "where.is_null of column name: has the wrong type, expected true or false"},
        {R"({"column":"name","is_null":true,"gte":"a"})", rule::field_unknown,
         "where: several tests of column name, expected one of them"},
        {R"({"column":"tags","all_of":[]})", rule::field_value,
         "where.all_of of column tags: a value that is not accepted, expected at least one text"},
        {R"({"column":"name","gte":1})", rule::field_type,
         "where.gte of column name: has the wrong type, expected a text"},
        {R"({"column":"size","gte":"tiny"})", rule::choice_unknown,
         "where.gte of column size: not one of the accepted values, expected small, medium, Large "
         "or an 'XL'"},
        {R"({"column":"sizes","all_of":["small","tiny"]})", rule::choice_unknown,
         "where.all_of[1] of column sizes: not one of the accepted values, expected small, "},
        {R"({"column":"score","gte":"1"})", rule::field_type,
         "where.gte of column score: has the wrong type, expected a number"},
        {R"({"column":"score","gte":1e400})", rule::number_too_large,
         "where.gte of column score: too large, expected a number that a double can hold"},
        {R"({"column":"score","gte":-1e400})", rule::number_too_small,
         "where.gte of column score: too small, expected a number that a double can hold"},
        {R"({"column":"due","lt":"2025-02-29"})", rule::field_value,
         "where.lt of column due: a value that is not accepted, expected a day such as 2026-08-21"},
        {R"({"column":"due","any_of":["2024-02-29","today"]})", rule::field_value,
         "where.any_of[1] of column due: a value that is not accepted, expected a day such as "},
        {R"({"column":"token","any_of":["x"]})", rule::value_malformed,
         "where.any_of[0] of column token: not a value of this type, expected a UUID such as "},
        {R"({"column":"size"})", rule::field_missing,
         "where.any_of of column size: missing, expected a list of texts"},
        {R"({"column":"lines"})", rule::field_type, "where.any of column lines: "},
        {R"({"column":"lines","any":[]})", rule::field_type, "where.any of column lines: "},
        {R"({"column":"lines","any":{"column":"id","any_of":["a"]}})", rule::field_value,
         "where.any: no column 'id', expected sku or count"},
        {R"({"column":"lines","any":{"all":[{"column":"count","gte":"a"}]}})", rule::field_type,
         "where.any.all[0].gte of column count: has the wrong type, expected a whole number"},
    };
    for (const auto& [json, broken, text] : table) {
        CAPTURE(json);
        const auto read = parse_list_query(with(json), all_columns);
        REQUIRE_FALSE(read);
        CHECK(read.error().why.broken == broken);
        CHECK(message(read.error()).substr(0, text.size()) == text);
    }
    const auto size = parse_list_query(with(R"({"column":"token","any_of":["0190C7A6-5E2B-7C61-)"
                                            R"(9F0E-8D7B1A2C3D4E"]})"),
                                       all_columns);
    REQUIRE(size);
    CHECK(to_json(*size).find("0190c7a6") != std::string::npos);
}

TEST_CASE("a tree has as many tests and levels as the limits say") {
    const auto refused = [](const std::string& rows) {
        const auto read = parse_list_query(with(rows), all_columns);
        return read ? std::string() : message(read.error());
    };
    const std::string open = R"({"column":"open","is":true})";
    const auto several = [&](const std::string& test, int count) {
        std::string list = test;
        for (int at = 1; at < count; ++at) list.append(",").append(test);
        return R"({"all":[)" + list + "]}";
    };
    CHECK(refused(several(open, 256)) == "");
    CHECK(refused(several(open, 257)) ==
          "where.all[256]: too many conditions, expected at most 256 tests");
    const std::string records = R"({"column":"lines","any":{"column":"count","gte":1}})";
    CHECK(refused(several(records, 128)) == "");
    CHECK(refused(R"({"all":[)" + open + "," + several(records, 128).substr(8)) ==
          "where.all[128].any of column lines: too many conditions, expected at most 256 tests");
    CHECK(refused(nested(R"({"not":)", open, "}", 64)) == "");
    const std::string deep = refused(nested(R"({"not":)", open, "}", 65));
    CHECK(deep.substr(deep.find(':')) ==
          ": nested too deeply, expected at most 64 levels of all, any and not");
    CHECK(refused(nested(R"({"all":[)", open, "]}", 64)) == "");
    CHECK(refused(nested(R"({"any":[)", open, "]}", 65)) != "");
    CHECK(refused(R"({"not":{"not":)" + nested(R"({"all":[)", records, "]}", 61) + "}}") == "");
    CHECK(refused(R"({"not":{"not":)" + nested(R"({"all":[)", records, "]}", 62) + "}}") != "");
}

TEST_CASE("marks differ by test, and not by the order of values and their case") {
    const auto mark = [](std::string_view name, column_test test) {
        list_query query;
        query.rows = where(leaf{named(name), std::move(test), {}});
        return query_mark(query);
    };
    const std::vector<std::pair<std::string_view, column_test>> differing{
        {"tags", text_test{filter({"a"})}},
        {"tags", all_of_test{{"a"}}},
        {"tags", all_of_test{{"a", "b"}}},
        {"tags", all_of_test{{"ab"}}},
        {"tags", all_of_test{{"a 1:b"}}},
        {"tags", part(part_place::anywhere, {"a"})},
        {"tags", part(part_place::at_start, {"a"})},
        {"tags", part(part_place::at_end, {"a"})},
        {"tags", null_test{true}},
        {"tags", null_test{false}},
        {"lines", record_test(where())},
        {"lines", record_test(where::any({}))},
        {"name", bounds<std::string>{.least = "a", .most = "b"}},
        {"name", bounds<std::string>{.least = "a 1:b"}},
    };
    for (const auto& [name, test] : differing) {
        for (const auto& [other_name, other] : differing) {
            CHECK((mark(name, test) == mark(other_name, other)) == (&other == &test));
        }
    }
    CHECK(mark("tags", all_of_test{{"b", "A", "a"}}) == mark("tags", all_of_test{{"a", "B"}}));
    CHECK(mark("name", part(part_place::at_end, {"A"})) !=
          mark("name", part(part_place::at_end, {"a"})));
}
