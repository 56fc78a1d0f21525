// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <vector>

#include <pybind11/operators.h>

#include <sluice/filter.hpp>
#include <sluice/filter_matcher.hpp>
#include <sluice/params.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

filter parse(const py::str& text) {
    const std::string utf8 = to_utf8(text);
    return unwrap(parse_filter(utf8), utf8);
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
    return unwrap(parse_filter(to_string(filter(std::move(texts), excludes))));
}

collation to_collation(const py::str& name) {
    const std::string text = to_utf8(name);
    auto index = parse_choice(text, collation_names);
    if (!index) {
        index.error().param = "collation";
        index.error().accepts = sluice::detail::choices_text<collation_names>.view();
    }
    return static_cast<collation>(unwrap(std::move(index), text));
}

/// The value of a row: a str, or None where there is none.
std::optional<std::string> to_row(py::handle value) {
    if (value.is_none()) return std::nullopt;
    if (py::isinstance<py::str>(value)) return to_utf8(value);
    throw py::type_error("value: expected str or None, not " +
                         py::cast<std::string>(py::type::handle_of(value).attr("__name__")));
}

bool matches(const filter& f, const py::object& value, const py::str& how) {
    return f.matches(to_row(value), to_collation(how));
}

/// Whether an object is a NumPy array. It is none where nobody has imported NumPy.
bool is_numpy_array(const py::object& rows) {
    const py::dict modules = py::module_::import("sys").attr("modules");
    return modules.contains("numpy") && py::isinstance(rows, modules["numpy"].attr("ndarray"));
}

py::list matching(const filter& f, const py::iterable& rows, collation how) {
    const filter_matcher values(f.values(), how);
    py::list passes;
    for (const py::handle each : rows) {
        const auto row = to_row(each);
        passes.append(f.empty() || (row && values.contains(*row)) != f.excludes());
    }
    return passes;
}

py::object mask(const filter& f, const py::object& rows, const py::str& how) {
    const collation collated = to_collation(how);
    if (py::isinstance<py::str>(rows)) throw py::type_error("array: expected many values, not str");
    if (!is_numpy_array(rows)) return matching(f, rows, collated);
    const py::object numpy = py::module_::import("numpy");
    const py::list passes = matching(f, rows.attr("ravel")().attr("tolist")(), collated);
    return numpy.attr("array")(passes, py::arg("dtype") = "bool")
        .attr("reshape")(rows.attr("shape"));
}

py::tuple values(const filter& f) {
    py::list texts;
    for (const std::string& value : f.values()) texts.append(to_python(value));
    return py::tuple(texts);
}

std::string repr(const filter& f) {
    return "Filter.parse(" + to_utf8(py::repr(to_python(to_string(f)))) + ")";
}

void register_matching(py::class_<filter>& c) {
    c.def("matches", matches, py::arg("value"), py::arg("collation") = "exact",
          "Whether a row with this value passes. None is a row without one, which an exclusion\n"
          "keeps. collation: 'exact', 'ignore_case', 'subdivision' or 'url'.");
    c.def("mask", mask, py::arg("array"), py::arg("collation") = "exact",
          "Which of many values pass, as a list of bool; for a NumPy array as a NumPy array of\n"
          "bool and of the same shape.");
}

}  // namespace

void register_filter(py::module_& m) {
    auto c = make_class<filter>(
        m, "Filter", "An advanced filter: rows whose value is one of a list, or all others.");
    c.def(py::init(&make), py::arg("values") = py::tuple(), py::arg("excludes") = false);
    c.def_static("parse", parse, py::arg("text"),
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
