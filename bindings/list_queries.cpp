// SPDX-License-Identifier: MIT
#include "list_queries.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/choice.hpp>
#include <sluice/query/json_writer.hpp>

#include "convert.hpp"
#include "raise.hpp"

namespace sluice::bindings {

const python_method to_polars_method{
    "sluice._expressions.polars", "to_polars",
    R"(to_polars($self, columns: Mapping[str, str | tuple[str, ...] | pl.Expr] | None = None, schema: Mapping[str, pl.DataType] | None = None) -> pl.Expr
--

The conditions as an expression of polars, true for the rows that the query takes and else false.

It holds for eager and lazy frames. Order and page are no conditions on rows. What polars has no
exact expression for, which are decimals and metadata, is asked of each batch by a mask.

Args:
    columns: Where a frame has a column of the query's schema, by its name: another name, the names
        down to a field of a struct, such as ('click', 'country'), or an expression. A column that
        is not here has its own name.
    schema: The schema of what is filtered, such as frame.collect_schema(), by which times are
        compared as their columns hold them, datetimes or Int64 milliseconds: files leave out row
        groups whose statistics rule a time out. Without it times are datetimes.

Returns:
    polars.Expr.

Raises:
    ImportError: polars is not installed.
    TypeError: A column of times in `schema` holds none.
    ValueError: The query asks for what polars can't tell; the message says what.)"};

const python_method to_pyarrow_method{
    "sluice._expressions.pyarrow", "to_pyarrow",
    R"(to_pyarrow($self, columns: Mapping[str, str | tuple[str, ...] | pc.Expression] | None = None, schema: pa.Schema | None = None) -> pc.Expression
--

The conditions as an expression of pyarrow, true for the rows that the query takes and else false.

Tables, datasets and scanners filter by it; row groups whose statistics rule it out are not read.

Args:
    columns: As for to_polars(), with expressions of pyarrow.
    schema: The schema of what is filtered, such as dataset.schema, by which values get the types of
        their columns. Without it times are timestamps in UTC, and decimals are refused.

Returns:
    pyarrow.compute.Expression.

Raises:
    ImportError: pyarrow is not installed.
    TypeError: A column of `schema` is of a type that can't be compared exactly.
    ValueError: The query asks for what pyarrow can't tell, such as lists and metadata; the message
        says what.)"};

const python_method where_method{
    "sluice._expressions.sqlalchemy", "where",
    R"(where($self, table: sa.FromClause | type[Any], columns: Mapping[str, str | sa.ColumnElement[Any]] | None = None) -> sa.ColumnElement[bool]
--

The conditions as an expression of SQLAlchemy, for SQLite and PostgreSQL.

Values are bound parameters. What a text is compared by differs between databases: another one
refuses the expression when it compiles it.

Args:
    table: A Table, any other FromClause, or a mapped class.
    columns: Which column of the table, by its name, or which expression is a column of the query's
        schema. A column that is not here has its own name.

Returns:
    sqlalchemy.ColumnElement.

Raises:
    ImportError: SQLAlchemy is not installed.
    TypeError: A column is of a type that can't be compared exactly.
    ValueError: The table has no such column, or the query asks for what SQL can't tell; the message
        says what.)"};

const python_method to_django_method{
    "sluice._expressions.django", "to_django",
    R"(to_django($self, columns: Mapping[str, Any] | None = None) -> Q
--

The conditions as a Q of Django, for SQLite and PostgreSQL.

Values are bound parameters. What a text is compared by differs between databases: another one
refuses the query when it compiles it.

Args:
    columns: Which field, by its lookup path such as link__domain, or which expression is a column
        of the query's schema. A column that is not here has its own name.

Returns:
    django.db.models.Q.

Raises:
    ImportError: Django is not installed.
    ValueError: The query asks for what SQL can't tell; the message says what.)"};

py::dict tree_of(const list_query& query) {
    return py::module_::import("json").attr("loads")(to_json(query));
}

py::tuple columns_of(const list_query& query) {
    py::list names;
    const auto add = [&](const column& each) {
        const py::object name = to_python(each.name);
        if (!names.contains(name)) names.append(name);
    };
    for (const leaf& each : query.rows.leaves()) add(each.subject);
    for (const sort_key& each : query.order) add(each.by);
    return py::tuple(names);
}

py::tuple schema_of(columns_view columns) {
    const py::object type = py::module_::import("sluice._column").attr("Column");
    py::list all;
    for (const column& each : columns) {
        all.append(type(each.name, to_string(each.type), each.is_list, each.is_nullable,
                        record_of(each.how).name));
    }
    return py::tuple(all);
}

namespace {

template <class Enumerator, const auto& Names>
Enumerator enumerator_of(const py::object& column, const char* attribute) {
    const auto name = py::cast<std::string>(column.attr(attribute));
    return static_cast<Enumerator>(unwrap_argument(parse_choice<Names>(name), attribute, name));
}

column to_column(const py::object& given) {
    return {.type = enumerator_of<column_type, column_type_names>(given, "type"),
            .is_list = py::cast<bool>(given.attr("is_list")),
            .is_nullable = py::cast<bool>(given.attr("is_nullable")),
            .how = enumerator_of<collation, collation_names>(given, "collation")};
}

}  // namespace

std::shared_ptr<const own_schema> to_schema(py::handle given, std::string resource) {
    const py::object type = py::module_::import("sluice._column").attr("Column");
    auto made = std::make_shared<own_schema>();
    made->resource = std::move(resource);
    if (!py::isinstance<py::iterable>(given)) refuse_type("schema", "columns", given);
    for (const py::handle each : given) {
        if (!py::type::handle_of(each).is(type)) refuse_type("schema", "columns", each);
        made->columns.push_back(to_column(py::reinterpret_borrow<py::object>(each)));
        made->names.push_back(py::cast<std::string>(each.attr("name")));
    }
    for (std::size_t at = 0; at < made->names.size(); ++at) {
        const std::string& name = made->names[at];
        made->columns[at].name = name;
        if (std::ranges::count(made->names, name) == 1) continue;
        throw py::value_error("schema: more than one column '" + name + "'");
    }
    return made;
}

}  // namespace sluice::bindings
