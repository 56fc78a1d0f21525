// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_ANALYTICS_HPP
#define SLUICE_REFERENCE_SERVICE_ANALYTICS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/reference/analytics/stored_analytics.hpp>
#include <sluice/reference/clickhouse/analytics.hpp>
#include <sluice/reference/service/lists.hpp>

/// The endpoint `GET /analytics`.
namespace sluice::reference {

/// The measures of a workspace's events: from ClickHouse if the call has a statement runner, else
/// from memory.
struct analytics_endpoint : listing_of<analytics_params> {
    static result<analytics_query> parse(std::span<const name_value> pairs,
                                         const bind_options& options) {
        return parse_analytics_query(pairs, {.zones = options.zones, .strict = options.strict},
                                     *options.now);
    }
    static result<std::string> canonical_text(const call& context, const analytics_query& query) {
        const auto run = runner_of(context);
        if (run) return clickhouse::canonical_text(run, context.workspace_id, query);
        return reference::canonical_text(context.view, query);
    }
    static result<std::string> body(const call& context, const analytics_query& query) {
        const auto run = runner_of(context);
        if (run) return clickhouse::measure_events(run, context.workspace_id, query);
        return measure_events(context.view, query, {.limits = detail::limits_of(context)});
    }
};

/// The schemas of the rows of all groups, each once, and of the object of `count` before them.
inline constexpr auto analytics_schemas = [] {
    constexpr auto is_first = [](const analytics_record& record) {
        return &record ==
               &*std::ranges::find(analytics_records, record.schema, &analytics_record::schema);
    };
    std::array<std::string_view, std::ranges::count_if(analytics_records, is_first)> schemas;
    auto next = schemas.begin();
    for (const analytics_record& record : analytics_records) {
        if (is_first(record)) *next++ = record.schema;
    }
    return schemas;
}();

/// Answers `GET /analytics`.
[[nodiscard]] inline result<response> answer_analytics(const call& context) {
    const auto answer = [&](std::span<const name_value>, const analytics_query& query,
                            std::string etag) {
        return analytics_endpoint::body(context, query).map([&](std::string&& body) {
            return detail::list_response({{}, std::move(body)}, std::move(etag), {});
        });
    };
    return answer_query<analytics_endpoint>(context, answer);
}

/// The route of `GET /analytics`.
inline constexpr route analytics_route{
    .path = "/analytics",
    .permission = "analytics.read",
    .counts_against = quota::analytics_per_second,
    .needs = plan::pro,
    .operation = "retrieveAnalytics",
    .summary = "Clicks, leads and sales of the workspace, by groups",
    .content = {.type = "array",
                .records = std::span(analytics_schemas).subspan(1),
                .object = analytics_schemas.front()},
    .answer = answer_analytics,
    .searched =
        [](const call& context) {
            const workspace_view& view = context.view;
            return view.clicks.size() + view.leads.size() + view.sales.size();
        },
    .parameters = {parameter_names<analytics_endpoint>,
                   [] { return openapi_parameters(analytics_params); }}};

}  // namespace sluice::reference

#endif
