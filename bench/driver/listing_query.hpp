// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_LISTING_QUERY_HPP
#define SLUICE_BENCH_DRIVER_LISTING_QUERY_HPP

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sluice/sluice.hpp>

namespace sluice_bench {

using namespace sluice;

/// The parameters of a list endpoint over 24 dimensions, time and metadata.
struct listing_query {
    filter qr, trigger, device, continent, os, utm_medium, browser, group;
    filter utm_source, folder, partner_tag, tag, country, domain, tenant, utm_campaign;
    filter utm_term, region, utm_content, partner, referer, city, link, url;
    metadata_query metadata{};
    std::optional<instant> start{}, end{};
    std::int64_t page = 1, limit = 100;
    sort_choices order{{0, sort_order::descending}};
};

/// Returns a filter parameter on the column of the same name.
template <auto Member>
constexpr auto dimension(std::string_view name) noexcept {
    return filter_param<Member>({.name = name, .column = name});
}

inline constexpr std::array<std::string_view, 1> listing_sorts{"time"};

inline constexpr sluice::schema listing_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "time", .type = column_type::time},
    sluice::column{.name = "qr", .is_nullable = true},
    sluice::column{.name = "trigger", .is_nullable = true},
    sluice::column{.name = "device", .is_nullable = true},
    sluice::column{.name = "continent", .is_nullable = true},
    sluice::column{.name = "os", .is_nullable = true},
    sluice::column{.name = "utm_medium", .is_nullable = true},
    sluice::column{.name = "browser", .is_nullable = true},
    sluice::column{.name = "group", .is_nullable = true},
    sluice::column{.name = "utm_source", .is_nullable = true},
    sluice::column{.name = "folder", .is_nullable = true},
    sluice::column{.name = "partner_tag", .is_nullable = true},
    sluice::column{.name = "tag", .is_nullable = true},
    sluice::column{.name = "country", .is_nullable = true},
    sluice::column{.name = "domain", .is_nullable = true},
    sluice::column{.name = "tenant", .is_nullable = true},
    sluice::column{.name = "utm_campaign", .is_nullable = true},
    sluice::column{.name = "utm_term", .is_nullable = true},
    sluice::column{.name = "region", .is_nullable = true},
    sluice::column{.name = "utm_content", .is_nullable = true},
    sluice::column{.name = "partner", .is_nullable = true},
    sluice::column{.name = "referer", .is_nullable = true},
    sluice::column{.name = "city", .is_nullable = true},
    sluice::column{.name = "link", .is_nullable = true},
    sluice::column{.name = "url", .is_nullable = true},
    sluice::column{.name = "metadata", .type = column_type::json},
};

inline constexpr param_table listing_params{
    listing_schema,
    dimension<&listing_query::qr>("qr"),
    dimension<&listing_query::trigger>("trigger"),
    dimension<&listing_query::device>("device"),
    dimension<&listing_query::continent>("continent"),
    dimension<&listing_query::os>("os"),
    dimension<&listing_query::utm_medium>("utm_medium"),
    dimension<&listing_query::browser>("browser"),
    dimension<&listing_query::group>("group"),
    dimension<&listing_query::utm_source>("utm_source"),
    dimension<&listing_query::folder>("folder"),
    dimension<&listing_query::partner_tag>("partner_tag"),
    dimension<&listing_query::tag>("tag"),
    dimension<&listing_query::country>("country"),
    dimension<&listing_query::domain>("domain"),
    dimension<&listing_query::tenant>("tenant"),
    dimension<&listing_query::utm_campaign>("utm_campaign"),
    dimension<&listing_query::utm_term>("utm_term"),
    dimension<&listing_query::region>("region"),
    dimension<&listing_query::utm_content>("utm_content"),
    dimension<&listing_query::partner>("partner"),
    dimension<&listing_query::referer>("referer"),
    dimension<&listing_query::city>("city"),
    dimension<&listing_query::link>("link"),
    dimension<&listing_query::url>("url"),
    expression_param<&listing_query::metadata>({.name = "metadata", .column = "metadata"}),
    instant_param<&listing_query::start>(
        {.name = "start", .column = "time", .op = comparison::at_least}),
    instant_param<&listing_query::end>(
        {.name = "end", .column = "time", .op = comparison::at_most}),
    page_param<&listing_query::page>({.name = "page"}),
    page_size_param<&listing_query::limit, 1'000>({.name = "limit"}),
    sort_param<&listing_query::order, listing_sorts>({.name = "sortBy"}),
};

/// Parses the query string of a request to a list query.
[[nodiscard]] inline list_query parse_listing_query(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    const auto query = bind(listing_params, pairs.pairs(), {.now = instant()});
    if (!query) throw std::runtime_error(message(query.error()));
    return to_list_query(listing_params, *query);
}

}  // namespace sluice_bench

#endif
