// SPDX-License-Identifier: MIT
// The query plan of a store in memory: as estimated, and after the query has run.
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/store.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "country"},
    sluice::column{.name = "created", .type = sluice::column_type::time}};

struct visits : sluice::list_page {
    sluice::filter country;
};

constexpr sluice::param_table params{
    columns, sluice::filter_param<&visits::country>({.name = "country", .column = "country"}),
    sluice::page_params<visits, 100>()};

int main() {
    const auto first = *sluice::parse_timestamp("2026-08-21T02:30:00Z");
    sluice::store::column_store store(columns);
    for (int i = 0; i < 100'000; ++i) {
        const std::string id = "v" + std::to_string(i);
        const std::vector<sluice::cell> row{std::string_view(id),
                                            std::string_view(i % 4 == 0 ? "US" : "DE"),
                                            first + std::chrono::seconds(i)};
        if (!store.add(row)) return 1;
    }
    store.publish();
    const auto pairs = sluice::parse_query_string("country=US");
    const auto query = sluice::bind(params, pairs.pairs());
    if (!query) return 1;
    const sluice::list_query wanted = sluice::to_list_query(params, *query);
    const auto before = sluice::store::explain(store.current(), wanted);
    const auto after = sluice::store::analyze(store.current(), wanted);
    if (!before || !after) return 1;
    std::cout << to_string(*before) << '\n' << to_string(*after) << '\n';
}
