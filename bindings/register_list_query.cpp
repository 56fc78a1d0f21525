// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/query/json_reader.hpp>
#include <sluice/query/json_writer.hpp>

#include "bound_query.hpp"
#include "convert.hpp"
#include "declared_values.hpp"
#include "json_text.hpp"
#include "list_queries.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "table_masks.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(What sluice.ListQuery is made of.)";

constexpr const char* read_tree =
    R"(read_tree(kind: type[_Bound], tree: Mapping[str, Any], schema: Iterable[Column]) -> _Bound
--

Reads what tree() gave into an instance of a subclass.

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

const declared_request* request_of(const bound_query& bound) {
    return std::get_if<declared_request>(&bound);
}

asked_list asked_by(const bound_query& bound) {
    if (const auto* const request = request_of(bound)) {
        return {to_list_query(*request->table, request->query), request->table->columns()};
    }
    const auto& read = std::get<tree_query>(bound);
    return {read.query, read.schema->columns};
}

PyObject* read_tree(PyObject*, const raw_call& call) {
    const auto [type, tree, schema] =
        bind_arguments<3>("from_tree", {"kind", "tree", "schema"}, 3, call);
    const auto given = py::reinterpret_borrow<py::object>(tree);
    if (!is_mapping(given)) refuse_type("tree", "a mapping", given);
    const std::string json = to_json_text(given, "tree");
    const py::object resource = given.attr("get")("resource", "");
    const bool has_name = py::isinstance<py::str>(resource);
    auto columns = to_schema(schema, has_name ? py::cast<std::string>(resource) : std::string());
    auto read = parse_list_query(json, columns->columns, columns->resource);
    if (!read) raise(read.error().why, {.message = message(read.error())});
    return to_instance(type, tree_query{std::move(columns), *std::move(read)});
}

PyObject* mask(PyObject* self, const raw_call& call) {
    const asked_list own = asked_by(held_by<bound_query>(self));
    const auto [table, columns] = bind_arguments<2>("mask", {"table", "columns"}, 1, call);
    if (!own.query.search.empty()) {
        throw py::value_error(
            "search: a mask has no test for it: searches ignore the case of all "
            "alphabets");
    }
    const column_names names = to_column_names(columns, own.columns);
    const auto place_of = [&](const leaf& asked) -> std::optional<arrow::mask_place> {
        const std::string name(asked.subject.name);
        const auto named = names.find(name);
        const std::optional<std::string> column = named == names.end() ? name : named->second;
        if (!column) return std::nullopt;
        return arrow::mask_place{name, *column};
    };
    return table_mask(py::reinterpret_borrow<py::object>(table),
                      arrow::mask_conditions(own.query, place_of));
}

PyObject* value_of(PyObject* self, const raw_call& call) {
    const auto [place] = bind_arguments<1>("value_of", {"place"}, 1, call);
    const auto* const request = request_of(held_by<bound_query>(self));
    if (request == nullptr) throw py::type_error("a query of a tree has no parameters");
    return to_new_object(to_python_value(*request, to_unsigned(place, "place")));
}

py::object now_of(const bound_query& bound) {
    const auto* const request = request_of(bound);
    return request == nullptr ? py::object(py::none()) : to_datetime(request->now);
}

/// A call that recreates an equal query: a class method, its format for repr(), and its arguments.
struct origin {
    const char* method;
    const char* call;
    py::tuple arguments;
};

origin origin_of(const bound_query& bound) {
    if (const auto* const request = request_of(bound)) {
        return {"parse", "{}.parse({!r}, now={!r})",
                py::make_tuple(to_query_string(*request->table, request->query),
                               to_datetime(request->now))};
    }
    const auto asked = asked_by(bound);
    return {"from_tree", "{}.from_tree({!r}, {!r})",
            py::make_tuple(tree_of(asked.query), schema_of(asked.columns))};
}

py::object text_of(const bound_query& bound) {
    const auto* const request = request_of(bound);
    if (request == nullptr) return to_python(to_json(asked_by(bound).query));
    return to_python(to_query_string(*request->table, request->query));
}

PyObject* repr(PyObject* self, const raw_call&) {
    const origin from = origin_of(held_by<bound_query>(self));
    const py::object name = py::type::handle_of(self).attr("__qualname__");
    return to_new_object(py::str(from.call).format(name, *from.arguments));
}

PyObject* reduce(PyObject* self, const raw_call&) {
    const origin from = origin_of(held_by<bound_query>(self));
    const py::object make = py::type::handle_of(self).attr(from.method);
    return to_new_object(py::make_tuple(make, from.arguments));
}

/// Returns true if two queries are equal, including their resolved windows.
bool are_equal(const bound_query& a, const bound_query& b) {
    const asked_list one = asked_by(a), other = asked_by(b);
    const auto are_equal_columns = std::ranges::equal(one.columns, other.columns);
    return are_equal_columns && one.query == other.query && text_of(a).equal(text_of(b));
}

py::ssize_t hash(const bound_query& bound) { return py::hash(text_of(bound)); }

PyTypeObject* query_type = nullptr;

using holder = std::unique_ptr<bound_query>;

/// The holder of an instance with pybind11's simple layout.
holder* holder_of(py::detail::instance* of) {
    return reinterpret_cast<holder*>(&of->simple_value_holder[1]);
}

/// The query of an instance; null while it has none.
bound_query* query_in(PyObject* self) {
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    if (!instance->simple_layout || !instance->simple_holder_constructed) return nullptr;
    return holder_of(instance)->get();
}

/// Calls `visit(object)` for the values of custom types in a request.
template <class Visit>
void for_each_own_value(PyObject* self, const Visit& visit) {
    bound_query* const bound = query_in(self);
    auto* const request = bound ? std::get_if<declared_request>(bound) : nullptr;
    if (request == nullptr) return;
    for (declared_value& each : request->query.values) {
        auto* const own = std::get_if<single<std::optional<custom_value>>>(&each);
        if (own != nullptr && own->value) visit(own->value->object);
    }
}

/// Shows values of custom types, which may refer to the query, to the garbage collector. Values
/// shared with another query are skipped, because that keeps them alive.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    int ended = 0;
    for_each_own_value(self, [&](const std::shared_ptr<const void>& value) {
        if (ended != 0 || value.use_count() != 1) return;
        ended = visit(static_cast<const py::object*>(value.get())->ptr(), arg);
    });
    return ended;
}

int clear(PyObject* self) {
    std::vector<std::shared_ptr<const void>> values;
    for_each_own_value(self, [&](std::shared_ptr<const void>& value) {
        values.push_back(std::exchange(value, std::make_shared<py::object>(py::none())));
    });
    return 0;
}

/// Destroys an instance of to_instance(), which isn't in pybind11's table of instances.
void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    if (PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC) != 0) PyObject_GC_UnTrack(self);
    if (instance->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
    if (!instance->simple_layout) {
        py::detail::clear_instance(self);
    } else if (instance->simple_holder_constructed) {
        std::destroy_at(holder_of(instance));
    }
    type->tp_free(self);
    Py_DECREF(type);
}

}  // namespace

PyObject* to_instance(py::handle type, bound_query&& query) {
    auto* const of = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (!PyType_Check(type.ptr()) || PyType_IsSubtype(of, query_type) == 0) {
        refuse_type("type", "a subclass of BoundQuery", type);
    }
    holder held = std::make_unique<bound_query>(std::move(query));
    PyObject* const made = of->tp_alloc(of, 0);
    if (made == nullptr) throw py::error_already_set();
    // The layout of pybind11 instances, but not registered in its list of instances: nothing looks
    // this one up by the address of its value.
    auto* const instance = reinterpret_cast<py::detail::instance*>(made);
    instance->simple_layout = true;
    instance->owned = true;
    instance->simple_value_holder[0] = held.get();
    std::construct_at(holder_of(instance), std::move(held));
    instance->simple_holder_constructed = true;
    return made;
}

void register_list_query(py::module_& m) {
    const py::custom_type_setup collected([](PyHeapTypeObject* heap) {
        heap->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
        heap->ht_type.tp_traverse = traverse;
        heap->ht_type.tp_clear = clear;
    });
    auto c = make_base_class<bound_query>(m, "BoundQuery", doc::type, collected);
    query_type = reinterpret_cast<PyTypeObject*>(c.ptr());
    query_type->tp_dealloc = destroy;
    def_static_fast<read_tree>(c, "read_tree", doc::read_tree);
    def_list_query<asked_by>(c);
    def_fast<mask>(c, "mask", doc::mask);
    def_fast<value_of>(c, "value_of", doc::value_of);
    def_attribute<now_of>(c, "now: datetime | None", doc::now);
    def_equal<are_equal>(c);
    def_method<hash>(c, "__hash__", hash_doc);
    def_method<text_of>(c, "__str__", str_doc);
    def_fast<repr>(c, "__repr__", repr_doc);
    def_fast<reduce>(c, "__reduce__", reduce_doc);
    register_declared_table(m, c);
    register_own_rules(m);
}

}  // namespace sluice::bindings
