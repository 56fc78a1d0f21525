// SPDX-License-Identifier: MIT
#include "python_method.hpp"

#include <vector>

namespace sluice::bindings {

PyObject* call_python(const python_method& method, PyObject* self, const raw_call& call) {
    const py::object function = py::module_::import(method.module).attr(method.name);
    std::vector<PyObject*> given{self};
    const Py_ssize_t named = call.keywords == nullptr ? 0 : PyTuple_GET_SIZE(call.keywords);
    given.insert(given.end(), call.args, call.args + call.count + named);
    PyObject* const made = PyObject_Vectorcall(
        function.ptr(), given.data(), static_cast<std::size_t>(call.count) + 1, call.keywords);
    if (made == nullptr) throw py::error_already_set();
    return made;
}

}  // namespace sluice::bindings
