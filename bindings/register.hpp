// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_REGISTER_HPP
#define SLUICE_BINDINGS_REGISTER_HPP

#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include "members.hpp"

namespace sluice::bindings {

inline constexpr const char* str_doc = "__str__($self, /) -> str\n--\n\nReturn str(self).";
inline constexpr const char* repr_doc = "__repr__($self, /) -> str\n--\n\nReturn repr(self).";
inline constexpr const char* hash_doc = "__hash__($self, /) -> int\n--\n\nReturn hash(self).";
inline constexpr const char* len_doc = "__len__($self, /) -> int\n--\n\nReturn len(self).";
inline constexpr const char* bool_doc =
    "__bool__($self, /) -> Literal[True]\n--\n\nTrue, even if it is empty.";
inline constexpr const char* reduce_doc =
    "__reduce__($self, /) -> tuple[Any, ...]\n--\n\nHelper for pickle.";
inline constexpr const char* equal_doc =
    "__eq__($self, other: object, /) -> bool\n--\n\nReturn self == other.";

/// Creates an instance of a class by its static method `_make`. TypeError without one; the message
/// says how to create instances. It is the `tp_new` of all classes: `__new__` of pybind11 would
/// return an instance without a value, whose methods would read invalid memory.
PyObject* create(PyTypeObject* type, PyObject* arguments, PyObject* keywords);

/// Sets the implementation of `__reduce__`. Every class needs one, if only to refuse: at pickle's
/// protocols 0 and 1 `object.__reduce__` would instantiate pybind11's base class, which aborts.
template <class T, class Function>
[[gnu::cold]] void set_reduce(pybind11::class_<T>& c, const Function& function) {
    const std::string plain = declare_method(c, "__reduce__", reduce_doc);
    c.attr("__reduce__") =
        py::cpp_function(function, py::name("__reduce__"), py::is_method(c), plain.c_str());
}

/// Creates a final Python class without a constructor, which can't be pickled unless def_reduce is
/// used. Its metaclass is `type`, the only one that stubs can express.
template <class T, class... Extra>
[[nodiscard, gnu::cold]] py::class_<T> make_class(py::module_& m, const char* name, const char* doc,
                                                  const Extra&... extra) {
    const py::custom_type_setup slots([](PyHeapTypeObject* heap) {
        heap->ht_type.tp_new = create;
        // create() returns complete instances; tp_init of pybind11 would refuse them.
        heap->ht_type.tp_init = [](PyObject*, PyObject*, PyObject*) { return 0; };
    });
    const bool has_signature = std::string_view(doc).starts_with(std::string(name) + '(');
    const std::string plain = has_signature ? to_plain_doc(doc) : doc;
    const py::handle type(reinterpret_cast<PyObject*>(&PyType_Type));
    py::class_<T> c(m, name, plain.c_str(), py::is_final(), py::metaclass(type), slots, extra...);
    if (has_signature) declare(c, name, to_signature(doc));
    set_reduce(c, [](const py::object& self) -> py::tuple {
        const auto kind = py::cast<std::string>(py::type::handle_of(self).attr("__name__"));
        throw py::type_error("cannot pickle '" + kind + "' object");
    });
    return c;
}

/// Adds the constructor that the class's docstring declares: `make` returns the value, or a
/// std::unique_ptr of one.
template <class Class, class Function, class... Attributes>
[[gnu::cold]] void def_constructor(Class& c, const Function& make,
                                   const Attributes&... attributes) {
    static const auto name = py::cast<std::string>(c.attr("__name__"));
    c.def_static("_make", make, attributes...);
    c.def_static("_make", argument_refusal(name.c_str(), false, attributes...));
}

/// Makes instances picklable and copyable: `arguments(value)` is the argument tuple with which the
/// static method `parse` of the class recreates the value.
template <class T>
[[gnu::cold]] void def_reduce(py::class_<T>& c, py::tuple (*arguments)(const T&)) {
    set_reduce(c, [arguments](const py::object& self) {
        return py::make_tuple(py::type::handle_of(self).attr("parse"),
                              arguments(self.cast<const T&>()));
    });
}

/// Adds `==` between values of a class.
template <class T>
[[gnu::cold]] void def_equal(py::class_<T>& c, bool (*are_equal)(const T&, const T&)) {
    c.def("__eq__", are_equal, py::is_operator(), declare_method(c, "__eq__", equal_doc).c_str());
}

/// Makes a container truthy even if it is empty.
template <class T>
[[gnu::cold]] void def_always_true(py::class_<T>& c) {
    def(c, "__bool__", [](const T&) { return true; }, bool_doc);
}

// One function for each room of the library, in order; each binds its room's headers. Code that
// only runs at import is marked cold, so that it is optimized for size.
[[gnu::cold]] void register_primitives(pybind11::module_& m);
[[gnu::cold]] void register_time(pybind11::module_& m);
[[gnu::cold]] void register_pages(pybind11::module_& m);
[[gnu::cold]] void register_metadata(pybind11::module_& m);
[[gnu::cold]] void register_rate_limit(pybind11::module_& m);
[[gnu::cold]] void register_sql(pybind11::module_& m);
[[gnu::cold]] void register_arrow(pybind11::module_& m);
[[gnu::cold]] void register_list_query(pybind11::module_& m);
[[gnu::cold]] void register_grammars(pybind11::module_& m);
[[gnu::cold]] void register_aggregates(pybind11::module_& m);
[[gnu::cold]] void register_reference(pybind11::module_& m);

// Parts of register_rate_limit in separate files.
[[gnu::cold]] void register_limiter_states(pybind11::module_& m);
[[gnu::cold]] void register_redis_limiter(pybind11::module_& m);

// Parts of register_list_query in separate files.
[[gnu::cold]] void register_custom_rules(pybind11::module_& m);

// The classes of api, one file each.
[[gnu::cold]] void register_events_query(pybind11::module_& m);
[[gnu::cold]] void register_tags_query(pybind11::module_& m);
[[gnu::cold]] void register_event_store(pybind11::module_& m);
[[gnu::cold]] void register_response(pybind11::module_& m);
[[gnu::cold]] void register_cancellation(pybind11::module_& m);
[[gnu::cold]] void register_handler(pybind11::module_& m);
[[gnu::cold]] void register_clickhouse(pybind11::module_& m);

}  // namespace sluice::bindings

#endif
