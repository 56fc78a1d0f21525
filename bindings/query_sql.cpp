// SPDX-License-Identifier: MIT
#include "query_sql.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/stl.h>

#include <sluice/sql/aggregate.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/ddl.hpp>
#include <sluice/sql/detail/native_names.hpp>

#include "aggregates.hpp"
#include "convert.hpp"
#include "list_queries.hpp"
#include "package.hpp"
#include "raise.hpp"
#include "values.hpp"

namespace sluice::bindings {

const char* const to_sql_doc =
    R"(to_sql($self, dialect: _Dialect, table: str, *, columns: Mapping[str, str | tuple[str, str] | Place] | None = None, metadata: _Storage = "prepared", select: str = "*", form: Literal["page", "count", "condition"] = "page", keys: _Flag = True) -> Statement
--

The query as SQL, which gives the rows that the library itself finds, in the same order.

Its values, keys and paths are parameters, never text.

Args:
    dialect: 'sqlite', 'duckdb', 'postgresql', 'clickhouse' or 'mariadb'.
    table: The name of the table; with columns, SQL for what comes after FROM.
    columns: SQL for columns by their names in the schema, such as {'click.country': 'geo.country'};
        for prepared metadata that of both maps, or a Place for a column of another type than ddl()
        makes. The others are as ddl() makes them. This is SQL of the program: nothing of a request
        belongs here.
    metadata: How the table has JSON: 'prepared' by sluice.sql.prepare(), 'native' as PostgreSQL's
        jsonb, or 'function' as text that sluice.sql.matches() reads, in SQLite and DuckDB.
    select: SQL for what a page has of a row.
    form: 'page', 'count' of the rows on all pages, or 'condition', to be put after a WHERE.
    keys: False for a page whose rows don't end with their sort keys, which cursor_beside() takes:
        without them it takes less time. A page before a cursor has them all the same.

Returns:
    A Statement: text and parameters.

Raises:
    ApiError: The database can't answer exactly; the error says what to do.
    ValueError: A name is not one of the accepted ones.

Example:
    >>> query = sluice.api.EventsQuery.parse("country=US,CA&interval=all")
    >>> text, parameters = query.to_sql("duckdb", "clicks", form="count")
    >>> parameters[1]
    ['us', 'ca'])";

const char* const cursor_beside_doc =
    R"(cursor_beside($self, keys: Sequence[object], *, before: _Flag = False, metadata: _Storage = "prepared") -> str
--

The cursor of the page after a row of to_sql(), or of the page before it.

Args:
    keys: The row's sort keys, which are the last columns of a page's rows, or the values of a
        model: int, str, bool, Decimal, float, an aware datetime, date, UUID or None.
    before: True for the page that ends before the row.
    metadata: As for to_sql().

Returns:
    A str, which the query's parameter cursor takes.

Raises:
    ApiError: There are more or fewer keys than the order has, one isn't a value of its column, or
        one that isn't cut, the unique key or a decimal, is too long for a cursor (status 500); the
        error says which and what is expected.
    TypeError: A key isn't a value of a database.
    ValueError: The key of an integer is NaN or infinite, which no cursor carries.

Example:
    >>> query = sluice.api.TagsQuery.parse("pageSize=1")
    >>> cursor = query.cursor_beside(["sale", "tag_7"])
    >>> sluice.api.TagsQuery.parse({"pageSize": 1, "cursor": cursor}).cursor == cursor
    True)";

const char* const ddl_doc =
    R"(ddl(schema: Iterable[Column], dialect: _Dialect, table: str, *, metadata: _Storage = "prepared") -> list[str]
--

The statements that make a table for to_sql(), with keys and indexes.

Its columns are called as in the schema, with _ for dots. Times are milliseconds since 1970, lists
of SQLite JSON texts, decimals their order_key(), and prepared metadata is in two columns whose
names end in _text and _num. In SQLite and PostgreSQL no text may hold NUL. In MariaDB lists and
prepared metadata are JSON, and an id has at most 255 characters.

Args:
    schema: The columns, such as query.schema.
    dialect: As for to_sql().
    table: The name of the table.
    metadata: As for to_sql().

Returns:
    A list of str.

Raises:
    ApiError: The database has no such storage, or the table or a column can't have its name: it is
        empty, has a NUL, begins with sluice_ or is another's but for case.
    ValueError: A name is not one of the accepted ones.

Example:
    >>> sluice.sql.ddl([sluice.Column("id")], "duckdb", "tags")
    ['CREATE TABLE "tags" ("id" VARCHAR NOT NULL, PRIMARY KEY ("id"))'])";

const char* const aggregate_statement_doc =
    R"(aggregate_sql(tree: Mapping[str, Any], schema: Iterable[Column], dialect: _Dialect, table: str, *, columns: Mapping[str, str | tuple[str, str] | Place] | None = None, metadata: _Storage = "prepared") -> Statement
--

An aggregate query as one SQL statement, which returns the answer of aggregate().

Its rows have the values of the groups, then the measures: times in milliseconds since 1970,
decimals that the table has as texts as their order_key(). The starts of time buckets are
parameters, so the conditions have to set a first and a last time.

Args:
    tree: As for aggregate().
    schema: As for aggregate().
    dialect: As for to_sql() of a query, like the arguments that follow.
    table: The table, quoted as a name unless there are columns.
    columns: SQL of columns that aren't as ddl() makes them.
    metadata: The storage of JSON.

Returns:
    A Statement.

Raises:
    ApiError: The tree isn't one, or the database can't answer it: it groups by items of a list or
        by a path, or sums decimals that are texts.
    ValueError: A name is not one of the accepted ones.

Example:
    >>> tree = {"measures": [{"measure": "count"}]}
    >>> sluice.groups.aggregate_sql(tree, [sluice.Column("id")], "duckdb", "tags").parameters
    [1000])";

namespace {

constexpr std::array<std::string_view, 3> storage_names{"prepared", "native", "function"};

/// Parses one of some names to the enumerator with its index; the first one without an argument.
template <class Enum>
Enum to_choice(py::handle text, const char* what, std::span<const std::string_view> names) {
    if (!text) return Enum{};
    const utf8_text name(text, what);
    const auto place = std::ranges::find(names, name.view());
    if (place != names.end()) return static_cast<Enum>(place - names.begin());
    std::string accepted;
    for (const std::string_view choice : names) {
        accepted.append(accepted.empty() ? " " : ", ").append(choice);
    }
    throw py::value_error(std::string(what) + ": expected one of" + accepted);
}

struct value_converter {
    py::object operator()(std::monostate) const { return py::none(); }
    template <class T>
    py::object operator()(const T& held) const {
        return py::cast(held);
    }
};

/// Converts a numeric key of a column to the form in which a table with this storage has it.
sql::value to_number_key(py::handle number, sql::storage how, std::string_view column) {
    std::string text = to_number_text(number, column);
    if (how == sql::storage::native) return text;
    if (auto key = sql::order_key(text)) return *std::move(key);
    throw py::value_error("keys: a number beyond those that order_key() takes");
}

/// Returns the text of a key that is infinite or NaN, as databases write it; empty for others.
std::string special_text(py::handle number) {
    if (PyLong_Check(number.ptr())) return {};
    const std::string text = sluice::detail::to_lower(to_utf8(py::str(number)));
    if (text.find("nan") != text.npos) return "NaN";
    if (text.find("inf") == text.npos) return {};
    return text.starts_with('-') ? "-Infinity" : "Infinity";
}

/// Converts a time to milliseconds, or to RFC 3339 if it has microseconds.
sql::value to_time_key(py::handle moment) {
    const instant at = to_instant(moment, "keys");
    const int microseconds = py::cast<int>(moment.attr("microsecond"));
    if (microseconds % 1'000 == 0) return at.time_since_epoch().count();
    std::string digits = std::to_string(1'000 + microseconds % 1'000).substr(1);
    return sql::detail::to_zoned_text({at, digits});
}

/// Converts a sort key of a column from a database or a model.
sql::value to_value(py::handle key, sql::storage how, const column& subject) {
    if (key.is_none()) return std::monostate();
    const py::object value = to_plain_scalar(key);
    if (PyFloat_Check(value.ptr()) && subject.type == column_type::real) {
        return PyFloat_AS_DOUBLE(value.ptr());
    }
    if (PyBool_Check(value.ptr())) return value.is(py::bool_(true));
    if (PyLong_Check(value.ptr())) return to_integer(value, "keys");
    if (PyUnicode_Check(value.ptr())) return to_text(value, "keys");
    if (is_number(value)) {
        const bool may_be_special =
            subject.type == column_type::decimal || subject.type == column_type::real;
        if (may_be_special) {
            if (std::string text = special_text(value); !text.empty()) return text;
        }
        return to_number_key(value, how, subject.name);
    }
    const py::module_ datetime = py::module_::import("datetime");
    if (py::isinstance(value, datetime.attr("datetime"))) return to_time_key(value);
    if (py::isinstance(value, datetime.attr("date"))) return to_utf8(value.attr("isoformat")());
    if (py::isinstance(value, py::module_::import("uuid").attr("UUID"))) {
        return to_utf8(py::str(value));
    }
    refuse_type("keys", "int, str, bool, Decimal, datetime, date, UUID or None for each", key);
}

std::vector<sql::value> to_keys(const list_query& query, py::handle row_keys, sql::storage how) {
    const bool is_sequence =
        PySequence_Check(row_keys.ptr()) != 0 && !PyUnicode_Check(row_keys.ptr());
    if (!is_sequence) refuse_type("keys", "a sequence of a row's sort keys", row_keys);
    const std::vector<sort_key> order = whole_order(query);
    std::vector<sql::value> keys;
    for (const py::handle key : row_keys) {
        const std::size_t at = keys.size();
        keys.push_back(to_value(key, how, at < order.size() ? order[at].by : column{"keys"}));
    }
    return keys;
}

/// Sets a column's SQL and type from a Place.
void set_place(sql::mapped_column& column, const py::object& place, const std::string& what,
               const sluice::column& source, sql::dialect of) {
    std::string name = to_text(place.attr("type"), what);
    const auto* const type = sql::detail::find_native_type(name, source, of);
    if (type == nullptr) {
        const std::string names = sql::detail::native_type_names(source, of);
        throw py::value_error(what + ": " +
                              (names.empty() ? "no type of the database but that of ddl()"
                                             : "expected one of " + names) +
                              ", not '" + name + "'");
    }
    column.expression = to_text(place.attr("expression"), what);
    column.type = std::move(name);
}

/// Sets a column's SQL from the argument: one expression, or two for prepared metadata.
void place_column(sql::mapped_column& column, const py::object& place, const sluice::column& source,
                  sql::dialect of) {
    const std::string what = "columns: " + std::string(column.name);
    if (py::isinstance(place, package_object("Place"))) {
        return set_place(column, place, what, source, of);
    }
    const bool has_maps = !column.numbers.empty();
    if (!has_maps) {
        column.expression = to_text(place, what);
        return;
    }
    const py::sequence maps = to_pair(place, what, "SQL for both maps of prepared metadata");
    column.expression = to_text(maps[0], what);
    column.numbers = to_text(maps[1], what);
}

void place_columns(sql::mapping& places, py::handle columns, columns_view schema, sql::dialect of) {
    if (!columns || columns.is_none()) return;
    if (!py::hasattr(columns, "items")) refuse_type("columns", "a mapping", columns);
    for (const py::handle item : to_pairs_of(columns, "columns")) {
        const py::sequence pair = to_pair(item, "columns");
        const std::string name = to_text(pair[0], "columns");
        const auto column = std::ranges::find(places.columns, name, &sql::mapped_column::name);
        if (column == places.columns.end()) {
            throw py::value_error("columns: the query has no column '" + name + "'");
        }
        const auto source = std::ranges::find(schema, column->name, &sluice::column::name);
        place_column(*column, pair[1], *source, of);
    }
}

/// Makes a sluice.sql.Statement, a tuple of a text and its parameters.
py::object to_statement(const sql::statement& written, sql::dialect of) {
    static const py::object& type = *new py::object(package_object("Statement"));
    const py::tuple members = py::make_tuple(written.text, to_parameters(written.parameters, of));
    const py::tuple arguments = py::make_tuple(members);
    auto* const statement =
        PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type.ptr()), arguments.ptr(), nullptr);
    if (statement == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(statement);
}

}  // namespace

py::object to_parameters(const std::vector<sql::value>& values, sql::dialect of) {
    if (of == sql::dialect::clickhouse) {
        py::dict named;
        for (const sql::value& value : values) {
            const py::str name("p" + std::to_string(named.size() + 1));
            named[name] = std::visit(value_converter(), value);
        }
        return named;
    }
    py::list parameters(values.size());
    for (std::size_t at = 0; at < values.size(); ++at) {
        parameters[at] = std::visit(value_converter(), values[at]);
    }
    return parameters;
}

py::object to_statement(const list_query& query, columns_view columns, const raw_call& call) {
    constexpr std::array names{"dialect", "table", "columns", "metadata", "select", "form", "keys"};
    std::array<PyObject*, names.size()> bound{};
    bind_arguments({"to_sql", names, 2, 2}, call, bound);
    const auto [dialect, table, placed, metadata, select, kind, keys] = bound;
    const auto of = to_choice<sql::dialect>(dialect, "dialect", sql::dialect_names);
    const auto how = to_choice<sql::storage>(metadata, "metadata", storage_names);
    const auto form = to_choice<sql::form>(kind, "form", sql::form_names);
    const utf8_text name(table, "table");
    sql::mapping places = sql::table_mapping(columns, name.view(), of, how);
    if (placed != nullptr && placed != Py_None) places.table = name.view();
    place_columns(places, placed, columns, of);
    if (select != nullptr) places.selects = to_text(select, "select");
    places.placeholders = sql::placeholder::format;
    places.keys = to_flag(keys, "keys", true);
    return to_statement(unwrap(sql::compile(query, places, of, form)), of);
}

std::string to_cursor_beside(const list_query& query, py::handle keys, py::handle before,
                             py::handle metadata) {
    const auto how = to_choice<sql::storage>(metadata, "metadata", storage_names);
    const auto values = to_keys(query, keys, how);
    const cursor place = unwrap(sql::place_beside(query, values, to_flag(before, "before"), how));
    return unwrap(cursor_text(place, whole_order(query)));
}

py::object aggregate_statement(const py::object& tree, py::handle schema, py::handle dialect,
                               py::handle table, py::handle columns, py::handle metadata) {
    const auto known = to_schema(schema);
    const aggregate_query query = to_aggregate_query(tree, known->columns);
    const auto of = to_choice<sql::dialect>(dialect, "dialect", sql::dialect_names);
    const auto how = to_choice<sql::storage>(metadata, "metadata", storage_names);
    const utf8_text name(table, "table");
    sql::mapping places = sql::table_mapping(known->columns, name.view(), of, how);
    if (!columns.is_none()) places.table = name.view();
    place_columns(places, columns, known->columns, of);
    places.placeholders = sql::placeholder::format;
    return to_statement(unwrap(sql::compile_aggregate(query, places, of)), of);
}

py::object ddl(py::handle schema, py::handle dialect, py::handle table, py::handle metadata) {
    const auto columns = to_schema(schema);
    const auto of = to_choice<sql::dialect>(dialect, "dialect", sql::dialect_names);
    const auto how = to_choice<sql::storage>(metadata, "metadata", storage_names);
    const utf8_text name(table, "table");
    const auto places = sql::table_mapping(columns->columns, name.view(), of, how);
    return py::cast(unwrap(sql::ddl(columns->columns, places, of)));
}

}  // namespace sluice::bindings
