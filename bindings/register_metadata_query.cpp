// SPDX-License-Identifier: MIT
#include <optional>
#include <span>
#include <string>

#include <pybind11/operators.h>

#include <sluice/metadata_query.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

metadata_query parse(const py::str& text) {
    const std::string utf8 = to_utf8(text);
    return unwrap(parse_metadata_query(utf8), utf8);
}

/// Looks paths up in JSON as json.loads gives it: dicts and other mappings, lists and tuples.
class json_lookup {
public:
    explicit json_lookup(py::object metadata)
        : metadata_(std::move(metadata)),
          mapping_(py::module_::import("collections.abc").attr("Mapping")) {}

    std::optional<scalar> operator()(std::span<const std::string> path) {
        py::object found = metadata_;
        for (const std::string& key : path) {
            found = child(found, key);
            if (found.is_none()) return std::nullopt;
        }
        return to_scalar(found);
    }

private:
    /// A member, an element, or None.
    [[nodiscard]] py::object child(const py::object& parent, const std::string& key) const {
        if (py::isinstance<py::list>(parent) || py::isinstance<py::tuple>(parent)) {
            const auto index = parse_array_index(key);
            const auto elements = py::reinterpret_borrow<py::sequence>(parent);
            if (!index || *index >= elements.size()) return py::none();
            return elements[*index];
        }
        if (!py::isinstance(parent, mapping_)) return py::none();
        return parent.attr("get")(key);
    }

    /// A scalar whose text holds until the next call.
    std::optional<scalar> to_scalar(const py::object& value) {
        if (PyBool_Check(value.ptr())) return scalar::boolean(value.ptr() == Py_True);
        if (py::isinstance<py::str>(value)) return scalar::string(text_ = to_utf8(value));
        if (!PyLong_Check(value.ptr()) && !PyFloat_Check(value.ptr())) return std::nullopt;
        text_ = to_number_text(value);
        if (!sluice::detail::parse_decimal(text_)) return std::nullopt;
        return scalar::number(text_);
    }

    py::object metadata_;
    py::object mapping_;
    std::string text_;
};

bool matches(const metadata_query& query, py::object metadata) {
    return query.matches(json_lookup(std::move(metadata)));
}

std::string repr(const metadata_query& query) {
    return "MetadataQuery.parse(" + to_utf8(py::repr(to_python(to_string(query)))) + ")";
}

}  // namespace

void register_metadata_query(py::module_& m) {
    auto c = make_class<metadata_query>(m, "MetadataQuery",
                                        "A filter by metadata: an expression over nested keys.");
    c.def_static("parse", parse, py::arg("text"),
                 "Reads an expression such as metadata['plan']:pro AND metadata['seats'] > 5.\n"
                 "A blank one matches everything. Raises ApiError.");
    c.def("matches", matches, py::arg("metadata"),
          "Whether the expression holds for JSON as json.loads gives it.");
    c.def("__str__", [](const metadata_query& query) { return to_string(query); });
    c.def("__repr__", repr);
    c.def(py::self == py::self);
    c.def("__hash__",
          [](const metadata_query& query) { return py::hash(to_python(to_string(query))); });
    c.def(py::pickle([](const metadata_query& query) { return to_python(to_string(query)); },
                     [](const py::str& text) { return parse(text); }));
}

}  // namespace sluice::bindings
