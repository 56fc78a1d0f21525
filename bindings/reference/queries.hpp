// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_QUERIES_HPP
#define SLUICE_BINDINGS_QUERIES_HPP

#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/tags/tags_query.hpp>

#include "raise.hpp"

namespace sluice::bindings {

/// The value of EventsQuery: a query and the time that its window was resolved at.
struct events_request {
    reference::events_query query;
    instant now;
};

/// Adds EventsQuery.mask.
void register_events_mask(py::class_<events_request>& c);

}  // namespace sluice::bindings

#endif
