// SPDX-License-Identifier: MIT
#include "register.hpp"

#include "fast_method.hpp"

namespace sluice::bindings {

PyObject* create(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        const py::handle self(reinterpret_cast<PyObject*>(type));
        if (py::hasattr(self, "_make")) {
            return PyObject_Call(self.attr("_make").ptr(), arguments, keywords);
        }
        const auto name = py::cast<std::string>(self.attr("__name__"));
        const bool can_parse = py::hasattr(self, "parse");
        throw py::type_error(can_parse
                                 ? name + ": made by " + name + ".parse(...), not by calling it"
                                 : name + ": not made by calling it");
    });
}

}  // namespace sluice::bindings
