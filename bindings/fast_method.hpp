// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_FAST_METHOD_HPP
#define SLUICE_BINDINGS_FAST_METHOD_HPP

#include <string>
#include <type_traits>
#include <utility>

#include <pybind11/pybind11.h>

#include "arguments.hpp"
#include "declarations.hpp"

// Functions bound to CPython's vectorcall convention: parse, matches, to_sql, check, decide and
// count, whose work takes less time than pybind11's dispatcher. They receive their arguments in the
// interpreter's form and report errors by throwing. All other functions are bound by def().

namespace sluice::bindings {

namespace py = pybind11;

/// Sets Python's error from the exception being handled, and returns null. Not a template, to keep
/// the code of each function small.
PyObject* set_caught() noexcept;

/// Calls a body and converts its exceptions to Python errors.
template <class Body>
PyObject* guarded(Body body) noexcept {
    try {
        return body();
    } catch (...) {
        return set_caught();
    }
}

/// Converts a C++ value to a new Python object.
template <class Value>
[[nodiscard]] PyObject* to_new_object(Value&& value) {
    return py::cast(std::forward<Value>(value)).release().ptr();
}

/// The C++ value of an instance of a pybind11 class.
template <class T>
[[nodiscard]] T& value_of(PyObject* self) {
    return py::handle(self).cast<T&>();
}

/// Calls `Function` from CPython (METH_FASTCALL | METH_KEYWORDS).
template <auto Function>
PyObject* call_fast(PyObject* self, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords) noexcept {
    return guarded([&] { return Function(self, raw_call{args, count, keywords}); });
}

/// The definition of a function `PyObject* Function(PyObject* self, const raw_call&)`. `doc` begins
/// with its signature for stubs: `name($self, value: str) -> int\n--\n\n`. The definition lives as
/// long as the process.
template <auto Function>
[[nodiscard, gnu::cold]] PyMethodDef* define_fast(py::handle owner, const char* name,
                                                  const char* doc) {
    static const std::string plain = declare_function(owner, name, doc);
    static PyMethodDef definition{
        name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_fast<Function>)),
        METH_FASTCALL | METH_KEYWORDS, plain.c_str()};
    return &definition;
}

/// Adds a new object to a class or module.
[[gnu::cold]] inline void add_member(py::handle owner, const char* name, PyObject* member) {
    if (member == nullptr) throw py::error_already_set();
    owner.attr(name) = py::reinterpret_steal<py::object>(member);
}

/// Adds a method.
template <auto Function>
[[gnu::cold]] void def_fast(py::handle type, const char* name, const char* doc) {
    auto* const owner = reinterpret_cast<PyTypeObject*>(type.ptr());
    add_member(type, name, PyDescr_NewMethod(owner, define_fast<Function>(type, name, doc)));
}

/// Adds a static method to a class. Its `self` is the class, through which pickle finds it.
template <auto Function>
[[gnu::cold]] void def_static_fast(py::handle type, const char* name, const char* doc) {
    PyObject* const function = PyCFunction_New(define_fast<Function>(type, name, doc), type.ptr());
    if (function == nullptr) throw py::error_already_set();
    type.attr(name) = py::staticmethod(py::reinterpret_steal<py::object>(function));
}

/// Adds a class method; its `self` is the class.
template <auto Function>
[[gnu::cold]] void def_class_fast(py::handle type, const char* name, const char* doc) {
    auto* const owner = reinterpret_cast<PyTypeObject*>(type.ptr());
    add_member(type, name, PyDescr_NewClassMethod(owner, define_fast<Function>(type, name, doc)));
}

/// Adds a function to a module.
template <auto Function>
[[gnu::cold]] void def_fast(py::module_& m, const char* name, const char* doc) {
    add_member(
        m, name,
        PyCFunction_NewEx(define_fast<Function>(m, name, doc), nullptr, m.attr("__name__").ptr()));
}

}  // namespace sluice::bindings

#endif
