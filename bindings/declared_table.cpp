// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sluice/params/openapi.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/params/table_tests.hpp>

#include "bound_query.hpp"
#include "custom_rules.hpp"
#include "fast_method.hpp"
#include "grammars.hpp"
#include "list_request.hpp"
#include "parameter_attributes.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(The parameters of an endpoint that a program declares.

Built by make(), for sluice.ListQuery.)";

constexpr const char* make =
    R"(make(declarations: Iterable[dict[str, Any]], columns: Iterable[Column], unique: str, wants_empty: _Flag = True) -> ParameterTable
--

Makes the table of some declarations.

Args:
    declarations: Dicts of the parameters' attributes, in order.
    columns: The columns of the resource.
    unique: The column in which no two rows have the same value.
    wants_empty: False if parameters with an empty value count as absent.

Raises:
    ValueError: A declaration is invalid; the message begins with its parameter or column.)";

constexpr const char* parse =
    R"(parse($type, query_string: _QueryString, now: datetime | None = None, strict: _Flag = True) -> Self
--

Reads the parameters of a request.

Args:
    query_string: str, bytes, a mapping or pairs; see to_query_string() for their values.
    now: An aware datetime, which times such as 'yesterday' count from, cut to milliseconds; the
        present by default.
    strict: False ignores parameters that the class lacks; they are errors by default.

Raises:
    ApiError: The first thing that is wrong, in the order of the parameters.
    TypeError: A value or now is of another type.
    ValueError: now is naive.)";

constexpr const char* read =
    R"(read($self, kind: type[_Bound], query_string: _QueryString, now: datetime | None = None, strict: _Flag = True) -> _Bound
--

Reads the parameters of a request into an instance of a subclass of BoundQuery, without its checks.

Args:
    kind: The subclass.
    query_string: As for ListQuery.parse().
    now: As for ListQuery.parse().
    strict: As for ListQuery.parse().

Raises:
    ApiError: The first thing that is wrong.)";

constexpr const char* errors =
    R"(errors($self, query_string: _QueryString, now: datetime | None = None, strict: _Flag = True) -> list[ApiError]
--

All that is wrong with a request.

Args:
    query_string: As for ListQuery.parse().
    now: As for ListQuery.parse().
    strict: As for ListQuery.parse().)";

constexpr const char* openapi = R"(openapi($self, /) -> str
--

The `parameters` of an OpenAPI 3.1 operation, as JSON.)";

constexpr const char* tests =
    R"(tests($self, /) -> list[tuple[str, _Test, str]]
--

The conditions that a request may have: parameters, tests and columns.)";

constexpr const char* names = "The names of the parameters in the order of the table.";

}  // namespace doc

/// The value of ParameterTable.
struct python_table {
    std::shared_ptr<const declared_table> table;
    py::tuple columns;        ///< the columns of its schema
    bool wants_empty = true;  ///< see bind_options

    /// Returns the options of binding a request.
    [[nodiscard]] bind_options options_of(const list_request& request) const {
        bind_options options = request.options();
        options.wants_empty = wants_empty;
        return options;
    }
};

// --- Declarations --------------------------------------------------------------------------------

/// A custom type: `parse` creates an object from a text, and `format` writes it. Call it with the
/// GIL. A ValueError of `parse`, of which ApiError is one, is the error; other exceptions pass.
struct python_type {
    py::object parse, format;

    result<custom_value> operator()(std::string_view text) const {
        try {
            const py::object value = parse(to_python(text));
            return custom_value{to_text(format(value), "format"),
                                std::make_shared<py::object>(value)};
        } catch (py::error_already_set& raised) {
            if (!raised.matches(PyExc_ValueError)) throw;
            return tl::unexpected(to_own_error(raised.value(), text.size()));
        }
    }
};

/// Converts the name of an enumerator. ValueError for other names.
template <class Enumerator, class Names>
Enumerator to_enumerator(const py::dict& members, const char* member, const Names& names) {
    const auto name = py::cast<std::string>(members[member]);
    const auto position = std::ranges::find(names, name);
    if (position == names.end()) throw py::value_error(std::string(member) + ": '" + name + "'");
    return static_cast<Enumerator>(position - names.begin());
}

/// Converts a member that is an iterable of str.
std::vector<std::string> to_texts(const py::dict& members, const char* member) {
    std::vector<std::string> texts;
    for (const py::handle item : members[member]) texts.push_back(to_text(item, member));
    return texts;
}

/// Converts the names of a condition's columns: tuples of a name, a column and its tests, or None
/// for all.
std::vector<declared_name> to_declared_names(const py::dict& members) {
    std::vector<declared_name> names;
    for (const py::handle item : members["named"]) {
        const auto named = py::reinterpret_borrow<py::tuple>(item);
        declared_name added{to_text(named[0], "named"), to_text(named[1], "named")};
        if (!named[2].is_none()) {
            added.allowed = 0;
            for (const py::handle test : named[2]) {
                const auto name = to_text(test, "tests");
                const auto position = std::ranges::find(test_records, name, &test_record::name);
                if (position == test_records.end()) {
                    throw py::value_error(added.name + ": tests: '" + name + "' is no test");
                }
                added.allowed |= set_of(position->kind);
            }
        }
        names.push_back(std::move(added));
    }
    return names;
}

/// Converts a declaration from the dict that sluice._declared builds, which has all members.
declaration to_declaration(const py::dict& members) {
    const auto text = [&](const char* member) { return to_text(members[member], member); };
    declaration spec{
        .kind = to_enumerator<declared_kind>(members, "kind", declared_kind_names),
        .name = text("name"),
        .names = to_texts(members, "names"),
        .column = text("column"),
        .op = to_enumerator<comparison>(members, "op", comparison_names),
        .lists = to_enumerator<list_form>(members, "lists", list_form_names),
        .excludes = to_enumerator<exclusion>(members, "exclusion", exclusion_names),
        .sorts = to_enumerator<sort_form>(members, "sorts", sort_form_names),
        .words = to_enumerator<search_form>(members, "words", search_form_names),
        .help = text("help"),
        .accepts = text("accepts"),
        .required = py::cast<bool>(members["required"]),
        .deprecated = py::cast<bool>(members["deprecated"]),
        .prefix = text("prefix"),
        .choices = to_texts(members, "choices"),
        .sorted_by = to_texts(members, "sorted_by"),
        .searched = to_texts(members, "searched"),
        .grammar = to_grammar(text("grammar")).kind,
        .named = to_declared_names(members),
        .minimum = to_integer(members["minimum"], "minimum"),
        .maximum = to_integer(members["maximum"], "maximum"),
        .style = to_enumerator<page_style>(members, "style", page_style_names),
        .form = text("form"),
    };
    if (!members["default"].is_none()) spec.absent = text("default");
    if (!members["naming"].is_none()) {
        spec.naming = to_enumerator<name_style>(members, "naming", name_style_names);
    }
    if (!members["parse"].is_none()) spec.parse = python_type{members["parse"], members["format"]};
    return spec;
}

/// Implements make().
python_table make(py::handle parameters, py::handle columns, py::handle unique,
                  py::handle wants_empty) {
    std::vector<declaration> declarations;
    for (const py::handle members : parameters) {
        declarations.push_back(to_declaration(py::reinterpret_borrow<py::dict>(members)));
    }
    const auto schema = to_schema(columns);
    auto table =
        declared_table::make(std::move(declarations), schema->columns, to_text(unique, "unique"));
    if (!table) throw py::value_error(table.error().name + ": " + table.error().what);
    return {std::make_shared<const declared_table>(std::move(*table)), schema_of(schema->columns),
            to_flag(wants_empty, "wants_empty")};
}

// --- Requests ------------------------------------------------------------------------------------

/// Binds a request to a table and returns an instance of a subclass of BoundQuery; null, with
/// Python's error set, if the request has one.
py::object bound(const python_table& class_table, py::handle kind, const list_request& request) {
    const query_string pairs = parse_query_string(request.text());
    auto query = sluice::bind(*class_table.table, pairs.pairs(), class_table.options_of(request));
    if (!query) {
        return py::reinterpret_steal<py::object>(
            set_api_error(query.error(), context_of(pairs.pairs(), query.error())));
    }
    return to_instance(kind, declared_request{class_table.table, std::move(*query), request.now,
                                              class_table.columns, class_table.wants_empty});
}

/// Implements read().
py::object read(const python_table& class_table, py::handle kind, py::handle query, py::handle now,
                py::handle strict) {
    py::object request =
        bound(class_table, kind, {query, now, strict, true, params_of(*class_table.table)});
    if (!request) throw py::error_already_set();
    return request;
}

/// Implements parse() of the subclasses of ListQuery, which have their table as `_table`. Runs the
/// class's `_checks`, which may raise.
PyObject* parse(PyObject* type, const raw_call& call) {
    static PyObject* const table_name = PyUnicode_InternFromString("_table");
    static PyObject* const checks_name = PyUnicode_InternFromString("_checks");
    const auto [query, now, strict] =
        bind_arguments<3>("parse", {"query_string", "now", "strict"}, 1, call);
    const py::object table = py::handle(type).attr(py::handle(table_name));
    const auto& class_table = to_value_of<python_table>(table, "_table");
    py::object request =
        bound(class_table, type, {query, now, strict, true, params_of(*class_table.table)});
    if (!request) return nullptr;
    const py::tuple checks = py::handle(type).attr(py::handle(checks_name));
    for (const py::handle check : checks) check(request);
    return request.release().ptr();
}

py::list errors_of(const python_table& class_table, py::handle query, py::handle now,
                   py::handle strict) {
    const list_request request(query, now, strict, true, params_of(*class_table.table));
    const query_string pairs = parse_query_string(request.text());
    const auto bound =
        sluice::bind_all(*class_table.table, pairs.pairs(), class_table.options_of(request));
    return bound ? py::list() : to_api_errors(pairs.pairs(), bound.error());
}

py::object openapi(const python_table& class_table) {
    return to_python(openapi_parameters(*class_table.table));
}

/// Returns the name, the test and the column of each condition that a request may have.
py::list tests(const python_table& class_table) {
    const declared_table& table = *class_table.table;
    py::list all;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const param_info& info = table[row].info;
        const auto add = [&](test_kind kind, std::string_view column) {
            all.append(py::make_tuple(to_python(info.name), to_python(to_string(kind)),
                                      to_python(column)));
        };
        const column* const subject = table.column_of(row);
        if (subject != nullptr && table[row].contribute != nullptr) {
            add(test_of(info, *subject), subject->name);
        }
        for (const std::string_view name : info.searched) add(test_kind::contains, name);
        visit_tests(info, [&](test_kind kind, const column& of) { add(kind, of.name); });
    }
    return all;
}

py::tuple names(const python_table& class_table) { return to_names(*class_table.table); }

}  // namespace

void register_declared_table(py::module_& m, native_class& query) {
    auto c = make_class<python_table>(m, "ParameterTable", doc::type);
    def_class_fast<parse>(query, "parse", doc::parse);
    def_static(c, "make", make, doc::make, py::arg("declarations"), py::arg("columns"),
               py::arg("unique"), py::arg("wants_empty") = true);
    def(c, "read", read, doc::read, py::arg("kind"), py::arg("query_string"),
        py::arg("now") = py::none(), py::arg("strict") = true);
    def(c, "errors", errors_of, doc::errors, py::arg("query_string"), py::arg("now") = py::none(),
        py::arg("strict") = true);
    def(c, "openapi", openapi, doc::openapi);
    def(c, "tests", tests, doc::tests);
    def_attribute(c, "names: tuple[str, ...]", names, doc::names);
}

}  // namespace sluice::bindings
