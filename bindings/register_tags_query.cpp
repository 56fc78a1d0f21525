// SPDX-License-Identifier: MIT
#include "queries.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

using api::tags_query;
using query_class = py::class_<tags_query>;

tags_query parse_text(const std::string& text, bool strict) {
    const query_string given = parse_query_string(text);
    auto parsed = api::parse_tags_query(given.pairs(), {.strict = strict});
    if (parsed) return std::move(*parsed);
    const error& e = parsed.error();
    raise(e, {.text = text_at_fault(api::tags_params, given.pairs(), e)});
}

tags_query parse(const py::object& source, bool strict) {
    return parse_text(to_query_text(source), strict);
}

py::list errors_of(const py::object& source, bool strict) {
    const std::string text = to_query_text(source);
    const query_string given = parse_query_string(text);
    const auto parsed = api::parse_tags_query_all(given.pairs(), {.strict = strict});
    if (parsed) return py::list();
    return to_api_errors(api::tags_params, given.pairs(), parsed.error());
}

std::string text_of(const tags_query& query) { return to_query_string(api::tags_params, query); }

std::string repr(const tags_query& query) {
    return "TagsQuery.parse(" + to_utf8(py::repr(to_python(text_of(query)))) + ")";
}

/// An attribute that shows a member of the query.
template <auto Member>
void show(query_class& c, const char* name) {
    c.def_property_readonly(name, [](const tags_query& query) { return to_python(query.*Member); });
}

void register_value(query_class& c) {
    c.def("__str__", text_of);
    c.def("__repr__", repr);
    c.def(
        "__eq__", [](const tags_query& a, const tags_query& b) { return text_of(a) == text_of(b); },
        py::is_operator());
    c.def("__hash__", [](const tags_query& query) { return py::hash(to_python(text_of(query))); });
    c.def(py::pickle([](const tags_query& query) { return to_python(text_of(query)); },
                     [](const py::str& text) { return parse_text(to_utf8(text), false); }));
}

}  // namespace

void register_tags_query(py::module_& m) {
    query_class c =
        make_class<tags_query>(m, "TagsQuery", "A request for GET /tags, read and checked.");
    c.def_static(
        "parse", parse, py::arg("query_string"), py::arg("strict") = false,
        "Reads a query string, a mapping or pairs. Raises the first ApiError in the order\n"
        "of the parameters. strict: unknown parameters are errors.");
    c.def_static("errors", errors_of, py::arg("query_string"), py::arg("strict") = false,
                 "All that is wrong with a request.");
    c.attr("parameters") = to_names(api::tags_params);
    show<&tags_query::sort_by>(c, "sort_by");
    show<&tags_query::sort_order>(c, "sort_order");
    show<&tags_query::search>(c, "search");
    show<&tags_query::ids>(c, "ids");
    show<&tags_query::page>(c, "page");
    show<&tags_query::page_size>(c, "page_size");
    register_value(c);
}

}  // namespace sluice::bindings
