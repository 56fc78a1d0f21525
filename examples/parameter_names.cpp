// SPDX-License-Identifier: MIT
// Keeps the parameter names of an API that exists.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <sluice/sluice.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "status"},
    sluice::column{.name = "price", .type = sluice::column_type::decimal},
    sluice::column{.name = "created", .type = sluice::column_type::time}};
constexpr std::array<std::string_view, 2> sorts{"price", "created"};

struct goods : sluice::list_window, sluice::list_page {
    std::optional<sluice::decimal_number> least;
    std::vector<std::string> states;
    sluice::filter others;
    sluice::sort_choices order;
};

constexpr sluice::window_names times{
    .interval = {}, .start = "created_after", .end = "created_before", .timezone = {}};
constexpr sluice::page_names pages{
    .page = {}, .offset = "offset", .limit = "limit", .cursor = "after", .count = {}};

constexpr sluice::param_table params{
    columns,
    sluice::value_param<&goods::least>(
        {.name = "price__gte", .column = "price", .op = sluice::comparison::at_least}),
    sluice::list_param<&goods::states>(
        {.name = "status[]", .column = "status", .lists = sluice::list_form::repeated}),
    sluice::filter_param<&goods::others>(
        {.name = "status!", .column = "status", .excludes = sluice::exclusion::always}),
    sluice::window_params<goods, times>({.column = "created"}),
    sluice::sort_param<&goods::order, sorts>({.name = "by", .sorts = sluice::sort_form::space}),
    sluice::page_params<goods, 1'000, pages>()};

int main() {
    const auto request = sluice::parse_query_string(
        "price__gte=10&status[]=new&status[]=a,b&status!=used&by=price desc&offset=40&limit=20");
    const auto now = *sluice::parse_timestamp("2026-11-22T12:00:00Z");
    const auto query = sluice::bind(params, request.pairs(), {.now = now});
    if (!query) std::cout << sluice::message(query.error()) << '\n';
    if (query) std::cout << sluice::to_json(sluice::to_list_query(params, *query)) << '\n';
}
