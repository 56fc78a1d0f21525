// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/query/aggregate_reader.hpp>
#include <sluice/query/aggregate_writer.hpp>

#include "make_aggregates.hpp"

using namespace sluice;

namespace {

const columns_view sample_columns(test_samples::columns.begin(), test_samples::columns.size());

auto read(std::string_view json) { return parse_aggregate_query(json, sample_columns, zones()); }

}  // namespace

TEST_CASE("an aggregate query is read back as it was written") {
    test_samples::random_tests random(3);
    test_samples::random_aggregates aggregates(random);
    for (int round = 0; round < 2'000; ++round) {
        aggregate_query query = aggregates.make_query();
        query.rows = random.make_tree(2).first;
        if (random.below(5) == 0) query.resource = "orders";
        const std::string json = to_json(query);
        CAPTURE(json);
        const auto parsed = parse_aggregate_query(json, sample_columns, zones(), query.resource);
        REQUIRE(parsed);
        CHECK(*parsed == query);
        CHECK(to_json(*parsed) == json);
    }
}

TEST_CASE("members of an aggregate query have defaults") {
    CHECK(*read("{}") == aggregate_query());
    const auto query = read(R"({"group_by":[{"column":"created","bucket":"day"}],
        "measures":[{"measure":"sum","column":"total","as":"revenue"}],
        "order":[{"measure":"revenue","direction":"desc"}],"limit":10})");
    REQUIRE(query);
    CHECK(query->group_by.front().zone == time_zone::utc());
    CHECK(query->order == std::vector{aggregate_key{true, 0, sort_order::descending}});
    CHECK(query->limit == 10);
    CHECK(to_json(*query) ==
          R"({"where":{"all":[]},"group_by":[{"column":"created","bucket":"day","zone":"UTC"}],)"
          R"("measures":[{"measure":"sum","column":"total","as":"revenue"}],)"
          R"("order":[{"measure":"revenue","direction":"desc"}],"limit":10})");
}

TEST_CASE("an aggregate query's errors name the member at fault") {
    std::string orders = R"({"order":[{"measure":"count","direction":"asc"})";
    for (int left = 32; left > 0; --left) orders += R"(,{"measure":"count","direction":"asc"})";
    orders += "]}";
    struct {
        std::string_view json, said;
    } const cases[] = {
        {"", "malformed JSON, expected one JSON object a line"},
        {"[]", "query: has the wrong type, expected an object"},
        {R"({"groups":[]})",
         "tree: unknown member 'groups', expected resource, where, "
         "group_by, measures, order or limit"},
        {R"({"where":{"column":"seats","gte":"1"}})",
         "where.gte of column seats: has the wrong type, expected a whole number"},
        {R"({"group_by":{}})", "group_by: has the wrong type, expected an array"},
        {R"({"group_by":[{"column":"nme"}]})",
         "group_by[0]: no column 'nme' (did you mean 'name'?), expected id, name, city, region, "
         "tags, seats, ports, total, score, created, due, token, tokens, size, sizes, open, data "
         "or lines"},
        {R"({"group_by":[{"column":"name"},{"column":"data"}]})",
         "group_by[1]: a value that is not accepted, expected a path of a JSON column, and of no "
         "other"},
        {R"({"group_by":[{"column":"lines"}]})",
         "group_by[0]: a value that is not accepted, expected a column that isn't of records"},
        {R"({"group_by":[{"column":"data","path":["a",1]}]})",
         "group_by[0].path[1]: has the wrong type, expected a text"},
        {R"({"group_by":[{"column":"created","bucket":"minute"}]})",
         "group_by[0].bucket: a value that is not accepted, expected hour, day, week, month, "
         "quarter or year"},
        {R"({"group_by":[{"column":"due","bucket":"hour"}]})",
         "group_by[0]: a value that is not accepted, expected buckets of a time, or of at least a "
         "day of a date"},
        {R"({"group_by":[{"column":"created","bucket":"day","zone":"Europe/Pris"}]})",
         "group_by[0].zone: unknown time zone (did you mean 'Europe/Paris'?), expected an IANA "
         "name such as Europe/Paris"},
        {R"({"group_by":[{"column":"name","zone":"UTC"}]})",
         "group_by[0].zone: unknown field, expected with a bucket of a time"},
        {R"({"group_by":[{"column":"name","as":1}]})",
         "group_by[0].as: has the wrong type, expected a text"},
        {R"({"measures":[]})", "measures: too few items, expected at least 1"},
        {R"({"measures":[{"measure":"median"}]})",
         "measures[0].measure: a value that is not accepted, expected count, sum, min, max, "
         "average, count_distinct or approx_count_distinct"},
        {R"({"measures":[{"measure":"sum"}]})",
         "measures[0].column: has the wrong type, expected a text"},
        {R"({"measures":[{"measure":"count","column":"name"}]})",
         "measures[0].column: unknown field, leave it out of count"},
        {R"({"measures":[{"measure":"sum","column":"name"}]})",
         "measures[0]: a value that is not accepted, expected a column of numbers"},
        {R"({"measures":[{"measure":"count"},{"measure":"count"}]})",
         "measures: a value that is not accepted, expected groups and measures of different names"},
        {R"({"order":[{"measure":"cuont","direction":"asc"}]})",
         "order[0].measure: no measure 'cuont' (did you mean 'count'?), expected count"},
        {R"({"order":[{"group":"name","direction":"asc"}]})",
         "order[0].group: a value that is not accepted, expected a group of the query"},
        {R"({"order":[{"measure":"count","direction":"up"}]})",
         "order[0].direction: a value that is not accepted, expected asc or desc"},
        {R"({"order":[{"measure":"count","group":"name"}]})",
         "order[0]: a value that is not accepted, expected a group or a measure"},
        {orders, "order: too many items, expected at most 32"},
        {R"({"limit":1.5})", "limit: has the wrong type, expected a whole number"},
        {R"({"limit":0})", "limit: too small, expected at least 1"},
        {R"({"limit":10001})", "limit: too large, expected at most 10000"},
    };
    for (const auto& [json, said] : cases) {
        const auto query = read(json);
        CAPTURE(json);
        REQUIRE_FALSE(query);
        CHECK(message(query.error()) == said);
    }
}
