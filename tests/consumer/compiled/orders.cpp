// SPDX-License-Identifier: MIT
// A store of one row, by the light header alone.
#include <iostream>

#include <sluice/store.hpp>

#ifdef SIMDJSON_VERSION
#error the header of declarations includes the store
#endif

constexpr sluice::schema columns{sluice::column{.name = "id"}, sluice::column{.name = "status"}};

int main() {
    sluice::store::column_store orders(columns);
    if (!orders.add({"o1", "paid"})) return 1;
    orders.publish();
    const auto page = sluice::store::select(orders.current(), sluice::list_query{});
    if (!page) return 1;
    std::cout << page->json() << '\n';
    return page->json() == R"([{"id":"o1","status":"paid"}])" ? 0 : 1;
}
