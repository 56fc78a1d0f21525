// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_ANALYTICS_ANALYTICS_QUERY_HPP
#define SLUICE_REFERENCE_ANALYTICS_ANALYTICS_QUERY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/params/bind.hpp>
#include <sluice/reference/analytics/analytics_group.hpp>
#include <sluice/reference/events/events_query.hpp>

/// The parameters of `GET /analytics`: those of `GET /events` but for its pages and order, the
/// events that are measured, and groupBy.
namespace sluice::reference {

/// The events that are measured: one kind, or all three.
enum class analytics_event : std::uint8_t { clicks, leads, sales, composite };

inline constexpr std::array<std::string_view, 4> analytics_event_names{"clicks", "leads", "sales",
                                                                       "composite"};

/// The parsed and validated parameters of `GET /analytics`. Of the members of events_query, those
/// of the page and of the order keep their defaults, and `event` is clicks for all events.
struct analytics_query : events_query {
    analytics_event measured = analytics_event::clicks;
    analytics_group group_by = analytics_group::count;

    /// The kinds of events that are measured.
    [[nodiscard]] std::vector<event_kind> kinds() const {
        if (measured != analytics_event::composite) return {event};
        return {event_kind::clicks, event_kind::leads, event_kind::sales};
    }

    friend bool operator==(const analytics_query&, const analytics_query&) = default;
};

namespace detail {

/// The parameters of `GET /events` that `GET /analytics` lacks, or has in another form.
inline constexpr std::array<std::string_view, 8> list_params{
    "event", "page", "limit", "sortOrder", "sortBy", "order", "cursor", "count"};

/// The rows of the table of events that `GET /analytics` has too.
inline constexpr auto filter_rows = [] {
    constexpr auto is_kept = [](const auto& row) {
        return std::ranges::find(list_params, row.info.name) == list_params.end();
    };
    std::array<std::size_t, std::ranges::count_if(events_params, is_kept)> rows;
    auto next = rows.begin();
    for (std::size_t row = 0; row < events_params.size(); ++row) {
        if (is_kept(events_params[row])) *next++ = row;
    }
    return rows;
}();

/// A row of the table of events, for queries that inherit events_query.
template <std::size_t Row>
constexpr param<analytics_query> inherited_row() noexcept {
    constexpr const param<events_query>& row = events_params[Row];
    param<analytics_query> inherited;
    inherited.info = row.info;
    inherited.comparable = row.comparable;
    inherited.finishes = row.finishes;
    inherited.as_default = row.as_default;
    inherited.assign = [](analytics_query& query, const param_info& info, std::string_view text,
                          const bind_options& options) {
        return events_params[Row].assign(query, info, text, options);
    };
    inherited.as_text = [](const analytics_query& query, const param_info& info) {
        return events_params[Row].as_text(query, info);
    };
    inherited.as_canonical_text = [](const analytics_query& query, const param_info& info) {
        return events_params[Row].as_canonical_text(query, info);
    };
    if constexpr (row.contribute != nullptr) {
        inherited.contribute = [](const analytics_query& query, const param_info& info,
                                  const sluice::column* subject, list_query_draft& draft) {
            events_params[Row].contribute(query, info, subject, draft);
        };
    }
    if constexpr (row.finish != nullptr) {
        inherited.finish = [](analytics_query& query, const param_info& info,
                              const bind_options& options) {
            return events_params[Row].finish(query, info, options);
        };
    }
    return inherited;
}
template <std::size_t... Place>
constexpr auto inherited_rows(std::index_sequence<Place...>) noexcept {
    using rows = param_group<analytics_query, sizeof...(Place)>;
    return needing_rows<rows, needed_options{.zones = true, .now = true}>{
        rows{inherited_row<filter_rows[Place]>()...}};
}

}  // namespace detail

/// The parameters of `GET /analytics`.
inline constexpr param_table analytics_params{
    events_schema,
    resource_param<&analytics_query::measured, analytics_event_names>(
        {.name = "event", .help = "the events to measure; composite: all", .example = "sales"}),
    choice_param<&analytics_query::group_by, analytics_group_names>(
        {.name = "groupBy", .help = "the groups to measure them by", .example = "countries"}),
    detail::inherited_rows(std::make_index_sequence<detail::filter_rows.size()>()),
};

/// Parses the parameters of `GET /analytics`. Returns the query, or the first error in table order.
///
/// ```
/// auto pairs = sluice::parse_query_string("groupBy=countries&event=sales&interval=30d");
/// auto query = sluice::reference::parse_analytics_query(pairs.pairs(), {.zones = &*zones}, now);
/// ```
[[nodiscard]] inline result<analytics_query> parse_analytics_query(
    std::span<const name_value> pairs, const request_options& options, instant now) {
    result<analytics_query> query(tl::in_place);
    binding bound(analytics_params, *query,
                  {.zones = options.zones, .strict = options.strict, .now = now});
    bound.take(pairs);
    switch (query->measured) {
        case analytics_event::clicks:
        case analytics_event::composite: query->event = event_kind::clicks; break;
        case analytics_event::leads: query->event = event_kind::leads; break;
        case analytics_event::sales: query->event = event_kind::sales; break;
    }
    detail::finish_events_query(bound);
    if (const auto why = bound.first_error()) query = tl::unexpected(*why);
    return query;
}

}  // namespace sluice::reference

#endif
