// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/query/json_reader.hpp>
#include <sluice/query/json_writer.hpp>

#include "../store/make_orders.hpp"

using namespace sluice;
using order_samples::columns;
using order_samples::named;
using sluice::parse_list_query;

namespace {

const columns_view all_columns(columns.begin(), columns.size());

/// A query whose only condition is a leaf, as JSON.
std::string with(std::string_view leaf) { return "{\"where\":" + std::string(leaf) + "}"; }

}  // namespace

TEST_CASE("what a query is written as reads back as the same query") {
    order_samples::random_orders random(21);
    for (int round = 0; round < 2'000; ++round) {
        list_query query = random.query();
        if (random.below(5) == 0) query.search = "a \"b\"";
        if (random.below(5) == 0) query.resource = "orders";
        if (random.below(3) == 0) {
            query.from = cursor{random.below(2) == 0, 7, 1, {"a", std::nullopt}};
            query.wanted.number = 1;
        }
        for (sort_key& key : query.order) {
            key.is_unique = key.by.name != "id" && random.below(3) == 0;
        }
        const std::string json = to_json(query);
        CAPTURE(json);
        const auto read = parse_list_query(json, all_columns, query.resource);
        REQUIRE(read);
        CHECK(*read == query);
        CHECK(std::ranges::equal(read->order, query.order, {}, &sort_key::is_unique,
                                 &sort_key::is_unique));
        CHECK(to_json(*read) == json);
    }
}

TEST_CASE("a blank expression and what is left out are as in a query of nothing") {
    const leaf blank{named("data"), metadata_query()};
    list_query query;
    query.rows = where(blank);
    CHECK(parse_list_query(to_json(query), all_columns) == query);
    CHECK(parse_list_query("{}", all_columns) == list_query());
    CHECK(parse_list_query(R"({"where":{"all":[]}})", all_columns)->rows.empty());
    CHECK(parse_list_query(with(R"({"column":"created","gte":"2026-08-21T02:30:15Z"})"),
                           all_columns) ==
          parse_list_query(
              with(R"({"column":"created","window":false,"gte":"2026-08-21T02:30:15Z"})"),
              all_columns));
    const auto reordered =
        parse_list_query(with(R"({"any_of":["a"],"column":"status"})"), all_columns);
    REQUIRE(reordered);
    CHECK(reordered->rows == where(leaf{named("status"), text_test{filter({"a"}, false)}}));
}

TEST_CASE("an expression of metadata is read back as the same tree") {
    for (const std::string_view text :
         {"metadata['a']:1", "metadata['a']:1 OR metadata['b']['c']!='x'",
          "NOT (metadata['a']:1 AND metadata['b']>2)",
          "metadata['a']:1 AND (metadata['b']>=2 OR NOT metadata['c']<3) AND metadata['d']<=4"}) {
        CAPTURE(text);
        list_query query;
        query.rows = where(leaf{named("data"), parse_metadata_query(text).value()});
        CHECK(parse_list_query(to_json(query), all_columns) == query);
    }
}

TEST_CASE("what can't be read is refused by the member at fault") {
    struct {
        std::string json;
        rule broken;
        std::string_view param;
    } const table[]{
        {"", rule::json_malformed, ""},
        {"{", rule::json_malformed, ""},
        {"{}}", rule::json_malformed, ""},
        {R"({"where":{"column":"name","any_of":["\ud83d"]}})", rule::json_malformed, ""},
        {"[]", rule::field_type, "query"},
        {R"({"wher":{}})", rule::field_unknown, "query"},
        {R"({"total":true,"total":true})", rule::field_unknown, "query"},
        {R"({"total":1})", rule::field_type, "total"},
        {R"({"search":1})", rule::field_type, "search"},
        {R"({"resource":"links"})", rule::field_value, "resource"},
        {R"({"page":{"number":1e400,"size":1}})", rule::number_too_large, "page"},
        {R"({"page":{"number":1.5,"size":1}})", rule::field_type, "page"},
        {R"({"page":{"number":0,"size":1}})", rule::field_value, "page"},
        {R"({"page":{"number":1}})", rule::field_type, "page"},
        {R"({"page":{"number":1,"size":-1}})", rule::field_value, "page"},
        {R"({"page":{"number":1,"size":1},"cursor":{"text":"AQ","size":1}})",
         rule::cursor_with_page, "cursor"},
        {R"({"cursor":{"text":"AQ","size":1}})", rule::cursor_malformed, "cursor"},
        {with(R"({"column":"created","window":1})"), rule::field_type, "window"},
        {with(R"({"column":"seats","gte":1,"window":true})"), rule::field_unknown, "where"},
        {R"({"order":{}})", rule::field_type, "order"},
        {R"({"order":[{"column":"color","direction":"asc"}]})", rule::field_value, "column"},
        {R"({"order":[{"column":"status","direction":"up"}]})", rule::field_value, "direction"},
        {R"({"order":[{"column":"status","direction":"asc","unique":1}]})", rule::field_type,
         "unique"},
        {with("[]"), rule::field_type, "where"},
        {with("{}"), rule::field_missing, "where"},
        {with(R"({"all":[],"any":[]})"), rule::field_unknown, "where"},
        {with(R"({"not":[]})"), rule::field_type, "where"},
        {with(R"({"column":"color","any_of":[]})"), rule::field_value, "column"},
        {with(R"({"column":1,"any_of":[]})"), rule::field_type, "column"},
        {with(R"({"column":"status"})"), rule::field_missing, "any_of"},
        {with(R"({"column":"status","is":true})"), rule::field_unknown, "where"},
        {with(R"({"column":"status","any_of":[1]})"), rule::field_type, "any_of"},
        {with(R"({"column":"status","any_of":[],"none_of":[]})"), rule::field_unknown, "where"},
        {with(R"({"column":"status","collation":"exact","any_of":[]})"), rule::field_value,
         "collation"},
        {with(R"({"column":"open"})"), rule::field_missing, "is"},
        {with(R"({"either":[]})"), rule::field_unknown, "where"},
        {with(R"({"column":"open","is":1})"), rule::field_type, "is"},
        {with(R"({"column":"seats","gte":"1"})"), rule::field_type, "gte"},
        {with(R"({"column":"seats","gte":1,"gt":1})"), rule::field_value, "gte"},
        {with(R"({"column":"total","lt":1})"), rule::field_type, "lt"},
        {with(R"({"column":"total","lt":"ten"})"), rule::number_malformed, "lt"},
        {with(R"({"column":"paid","lte":"2026"})"), rule::field_value, "lte"},
        {with(R"({"column":"data"})"), rule::field_type, "matches"},
        {with(R"({"column":"data","matches":{}})"), rule::field_value, "matches"},
        {with(R"({"column":"data","matches":{"any":[]}})"), rule::field_value, "matches"},
        {with(R"({"column":"data","matches":{"not":{"all":[]}}})"), rule::field_value, "matches"},
        {with(R"({"column":"data","matches":{"path":[],"equal":"a"}})"), rule::field_value, "path"},
        {with(R"({"column":"data","matches":{"path":[1],"equal":"a"}})"), rule::field_type, "path"},
        {with(R"({"column":"data","matches":{"path":["a"]}})"), rule::field_missing, "matches"},
        {with(R"({"column":"data","matches":{"path":["a"],"equal":1}})"), rule::field_type,
         "equal"},
        {with(R"({"column":"data","matches":{"path":["a"],"gt":"x"}})"), rule::query_number,
         "matches"},
    };
    for (const auto& [json, broken, param] : table) {
        CAPTURE(json);
        const auto read = parse_list_query(json, all_columns);
        REQUIRE_FALSE(read);
        CHECK(read.error().why.broken == broken);
        CHECK(read.error().why.param == param);
    }
    struct {
        std::string json;
        std::string message;
    } const places[]{
        {R"({"wher":{}})",
         "tree: unknown member 'wher' (did you mean 'where'?), expected resource, search, where, "
         "order, page, cursor or total"},
        {R"({"column":"status","any_of":["a"]})",
         "tree: unknown member 'column', expected resource, search, where, order, page, cursor or "
         "total; put conditions under 'where'"},
        {with(R"({"column":"color","any_of":["a"]})"), "where: no column 'color', expected "},
        {with(R"({"column":"total","lt":1.5})"),
         "where: lt of decimal column total must be text, such as \"1.5\", not a float"},
        {with(R"({"column":"status","any_of":["a"],"none_of":["b"]})"),
         "where: several tests of column status, expected one of them"},
        {with(R"({"column":"seats","gte":1,"gte":2})"),
         "where: several tests of column seats, expected one of them"},
        {with(R"({"column":"status","gte":"a"})"),
         "where: unknown test 'gte' of column status, expected any_of, none_of, contains, "
         "starts_with, ends_with or is_null"},
        {R"({"order":[{"column":"status","direction":"asc"},{"column":"color"}]})",
         "order[1]: no column 'color', expected "},
        {R"({"page":{"number":1,"size":-1}})",
         "page.size: a value that is not accepted, expected 0 or more"},
        {R"({"page":{"number":0,"size":1}})",
         "page.number: a value that is not accepted, expected 1 or more"},
        {R"({"cursor":{"text":"AQ","size":1}})", "cursor.text: not a cursor, take it from "},
        {with(R"({"either":[]})"),
         "where: unknown field, expected a column and a test, or all, any or not"},
        {with(R"({"all":[{"column":"open","is":true},{"not":{"column":"total","lt":1}}]})"),
         "where.all[1].not: lt of decimal column total must be text, such as \"1.5\", not an "
         "integer"},
        {with(R"({"any":[{"column":"status","any_of":["a",1]}]})"),
         "where.any[0].any_of[1] of column status: has the wrong type, expected a text"},
        {with(R"({"column":"seats","gte":1,"equal":1})"),
         "where: unknown test 'equal' of column seats, expected any_of, none_of, gt, gte, lt, lte "
         "or "
         "is_null"},
        {with(R"({"column":"status","collation":"url","any_of":[]})"),
         "where.collation of column status: a value that is not accepted, expected the column's, "},
        {with(
             R"({"column":"data","matches":{"any":[{"path":["a"],"equal":"1"},{"path":["a",2]}]}})"),
         "where.matches.any[1].path[1] of column data: has the wrong type, expected a text"},
        {with(R"({"column":"data","matches":{"not":{"path":["a"],"equal":1}}})"),
         "where.matches.not.equal of column data: has the wrong type, expected a text"},
        {with(R"({"column":"data","collation":"url","matches":{"path":["a"],"equal":"1"}})"),
         "where.collation of column data: "},
    };
    for (const auto& [json, text] : places) {
        CAPTURE(json);
        const auto read = parse_list_query(json, all_columns);
        REQUIRE_FALSE(read);
        CHECK(message(read.error()).substr(0, text.size()) == text);
    }
    const std::string deep = with(std::string(300, '[') + std::string(300, ']'));
    CHECK(parse_list_query(deep, all_columns).error().why.broken == rule::json_too_deep);
}

TEST_CASE("an integer beyond 64 bits is an error in its place") {
    const std::string large = "9223372036854775808", small = "-9223372036854775809";
    const std::string nines(400, '9');
    struct {
        std::string json;
        rule broken;
        std::string message;
    } const table[]{
        {with(R"({"column":"seats","gte":)" + large + "}"), rule::number_too_large,
         "where.gte of column seats: too large, expected a whole number of 64 bits"},
        {with(R"({"column":"seats","lt":)" + small + "}"), rule::number_too_small,
         "where.lt of column seats: too small, expected a whole number of 64 bits"},
        {with(R"({"column":"seats","gt":18446744073709551615})"), rule::number_too_large,
         "where.gt of column seats: "},
        {with(R"({"column":"seats","gt":18446744073709551616})"), rule::number_too_large,
         "where.gt of column seats: "},
        {with(R"({"column":"seats","lte":-)" + nines + "}"), rule::number_too_small,
         "where.lte of column seats: "},
        {with(R"({"column":"seats","lte":)" + nines + ".5}"), rule::number_too_large,
         "where.lte of column seats: "},
        {with(R"({"column":"seats","gte":1e400})"), rule::number_too_large,
         "where.gte of column seats: "},
        {with(R"({"column":"seats","gte":1e30})"), rule::number_too_large,
         "where.gte of column seats: "},
        {with(R"({"column":"seats","gte":1e2})"), rule::field_type,
         "where.gte of column seats: has the wrong type, expected a whole number"},
        {with(R"({"column":"seats","gte":1e-400})"), rule::field_type, "where.gte of column seats"},
        {with(R"({"any":[{"not":{"column":"seats","gte":)" + large + "}}]}"),
         rule::number_too_large, "where.any[0].not.gte of column seats: "},
        {with(R"({"column":"total","lt":)" + nines + "}"), rule::field_type,
         "where: lt of decimal column total must be text, such as \"1.5\", not an integer"},
        {with(R"({"column":"status","any_of":["{\"a\":1",)" + large + "]}"), rule::field_type,
         "where.any_of[1] of column status: has the wrong type, expected a text"},
        {R"({"page":{"number":)" + large + R"(,"size":1}})", rule::number_too_large,
         "page.number: "},
        {R"({"page":{"number":1,"size":)" + small + "}}", rule::number_too_small, "page.size: "},
        {R"({"total":)" + large + "}", rule::field_type, "total: "},
        {large, rule::field_type, "query: "},
    };
    for (const auto& [json, broken, text] : table) {
        CAPTURE(json);
        const auto read = parse_list_query(json, all_columns);
        REQUIRE_FALSE(read);
        CHECK(read.error().why.broken == broken);
        CHECK(message(read.error()).substr(0, text.size()) == text);
    }
    for (const std::string bound : {"9223372036854775807", "-9223372036854775808", "0", "-1"}) {
        const std::string json = with(R"({"column":"seats","gte":)" + bound + "}");
        CHECK(to_json(*parse_list_query(json, all_columns)).find(":" + bound + "}") != json.npos);
    }
}

TEST_CASE("no text is read as anything but a query or an error") {
    order_samples::random_orders random(22);
    for (int round = 0; round < 4'000; ++round) {
        std::string json = to_json(random.query());
        for (std::size_t change = random.below(4); change > 0; --change) {
            const std::size_t at = random.below(json.size());
            if (random.below(2) == 0)
                json.erase(at, 1 + random.below(9));
            else
                json[at] = static_cast<char>(random.below(256));
            if (json.empty()) break;
        }
        const auto read = parse_list_query(json, all_columns);
        if (read) CHECK(parse_list_query(to_json(*read), all_columns) == *read);
    }
}
