// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_AGGREGATES_HPP
#define SLUICE_BINDINGS_AGGREGATES_HPP

#include <pybind11/pybind11.h>

#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/schema.hpp>

namespace sluice::bindings {

namespace py = pybind11;

/// Converts the tree of an aggregate query, which then views the columns. ApiError if it isn't one.
[[nodiscard]] aggregate_query to_aggregate_query(const py::object& tree, columns_view columns);

}  // namespace sluice::bindings

#endif
