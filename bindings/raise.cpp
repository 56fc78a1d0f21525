// SPDX-License-Identifier: MIT
#include "raise.hpp"

#include <sluice/errors/message.hpp>
#include <sluice/errors/rules.hpp>

#include "convert.hpp"
#include "package.hpp"

namespace sluice::bindings {

py::object to_api_error(const error& failure, const error_context& where) {
    using py::literals::operator""_a;
    const auto optional = [](std::string_view text) {
        return to_python(text.empty() ? std::nullopt : std::optional(text));
    };
    const py::object line = where.line > 0 ? py::object(py::int_(where.line)) : py::none();
    const py::object api_error = package_object("ApiError");
    const std::string_view text = where.text.value_or("");
    // The text at fault of an unknown parameter is its name.
    const std::string_view param = failure.broken == rule::parameter_unknown ? text : failure.param;
    return api_error(where.message.empty() ? message(failure, text) : where.message,
                     "code"_a = to_string(failure.code), "rule"_a = to_string(failure.broken),
                     "param"_a = optional(param), "offset"_a = failure.offset,
                     "length"_a = failure.length, "file"_a = optional(where.file), "line"_a = line,
                     "text"_a = to_python(where.text));
}

void raise(const error& failure, const error_context& where) {
    const py::object raised = to_api_error(failure, where);
    PyErr_SetObject(py::type::handle_of(raised).ptr(), raised.ptr());
    throw py::error_already_set();
}

}  // namespace sluice::bindings
