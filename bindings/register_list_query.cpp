// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/pybind11.h>
#include <structmember.h>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/query/json_reader.hpp>
#include <sluice/query/json_writer.hpp>

#include "bound_query.hpp"
#include "convert.hpp"
#include "declared_values.hpp"
#include "json_text.hpp"
#include "list_queries.hpp"
#include "native_class.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "table_masks.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(The base class of sluice.ListQuery.)";

constexpr const char* read_tree =
    R"(read_tree(kind: type[_Bound], tree: Mapping[str, Any], schema: Iterable[Column]) -> _Bound
--

Reads a tree() into an instance of a subclass.

Args:
    kind: The subclass.
    tree: As for ListQuery.from_tree().
    schema: As for ListQuery.from_tree().

Raises:
    ApiError: The tree isn't one, or names a column that the schema lacks.)";

constexpr const char* value_of =
    R"(value_of($self, place: int) -> object
--

The value of a parameter that a subclass declares.

Args:
    place: The place of its declaration.

Raises:
    TypeError: The query was read from a tree, which has no parameters.)";

constexpr const char* now =
    "The present that times were counted from, an aware datetime in UTC; None of a query that was "
    "read from a tree.";

constexpr const char* mask =
    R"(mask($self, table: _Table | Mapping[str, Any], columns: Mapping[str, str | None] | None = None) -> Mask
--

Returns the rows of a table that match the conditions, as a Mask.

Page and order don't matter. Rows without a value pass if a filter excludes, and meet no other
test.

Args:
    table: An object with __arrow_c_stream__ or __arrow_c_array__ (pyarrow, polars, pandas, DuckDB),
        read in place and without the GIL; a lazy frame of polars, whose columns in the
        conditions are collected; a dataset or a scanner of pyarrow, read by batches; or a
        mapping of names to columns, as EventsQuery.mask() takes it. Integers may be whole floats,
        as pandas has them beside missing ones; decimals are decimals, integers, whole floats or
        text; metadata is JSON text, structs, maps, or objects as json.loads returns them.
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

/// The list query of a bound one, which keeps it, and the columns of its schema.
struct bound_list {
    const list_query& query;
    columns_view columns;
    const bound_query& source;

    [[nodiscard]] std::span<const py::str> names() const { return source.leaf_names(); }
    [[nodiscard]] py::tuple schema() const {
        const declared_request* const request = source.request();
        return request != nullptr ? request->columns : schema_of(columns);
    }
};

bound_list list_query_of(const bound_query& bound) {
    return {bound.list(), bound.columns(), bound};
}

py::object read_tree(py::handle kind, const py::object& tree, py::handle schema) {
    if (!is_mapping(tree)) refuse_type("tree", "a mapping", tree);
    const std::string json = to_json_text(tree, "tree");
    const py::object resource = tree.attr("get")("resource", "");
    const bool has_name = py::isinstance<py::str>(resource);
    auto columns = to_schema(schema, has_name ? py::cast<std::string>(resource) : std::string());
    auto read = parse_list_query(json, columns->columns, columns->resource);
    if (!read) raise(read.error().why, {.message = message(read.error())});
    return to_instance(kind, tree_query{std::move(columns), *std::move(read)});
}

row_mask mask(const bound_query& bound, const py::object& table, py::handle columns) {
    const bound_list list = list_query_of(bound);
    if (!list.query.search.empty()) {
        throw py::value_error(
            "search: a mask has no test for it: searches ignore the case of all "
            "alphabets");
    }
    const column_names names = to_column_names(columns, list.columns);
    const auto place_of = [&](const leaf& condition) -> std::optional<arrow::mask_place> {
        const std::string name(condition.subject.name);
        const auto named = names.find(name);
        const std::optional<std::string> column = named == names.end() ? name : named->second;
        if (!column) return std::nullopt;
        return arrow::mask_place{name, *column};
    };
    return table_mask(table, arrow::mask_conditions(list.query, place_of));
}

/// Implements value_of.
py::object parameter_of(const bound_query& bound, py::handle place) {
    const auto* const request = bound.request();
    if (request == nullptr) throw py::type_error("a query of a tree has no parameters");
    return to_python_value(*request, to_unsigned(place, "place"));
}

py::object now_of(const bound_query& bound) {
    const auto* const request = bound.request();
    return request == nullptr ? py::object(py::none()) : to_datetime(request->now);
}

/// A call that recreates an equal query: a class method, its format for repr(), and its arguments.
struct origin {
    const char* method;
    const char* call;
    py::tuple arguments;
};

origin origin_of(const bound_query& bound) {
    if (const auto* const request = bound.request()) {
        return {"parse", "{}.parse({!r}, now={!r})",
                py::make_tuple(request->text(), to_datetime(request->now))};
    }
    const auto list = list_query_of(bound);
    return {"from_tree", "{}.from_tree({!r}, {!r})",
            py::make_tuple(tree_of(list.query), schema_of(list.columns))};
}

/// The text by which queries are hashed and compared: the query string of a request, or the JSON of
/// a tree.
py::object text_of(const bound_query& bound) {
    const auto* const request = bound.request();
    if (request == nullptr) return to_python(to_json(list_query_of(bound).query));
    return to_python(request->text());
}

/// The query of a method that needs its instance too.
const bound_query& query_of(py::handle self) {
    if (const bound_query* const bound = find_bound_query(self)) return *bound;
    refuse_type("self", "BoundQuery", self);
}

py::object repr(const py::object& self) {
    const origin from = origin_of(query_of(self));
    const py::object name = py::type::handle_of(self).attr("__qualname__");
    return py::str(from.call).format(name, *from.arguments);
}

py::tuple reduce(const py::object& self) {
    const origin from = origin_of(query_of(self));
    return py::make_tuple(py::type::handle_of(self).attr(from.method), from.arguments);
}

/// Returns true if two queries are equal, including their resolved windows.
bool are_equal(const bound_query& a, const bound_query& b) {
    const bound_list one = list_query_of(a), other = list_query_of(b);
    const auto are_equal_columns = std::ranges::equal(one.columns, other.columns);
    return are_equal_columns && one.query == other.query && text_of(a).equal(text_of(b));
}

py::ssize_t hash(const bound_query& bound) { return py::hash(text_of(bound)); }

/// The class BoundQuery, once register_list_query() has created it.
PyTypeObject* query_type = nullptr;

/// An instance of BoundQuery. Weak references to it are possible.
struct query_object {
    PyObject_HEAD PyObject* weak_references;
    bound_query value;
};

PyMemberDef query_members[]{
    {"__weaklistoffset__", T_PYSSIZET, offsetof(query_object, weak_references), READONLY, nullptr},
    {},
};

/// Calls `visit(object)` for the values of custom types in a request.
template <class Visit>
void visit_custom_values(PyObject* self, const Visit& visit) {
    auto& bound = reinterpret_cast<query_object*>(self)->value;
    auto* const request = bound.request();
    if (request == nullptr) return;
    for (declared_value& value : request->query.values) {
        auto* const custom = std::get_if<single<std::optional<custom_value>>>(&value);
        if (custom != nullptr && custom->value) visit(custom->value->object);
    }
}

/// Implements tp_traverse: shows values of custom types, which may refer to the query, to the
/// garbage collector. Values shared with another query are skipped, because that one keeps them
/// alive.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    int ended = 0;
    visit_custom_values(self, [&](const std::shared_ptr<const void>& value) {
        if (ended != 0 || value.use_count() != 1) return;
        ended = visit(static_cast<const py::object*>(value.get())->ptr(), arg);
    });
    return ended;
}

/// Implements tp_clear: releases the values of custom types. They are destroyed last, when no value
/// of the query refers to them any more, since their destructors may run Python code.
int clear(PyObject* self) {
    std::vector<std::shared_ptr<const void>> values;
    visit_custom_values(self, [&](std::shared_ptr<const void>& value) {
        values.push_back(std::exchange(value, std::make_shared<py::object>(py::none())));
    });
    return 0;
}

/// Implements tp_dealloc.
void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    auto* const instance = reinterpret_cast<query_object*>(self);
    PyObject_GC_UnTrack(self);
    if (instance->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    std::destroy_at(&instance->value);
    type->tp_free(self);
    Py_DECREF(type);
}

template <class Value>
PyType_Slot slot(int id, Value* value) {
    return {id, reinterpret_cast<void*>(value)};
}

}  // namespace

const list_query& bound_query::list() const {
    if (!request()) return tree().query;
    if (!list_) list_ = to_list_query(*request()->table, request()->query);
    return *list_;
}

const std::vector<py::str>& bound_query::leaf_names() const {
    if (leaf_names_) return *leaf_names_;
    auto& names = leaf_names_.emplace();
    for (const leaf& condition : list().rows.leaves()) {
        PyObject* name = to_python(condition.subject.name).release().ptr();
        PyUnicode_InternInPlace(&name);
        names.push_back(py::reinterpret_steal<py::str>(name));
    }
    return names;
}

bound_query* find_bound_query(py::handle object) {
    if (PyObject_TypeCheck(object.ptr(), query_type) == 0) return nullptr;
    return &reinterpret_cast<query_object*>(object.ptr())->value;
}

py::object to_instance(py::handle type, bound_query&& query) {
    auto* const of = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (!PyType_Check(type.ptr()) || PyType_IsSubtype(of, query_type) == 0) {
        refuse_type("type", "a subclass of BoundQuery", type);
    }
    PyObject* const instance = of->tp_alloc(of, 0);
    if (instance == nullptr) throw py::error_already_set();
    std::construct_at(&reinterpret_cast<query_object*>(instance)->value, std::move(query));
    return py::reinterpret_steal<py::object>(instance);
}

void register_list_query(py::module_& m) {
    PyType_Slot slots[]{
        {Py_tp_doc, const_cast<char*>(doc::type)},
        {Py_tp_members, query_members},
        slot(Py_tp_new, create),
        slot(Py_tp_dealloc, destroy),
        slot(Py_tp_traverse, traverse),
        slot(Py_tp_clear, clear),
        {0, nullptr},
    };
    constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
    PyType_Spec spec{"sluice.BoundQuery", sizeof(query_object), 0, flags, slots};
    native_class c(spec);
    query_type = reinterpret_cast<PyTypeObject*>(c.ptr());
    m.attr("BoundQuery") = c;
    def_static(c, "read_tree", read_tree, doc::read_tree, py::arg("kind"), py::arg("tree"),
               py::arg("schema"));
    def_list_query<list_query_of, bound_query>(c);
    def(c, "mask", mask, doc::mask, py::arg("table"), py::arg("columns") = py::none());
    def(c, "value_of", parameter_of, doc::value_of, py::arg("place"));
    def_attribute<bound_query>(c, "now: datetime | None", now_of, doc::now);
    c.def("__eq__", are_equal, py::is_operator(), declare_method(c, "__eq__", equal_doc).c_str());
    def(c, "__hash__", hash, hash_doc);
    def(c, "__str__", text_of, str_doc);
    def(c, "__repr__", repr, repr_doc);
    def(c, "__reduce__", reduce, reduce_doc);
    register_declared_table(m, c);
    register_custom_rules(m);
}

}  // namespace sluice::bindings
