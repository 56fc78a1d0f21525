// SPDX-License-Identifier: MIT
#include "raise.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <sluice/errors/message.hpp>
#include <sluice/errors/rules.hpp>

#include "convert.hpp"
#include "package.hpp"

namespace sluice::bindings {

namespace {

/// The class ApiError and the names of its attributes. Never destroyed.
struct api_error_class {
    py::object type = package_object("ApiError");
    py::str message = intern("message"), code = intern("code"), rule = intern("rule"),
            param = intern("param"), offset = intern("offset"), length = intern("length"),
            file = intern("file"), line = intern("line"), text = intern("_text");

    static py::str intern(const char* name) {
        return py::reinterpret_steal<py::str>(PyUnicode_InternFromString(name));
    }
};

const api_error_class& known_class() {
    static const auto& known = *new api_error_class();
    return known;
}

// Cuts a name as messages do, between characters: answers repeat no more of a request.
std::string shortened(std::string_view name) {
    std::size_t end = std::min(name.size(), message_max_quoted);
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    return std::string(name.substr(0, end)) + (end < name.size() ? "..." : "");
}

}  // namespace

// Writes the attributes that ApiError.__init__() sets, without its call.
py::object to_api_error(const error& failure, const error_context& where) {
    const api_error_class& known = known_class();
    const auto optional = [](std::string_view text) {
        return to_python(text.empty() ? std::nullopt : std::optional(text));
    };
    const std::string_view text = where.text.value_or("");
    const auto quoted = to_python(where.message.empty() ? message(failure, text) : where.message);
    // The text at fault of an unknown parameter is its name.
    const bool is_unknown = failure.broken == rule::parameter_unknown;
    const auto param = is_unknown ? shortened(text) : std::string(failure.param);
    const bool has_place = failure.offset > 0 || failure.length > 0;
    py::dict attributes;
    attributes[known.message] = quoted;
    attributes[known.code] = to_python(to_string(failure.code));
    attributes[known.rule] = to_python(to_string(failure.broken));
    attributes[known.param] = optional(param);
    attributes[known.offset] = py::int_(failure.offset);
    attributes[known.length] = py::int_(failure.length);
    attributes[known.file] = optional(where.file);
    attributes[known.line] = where.line > 0 ? py::object(py::int_(where.line)) : py::none();
    attributes[known.text] = has_place ? to_python(where.text) : py::none();
    auto* const type = reinterpret_cast<PyTypeObject*>(known.type.ptr());
    PyObject* const instance = type->tp_new(type, py::make_tuple(quoted).ptr(), nullptr);
    if (instance == nullptr) throw py::error_already_set();
    reinterpret_cast<PyBaseExceptionObject*>(instance)->dict = attributes.release().ptr();
    return py::reinterpret_steal<py::object>(instance);
}

PyObject* set_api_error(const error& failure, const error_context& where) {
    const py::object raised = to_api_error(failure, where);
    PyErr_SetObject(py::type::handle_of(raised).ptr(), raised.ptr());
    return nullptr;
}

void raise(const error& failure, const error_context& where) {
    static_cast<void>(set_api_error(failure, where));
    throw py::error_already_set();
}

}  // namespace sluice::bindings
