// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_EDGES_HPP
#define SLUICE_BENCH_DRIVER_EDGES_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/sluice.hpp>
#include <sluice/sql/compile.hpp>

#include "operation.hpp"

/// The steps of a list request around its rows: the query, its SQL, cursors and links.
namespace sluice_bench {

inline constexpr sluice::schema edges_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "status"},
    sluice::column{.name = "customer"},
    sluice::column{.name = "country"},
    sluice::column{.name = "count", .type = sluice::column_type::integer},
    sluice::column{.name = "created", .type = sluice::column_type::time}};

inline constexpr std::array<std::string_view, 2> edges_sorts{"created", "count"};

/// The parameters of a list of orders.
struct edges_query {
    sluice::filter status, customer, country;
    std::optional<std::int64_t> count_from{}, count_to{};
    std::optional<sluice::instant> created_from{};
    sluice::sort_choices order{{0, sluice::sort_order::descending}};
    std::int64_t limit = 100;
};

inline constexpr sluice::param_table edges_params{
    edges_schema,
    sluice::filter_param<&edges_query::status>({.name = "status", .column = "status"}),
    sluice::filter_param<&edges_query::customer>({.name = "customer", .column = "customer"}),
    sluice::filter_param<&edges_query::country>({.name = "country", .column = "country"}),
    sluice::integer_param<&edges_query::count_from, 0>(
        {.name = "count[gte]", .column = "count", .op = sluice::comparison::at_least}),
    sluice::integer_param<&edges_query::count_to, 0>(
        {.name = "count[lte]", .column = "count", .op = sluice::comparison::at_most}),
    sluice::instant_param<&edges_query::created_from>(
        {.name = "created[gte]", .column = "created", .op = sluice::comparison::at_least}),
    sluice::sort_param<&edges_query::order, edges_sorts>({.name = "sortBy"}),
    sluice::page_size_param<&edges_query::limit, 1'000>({.name = "limit"}),
};

inline constexpr std::string_view edges_request =
    "status=open,paid&customer=-c_1&country=US&count[gte]=2&count[lte]=90"
    "&created[gte]=2026-08-01T00:00:00Z&limit=50";

/// Adds `to_list_query`, `compile DIALECT`, `link_header` and `parse_cursor`: of a request with six
/// conditions.
inline void add_edges(operation_table& operations) {
    static const auto pairs = sluice::parse_query_string(edges_request);
    static const edges_query query = *sluice::bind(
        edges_params, pairs.pairs(), {.now = sluice::instant(std::chrono::milliseconds(0))});
    static const sluice::list_query list = sluice::to_list_query(edges_params, query);
    static const std::string place = *to_string(sluice::cursor{
        .query_mark = query_mark(list), .keys = {{"1785542400000"}, {"order_1234567"}}});
    operations["to_list_query"] = [](const std::string&) {
        return repeated([] { return to_json(sluice::to_list_query(edges_params, query)); },
                        [] { return sluice::to_list_query(edges_params, query); });
    };
    operations["compile"] = [](const std::string& name) {
        const auto of = *sluice::parse_choice<sluice::sql::dialect_names>(name);
        const auto dialect = static_cast<sluice::sql::dialect>(of);
        const auto columns = sluice::sql::table_mapping(edges_schema, "orders", dialect);
        const auto body = [=] { return *sluice::sql::compile(list, columns, dialect); };
        return repeated([=] { return body().text; }, body);
    };
    operations["link_header"] = [](const std::string&) {
        return measured([] {
            return link_header("/orders", pairs.pairs(),
                               {.previous = {{"cursor", place}}, .next = {{"cursor", place}}});
        });
    };
    operations["parse_cursor"] = [](const std::string&) {
        return repeated([] { return *to_string(*sluice::parse_cursor(place)); },
                        [] { return sluice::parse_cursor(place); });
    };
}

}  // namespace sluice_bench

#endif
