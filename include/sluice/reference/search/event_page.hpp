// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_EVENT_PAGE_HPP
#define SLUICE_REFERENCE_SEARCH_EVENT_PAGE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sluice/reference/search/event_search.hpp>
#include <sluice/reference/search/list_page.hpp>

namespace sluice::reference {

/// Returns the page of events that a query describes. The functions of this header return the
/// errors of a scan that exceeds its limits; see store::scan.
[[nodiscard]] inline result<json_page> list_events(const workspace_view& view,
                                                   const events_query& query,
                                                   const store::scan_options& options = {}) {
    const event_search search(view, query, options);
    const auto matches = search.page();
    if (!matches) return tl::unexpected(matches.error());
    const std::vector<std::size_t>& rows = matches->rows;
    json_page page{"[", matches->has_next, query.cursor ? matches->has_previous : query.page > 1};
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

/// Counts the events that a query matches on all pages.
[[nodiscard]] inline result<std::int64_t> count_events(const workspace_view& view,
                                                       const events_query& query,
                                                       const store::scan_options& options = {}) {
    return event_search(view, query, options).count();
}

/// Explains how the store would find the events of a query, and what it would read, without reading
/// any event.
[[nodiscard]] inline result<store::explanation> explain_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).explain();
}
/// Runs the query and explains how the events were found.
[[nodiscard]] inline result<store::explanation> analyze_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).analyze();
}

}  // namespace sluice::reference

#endif
