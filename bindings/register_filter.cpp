// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <vector>

#include <pybind11/operators.h>

#include "filter_rows.hpp"
#include "queries.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

filter parse(const py::handle text) {
    const utf8_text utf8(text, "text");
    return unwrap(parse_filter(utf8.view()), utf8.view());
}

std::string checked_text(py::handle value) {
    if (py::isinstance<py::str>(value)) return to_utf8(value);
    throw py::type_error("values: expected str");
}

/// A filter within the limits of parse_filter.
filter make(const py::iterable& values, bool excludes) {
    if (py::isinstance<py::str>(values)) {
        throw py::type_error("values: expected a list of str, or Filter.parse for one text");
    }
    std::vector<std::string> texts;
    for (const py::handle value : values) texts.push_back(checked_text(value));
    return unwrap(parse_filter(to_string(filter(texts, excludes))));
}

collation to_collation(PyObject* name) {
    if (name == nullptr) return collation::exact;
    const utf8_text text(name, "collation");
    auto index = parse_choice(text.view(), collation_names);
    if (!index) {
        index.error().param = "collation";
        index.error().accepts = sluice::detail::choices_text<collation_names>.view();
    }
    return static_cast<collation>(unwrap(std::move(index), text.view()));
}

PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return py::cast(parse(text)).release().ptr();
}

PyObject* matches_fast(PyObject* self, const raw_call& call) {
    const auto& f = held_by<filter>(self);
    const auto [value, how] = bind_arguments<2>("matches", {"value", "collation"}, 1, call);
    const collation collated = to_collation(how);
    if (value == Py_None) return PyBool_FromLong(f.matches(std::nullopt, collated) ? 1 : 0);
    const utf8_text row(value, "value", "str or None");
    return PyBool_FromLong(f.matches(row.view(), collated) ? 1 : 0);
}

py::object mask(const filter& f, const py::object& rows, const py::str& how) {
    return mask_of(f, rows, to_collation(how.ptr()));
}

py::tuple values(const filter& f) {
    py::list texts;
    for (const std::string_view value : f.values()) texts.append(to_python(value));
    return py::tuple(texts);
}

std::string repr(const filter& f) {
    return "Filter.parse(" + to_utf8(py::repr(to_python(to_string(f)))) + ")";
}

void register_matching(py::class_<filter>& c) {
    def_fast<matches_fast>(
        c, "matches",
        "matches($self, value, collation='exact')\n--\n\n"
        "Whether a row with this value passes. None is a row without one, which an exclusion\n"
        "keeps. collation: 'exact', 'ignore_case', 'subdivision' or 'url'.");
    c.def("mask", mask, py::arg("array"), py::arg("collation") = "exact",
          "Which of many values pass; rows without a value pass where the filter excludes.\n"
          "Arrow data (pyarrow, polars, pandas: whatever has __arrow_c_stream__ or\n"
          "__arrow_c_array__) gives a Mask, read where it lies and without the GIL: text, bytes,\n"
          "dictionaries of them, or lists, which match by any item. A NumPy array gives a NumPy\n"
          "array of bool of its shape, any other iterable a list of bool.");
}

}  // namespace

void register_filter(py::module_& m) {
    auto c = make_class<filter>(
        m, "Filter", "An advanced filter: rows whose value is one of a list, or all others.");
    c.def(py::init(&make), py::arg("values") = py::tuple(), py::arg("excludes") = false);
    def_static_fast<parse_fast>(
        c, "parse",
        "parse(text)\n--\n\n"
        "Reads 'US,CA' (any of them) or '-US,CA' (none of them). Raises ApiError.");
    c.def_property_readonly("excludes", &filter::excludes);
    c.def_property_readonly("values", values);
    register_matching(c);
    c.def("__str__", [](const filter& f) { return to_string(f); });
    c.def("__repr__", repr);
    c.def(py::self == py::self);
    c.def("__hash__", [](const filter& f) { return py::hash(to_python(to_string(f))); });
    c.def(py::pickle([](const filter& f) { return to_python(to_string(f)); },
                     [](const py::str& text) { return parse(text); }));
}

}  // namespace sluice::bindings
