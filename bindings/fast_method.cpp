// SPDX-License-Identifier: MIT
#include "fast_method.hpp"

#include <exception>
#include <new>

namespace sluice::bindings {

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

}  // namespace sluice::bindings
