// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_BOUND_QUERY_HPP
#define SLUICE_BINDINGS_BOUND_QUERY_HPP

#include <memory>
#include <variant>

#include <sluice/params/runtime/table.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/time/instant.hpp>

#include "list_queries.hpp"

namespace sluice::bindings {

/// A query parsed from its tree, and the schema that it views.
struct tree_query {
    std::shared_ptr<const own_schema> schema;
    list_query query;
};

/// A request to an endpoint declared in Python, and the time that its relative times refer to.
struct declared_request {
    std::shared_ptr<const declared_table> table;
    declared_query query;
    instant now;
};

/// The value of sluice.ListQuery and its subclasses.
using bound_query = std::variant<tree_query, declared_request>;

/// Creates an instance of sluice.ListQuery or a subclass. TypeError if `type` is neither.
[[nodiscard]] PyObject* to_instance(py::handle type, bound_query&& query);

/// Adds ParameterTable to the module, and parse() to the class of queries.
[[gnu::cold]] void register_declared_table(py::module_& m, py::class_<bound_query>& query);

}  // namespace sluice::bindings

#endif
