// SPDX-License-Identifier: MIT
// A custom endpoint: a parameter table that parses, validates and documents requests.
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/time/system_zones.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "status"},
    sluice::column{.name = "customer"},
    sluice::column{.name = "total", .type = sluice::column_type::decimal},
    sluice::column{.name = "created", .type = sluice::column_type::time}};
constexpr std::array<std::string_view, 3> statuses{"open", "paid", "void"};
constexpr std::array<std::string_view, 2> sorts{"created", "total"};

struct orders : sluice::list_window, sluice::list_page {
    sluice::filter status;
    std::optional<sluice::uuid> customer;
    std::optional<sluice::decimal_number> least, most;
    sluice::sort_choices order{{0, sluice::sort_order::descending}};
};

constexpr sluice::param_table params{
    columns,
    sluice::filter_param<&orders::status, statuses>({.name = "status", .column = "status"}),
    sluice::value_param<&orders::customer>({.name = "customer", .column = "customer"}),
    sluice::value_param<&orders::least>(
        {.name = "total[gte]", .column = "total", .op = sluice::comparison::at_least}),
    sluice::value_param<&orders::most>(
        {.name = "total[lte]", .column = "total", .op = sluice::comparison::at_most}),
    sluice::window_params<orders>({.column = "created"}),
    sluice::sort_param<&orders::order, sorts>({.name = "sortBy"}),
    sluice::page_params<orders, 1'000>()};

int main(int, char** arguments) {
    const auto pairs = sluice::parse_query_string(arguments[1]);
    const auto now = *sluice::parse_timestamp("2026-11-22T12:00:00Z");
    const auto zones = *sluice::load_time_zones();
    const auto query = sluice::bind(params, pairs.pairs(), {.zones = &zones, .now = now});
    if (!query) std::cout << sluice::message(query.error()) << '\n';
    if (query) std::cout << sluice::to_json(sluice::to_list_query(params, *query)) << '\n';
}
