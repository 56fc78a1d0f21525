// SPDX-License-Identifier: MIT
// Groups, measures and facets of orders: from a store in memory, and from a program's own list.
#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/query/aggregate_reader.hpp>
#include <sluice/query/aggregation.hpp>
#include <sluice/sluice.hpp>
#include <sluice/store.hpp>
#include <sluice/time/system_zones.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "country", .is_nullable = true},
    sluice::column{.name = "status"},
    sluice::column{.name = "total", .type = sluice::column_type::decimal},
    sluice::column{.name = "created", .type = sluice::column_type::time}};

struct order {
    std::string_view id, country, status, total;
    sluice::instant created;

    [[nodiscard]] sluice::cell cell_of(const sluice::column& by) const {
        if (by.name == "id") return id;
        if (by.name == "country") return country.empty() ? sluice::cell() : country;
        if (by.name == "status") return status;
        if (by.name == "total") return total;
        return created;
    }
};

int main() {
    const auto at = [](std::string_view text) { return *sluice::parse_timestamp(text); };
    const std::vector<order> orders{{"o1", "US", "paid", "19.90", at("2026-10-24T20:00:00Z")},
                                    {"o2", "DE", "paid", "0.10", at("2026-10-24T22:30:00Z")},
                                    {"o3", "US", "open", "250", at("2026-10-25T22:59:00Z")},
                                    {"o4", "", "paid", "7", at("2026-10-26T23:00:00Z")}};
    sluice::store::column_store store(columns);
    for (const order& of : orders) {
        const auto added =
            store.add({of.id, of.cell_of(columns.begin()[1]), of.status, of.total, of.created});
        if (!added) std::cout << sluice::message(added.error()) << '\n';
    }
    store.publish();
    const auto country = *columns.find("country"), status = *columns.find("status");
    const auto total = *columns.find("total");

    const sluice::aggregate_query by_country{
        .group_by = {{.by = country}},
        .measures = {{}, {.kind = sluice::measure_kind::sum, .of = total, .name = "revenue"}},
        .order = {{.is_measure = true, .index = 1, .direction = sluice::sort_order::descending}},
        .limit = 10};
    const auto groups = sluice::store::aggregate(store.current(), by_country);
    if (!groups) {
        std::cout << sluice::message(groups.error()) << '\n';
        return 1;
    }
    std::cout << sluice::to_json(by_country, *groups) << '\n';

    const auto zones = *sluice::load_time_zones();
    const auto by_day = sluice::parse_aggregate_query(
        R"({"group_by":[{"column":"created","bucket":"day","zone":"Europe/Paris"}]})",
        {columns.begin(), columns.size()}, zones);
    if (!by_day) {
        std::cout << sluice::message(by_day.error()) << '\n';
        return 1;
    }
    sluice::aggregation days(*by_day);
    for (const order& of : orders) {
        days.add([&](const sluice::column& by) { return of.cell_of(by); });
    }
    if (const auto rows = days.finish()) std::cout << sluice::to_json(*by_day, *rows) << '\n';

    const sluice::list_query paid{.rows = sluice::where(sluice::leaf{
                                      status, sluice::text_test{sluice::filter({"paid"}, false)}})};
    const auto facets =
        sluice::store::facets(store.current(), paid, std::array{country, status}, 10);
    if (!facets) return 1;
    for (const sluice::facet& of : *facets) {
        for (const auto& [value, count] : of.values) {
            std::cout << of.by.name << ' ' << std::get<std::string>(value) << ' ' << count << '\n';
        }
    }
}
