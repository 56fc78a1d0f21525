// SPDX-License-Identifier: MIT
// What must not compile, one case a number: views of temporaries, which would dangle, and rows of
// one moment taken for those of another. Case 0 is what stays valid. tests/CMakeLists.txt compiles
// each by itself.
#include <array>
#include <string>
#include <string_view>

#include <sluice/sluice.hpp>
#if SLUICE_REFUSED >= 9
#include <sluice/store.hpp>
#endif
#if SLUICE_REFUSED == 10
#include <sluice/store/search/list_search.hpp>
#endif

struct orders {
    sluice::filter status;
};
constexpr sluice::schema columns{sluice::column{.name = "status"}};
constexpr sluice::param_table order_params{
    columns, sluice::filter_param<&orders::status>({.name = "status", .column = "status"})};

int main() {
    const std::string text = "?status=-void";
    const auto request = sluice::parse_query_string(text);
    auto query = sluice::bind(order_params, request.pairs());
    if (!query) return 1;
#if SLUICE_REFUSED == 0
    const auto states = sluice::parse_filter("-US,CA");
    const auto wanted = sluice::parse_metadata_query("metadata['plan']:pro");
    if (!states || !wanted) return 1;
    const bool passes = (*sluice::parse_filter("-US")).matches("FR") &&
                        sluice::parse_filter("-US").value().matches("FR");
    const auto since = sluice::parse_timestamp("2026-08-21T02:30:15Z")->time_since_epoch();
    const sluice::list_query list = sluice::to_list_query(order_params, *query);
    return static_cast<int>(list.rows.leaves().size() + states->values().size() +
                            wanted->conditions().size()) +
           (passes ? 0 : 1) + (since.count() > 0 ? 0 : 1);
#elif SLUICE_REFUSED == 1
    return static_cast<int>(sluice::parse_query_string(text).pairs().size());
#elif SLUICE_REFUSED == 2
    const auto pairs = sluice::parse_query_string(std::string("a=1"));
    return static_cast<int>(pairs.pairs().size());
#elif SLUICE_REFUSED == 3
    for (const auto value : sluice::parse_filter("US,CA")->values()) return !value.empty();
#elif SLUICE_REFUSED == 4
    const auto values = (*sluice::parse_filter("US,CA")).values();
    return static_cast<int>(values.size());
#elif SLUICE_REFUSED == 5
    const auto all = sluice::to_list_query(order_params, *query).rows.leaves();
    return static_cast<int>(all.size());
#elif SLUICE_REFUSED == 6
    const auto all = sluice::parse_metadata_query("metadata['a']:1")->conditions();
    return static_cast<int>(all.size());
#elif SLUICE_REFUSED == 7
    const auto nodes = sluice::metadata_query().nodes();
    return static_cast<int>(nodes.size());
#elif SLUICE_REFUSED == 8
    const auto& zones = sluice::time_zone_database({sluice::time_zone::utc()}).zones();
    return static_cast<int>(zones.size());
#else
    static constexpr sluice::schema with_id{sluice::column{.name = "id"}};
    sluice::store::column_store store(with_id);
    const auto page = sluice::store::select(store.current(), sluice::list_query());
    const auto later = store.current();
#if SLUICE_REFUSED == 9
    return later.at(page->rows()[0], *with_id.begin()).index() == 0 ? 1 : 0;
#elif SLUICE_REFUSED == 10
    const sluice::list_query all;
    const sluice::store::list_search of_query(later, sluice::to_list_query(order_params, *query));
    const sluice::store::list_search of_rows(store.current(), all);
    return of_query.count() && of_rows.count() ? 0 : 1;
#endif
#endif
}
