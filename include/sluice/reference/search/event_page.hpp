// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_EVENT_PAGE_HPP
#define SLUICE_REFERENCE_SEARCH_EVENT_PAGE_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <sluice/reference/search/event_search.hpp>
#include <sluice/reference/search/list_page.hpp>

/// Pages, counts and query plans of events in memory.
namespace sluice::reference {

/// Returns the page of events that a query describes. Errors of this header's functions:
/// query_too_costly and request_cancelled if the limits in `options` are exceeded; list_events()
/// also cursor_malformed.
[[nodiscard]] inline result<json_page> list_events(const workspace_view& view,
                                                   const events_query& query,
                                                   const store::scan_options& options = {}) {
    return event_search(view, query, options).page().map([&](store::searched_page&& selected) {
        const std::vector<std::size_t> rows = std::move(selected.rows);
        json_page page{std::move(selected), "["};
        view.source->json().layout(query.event).write(view.events(query.event), rows, page.body);
        page.body.push_back(']');
        return page;
    });
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
/// Runs the query and explains how the events were selected.
[[nodiscard]] inline result<store::explanation> analyze_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).analyze();
}

}  // namespace sluice::reference

#endif
