// SPDX-License-Identifier: MIT
// The endpoint over an in-memory store: pages and counts of its rows, as JSON.
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/store.hpp>
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
    const auto now = *sluice::parse_timestamp("2026-11-22T12:00:00Z");
    const auto before = [&](int hours) { return now - std::chrono::hours(hours); };
    const std::string_view ada = "8c5f4d4e-2a38-4f5b-9d0c-0f6a1f3b7e21";
    const std::vector<std::vector<sluice::cell>> added{{"o1", "paid", ada, "19.90", before(3)},
                                                       {"o2", "open", ada, "7", before(2)},
                                                       {"o3", "void", ada, "250", before(1)}};
    sluice::store::column_store store(columns);
    for (const auto& row : added) {
        const auto kept = store.add(row);
        if (!kept) std::cout << sluice::message(kept.error()) << '\n';
    }
    store.publish();

    const auto pairs = sluice::parse_query_string(arguments[1]);
    const auto zones = *sluice::load_time_zones();
    const auto query = sluice::bind(params, pairs.pairs(), {.zones = &zones, .now = now});
    if (!query) {
        std::cout << sluice::message(query.error()) << '\n';
        return 1;
    }
    const sluice::list_query wanted = sluice::to_list_query(params, *query);
    const auto page = sluice::store::select(store.current(), wanted);
    if (!page) {
        std::cout << sluice::message(page.error()) << '\n';
        return 1;
    }
    std::cout << page->json() << '\n';
    if (page->total) std::cout << *page->total << " in all\n";
    if (page->next) std::cout << "next: cursor=" << *sluice::to_string(*page->next) << '\n';
}
