// SPDX-License-Identifier: MIT
#include "arguments.hpp"

namespace sluice::bindings {

namespace {

// The TypeErrors of the interpreter for arguments that don't fit, without their values.

[[noreturn]] void refuse_count(const parameter_list& parameters, Py_ssize_t count) {
    const std::size_t most = parameters.by_position;
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional argument%s (%zd given)",
                 parameters.function, most, most == 1 ? "" : "s", count);
    throw py::error_already_set();
}

[[noreturn]] void refuse_keyword(const parameter_list& parameters, PyObject* keyword,
                                 bool is_repeat) {
    PyErr_Format(PyExc_TypeError,
                 is_repeat ? "%s() got multiple values for argument '%U'"
                           : "%s() got an unexpected keyword argument '%U'",
                 parameters.function, keyword);
    throw py::error_already_set();
}

[[noreturn]] void refuse_missing(const parameter_list& parameters, const char* name) {
    PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", parameters.function, name);
    throw py::error_already_set();
}

}  // namespace

void bind_arguments(const parameter_list& parameters, const raw_call& call,
                    std::span<PyObject*> bound) {
    const auto names = parameters.names;
    const auto count = static_cast<std::size_t>(call.count);
    if (count > parameters.by_position) refuse_count(parameters, call.count);
    std::copy_n(call.args, count, bound.begin());
    const Py_ssize_t keywords = call.keywords == nullptr ? 0 : PyTuple_GET_SIZE(call.keywords);
    for (Py_ssize_t i = 0; i < keywords; ++i) {
        PyObject* const keyword = PyTuple_GET_ITEM(call.keywords, i);
        std::size_t at = 0;
        while (at < names.size() && PyUnicode_CompareWithASCIIString(keyword, names[at]) != 0) ++at;
        const bool is_known = at < names.size();
        if (!is_known || bound[at] != nullptr) refuse_keyword(parameters, keyword, is_known);
        bound[at] = call.args[call.count + i];
    }
    for (std::size_t i = 0; i < parameters.required; ++i) {
        if (bound[i] == nullptr) refuse_missing(parameters, names[i]);
    }
}

py::object argument_refusal::operator()(const py::args& args, const py::kwargs& keywords) const {
    // bind_arguments() raises if the arguments don't fit. If they do, `self` is of another type.
    std::vector<PyObject*> values;
    for (const py::handle value : args) values.push_back(value.ptr());
    if (is_method_ && !values.empty()) values.erase(values.begin());
    const auto count = static_cast<Py_ssize_t>(values.size());
    py::list names;
    for (const auto& [name, value] : keywords) {
        names.append(name);
        values.push_back(value.ptr());
    }
    const py::tuple keyword_names(names);
    std::vector<PyObject*> bound(names_.size());
    bind_arguments({function_, names_, required_, by_position_},
                   {values.data(), count, keyword_names.ptr()}, bound);
    throw py::type_error(std::string(function_) + "() is a method of another type");
}

void refuse_type(std::string_view what, std::string_view expected, py::handle value) {
    throw py::type_error(std::string(what)
                             .append(": expected ")
                             .append(expected)
                             .append(", not ")
                             .append(Py_TYPE(value.ptr())->tp_name));
}

}  // namespace sluice::bindings
