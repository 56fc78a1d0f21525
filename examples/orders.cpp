// SPDX-License-Identifier: MIT
// An endpoint of one's own: its parameters declared once, then bound, checked and documented.
#include <iostream>

#include <sluice/sluice.hpp>

constexpr std::array<std::string_view, 3> statuses{"open", "paid", "void"};

struct orders_query {
    sluice::filter status, customer;
    std::int64_t min_total = 0, page = 1;
    std::optional<sluice::time_expression> created;
};

constexpr sluice::param_table orders_params{
    sluice::filter_param<&orders_query::status, statuses>(
        {.name = "status", .column = "status", .help = "state of the order"}),
    sluice::filter_param<&orders_query::customer>(
        {.name = "customer", .column = "customer_id", .help = "who ordered"}),
    sluice::integer_param<&orders_query::min_total, 0, 1'000'000>(
        {.name = "minTotal", .help = "least total in cents", .default_text = "0"}),
    sluice::time_param<&orders_query::created>({.name = "created", .help = "ordered since"}),
    sluice::integer_param<&orders_query::page, 1>(
        {.name = "page", .help = "page number", .default_text = "1"}),
};

int main() {
    const auto good = sluice::parse_query_string("status=open,paid&customer=-c_7&page=2");
    const auto query = sluice::bind(orders_params, good.pairs());
    if (!query) return 1;
    for (const auto& clause : sluice::clauses(orders_params, *query)) {
        std::cout << clause.column << (clause.excludes ? " not in" : " in");
        for (const auto& value : clause.values) std::cout << ' ' << value;
        std::cout << '\n';
    }
    const auto bad = sluice::parse_query_string("status=paid,lost&page=0&created=someday");
    const auto refused = sluice::bind_all(orders_params, bad.pairs());
    if (!refused) {
        for (const auto& error : refused.error()) std::cout << sluice::message(error) << '\n';
    }
    std::cout << sluice::openapi_parameters(orders_params) << '\n';
}
