// SPDX-License-Identifier: MIT
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/query/json_writer.hpp>

#include "../query/make_tests.hpp"
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

/// Returns lists of the items that `member(row)` has; `make(items)` makes the array of all items.
template <class Item, class Member, class Make>
arrow_test::column_ptr make_lists_of(const std::vector<test_samples::row>& rows,
                                     const Member& member, const Make& make) {
    arrow_test::codes sizes;
    std::vector<std::optional<Item>> items;
    for (const test_samples::row& row : rows) {
        const auto& list = member(row);
        sizes.push_back(list ? std::optional(static_cast<std::int64_t>(list->size()) + 1)
                             : std::nullopt);
        if (!list) continue;
        for (const auto& item : *list) items.push_back(Item(item));
        items.push_back(std::nullopt);  // a null in each list, which is no item
    }
    return arrow_test::make_lists<std::int64_t>("+L", sizes, make(items));
}

arrow_test::column_ptr make_lines(const std::vector<std::optional<test_samples::line>>& lines) {
    arrow_test::cells skus;
    arrow_test::codes counts;
    std::vector<bool> valid;
    for (const auto& line : lines) {
        valid.push_back(line.has_value());
        skus.push_back(line ? line->sku : "a");
        counts.push_back(line ? line->count : 80);
    }
    std::vector<std::pair<std::string, arrow_test::column_ptr>> columns;
    columns.emplace_back("sku", arrow_test::make_text("u", skus));
    columns.emplace_back("count", arrow_test::make_integers("l", counts));
    auto table = arrow_test::make_table(std::move(columns), lines.size());
    table->buffers.clear();
    table->add_validity(valid);
    table->wire();
    return table;
}

/// Rows of every type as a table of Arrow data.
arrow_test::column_ptr make_samples(const std::vector<test_samples::row>& rows) {
    using test_samples::row;
    std::vector<std::pair<std::string, arrow_test::column_ptr>> columns;
    const auto add_texts = [&](const std::string& name, const std::string& format, auto member) {
        arrow_test::cells cells;
        for (const row& one : rows) cells.push_back(one.*member);
        columns.emplace_back(name, arrow_test::make_text(format, cells));
    };
    const auto add_text_lists = [&](const std::string& name, auto member) {
        columns.emplace_back(
            name, make_lists_of<std::string>(
                      rows, [&](const row& one) { return one.*member; },
                      [](const auto& items) { return arrow_test::make_text("vu", items); }));
    };
    add_texts("id", "u", &row::id);
    add_texts("name", "u", &row::name);
    add_texts("city", "vu", &row::city);
    add_texts("region", "U", &row::region);
    add_texts("total", "u", &row::total);
    add_texts("token", "u", &row::token);
    add_texts("data", "u", &row::data);
    add_text_lists("tags", &row::tags);
    add_text_lists("tokens", &row::tokens);
    add_text_lists("sizes", &row::sizes);
    arrow_test::codes seats, created, open, sizes;
    std::vector<std::optional<double>> scores;
    std::vector<std::optional<std::int32_t>> days;
    arrow_test::cells choices(test_samples::sizes.begin(), test_samples::sizes.end());
    choices.push_back(std::nullopt);  // the code of some rows without a choice
    for (const row& one : rows) {
        seats.push_back(one.seats);
        created.push_back(one.created.time_since_epoch().count());
        open.push_back(one.open);
        scores.push_back(one.score);
        days.push_back(
            one.due ? std::optional(static_cast<std::int32_t>(one.due->time_since_epoch().count()))
                    : std::nullopt);
        const auto place = std::ranges::find(choices, arrow_test::cell(one.size));
        sizes.push_back(place - choices.begin());
    }
    columns.emplace_back("seats", arrow_test::make_integers("l", seats));
    columns.emplace_back("created", arrow_test::make_integers("tsm:", created));
    columns.emplace_back("open", arrow_test::make_booleans(open));
    columns.emplace_back("score", arrow_test::make_values<double>("g", scores));
    columns.emplace_back("due", arrow_test::make_values<std::int32_t>("tdD", days));
    columns.emplace_back("size",
                         arrow_test::make_coded("c", sizes, arrow_test::make_text("u", choices)));
    columns.emplace_back(
        "ports", make_lists_of<std::int64_t>(
                     rows, [](const row& one) { return one.ports; },
                     [](const auto& items) { return arrow_test::make_integers("l", items); }));
    columns.emplace_back("lines", make_lists_of<test_samples::line>(
                                      rows, [](const row& one) { return one.lines; }, make_lines));
    return arrow_test::make_table(std::move(columns), rows.size());
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

TEST_CASE("a mask of any test holds for the rows that a naive function takes") {
    test_samples::random_tests random(43);
    std::vector<test_samples::row> rows;
    for (int i = 0; i < 200; ++i) rows.push_back(random.make_row());
    const auto table = make_samples(rows);
    for (int round = 0; round < 3'000; ++round) {
        auto [tree, meets] = random.make_tree(2);
        list_query query;
        query.rows = std::move(tree);
        CAPTURE(to_json(query));
        std::vector<bool> expected;
        for (const test_samples::row& row : rows) expected.push_back(meets(row));
        CHECK(mask_of(query, *table) == expected);
    }
}

TEST_CASE("columns of another type than a test's are refused") {
    const auto table = make_samples(std::vector<test_samples::row>(1));
    struct refusal {
        std::string_view column;
        column_test test;
        std::string_view stored, what;
    };
    const record_test lines(where(leaf{test_samples::named("seats"), bounds<std::int64_t>{}, {}}));
    const std::vector<refusal> refusals{
        {"score", bounds<double>{}, "name",
         "score: column 'name': expected floats, integers or a dictionary of these, not text"},
        {"due", bounds<calendar_day>{}, "created",
         "due: column 'created': expected dates, text such as 2026-08-21 or a dictionary of "
         "these, not timestamp[ms]"},
        {"token", text_test{filter({"a"})}, "seats",
         "token: column 'seats': expected text, 16 bytes of a UUID or a dictionary of these, not "
         "int64"},
        {"name", part_test{{}, {"a"}}, "score",
         "name: column 'score': expected text or a dictionary of text, not float64"},
        {"ports", all_of_test{{"1"}}, "seats", "ports: column 'seats': expected lists, not int64"},
        {"ports", all_of_test{{"1"}}, "tags",
         "ports: column 'tags': expected integers or a dictionary of integers, not text views"},
        {"lines", lines, "ports", "lines: column 'ports': expected a table, not a column of int64"},
        {"lines", lines, "lines", "lines: column 'lines': seats: the table has no column 'seats'"},
    };
    for (const refusal& row : refusals) {
        CAPTURE(row.what);
        list_query query;
        query.rows = where(leaf{test_samples::named(row.column), row.test, {}});
        const auto conditions = arrow::mask_conditions(query, [&](const leaf& source) {
            const bool is_outer = source.subject.name == row.column;
            const std::string_view name = is_outer ? row.stored : source.subject.name;
            return std::optional(
                arrow::mask_place{std::string(source.subject.name), std::string(name)});
        });
        const auto filter = arrow::table_filter::make(table->type(), conditions);
        REQUIRE_FALSE(filter);
        CHECK(message(filter.error()) == row.what);
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
