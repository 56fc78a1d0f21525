// SPDX-License-Identifier: MIT
// The primitives, compiled with -fno-exceptions -fno-rtti; each template of them used once.
#include <sluice/sluice.hpp>

namespace {

struct orders_query {
    sluice::filter status;
    std::int64_t page = 1;
};

constexpr sluice::schema orders_schema{sluice::column{.name = "status"}};
constexpr sluice::param_table orders_params{
    orders_schema,
    sluice::filter_param<&orders_query::status>({.name = "status", .column = "status"}),
    sluice::integer_param<&orders_query::page, 1>({.name = "page"})};

bool binds() {
    const auto pairs = sluice::parse_query_string("status=-void&page=2");
    const auto query = sluice::bind(orders_params, pairs.pairs());
    if (!query || query->page != 2) return false;
    const sluice::list_query list = sluice::to_list_query(orders_params, *query);
    return list.rows.leaves().size() == 1 && !sluice::openapi_parameters(orders_params).empty();
}

bool matches() {
    const auto query =
        sluice::parse_metadata_query("metadata['plan']:'pro' AND NOT metadata['n']>1");
    return query && query->matches([](std::span<const std::string> path) {
        return path[0] == "plan" ? std::optional(sluice::scalar::string("pro")) : std::nullopt;
    });
}

template <class Algorithm>
bool limits() {
    sluice::keyed_limiter<Algorithm> limiter;
    const sluice::policy once{1, std::chrono::seconds{1}};
    return limiter.check("key", once, {}).allowed && !limiter.check("key", once, {}).allowed;
}

bool resolves() {
    const auto day = sluice::parse_time_expression("2026-08-21");
    const sluice::window_request window{.start = *day, .end = *day};
    return sluice::resolve_window(window, sluice::time_zone::utc(), {}).has_value();
}

}  // namespace

int main() {
    const bool works = binds() && matches() && resolves() && limits<sluice::sliding_window>() &&
                       limits<sluice::fixed_window>() && limits<sluice::sliding_log>() &&
                       limits<sluice::gcra>() && !sluice::parse_filter("US,-CA");
    return works ? 0 : 1;
}
