// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_REGISTER_HPP
#define SLUICE_BINDINGS_REGISTER_HPP

#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include "fast_method.hpp"

namespace sluice::bindings {

inline constexpr const char* str_doc = "__str__($self, /) -> str\n--\n\nReturn str(self).";
inline constexpr const char* repr_doc = "__repr__($self, /) -> str\n--\n\nReturn repr(self).";
inline constexpr const char* hash_doc = "__hash__($self, /) -> int\n--\n\nReturn hash(self).";
inline constexpr const char* len_doc = "__len__($self, /) -> int\n--\n\nReturn len(self).";
inline constexpr const char* bool_doc =
    "__bool__($self, /) -> Literal[True]\n--\n\nTrue, however many it has.";
inline constexpr const char* reduce_doc =
    "__reduce__($self, /) -> tuple[Any, ...]\n--\n\nHelper for pickle.";

template <class T>
PyObject* refuse_pickling(PyObject* self, const raw_call&) {
    PyErr_Format(PyExc_TypeError, "cannot pickle '%s' object", Py_TYPE(self)->tp_name);
    return nullptr;
}

/// Raises TypeError when a class without a constructor is called; the message says how to create
/// instances.
int refuse_call(PyObject* self, PyObject* arguments, PyObject* keywords);

/// Makes calls of a class raise TypeError, until def_constructor() gives it a constructor.
[[gnu::cold]] inline void refuse_calls(pybind11::handle type) {
    reinterpret_cast<PyTypeObject*>(type.ptr())->tp_init = refuse_call;
}

/// Creates a final Python class that can't be pickled unless def_reduce is used. Its metaclass is
/// `type`, the only one that stubs can express. Pickling is refused explicitly, because at
/// protocols 0 and 1 `object.__reduce__` would instantiate pybind11's base class, which aborts.
template <class T, class... Extra>
[[nodiscard, gnu::cold]] pybind11::class_<T> make_class(pybind11::module_& m, const char* name,
                                                        const char* doc, const Extra&... extra) {
    auto* const type = reinterpret_cast<PyObject*>(&PyType_Type);
    const bool has_signature = std::string_view(doc).starts_with(std::string(name) + '(');
    const std::string plain = has_signature ? to_plain_doc(doc) : doc;
    pybind11::class_<T> c(m, name, plain.c_str(), pybind11::is_final(), pybind11::metaclass(type),
                          extra...);
    refuse_calls(c);
    if (has_signature) static_cast<void>(declare_function(c, name, doc));
    def_fast<refuse_pickling<T>>(c, "__reduce__", reduce_doc);
    return c;
}

/// Like make_class(), for a class that Python code may subclass.
template <class T>
[[nodiscard, gnu::cold]] pybind11::class_<T> make_base_class(pybind11::module_& m, const char* name,
                                                             const char* doc, const auto&... more) {
    auto* const type = reinterpret_cast<PyObject*>(&PyType_Type);
    pybind11::class_<T> c(m, name, doc, pybind11::metaclass(type), more...);
    refuse_calls(c);
    def_fast<refuse_pickling<T>>(c, "__reduce__", reduce_doc);
    return c;
}

template <auto Arguments, class T>
PyObject* reduce_to_parse(PyObject* self, const raw_call&) {
    const pybind11::object parse = pybind11::type::handle_of(self).attr("parse");
    return to_new_object(pybind11::make_tuple(parse, Arguments(held_by<T>(self))));
}

/// Makes instances picklable and copyable: `Arguments(value)` is the argument tuple with which the
/// static method `parse` of the class recreates the value.
template <auto Arguments, class T>
[[gnu::cold]] void def_reduce(pybind11::class_<T>& c) {
    def_fast<reduce_to_parse<Arguments, T>>(c, "__reduce__", reduce_doc);
}

/// Makes a container truthy even if it is empty.
template <class T>
[[gnu::cold]] void def_always_true(pybind11::class_<T>& c) {
    def_method<[](const T&) { return true; }>(c, "__bool__", bool_doc);
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
[[gnu::cold]] void register_reference(pybind11::module_& m);

// Parts of register_rate_limit in separate files.
[[gnu::cold]] void register_limiter_states(pybind11::module_& m);
[[gnu::cold]] void register_redis_limiter(pybind11::module_& m);

// Parts of register_list_query in separate files.
[[gnu::cold]] void register_own_rules(pybind11::module_& m);

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
