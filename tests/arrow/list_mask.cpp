// SPDX-License-Identifier: MIT
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/query/json_writer.hpp>

#include "../store/make_orders.hpp"
#include "make_array.hpp"

using namespace sluice;
using order_samples::named;
using order_samples::order;

namespace {

arrow_test::column_ptr make_tags(const std::vector<order>& orders) {
    arrow_test::codes sizes;
    arrow_test::cells items;
    for (const order& row : orders) {
        const auto& tags = row.tags;
        sizes.push_back(tags ? std::optional(static_cast<std::int64_t>(tags->size()))
                             : std::nullopt);
        if (tags) items.insert(items.end(), tags->begin(), tags->end());
    }
    return arrow_test::make_lists<std::int32_t>("+l", sizes, arrow_test::make_text("u", items));
}

/// Orders as a table of Arrow data.
arrow_test::column_ptr make_table(const std::vector<order>& orders) {
    const auto texts = [&](const auto& member) {
        arrow_test::cells cells;
        for (const order& row : orders) cells.push_back(member(row));
        return arrow_test::make_text("u", cells);
    };
    arrow_test::codes times, paid, seats, open;
    for (const order& row : orders) {
        times.push_back(row.created.time_since_epoch().count());
        paid.push_back(row.paid ? std::optional(row.paid->time_since_epoch().count())
                                : std::nullopt);
        seats.push_back(row.seats);
        open.push_back(row.open);
    }
    std::vector<std::pair<std::string, arrow_test::column_ptr>> columns;
    columns.emplace_back("status", texts([](const order& row) { return row.status; }));
    columns.emplace_back("data", texts([](const order& row) { return row.data; }));
    columns.emplace_back("seats", arrow_test::make_integers("l", seats));
    columns.emplace_back("created", arrow_test::make_integers("tsm:", times));
    columns.emplace_back("paid", arrow_test::make_integers("l", paid));
    columns.emplace_back("total", texts([](const order& row) { return row.total; }));
    columns.emplace_back("open", arrow_test::make_booleans(open));
    columns.emplace_back("tags", make_tags(orders));
    return arrow_test::make_table(std::move(columns), orders.size());
}

std::vector<bool> mask_of(const list_query& query, const arrow_test::column& table) {
    const auto filter = arrow::table_filter::make(table.type(), arrow::mask_conditions(query));
    REQUIRE(filter);
    const auto mask = filter->mask(table.array);
    REQUIRE(mask);
    return arrow_test::to_bools(*mask);
}

}  // namespace

TEST_CASE("a mask holds for the rows that the query's matches() takes") {
    order_samples::random_orders random(41);
    std::vector<order> orders;
    for (int i = 0; i < 300; ++i) orders.push_back(random.row());
    const auto table = make_table(orders);
    for (int round = 0; round < 1'000; ++round) {
        const list_query query = random.query();
        CAPTURE(to_json(query));
        std::vector<bool> expected;
        for (const order& row : orders) expected.push_back(query.matches(row));
        CHECK(mask_of(query, *table) == expected);
    }
}

TEST_CASE("an empty filter takes every row, of texts and of numbers") {
    order_samples::random_orders random(42);
    std::vector<order> orders;
    for (int i = 0; i < 20; ++i) orders.push_back(random.row());
    const auto table = make_table(orders);
    for (const std::string_view name : {"status", "seats"}) {
        list_query query;
        query.rows = where::all_of({{named(name), text_test{filter()}}});
        REQUIRE(query.matches(orders[0]));
        CHECK(mask_of(query, *table) == std::vector<bool>(20, true));
    }
}

TEST_CASE("a number is named by its own text alone") {
    std::vector<order> orders{{.id = "a", .seats = 7}, {.id = "b", .seats = 100}};
    const auto table = make_table(orders);
    list_query query;
    query.rows = where::all_of({{named("seats"), text_test{filter({"07", "1e2", "7"}, false)}}});
    CHECK(mask_of(query, *table) ==
          std::vector<bool>{query.matches(orders[0]), query.matches(orders[1])});
    CHECK(query.matches(orders[0]));
    CHECK_FALSE(query.matches(orders[1]));
}

TEST_CASE("text that isn't JSON is as if missing") {
    std::vector<order> orders;
    for (const std::string_view text :
         {R"({"a":1})", R"({"a":1}x)", R"({"a":1,)", "{", "", "\xFF", R"({"a":1,"b":"\xFF"})"}) {
        orders.push_back({.id = "a", .data = std::string(text)});
    }
    const auto table = make_table(orders);
    list_query query;
    query.rows = where(leaf{named("data"), *parse_metadata_query("metadata['a']:1")});
    std::vector<bool> expected(orders.size(), false);
    expected[0] = true;
    CHECK(mask_of(query, *table) == expected);
    query.rows = where::negation(std::move(query.rows));
    expected.flip();
    CHECK(mask_of(query, *table) == expected);
}

TEST_CASE("conditions that all have to hold are asked from the cheapest on") {
    const auto names = [](const list_query& query) {
        std::string all;
        for (const auto& condition : arrow::mask_conditions(query).conditions)
            all += condition.column + ' ';
        return all;
    };
    const leaf plan{named("data"), *parse_metadata_query("metadata['plan']:a")};
    const leaf status{named("status"), text_test{filter({"a"}, false)}};
    const leaf created{named("created"), bounds<instant>{}};
    list_query query;
    query.rows = where::all_of({plan, status, created});
    CHECK(names(query) == "created status data ");
    query.rows = where::any({where(plan), where(status), where(created)});
    CHECK(names(query) == "data status created ");
}

TEST_CASE("a leaf that is known to hold is not asked, wherever it is in the tree") {
    const auto table = make_table({{.id = "a", .seats = 7}, {.id = "b", .seats = 8}});
    const where seven(leaf{named("seats"), text_test{filter({"7"}, false)}});
    const where known(leaf{named("status"), text_test{filter({"x"}, false)}});
    const auto mask = [&](where rows) {
        list_query query;
        query.rows = std::move(rows);
        const auto conditions = arrow::mask_conditions(query, [](const leaf& source) {
            return source.subject.name == "status" ? std::nullopt : arrow::place_by_schema(source);
        });
        const auto filter = arrow::table_filter::make(table->type(), conditions);
        REQUIRE(filter);
        return arrow_test::to_bools(filter->mask(table->array).value());
    };
    CHECK(mask(where::all({known, seven})) == std::vector{true, false});
    CHECK(mask(where::any({seven, known})) == std::vector{true, true});
    CHECK(mask(where::all({where::negation(known), seven})) == std::vector{false, false});
}

TEST_CASE("what is wrong with a column is told, whatever the rest of the tree says") {
    auto table = make_table({{.id = "a", .seats = 7}});
    const where seven(leaf{named("seats"), text_test{filter({"7"}, false)}});
    const where created(leaf{named("created"), bounds<instant>{}});
    list_query query;
    query.rows = where::any({seven, created});
    const auto filter = arrow::table_filter::make(table->type(), arrow::mask_conditions(query));
    REQUIRE(filter);
    table->child_arrays[3]->release = nullptr;
    CHECK(message(filter->mask(table->array).error()) ==
          "created: column 'created': an array that was released");
}
