// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_LIST_QUERIES_HPP
#define SLUICE_BINDINGS_LIST_QUERIES_HPP

#include <memory>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include <sluice/query/list_query.hpp>

#include "fast_method.hpp"
#include "python_method.hpp"
#include "python_row.hpp"
#include "query_sql.hpp"

namespace sluice::bindings {

namespace py = pybind11;

/// A list query and the columns of its schema; it may view the object that it was created from.
struct asked_list {
    list_query query;
    columns_view columns;
};

/// A schema from Python: its columns, and the texts that they view.
struct own_schema {
    std::vector<std::string> names;
    std::string resource;
    std::vector<column> columns;
};

/// The schema of an iterable of sluice.Column. TypeError or ValueError otherwise.
[[nodiscard]] std::shared_ptr<const own_schema> to_schema(py::handle given,
                                                          std::string resource = {});

/// The query as dicts and lists; see sluice::to_json().
[[nodiscard]] py::dict tree_of(const list_query& query);

/// The names of the columns in conditions and order, as a tuple without duplicates.
[[nodiscard]] py::tuple columns_of(const list_query& query);

/// The columns as a tuple of sluice.Column.
[[nodiscard]] py::tuple schema_of(columns_view columns);

extern const python_method to_polars_method, to_pyarrow_method, where_method, to_django_method;

namespace list_query_doc {

inline constexpr const char* tree = R"(tree($self, /) -> dict[str, Any]
--

The query as dicts, lists and plain values, as json.loads gives them.

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

template <auto AskedBy, class T>
py::dict tree_of(const T& asked) {
    return tree_of(AskedBy(asked).query);
}
template <auto AskedBy, class T>
py::tuple columns_of(const T& asked) {
    return columns_of(AskedBy(asked).query);
}
template <auto AskedBy, class T>
py::tuple schema_of(const T& asked) {
    return schema_of(AskedBy(asked).columns);
}
/// Calls `Make(query, columns, arguments)`.
template <auto AskedBy, auto Make, class T>
PyObject* call_with_query(PyObject* self, const raw_call& call) {
    const asked_list asked = AskedBy(held_by<T>(self));
    return to_new_object(Make(asked.query, asked.columns, call));
}

/// Adds the members of all query classes. `AskedBy(value)` converts a value to an `asked_list`.
template <auto AskedBy, class T>
[[gnu::cold]] void def_list_query(py::class_<T>& c) {
    def_attribute<columns_of<AskedBy, T>>(c, "columns: tuple[str, ...]", list_query_doc::columns);
    def_attribute<schema_of<AskedBy, T>>(c, "schema: tuple[Column, ...]", list_query_doc::schema);
    def_method<tree_of<AskedBy, T>>(c, "tree", list_query_doc::tree);
    def_python<to_polars_method>(c);
    def_python<to_pyarrow_method>(c);
    def_python<where_method>(c);
    def_python<to_django_method>(c);
    def_fast<call_with_query<AskedBy, to_match, T>>(c, "matches", matches_doc);
    def_fast<call_with_query<AskedBy, to_statement, T>>(c, "to_sql", to_sql_doc);
    def_fast<call_with_query<AskedBy, to_cursor_beside, T>>(c, "cursor_beside", cursor_beside_doc);
}

}  // namespace sluice::bindings

#endif
