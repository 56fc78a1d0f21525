// SPDX-License-Identifier: MIT
// The second page of a list to which a row is added in the meantime: by number, and by cursor.
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/store.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"},
    sluice::column{.name = "created", .type = sluice::column_type::time}};
constexpr std::array<std::string_view, 1> sorts{"created"};

struct notes : sluice::list_page {
    sluice::sort_choices order{{0, sluice::sort_order::descending}};
};

constexpr sluice::param_table params{columns,
                                     sluice::sort_param<&notes::order, sorts>({.name = "order"}),
                                     sluice::page_params<notes, 100>()};

// Prints the rows of a page and returns the cursor of the next page.
std::string print_page(const sluice::store::column_store& store, const std::string& text) {
    const auto pairs = sluice::parse_query_string(text);
    const auto query = sluice::bind(params, pairs.pairs());
    if (!query) return {};
    const auto page = sluice::store::select(store.current(), sluice::to_list_query(params, *query));
    if (!page) return {};
    std::cout << page->json() << '\n';
    return page->next ? *sluice::to_string(*page->next) : std::string();
}

int main() {
    const auto first = *sluice::parse_timestamp("2026-08-21T02:30:00Z");
    sluice::store::column_store store(columns);
    const auto add = [&](std::string_view id, int minute) {
        const std::vector<sluice::cell> row{id, first + std::chrono::minutes(minute)};
        if (!store.add(row)) std::cout << "refused\n";
        store.publish();
    };
    add("n1", 1);
    add("n2", 2);
    add("n3", 3);
    const std::string next = print_page(store, "limit=2");  // n3 n2
    add("n4", 4);
    print_page(store, "limit=2&page=2");          // n2 n1: n2 again
    print_page(store, "limit=2&cursor=" + next);  // n1
}
