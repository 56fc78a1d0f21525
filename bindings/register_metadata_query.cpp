// SPDX-License-Identifier: MIT
#include <optional>
#include <span>
#include <string>

#include <pybind11/operators.h>

#include <sluice/metadata_query.hpp>

#include "queries.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

metadata_query parse(py::handle text) {
    const utf8_text utf8(text, "text");
    return unwrap(parse_metadata_query(utf8.view()), utf8.view());
}

/// Any mapping but a dict; they are rare, and slow to tell.
bool is_mapping(py::handle value) {
    static const py::object& mapping = *new py::object(  // kept until the process ends
        py::module_::import("collections.abc").attr("Mapping"));
    return py::isinstance(value, mapping);
}

/// Looks paths up in JSON as json.loads gives it: dicts and other mappings, lists and tuples. It
/// keeps what it found alive until the next call.
class json_lookup {
public:
    explicit json_lookup(py::handle metadata) : metadata_(metadata) {}

    std::optional<scalar> operator()(std::span<const std::string> path) {
        found_ = py::reinterpret_borrow<py::object>(metadata_);
        for (const std::string& key : path) {
            found_ = child(found_, key);
            if (found_.is_none()) return std::nullopt;
        }
        return to_scalar();
    }

private:
    /// A member, an element, or None.
    [[nodiscard]] static py::object child(const py::object& parent, const std::string& key) {
        if (PyDict_CheckExact(parent.ptr())) return member(parent, key);
        if (PyList_Check(parent.ptr()) || PyTuple_Check(parent.ptr())) {
            const auto index = parse_array_index(key);
            const auto elements = py::reinterpret_borrow<py::sequence>(parent);
            if (!index || *index >= elements.size()) return py::none();
            return elements[*index];
        }
        if (!is_mapping(parent)) return py::none();
        return parent.attr("get")(key);
    }
    [[nodiscard]] static py::object member(const py::object& parent, const std::string& key) {
        const py::str name(key);
        PyObject* const found = PyDict_GetItemWithError(parent.ptr(), name.ptr());
        if (found == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
        return found == nullptr ? py::none() : py::reinterpret_borrow<py::object>(found);
    }

    /// A scalar whose text holds until the next call.
    std::optional<scalar> to_scalar() {
        PyObject* const value = found_.ptr();
        if (PyBool_Check(value)) return scalar::boolean(value == Py_True);
        if (PyUnicode_Check(value)) {
            text_.emplace(found_, "metadata");
            return scalar::string(text_->view());
        }
        if (!PyLong_Check(value) && !PyFloat_Check(value)) return std::nullopt;
        number_ = to_number_text(found_);
        if (!sluice::detail::parse_decimal(number_)) return std::nullopt;
        return scalar::number(number_);
    }

    py::handle metadata_;
    py::object found_;
    std::optional<utf8_text> text_;
    std::string number_;
};

PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return py::cast(parse(text)).release().ptr();
}

PyObject* matches(PyObject* self, const raw_call& call) {
    const auto& query = held_by<metadata_query>(self);
    const auto [metadata] = bind_arguments<1>("matches", {"metadata"}, 1, call);
    return PyBool_FromLong(query.matches(json_lookup(metadata)) ? 1 : 0);
}

std::string repr(const metadata_query& query) {
    return "MetadataQuery.parse(" + to_utf8(py::repr(to_python(to_string(query)))) + ")";
}

}  // namespace

void register_metadata_query(py::module_& m) {
    auto c = make_class<metadata_query>(m, "MetadataQuery",
                                        "A filter by metadata: an expression over nested keys.");
    def_static_fast<parse_fast>(
        c, "parse",
        "parse(text)\n--\n\n"
        "Reads an expression such as metadata['plan']:pro AND metadata['seats'] > 5.\n"
        "A blank one matches everything. Raises ApiError.");
    def_fast<matches>(c, "matches",
                      "matches($self, metadata)\n--\n\n"
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
