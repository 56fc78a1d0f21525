// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENT_PAGE_HPP
#define SLUICE_API_EVENTS_EVENT_PAGE_HPP

#include <cstdint>
#include <string>

#include <sluice/api/events/event_search.hpp>

namespace sluice::api {

/// A page of a list as the JSON array that goes to the client.
struct json_page {
    std::string body;
    bool has_next = false;  ///< more rows follow
};

/// The page of events that a query asks for. Here and below errors are those of a scan that its
/// limits end; see store::scan.
[[nodiscard]] inline result<json_page> list_events(const workspace_view& view,
                                                   const events_query& query,
                                                   const store::scan_options& options = {}) {
    const auto found = event_search(view, query, options).page();
    if (!found) return tl::unexpected(found.error());
    json_page page{"[", found->has_next};
    view.source->json().layout(query.event).write(view.events(query.event), found->rows, page.body);
    page.body.push_back(']');
    return page;
}

/// How many events a query matches on all its pages.
[[nodiscard]] inline result<std::int64_t> count_events(const workspace_view& view,
                                                       const events_query& query,
                                                       const store::scan_options& options = {}) {
    return event_search(view, query, options).count();
}

/// How the store finds the events that a query matches, and what it reads for that.
[[nodiscard]] inline result<store::explanation> explain_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).explain();
}

}  // namespace sluice::api

#endif
