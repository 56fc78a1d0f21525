// SPDX-License-Identifier: MIT
// Clicks that refer to links: a filter of the links' domain, and pages with a link in each click.
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/store.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "country"},
    sluice::column{.name = "link.id"},
    sluice::column{.name = "link.domain", .how = sluice::collation::ignore_case}};

struct clicks : sluice::list_page {
    sluice::filter domain;
};

constexpr sluice::param_table params{
    columns, sluice::filter_param<&clicks::domain>({.name = "domain", .column = "link.domain"}),
    sluice::page_params<clicks, 100>()};

int main(int, char** arguments) {
    sluice::store::column_store store({columns, "link.id"});
    const bool is_filled = store.add_referenced("link.id", {"l1", "go.example"}) &&
                           store.add_referenced("link.id", {"l2", "acme.example"}) &&
                           store.add({"c1", "US", "l1"}) && store.add({"c2", "DE", "l2"}) &&
                           store.add({"c3", "US", "l2"});
    if (!is_filled) return 1;
    store.publish();
    const auto layout = store.layout(
        {{"id"}, {"country"}, {"link", {}, {{"id", "link.id"}, {"domain", "link.domain"}}}});

    const auto pairs = sluice::parse_query_string(arguments[1]);
    const auto query = sluice::bind(params, pairs.pairs());
    if (!query || !layout) return 1;
    const sluice::list_query wanted = sluice::to_list_query(params, *query);
    const auto page = sluice::store::select(store.current(), wanted);
    if (page) std::cout << page->json(*layout) << '\n';
}
