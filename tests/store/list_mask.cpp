// SPDX-License-Identifier: MIT
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/list_query_json.hpp>
#include <sluice/store/list_mask.hpp>

#include "../arrow/make_array.hpp"
#include "make_orders.hpp"

using namespace sluice;
using made_orders::named;
using made_orders::order;

namespace {

/// Orders as a table of Arrow data.
arrow_test::column_ptr make_table(const std::vector<order>& orders) {
    const auto texts = [&](const auto& member) {
        arrow_test::cells cells;
        for (const order& each : orders) cells.push_back(member(each));
        return arrow_test::make_text("u", cells);
    };
    arrow_test::codes times, seats;
    for (const order& each : orders) {
        times.push_back(each.created.time_since_epoch().count());
        seats.push_back(each.seats);
    }
    std::vector<std::pair<std::string, arrow_test::column_ptr>> columns;
    columns.emplace_back("status", texts([](const order& each) { return each.status; }));
    columns.emplace_back("data", texts([](const order& each) { return each.data; }));
    columns.emplace_back("seats", arrow_test::make_integers("l", seats));
    columns.emplace_back("created", arrow_test::make_integers("tsm:", times));
    return arrow_test::make_table(std::move(columns), orders.size());
}

bool is_masked(const leaf& each) {
    const std::string_view name = each.subject.name;
    return name == "status" || name == "data" || name == "seats" || name == "created";
}

}  // namespace

TEST_CASE("a mask holds for the rows that the query's matches() takes") {
    made_orders::random_orders random(41);
    std::vector<order> orders;
    for (int i = 0; i < 300; ++i) orders.push_back(random.row());
    const auto table = make_table(orders);
    for (int round = 0; round < 300; ++round) {
        std::vector<leaf> leaves;
        while (leaves.size() < random.below(4) + 1) {
            leaf each = random.condition();
            if (is_masked(each)) leaves.push_back(std::move(each));
        }
        list_query query;
        query.rows = where::all_of(std::move(leaves));
        CAPTURE(to_json(query));
        auto conditions = store::mask_conditions(query);
        REQUIRE(conditions);
        const auto filter = arrow::table_filter::make(table->type(), *std::move(conditions));
        REQUIRE(filter);
        const auto mask = filter->mask(table->array);
        REQUIRE(mask);
        std::vector<bool> expected;
        for (const order& each : orders) expected.push_back(query.matches(each));
        CHECK(arrow_test::to_bools(*mask) == expected);
    }
}

TEST_CASE("an empty filter takes every row, of texts and of numbers") {
    made_orders::random_orders random(42);
    std::vector<order> orders;
    for (int i = 0; i < 20; ++i) orders.push_back(random.row());
    const auto table = make_table(orders);
    for (const std::string_view name : {"status", "seats"}) {
        list_query query;
        query.rows = where::all_of({{named(name), text_test{filter()}}});
        REQUIRE(query.matches(orders[0]));
        const auto made = arrow::table_filter::make(table->type(), *store::mask_conditions(query));
        REQUIRE(made);
        CHECK(arrow_test::to_bools(made->mask(table->array).value()) ==
              std::vector<bool>(20, true));
    }
}

TEST_CASE("a number is named by its own text alone") {
    std::vector<order> orders{{.id = "a", .seats = 7}, {.id = "b", .seats = 100}};
    const auto table = make_table(orders);
    list_query query;
    query.rows = where::all_of({{named("seats"), text_test{filter({"07", "1e2", "7"}, false)}}});
    const auto made = arrow::table_filter::make(table->type(), *store::mask_conditions(query));
    REQUIRE(made);
    CHECK(arrow_test::to_bools(made->mask(table->array).value()) ==
          std::vector<bool>{query.matches(orders[0]), query.matches(orders[1])});
    CHECK(query.matches(orders[0]));
    CHECK_FALSE(query.matches(orders[1]));
}

TEST_CASE("what no mask can ask is refused, by its column") {
    list_query query;
    query.rows = where(leaf{named("open"), boolean_test{true}});
    CHECK(store::mask_conditions(query).error().kind == arrow::fault::unsupported);
    query.rows = where::all_of({{named("open"), boolean_test{true}}});
    CHECK(message(store::mask_conditions(query).error()) ==
          "open: no mask compares columns of type boolean");
    query.rows = where::all_of({{named("total"), bounds<decimal_number>{}}});
    CHECK(message(store::mask_conditions(query).error()) ==
          "total: no mask compares columns of type decimal");
    query.rows = where::negation(where(leaf{named("status"), text_test{filter({"a"}, false)}}));
    CHECK(message(store::mask_conditions(query).error()) ==
          "expected conditions joined by AND alone");
}
