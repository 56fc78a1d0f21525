// SPDX-License-Identifier: MIT
#include "fast_method.hpp"

#include <exception>
#include <new>
#include <string>

namespace sluice::bindings {

void refuse_count(const char* function, std::size_t most, Py_ssize_t given) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional argument%s (%zd given)",
                 function, most, most == 1 ? "" : "s", given);
    throw py::error_already_set();
}

void refuse_keyword(const char* function, PyObject* keyword, bool is_repeat) {
    PyErr_Format(PyExc_TypeError,
                 is_repeat ? "%s() got multiple values for argument '%U'"
                           : "%s() got an unexpected keyword argument '%U'",
                 function, keyword);
    throw py::error_already_set();
}

void refuse_missing(const char* function, const char* name) {
    PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", function, name);
    throw py::error_already_set();
}

void refuse_uninitialised(PyObject* self) {
    PyErr_Format(PyExc_TypeError, "this %s was never initialised", Py_TYPE(self)->tp_name);
    throw py::error_already_set();
}

void refuse_type(std::string_view what, std::string_view expected, py::handle given) {
    throw py::type_error(std::string(what)
                             .append(": expected ")
                             .append(expected)
                             .append(", not ")
                             .append(Py_TYPE(given.ptr())->tp_name));
}

PyObject* set_caught() noexcept {
    try {
        throw;
    } catch (py::error_already_set& raised) {
        raised.restore();
    } catch (const py::builtin_exception& raised) {
        raised.set_error();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& raised) {
        PyErr_SetString(PyExc_RuntimeError, raised.what());
    }
    return nullptr;
}

int refuse_call(PyObject* self, PyObject*, PyObject*) {
    const char* const name = Py_TYPE(self)->tp_name;
    if (py::hasattr(py::type::handle_of(self), "parse")) {
        PyErr_Format(PyExc_TypeError, "%s: made by %s.parse(...), not by calling it", name, name);
    } else {
        PyErr_Format(PyExc_TypeError, "%s: not made by calling it", name);
    }
    return -1;
}

}  // namespace sluice::bindings
