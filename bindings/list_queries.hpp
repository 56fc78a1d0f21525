// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_LIST_QUERIES_HPP
#define SLUICE_BINDINGS_LIST_QUERIES_HPP

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include <sluice/query/column_copies.hpp>
#include <sluice/query/list_query.hpp>

#include "fast_method.hpp"
#include "members.hpp"
#include "python_row.hpp"
#include "query_sql.hpp"

namespace sluice::bindings {

namespace py = pybind11;

/// The columns as a tuple of sluice.Column.
[[nodiscard]] py::tuple schema_of(columns_view columns);

/// A list query and the columns of its schema; it may view the object that it was created from.
struct query_with_columns {
    list_query query;
    columns_view columns;

    /// The names of the columns of query.rows.leaves(), or of none.
    [[nodiscard]] std::span<const py::str> names() const { return {}; }
    [[nodiscard]] py::tuple schema() const { return schema_of(columns); }
};

/// A schema from Python: its columns, and the texts that they view.
struct python_schema {
    std::string resource;
    std::vector<column> columns;
    column_copies copies;
};

/// The schema of an iterable of sluice.Column, cached by the identity of the columns. TypeError
/// otherwise, ValueError if a name repeats.
[[nodiscard]] std::shared_ptr<const python_schema> to_schema(py::handle iterable,
                                                             std::string resource = {});

/// The query as dicts and lists; see sluice::to_json().
[[nodiscard]] py::dict tree_of(const list_query& query);

/// The names of the columns in conditions and order, as a tuple without duplicates.
[[nodiscard]] py::tuple columns_of(const list_query& query);

namespace list_query_doc {

inline constexpr const char* tree = R"(tree($self, /) -> dict[str, Any]
--

The query as dicts, lists and plain values, as json.loads returns them.

Returns:
    A dict: "where" has the conditions, "order" the sort keys, "page" or "cursor" the place;
    ListQuery.from_tree() reads it.

Example:
    >>> query = sluice.api.TagsQuery.parse("ids=a,b&sortBy=createdAt")
    >>> query.tree()["where"]
    {'all': [{'column': 'id', 'any_of': ['a', 'b']}]})";

inline constexpr const char* columns =
    R"(The names of the columns that conditions and sort keys read, a tuple without repeats.)";

inline constexpr const char* schema =
    R"(The columns that conditions and sort keys may be about, a tuple of Column.)";

}  // namespace list_query_doc

/// Implements matches of a class of queries.
template <auto ListQueryOf, class T>
PyObject* match(PyObject* self, const raw_call& call) {
    const auto list = ListQueryOf(value_of<T>(self));
    return PyBool_FromLong(matches(list.query, list.columns, list.names(), call) ? 1 : 0);
}

/// Implements to_sql of a class of queries.
template <auto ListQueryOf, class T>
PyObject* write_sql(PyObject* self, const raw_call& call) {
    const auto list = ListQueryOf(value_of<T>(self));
    return to_statement(list.query, list.columns, call).release().ptr();
}

/// Adds the members of all query classes, whose C++ values are of type T. `ListQueryOf(value)`
/// converts one to a `query_with_columns`, or to one that views a kept list query.
template <auto ListQueryOf, class T, class Owner>
[[gnu::cold]] void def_list_query(Owner& c) {
    def_attribute<T>(
        c, "columns: tuple[str, ...]",
        [](const T& self) { return columns_of(ListQueryOf(self).query); }, list_query_doc::columns);
    def_attribute<T>(
        c, "schema: tuple[Column, ...]", [](const T& self) { return ListQueryOf(self).schema(); },
        list_query_doc::schema);
    def(
        c, "tree", [](const T& self) { return tree_of(ListQueryOf(self).query); },
        list_query_doc::tree);
    def_fast<match<ListQueryOf, T>>(c, "matches", matches_doc);
    def_fast<write_sql<ListQueryOf, T>>(c, "to_sql", to_sql_doc);
    const auto cursor_beside = [](const T& self, py::handle keys, py::handle before,
                                  py::handle metadata) {
        return to_cursor_beside(ListQueryOf(self).query, keys, before, metadata);
    };
    def(c, "cursor_beside", cursor_beside, cursor_beside_doc, py::arg("keys"), py::kw_only(),
        py::arg("before") = false, py::arg("metadata") = "prepared");
}

}  // namespace sluice::bindings

#endif
