// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_BOUND_QUERY_HPP
#define SLUICE_BINDINGS_BOUND_QUERY_HPP

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/params/bind.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/time/instant.hpp>

#include "list_queries.hpp"
#include "native_class.hpp"

namespace sluice::bindings {

/// A query parsed from its tree, and the schema that it views.
struct tree_query {
    std::shared_ptr<const python_schema> schema;
    list_query query;
};

/// A request to an endpoint declared in Python, and the time that its relative times refer to.
struct declared_request {
    std::shared_ptr<const declared_table> table;
    declared_query query;
    instant now;
    py::tuple columns;        ///< of the table, as sluice.Column
    bool wants_empty = true;  ///< see bind_options

    /// Returns the query string that reads as the query.
    [[nodiscard]] std::string text() const {
        return to_query_string(*table, query, {.wants_empty = wants_empty});
    }
};

/// The value of sluice.ListQuery and its subclasses, and what methods derive from it when they are
/// first called. Call these functions with the GIL.
class bound_query {
public:
    bound_query(tree_query&& query) : value_(std::move(query)) {}        // NOLINT(*-explicit-*)
    bound_query(declared_request&& query) : value_(std::move(query)) {}  // NOLINT(*-explicit-*)

    /// The request of a query; null for one that was read from a tree.
    [[nodiscard]] const declared_request* request() const noexcept {
        return std::get_if<declared_request>(&value_);
    }
    [[nodiscard]] declared_request* request() noexcept {
        return std::get_if<declared_request>(&value_);
    }
    /// The query of one that was read from a tree. Expects request() to be null.
    [[nodiscard]] const tree_query& tree() const { return std::get<tree_query>(value_); }

    /// The list query, which views the bound one.
    [[nodiscard]] const list_query& list() const;
    /// The columns of its schema.
    [[nodiscard]] columns_view columns() const noexcept {
        return request() ? request()->table->columns() : columns_view(tree().schema->columns);
    }
    /// The names of the columns of list().rows.leaves(), as interned strs.
    [[nodiscard]] const std::vector<py::str>& leaf_names() const;

private:
    std::variant<tree_query, declared_request> value_;
    mutable std::optional<list_query> list_{};  // of a request
    mutable std::optional<std::vector<py::str>> leaf_names_{};
};

/// Creates an instance of sluice.ListQuery or a subclass. TypeError if `type` is neither.
[[nodiscard]] py::object to_instance(py::handle type, bound_query&& query);

/// The query of an instance, which owns it; null for other objects.
[[nodiscard]] bound_query* find_bound_query(py::handle object);

/// The query of an instance, as for pybind11 classes. Expects an instance.
template <>
[[nodiscard]] inline bound_query& value_of<bound_query>(PyObject* self) {
    return *find_bound_query(self);
}

/// Adds ParameterTable to the module, and parse() to the class of queries.
[[gnu::cold]] void register_declared_table(py::module_& m, native_class& query);

}  // namespace sluice::bindings

/// Passes the query of an instance to functions bound by pybind11.
template <>
struct pybind11::detail::type_caster<sluice::bindings::bound_query> {
    static constexpr auto name = const_name("BoundQuery");
    template <class>
    using cast_op_type = const sluice::bindings::bound_query&;

    bool load(handle source, bool /*convert*/) {
        query_ = sluice::bindings::find_bound_query(source);
        return query_ != nullptr;
    }
    operator const sluice::bindings::bound_query&() const { return *query_; }

private:
    const sluice::bindings::bound_query* query_ = nullptr;
};

#endif
