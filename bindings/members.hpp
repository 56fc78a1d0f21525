// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_MEMBERS_HPP
#define SLUICE_BINDINGS_MEMBERS_HPP

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <pybind11/pybind11.h>

#include "arguments.hpp"
#include "declarations.hpp"

// Members bound by pybind11. Their docstrings begin with typed signatures, which are declared for
// stubs, and their errors show no arguments.

namespace sluice::bindings {

namespace py = pybind11;

/// Adds a method to a class, or a function to a module. `doc` begins with its typed signature.
template <class Owner, class Function, class... Attributes>
[[gnu::cold]] void def(Owner& owner, const char* name, Function&& function, const char* doc,
                       const Attributes&... attributes) {
    constexpr bool is_method = !std::is_same_v<Owner, py::module_>;
    const std::string plain = declare_method(owner, name, doc);
    owner.def(name, std::forward<Function>(function), attributes..., plain.c_str());
    owner.def(name, argument_refusal(name, is_method, attributes...));
}

/// Adds a static method to a class.
template <class Class, class Function, class... Attributes>
[[gnu::cold]] void def_static(Class& c, const char* name, Function&& function, const char* doc,
                              const Attributes&... attributes) {
    const std::string plain = declare_method(c, name, doc);
    c.def_static(name, std::forward<Function>(function), attributes..., plain.c_str());
    c.def_static(name, argument_refusal(name, false, attributes...));
}

/// Adds a read-only attribute, declared as `name: type`, to the class of T. `get(value)` returns
/// it. Access through an object of another class is refused like a call (argument_refusal).
template <class T, class Owner, class Get>
[[gnu::cold]] void def_attribute(Owner& c, std::string_view declaration, Get&& get,
                                 const char* doc) {
    const std::string name = declare_attribute(c, declaration);
    const py::cpp_function getter(py::method_adaptor<T>(std::forward<Get>(get)), py::is_method(c));
    const py::cpp_function refusing(argument_refusal("__get__", true), py::is_method(c),
                                    py::sibling(getter));
    const py::handle property(reinterpret_cast<PyObject*>(&PyProperty_Type));
    c.attr(name.c_str()) = property(refusing, py::none(), py::none(), doc);
}

template <class T, class Get>
[[gnu::cold]] void def_attribute(py::class_<T>& c, std::string_view declaration, Get&& get,
                                 const char* doc) {
    def_attribute<T, py::class_<T>>(c, declaration, std::forward<Get>(get), doc);
}

}  // namespace sluice::bindings

#endif
