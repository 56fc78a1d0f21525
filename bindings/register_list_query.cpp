// SPDX-License-Identifier: MIT
#include <memory>
#include <optional>
#include <string>

#include <sluice/list_query_json.hpp>
#include <sluice/store/list_mask.hpp>
#include <sluice/store/list_query_reader.hpp>

#include "json_text.hpp"
#include "list_queries.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "table_masks.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(What a list request asks for: conditions on rows, an order, a page.

Made by from_tree(), of a tree that another query gave or a program wrote. Its rows are those of
any table whose columns the schema tells.)";

constexpr const char* from_tree =
    R"(from_tree(tree: Mapping[str, Any], schema: Iterable[Column]) -> ListQuery
--

Reads what tree() gave, of this or of another query.

Args:
    tree: A mapping as tree() gives it. What is left out is as in a query that asks for nothing.
    schema: The columns that conditions and sort keys may be about.

Raises:
    ApiError: The tree isn't one, or names a column that the schema lacks; the error names the
        member.
    TypeError: A column is no Column, or the tree holds what JSON lacks.
    ValueError: Two columns have the same name, or a list column isn't of texts.

Example:
    >>> status = sluice.Column("status", collation="ignore_case")
    >>> tree = {"where": {"column": "status", "any_of": ["open"]}}
    >>> sluice.ListQuery.from_tree(tree, [status]).columns
    ('status',))";

constexpr const char* mask =
    R"(mask($self, table: _Table | Mapping[str, Any], columns: Mapping[str, str | None] | None = None) -> Mask
--

Which rows of a table match the conditions.

Page and order don't matter. Rows without a value pass where a filter excludes, and meet no other
test.

Args:
    table: Whatever has __arrow_c_stream__ or __arrow_c_array__ (pyarrow, polars, pandas, DuckDB),
        read where it lies and without the GIL; a lazy frame of polars, of which the columns that
        are asked about are collected; a dataset or a scanner of pyarrow, read by batches; or a
        mapping of names to columns, as EventsQuery.mask() takes it. Decimals are decimals,
        integers or text; metadata is JSON text, a struct or a map.
    columns: Names of other columns by those of the schema, such as {'total': 'price'}. None as a
        name says that all rows are known to match. click.country is a column of this name, or
        field country of the struct click.

Returns:
    A Mask.

Raises:
    TypeError: A column is of a type that can't be compared exactly; the message names it.
    ValueError: A column is not there, or a value in it can't be read; the message names the row,
        counted from 0.

Example:
    >>> tree = {"where": {"not": {"column": "total", "gte": "9.99"}}}
    >>> query = sluice.ListQuery.from_tree(tree, [sluice.Column("total", "decimal")])
    >>> query.mask({"total": ["9.98", 10, None]}).tolist()
    [True, False, True])";

}  // namespace doc

/// What ListQuery holds: a query that views its schema.
struct own_query {
    std::shared_ptr<const own_schema> schema;
    list_query query;
};

asked_list asked_by(const own_query& own) { return {own.query, own.schema->columns}; }

PyObject* from_tree(PyObject*, const raw_call& call) {
    const auto [tree, schema] = bind_arguments<2>("from_tree", {"tree", "schema"}, 2, call);
    const auto given = py::reinterpret_borrow<py::object>(tree);
    if (!is_mapping(given)) refuse_type("tree", "a mapping", given);
    const std::string json = to_json_text(given, "tree");
    const py::object resource = given.attr("get")("resource", "");
    const bool has_name = py::isinstance<py::str>(resource);
    auto columns = to_schema(schema, has_name ? py::cast<std::string>(resource) : std::string());
    auto read = store::parse_list_query(json, columns->columns, columns->resource);
    if (!read) raise(read.error().why, {.message = message(read.error())});
    return to_new_object(own_query{std::move(columns), *std::move(read)});
}

PyObject* mask(PyObject* self, const raw_call& call) {
    const auto& own = held_by<own_query>(self);
    const auto [table, columns] = bind_arguments<2>("mask", {"table", "columns"}, 1, call);
    if (!own.query.search.empty()) {
        throw py::value_error(
            "search: a mask has no test for it: searches ignore the case of all "
            "alphabets");
    }
    const column_names names = to_column_names(columns);
    for (const auto& [name, place] : names) {
        if (find_column(own.schema->columns, name) != nullptr) continue;
        throw py::value_error("columns: the query's schema has no column '" + name + "'");
    }
    const auto place_of = [&](const leaf& asked) -> std::optional<store::mask_place> {
        const std::string name(asked.subject.name);
        const auto named = names.find(name);
        const std::optional<std::string> column = named == names.end() ? name : named->second;
        if (!column) return std::nullopt;
        return store::mask_place{name, *column};
    };
    return table_mask(py::reinterpret_borrow<py::object>(table),
                      store::mask_conditions(own.query, place_of));
}

py::tuple arguments(const own_query& own) {
    return py::make_tuple(tree_of(own.query), schema_of(own.schema->columns));
}

PyObject* reduce(PyObject* self, const raw_call&) {
    const py::object read = py::type::handle_of(self).attr("from_tree");
    return to_new_object(py::make_tuple(read, arguments(held_by<own_query>(self))));
}

py::object repr(const own_query& own) {
    return py::str("ListQuery.from_tree({!r}, {!r})").format(*arguments(own));
}

bool are_equal(const own_query& a, const own_query& b) {
    return a.query == b.query && a.schema->columns == b.schema->columns;
}

py::ssize_t hash(const own_query& own) { return py::hash(py::str(to_json(own.query))); }

}  // namespace

void register_list_query(py::module_& m) {
    auto c = make_class<own_query>(m, "ListQuery", doc::type);
    def_static_fast<from_tree>(c, "from_tree", doc::from_tree);
    def_list_query<asked_by>(c);
    def_fast<mask>(c, "mask", doc::mask);
    def_equal<are_equal>(c);
    def_method<hash>(c, "__hash__", hash_doc);
    def_method<repr>(c, "__repr__", repr_doc);
    def_fast<reduce>(c, "__reduce__", reduce_doc);
}

}  // namespace sluice::bindings
