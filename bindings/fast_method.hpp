// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_FAST_METHOD_HPP
#define SLUICE_BINDINGS_FAST_METHOD_HPP

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "background.hpp"
#include "declarations.hpp"

// Functions, methods and attributes bound to CPython's own calling conventions. pybind11's
// dispatcher costs more than most of them do, and its messages print all arguments, which may
// include keys and headers. A bound function receives the arguments in the interpreter's form and
// reports errors by throwing.

static_assert(PYBIND11_VERSION_HEX >= 0x03000000 && PYBIND11_VERSION_HEX < 0x03020000,
              "held_by() knows the instances of pybind11 3.0 and 3.1");

namespace sluice::bindings {

namespace py = pybind11;

/// The arguments of a call, in the interpreter's form.
struct raw_call {
    PyObject* const* args;
    Py_ssize_t count;    ///< number of positional arguments
    PyObject* keywords;  ///< names of the keyword arguments, or null
};

/// Returns a call's arguments in the order of the parameters; null for missing ones. The first
/// `required` parameters must be given; those after the first `by_position` are keyword-only.
/// Raises TypeError with the interpreter's messages, which contain no argument values.
template <std::size_t Count>
[[nodiscard]] std::array<PyObject*, Count> bind_arguments(
    const char* function, const std::array<const char*, Count>& names, std::size_t required,
    const raw_call& call, std::size_t by_position = Count);

/// Raise TypeErrors. Not templates, to keep the code of each function small.
[[noreturn]] void refuse_count(const char* function, std::size_t most, Py_ssize_t given);
[[noreturn]] void refuse_keyword(const char* function, PyObject* keyword, bool is_repeat);
[[noreturn]] void refuse_missing(const char* function, const char* name);
[[noreturn]] void refuse_uninitialised(PyObject* self);
[[noreturn]] void refuse_type(std::string_view what, std::string_view expected, py::handle given);

/// Sets Python's error from the exception being handled, and returns null. Not a template, for the
/// same reason.
PyObject* set_caught() noexcept;

template <std::size_t Count>
std::array<PyObject*, Count> bind_arguments(const char* function,
                                            const std::array<const char*, Count>& names,
                                            std::size_t required, const raw_call& call,
                                            std::size_t by_position) {
    if (call.count > static_cast<Py_ssize_t>(by_position)) {
        refuse_count(function, by_position, call.count);
    }
    std::array<PyObject*, Count> bound{};
    for (Py_ssize_t i = 0; i < call.count; ++i) bound[static_cast<std::size_t>(i)] = call.args[i];
    const Py_ssize_t keywords = call.keywords == nullptr ? 0 : PyTuple_GET_SIZE(call.keywords);
    for (Py_ssize_t i = 0; i < keywords; ++i) {
        PyObject* const keyword = PyTuple_GET_ITEM(call.keywords, i);
        std::size_t at = 0;
        while (at < Count && PyUnicode_CompareWithASCIIString(keyword, names[at]) != 0) ++at;
        if (at == Count || bound[at] != nullptr) refuse_keyword(function, keyword, at < Count);
        bound[at] = call.args[call.count + i];
    }
    for (std::size_t i = 0; i < required; ++i) {
        if (bound[i] == nullptr) refuse_missing(function, names[i]);
    }
    return bound;
}

/// An argument as an object; None if it is missing.
[[nodiscard]] inline py::object optional_object(PyObject* given) {
    return py::reinterpret_borrow<py::object>(given == nullptr ? Py_None : given);
}

/// The C++ value of an instance of a pybind11 class. TypeError if it has none, as after
/// `Filter.__new__(Filter)`.
template <class T>
[[nodiscard]] T& held_by(PyObject* self) {
    // Classes of make_class have one base and a pointer as holder, which is pybind11's simple
    // layout.
    void* const value = reinterpret_cast<py::detail::instance*>(self)->simple_value_holder[0];
    if (value == nullptr) refuse_uninitialised(self);
    return *static_cast<T*>(value);
}

/// The C++ value of an argument, which must be of the class bound to T; `what` names it.
template <class T>
[[nodiscard]] T& held_by_argument(PyObject* given, std::string_view what) {
    const py::type expected = py::type::of<T>();
    if (!py::type::handle_of(given).is(expected)) {
        refuse_type(what, py::cast<std::string>(expected.attr("__name__")), given);
    }
    return held_by<T>(given);
}

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
    using bare = std::remove_cvref_t<Value>;
    if constexpr (std::is_base_of_v<py::object, bare>) {
        return bare(std::forward<Value>(value)).release().ptr();
    } else {
        return py::cast(std::forward<Value>(value)).release().ptr();
    }
}

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
[[gnu::cold]] inline void add_member(py::handle owner, const char* name, PyObject* made) {
    if (made == nullptr) throw py::error_already_set();
    owner.attr(name) = py::reinterpret_steal<py::object>(made);
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
    const auto owned = py::reinterpret_steal<py::object>(function);
    add_member(type, name, PyStaticMethod_New(owned.ptr()));
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

/// Adds an attribute, whose definition must live as long as the process, to a class.
[[gnu::cold]] inline void add_getter(py::handle type, PyGetSetDef& definition) {
    auto* const owner = reinterpret_cast<PyTypeObject*>(type.ptr());
    add_member(type, definition.name, PyDescr_NewGetSet(owner, &definition));
}

template <auto Function, class T>
PyObject* call_plain(PyObject* self) noexcept {
    return guarded([&] { return to_new_object(std::invoke(Function, held_by<T>(self))); });
}

/// Adds a method without parameters that returns `Function(value)` for the C++ value of self.
template <auto Function, class T, class... Options>
[[gnu::cold]] void def_method(py::class_<T, Options...>& c, const char* name, const char* doc) {
    static const std::string plain = declare_function(c, name, doc);
    static PyMethodDef definition{
        name, [](PyObject* self, PyObject*) { return call_plain<Function, T>(self); }, METH_NOARGS,
        plain.c_str()};
    add_member(c, name, PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(c.ptr()), &definition));
}

/// Adds a read-only attribute, declared as `name: type`, that returns `Function(value)` for the C++
/// value of self.
template <auto Function, class T, class... Options>
[[gnu::cold]] void def_attribute(py::class_<T, Options...>& c, std::string_view declaration,
                                 const char* doc) {
    static const std::string name = declare_attribute(c, declaration);
    static PyGetSetDef definition{
        name.c_str(), [](PyObject* self, void*) { return call_plain<Function, T>(self); }, nullptr,
        doc, nullptr};
    add_getter(c, definition);
}

template <auto Equal, class T>
PyObject* call_equal(PyObject* self, PyObject* other) noexcept {
    if (Py_TYPE(self) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
    return guarded(
        [&] { return PyBool_FromLong(Equal(held_by<T>(self), held_by<T>(other)) ? 1 : 0); });
}

/// Adds `==` between values of a class.
template <auto Equal, class T, class... Options>
[[gnu::cold]] void def_equal(py::class_<T, Options...>& c) {
    static const std::string plain = declare_function(
        c, "__eq__", "__eq__($self, other: object, /) -> bool\n--\n\nReturn self == other.");
    static PyMethodDef definition{"__eq__", &call_equal<Equal, T>, METH_O, plain.c_str()};
    add_member(c, "__eq__",
               PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(c.ptr()), &definition));
}

/// Adds the constructor that the class's docstring declares: `Make(const raw_call&)` returns the
/// value, or a std::unique_ptr of one.
template <auto Make, class T, class... Options, class... Extra>
[[gnu::cold]] void def_constructor(py::class_<T, Options...>& c, const char* summary,
                                   const Extra&... extra) {
    const auto make = [](const py::args& args, const py::kwargs& keywords) {
        std::vector<PyObject*> given(PySequence_Fast_ITEMS(args.ptr()),
                                     PySequence_Fast_ITEMS(args.ptr()) + args.size());
        py::list names;
        for (const auto& [name, value] : keywords) {
            names.append(name);
            given.push_back(value.ptr());
        }
        const py::tuple keyword_names(names);
        return Make({given.data(), static_cast<Py_ssize_t>(args.size()), keyword_names.ptr()});
    };
    c.def(py::init(make), to_constructor_doc(c, summary).c_str(), extra...);
}

}  // namespace sluice::bindings

#endif
