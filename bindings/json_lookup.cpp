// SPDX-License-Identifier: MIT
#include "json_lookup.hpp"

#include <string_view>

#include <sluice/base/parse_limits.hpp>

#include "values.hpp"

namespace sluice::bindings {

namespace {

/// U+FFFD, which lone surrogates in names are read as.
constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The value of a dict's key, or None. A key with U+FFFD may stand for one with a lone surrogate:
/// if no key has its bytes, all are compared as JSON text would have them, and the last match
/// counts.
py::object member(const py::object& parent, const std::string& key) {
    const py::str name(key);
    PyObject* const value = PyDict_GetItemWithError(parent.ptr(), name.ptr());
    if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (value != nullptr) return py::reinterpret_borrow<py::object>(value);
    if (key.find(replacement) == std::string::npos) return py::none();
    py::object last = py::none();
    for (const auto& [member_name, content] : py::reinterpret_borrow<py::dict>(parent)) {
        const bool is_text = PyUnicode_Check(member_name.ptr()) != 0;
        if (is_text && to_utf8(member_name, surrogates::character) == key) {
            last = py::reinterpret_borrow<py::object>(content);
        }
    }
    return last;
}

}  // namespace

std::optional<scalar> json_lookup::operator()(std::span<const std::string> path) {
    if (path.size() > json_max_depth) return std::nullopt;
    value_ = py::reinterpret_borrow<py::object>(json_);
    for (const std::string& key : path) {
        value_ = child(value_, key);
        if (value_.is_none()) return std::nullopt;
    }
    return to_scalar();
}

py::object json_lookup::child(const py::object& parent, const std::string& key) const {
    if (PyDict_CheckExact(parent.ptr())) return member(parent, key);
    if (is_array(parent)) {
        const auto index = parse_array_index(key);
        const auto elements = py::reinterpret_borrow<py::sequence>(parent);
        if (!index || *index >= elements.size()) return py::none();
        return elements[*index];
    }
    if (is_mapping(parent)) return parent.attr("get")(key);
    static_cast<void>(json_lookup(parent, what_).to_scalar());  // refuses values that aren't JSON
    return py::none();
}

std::optional<scalar> json_lookup::to_scalar() {
    if (is_missing(value_)) return std::nullopt;
    value_ = to_plain_scalar(value_);
    PyObject* const value = value_.ptr();
    if (PyBool_Check(value)) return scalar::boolean(value == Py_True);
    if (PyUnicode_Check(value)) {
        text_.emplace(value_, what_, "str", surrogates::character);
        return scalar::string(text_->view());
    }
    if (is_number(value_)) {
        number_ = to_number_text(value_, what_);
        return scalar::number(number_);
    }
    if (is_array(value_) || is_mapping(value_)) return std::nullopt;
    refuse_type(what_, "JSON: str, bool, a number, None, a mapping or a list", value_);
}

}  // namespace sluice::bindings
