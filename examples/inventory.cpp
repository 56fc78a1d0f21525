// SPDX-License-Identifier: MIT
// A list of a program's own structs: conditions, order, pages, cursors and total.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <sluice/query.hpp>
#include <sluice/sluice.hpp>

struct item {
    std::string sku;
    std::string name;
    std::optional<std::string> brand;
    std::int64_t cents;
    std::vector<std::string> tags;
};

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "name"},
    sluice::column{.name = "brand", .is_nullable = true, .how = sluice::collation::ignore_case},
    sluice::column{.name = "price", .type = sluice::column_type::decimal},
    sluice::column{.name = "tags", .is_list = true}};
constexpr std::array<std::string_view, 2> sorts{"name", "price"};

struct items_query : sluice::list_page {
    sluice::filter brand, tags;
    std::optional<sluice::decimal_number> least, most;
    sluice::sort_choices order{{0, sluice::sort_order::ascending}};
};

constexpr sluice::param_table params{
    columns,
    sluice::filter_param<&items_query::brand>({.name = "brand", .column = "brand"}),
    sluice::filter_param<&items_query::tags>({.name = "tag", .column = "tags"}),
    sluice::value_param<&items_query::least>(
        {.name = "price[gte]", .column = "price", .op = sluice::comparison::at_least}),
    sluice::value_param<&items_query::most>(
        {.name = "price[lt]", .column = "price", .op = sluice::comparison::less_than}),
    sluice::sort_param<&items_query::order, sorts>({.name = "sort"}),
    sluice::page_params<items_query, 100>()};

// The members that have the values of the columns.
constexpr auto item_accessors = sluice::accessors_of<item>(
    columns, sluice::member<&item::sku>("id"), sluice::member<&item::name>("name"),
    sluice::member<&item::brand>("brand"), sluice::member<&item::cents, 2>("price"),
    sluice::member<&item::tags>("tags"));

int main(int, char** arguments) {
    const std::vector<item> items{{"s1", "desk", "Oak", 19'900, {"wood", "office"}},
                                  {"s2", "lamp", "Lux", 2'999, {"office"}},
                                  {"s3", "chair", "oak", 7'950, {"wood"}},
                                  {"s4", "stool", {}, 2'999, {"wood"}}};
    const auto pairs = sluice::parse_query_string(arguments[1]);
    const auto query = sluice::bind(params, pairs.pairs());
    if (!query) {
        std::cout << sluice::message(query.error()) << '\n';
        return 1;
    }
    const auto page = sluice::list(items, sluice::to_list_query(params, *query), item_accessors);
    if (!page) {
        std::cout << sluice::message(page.error()) << '\n';
        return 1;
    }
    for (const item& row : *page) std::cout << row.name << '\n';
    if (page->total) std::cout << *page->total << " in all\n";
    if (page->next) std::cout << "next: cursor=" << *sluice::to_string(*page->next) << '\n';
}
