// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PYTHON_METHOD_HPP
#define SLUICE_BINDINGS_PYTHON_METHOD_HPP

#include <pybind11/pybind11.h>

#include "fast_method.hpp"

namespace sluice::bindings {

namespace py = pybind11;

/// A method written in Python: a function of a module that receives `self` first.
struct python_method {
    const char* module;
    const char* name;
    const char* doc;
};

/// Calls the function with unchanged arguments.
[[nodiscard]] PyObject* call_python(const python_method& method, PyObject* self,
                                    const raw_call& call);

template <const python_method& Method, class T>
PyObject* call_python(PyObject* self, const raw_call& call) {
    static_cast<void>(held_by<T>(self));
    return call_python(Method, self, call);
}
template <const python_method& Method, class T>
[[gnu::cold]] void def_python(py::class_<T>& c) {
    def_fast<call_python<Method, T>>(c, Method.name, Method.doc);
}

}  // namespace sluice::bindings

#endif
