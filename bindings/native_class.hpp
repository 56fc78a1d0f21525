// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_NATIVE_CLASS_HPP
#define SLUICE_BINDINGS_NATIVE_CLASS_HPP

#include <utility>

#include <pybind11/pybind11.h>

namespace sluice::bindings {

namespace py = pybind11;

/// A type of CPython's C API, whose instances hold their value in place, because one is created for
/// each request. Members are added as to a pybind11::class_.
class native_class : public py::object {
public:
    explicit native_class(PyType_Spec& spec)
        : py::object(py::reinterpret_steal<py::object>(PyType_FromSpec(&spec))) {
        if (ptr() == nullptr) throw py::error_already_set();
    }

    /// Adds a method, or an overload of one, as py::class_::def() does.
    template <class Function, class... Attributes>
    void def(const char* name, Function&& function, const Attributes&... attributes) {
        attr(name) = py::cpp_function(std::forward<Function>(function), py::name(name),
                                      py::is_method(*this), sibling(name), attributes...);
    }
    template <class Function, class... Attributes>
    void def_static(const char* name, Function&& function, const Attributes&... attributes) {
        attr(name) =
            py::staticmethod(py::cpp_function(std::forward<Function>(function), py::name(name),
                                              py::scope(*this), sibling(name), attributes...));
    }

private:
    /// The function of this name that a new overload is added to, if there is one.
    [[nodiscard]] py::sibling sibling(const char* name) const {
        return py::sibling(py::getattr(*this, name, py::none()));
    }
};

}  // namespace sluice::bindings

#endif
