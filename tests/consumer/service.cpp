// SPDX-License-Identifier: MIT
// Something of each package that sluice::api needs: a query from JSON, a key's hash, time zones.
#include <iostream>

#include <sluice/query/json_reader.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/time/system_zones.hpp>

constexpr sluice::schema orders{sluice::column{.name = "id"}, sluice::column{.name = "status"}};

int main() {
    const auto query = sluice::parse_list_query(
        R"({"where":{"column":"status","any_of":["paid"]}})", {orders.begin(), orders.size()});
    const auto zones = sluice::load_time_zones();
    if (!query || !zones) {
        std::cerr << (query ? "no time zones" : sluice::message(query.error())) << '\n';
        return 1;
    }
    std::cout << sluice::to_json(*query) << '\n';
    const bool is_hash =
        sluice::reference::to_hex(sluice::reference::sha256("secret")).starts_with("2bb80d53");
    return is_hash && zones->find("Europe/Berlin") ? 0 : 1;
}
