// SPDX-License-Identifier: MIT
// The primitives and an endpoint, compiled with warnings that users may have on and this project
// has not: the headers give none of them.
#include <array>
#include <optional>
#include <string_view>

#include <sluice/sluice.hpp>

namespace {

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "status"},
    sluice::column{.name = "total", .type = sluice::column_type::decimal},
    sluice::column{.name = "created", .type = sluice::column_type::time}};
constexpr std::array<std::string_view, 2> sorts{"created", "total"};

struct orders : sluice::list_window, sluice::list_page {
    sluice::filter status{};
    std::optional<sluice::decimal_number> least{};
    sluice::sort_choices order{};
};

constexpr sluice::param_table params{
    columns,
    sluice::filter_param<&orders::status>({.name = "status", .column = "status"}),
    sluice::value_param<&orders::least>(
        {.name = "total[gte]", .column = "total", .op = sluice::comparison::at_least}),
    sluice::window_params<orders>({.column = "created"}),
    sluice::sort_param<&orders::order, sorts>({.name = "sortBy"}),
    sluice::page_params<orders, 100>()};

}  // namespace

int main() {
    const auto pairs = sluice::parse_query_string("status=open");
    const auto query =
        sluice::bind(params, pairs.pairs(), {.zones = nullptr, .now = sluice::instant()});
    if (!query) return sluice::message(query.error()).empty() ? 1 : 2;
    return sluice::to_json(sluice::to_list_query(params, *query)).empty() ? 1 : 0;
}
