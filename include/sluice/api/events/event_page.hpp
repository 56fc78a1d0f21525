// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENT_PAGE_HPP
#define SLUICE_API_EVENTS_EVENT_PAGE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sluice/api/events/event_search.hpp>
#include <sluice/api/list_page.hpp>

namespace sluice::api {

/// The page of events that a query asks for. Here and below errors are those of a scan that its
/// limits end; see store::scan.
[[nodiscard]] inline result<json_page> list_events(const workspace_view& view,
                                                   const events_query& query,
                                                   const store::scan_options& options = {}) {
    const event_search search(view, query, options);
    const auto found = search.page();
    if (!found) return tl::unexpected(found.error());
    const std::vector<std::size_t>& rows = found->rows;
    json_page page{"[", found->has_next, query.cursor ? found->has_previous : query.page > 1};
    view.source->json().layout(query.event).write(view.events(query.event), rows, page.body);
    page.body.push_back(']');
    if (!rows.empty() && page.has_next) page.next = search.place_after(rows.back());
    if (!rows.empty() && page.has_previous) page.previous = search.place_before(rows.front());
    if (!query.count) return page;
    const auto total = search.count();
    if (!total) return tl::unexpected(total.error());
    page.total = *total;
    return page;
}

/// How many events a query matches on all its pages.
[[nodiscard]] inline result<std::int64_t> count_events(const workspace_view& view,
                                                       const events_query& query,
                                                       const store::scan_options& options = {}) {
    return event_search(view, query, options).count();
}

/// How the store would find the events that a query matches, and what it would read for that: no
/// event is looked at.
[[nodiscard]] inline result<store::explanation> explain_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).explain();
}
/// The same after it was done.
[[nodiscard]] inline result<store::explanation> analyze_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).analyze();
}

}  // namespace sluice::api

#endif
