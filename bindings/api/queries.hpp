// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_QUERIES_HPP
#define SLUICE_BINDINGS_QUERIES_HPP

#include <sluice/api/events/events_query.hpp>
#include <sluice/api/tags/tags_query.hpp>

#include "raise.hpp"

namespace sluice::bindings {

/// What EventsQuery holds: a query and the present that its window was resolved at.
struct events_request {
    api::events_query query;
    instant now;
};

/// Adds EventsQuery.mask.
void register_events_mask(py::class_<events_request>& c);

/// All errors of a request as a list of sluice.ApiError.
[[nodiscard]] inline py::list to_api_errors(std::span<const name_value> given, const errors& all) {
    py::list raised;
    for (const error& e : all) raised.append(to_api_error(e, context_of(given, e)));
    return raised;
}

}  // namespace sluice::bindings

#endif
