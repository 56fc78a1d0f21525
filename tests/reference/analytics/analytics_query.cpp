// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/reference/analytics/analytics_group.hpp>
#include <sluice/reference/analytics/analytics_query.hpp>

using namespace sluice;
using namespace sluice::reference;

namespace {

const instant now = parse_timestamp("2026-08-21T02:30:15.123Z").value();

result<analytics_query> parse(std::string_view text, bool is_strict = false) {
    static const time_zone_database zones({time_zone::utc()});
    const auto pairs = parse_query_string(text);
    return parse_analytics_query(pairs.pairs(), {.zones = &zones, .strict = is_strict}, now);
}

}  // namespace

TEST_CASE("analytics have the events' parameters but for pages and orders") {
    std::vector<std::string> expected{"event", "groupBy"}, names;
    for (const auto& row : events_params) {
        const std::string_view name = row.info.name;
        const std::vector<std::string_view> dropped{"event",  "page",  "limit",  "sortOrder",
                                                    "sortBy", "order", "cursor", "count"};
        if (std::ranges::find(dropped, name) == dropped.end()) expected.emplace_back(name);
    }
    for (const auto& row : analytics_params) names.emplace_back(row.info.name);
    CHECK(names == expected);
    const char* const shared =
        "domain=Acme.example&key=a&linkId=l&externalId=ext_1&tenantId=t&tagIds=x,y&folderId=f&"
        "customerId=c&interval=7d&timezone=utc&country=us,DE&region=-CA&qr=true&utm_source=a&"
        "root=false&saleType=new&query=metadata['a']:1&programId=p&event=sales";
    const auto pairs = parse_query_string(shared);
    static const time_zone_database zones({time_zone::utc()});
    const auto events = parse_events_query(pairs.pairs(), {.zones = &zones}, now);
    const auto measured = parse(shared);
    REQUIRE(measured);
    CHECK(static_cast<const events_query&>(*measured) == *events);
    CHECK(to_list_query(analytics_params, *measured).rows ==
          to_list_query(events_params, *events).rows);
    const auto round_trip = parse(to_query_string(analytics_params, *measured));
    CHECK(round_trip == measured);
}

TEST_CASE("the events and groups of analytics") {
    CHECK(parse("")->group_by == analytics_group::count);
    CHECK(parse("")->measured == analytics_event::clicks);
    for (std::size_t at = 0; at < analytics_group_names.size(); ++at) {
        const auto query = parse("groupBy=" + std::string(analytics_group_names[at]));
        CHECK(query->group_by == static_cast<analytics_group>(at));
        CHECK(record_of(query->group_by).name == analytics_group_names[at]);
    }
    using kinds = std::vector<event_kind>;
    using enum event_kind;
    CHECK(parse("event=clicks")->kinds() == kinds{clicks});
    CHECK(parse("event=leads")->kinds() == kinds{leads});
    CHECK(parse("event=sales")->kinds() == kinds{sales});
    CHECK(parse("event=composite")->kinds() == kinds{clicks, leads, sales});
}

TEST_CASE("parameters of analytics that are refused") {
    struct row {
        std::string_view query, param;
        rule broken;
        error_code code = error_code::unprocessable_entity;
    };
    const std::vector<row> table{
        {"event=visits", "event", rule::choice_unknown},
        {"groupBy=Countries", "groupBy", rule::choice_unknown},
        {"groupBy=", "groupBy", rule::choice_unknown},
        {"groupBy=os&groupBy=os", "groupBy", rule::parameter_repeated, error_code::bad_request},
        {"event=composite&query=metadata['a']:1", "query", rule::not_applicable},
        {"query=metadata['a']:1", "query", rule::not_applicable},
        {"event=composite&saleType=new", "saleType", rule::not_applicable},
        {"event=leads&saleType=new", "saleType", rule::not_applicable},
        {"key=a", "key", rule::companion_missing, error_code::bad_request},
        {"start=tomorrow&end=yesterday", "start", rule::window_reversed},
        {"country=US,-CA", "country", rule::filter_dash, error_code::bad_request},
        {"interval=2h", "interval", rule::choice_unknown},
    };
    for (const row& refused : table) {
        CAPTURE(refused.query);
        const auto query = parse(refused.query);
        REQUIRE_FALSE(query);
        CHECK(query.error().param == refused.param);
        CHECK(query.error().broken == refused.broken);
        CHECK(query.error().code == refused.code);
    }
    CHECK(parse("page=0&limit=x&sortBy=y&cursor=z&count=maybe"));
    CHECK(parse("page=1", true).error().broken == rule::parameter_unknown);
}
