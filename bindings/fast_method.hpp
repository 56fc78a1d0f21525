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
// dispatcher costs more than most of them do, and prints all arguments where one is wrong: keys and
// headers have no place in a message. A function takes the arguments as the interpreter passes them
// and throws as others do.

static_assert(PYBIND11_VERSION_HEX >= 0x03000000 && PYBIND11_VERSION_HEX < 0x03020000,
              "held_by() knows the instances of pybind11 3.0 and 3.1");

namespace sluice::bindings {

namespace py = pybind11;

/// The arguments of a call, in the interpreter's form.
struct raw_call {
    PyObject* const* args;
    Py_ssize_t count;    ///< of those by position
    PyObject* keywords;  ///< the names of those after them, or null
};

/// A call's arguments in the order of the parameters; null where one was not given. The first
/// `required` have to be, and those after the first `by_position` need their names. Raises
/// TypeError in the words of the interpreter, which hold no argument.
template <std::size_t Count>
[[nodiscard]] std::array<PyObject*, Count> bind_arguments(
    const char* function, const std::array<const char*, Count>& names, std::size_t required,
    const raw_call& call, std::size_t by_position = Count);

/// Writes TypeErrors; apart from the template, which each function has its own of.
[[noreturn]] void refuse_count(const char* function, std::size_t most, Py_ssize_t given);
[[noreturn]] void refuse_keyword(const char* function, PyObject* keyword, bool is_repeat);
[[noreturn]] void refuse_missing(const char* function, const char* name);
[[noreturn]] void refuse_uninitialised(PyObject* self);
[[noreturn]] void refuse_type(std::string_view what, std::string_view expected, py::handle given);

/// Sets Python's error to the exception that is being handled, and gives null. Apart from the
/// template as well.
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

/// An argument as an object, None where it was not given.
[[nodiscard]] inline py::object optional_object(PyObject* given) {
    return py::reinterpret_borrow<py::object>(given == nullptr ? Py_None : given);
}

/// What an instance of a class that pybind11 made holds. TypeError where nothing does, as after
/// `Filter.__new__(Filter)`.
template <class T>
[[nodiscard]] T& held_by(PyObject* self) {
    // Classes of make_class have one base and a pointer as holder: the simple layout.
    void* const value = reinterpret_cast<py::detail::instance*>(self)->simple_value_holder[0];
    if (value == nullptr) refuse_uninitialised(self);
    return *static_cast<T*>(value);
}

/// What an argument holds, which must be of the class that is bound to T; `what` names it.
template <class T>
[[nodiscard]] T& held_by_argument(PyObject* given, std::string_view what) {
    const py::type expected = py::type::of<T>();
    if (!py::type::handle_of(given).is(expected)) {
        refuse_type(what, py::cast<std::string>(expected.attr("__name__")), given);
    }
    return held_by<T>(given);
}

/// Turns what a body throws into what the interpreter expects.
template <class Body>
PyObject* guarded(Body body) noexcept {
    try {
        return body();
    } catch (...) {
        return set_caught();
    }
}

/// A C++ value as a new Python object.
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

/// A definition of `PyObject* Function(PyObject* self, const raw_call&)`; `doc` begins with what
/// stubs say of it: `name($self, value: str) -> int\n--\n\n`. It lives as long as the process.
template <auto Function>
[[nodiscard, gnu::cold]] PyMethodDef* define_fast(py::handle owner, const char* name,
                                                  const char* doc) {
    static const std::string plain = declare_function(owner, name, doc);
    static PyMethodDef definition{
        name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_fast<Function>)),
        METH_FASTCALL | METH_KEYWORDS, plain.c_str()};
    return &definition;
}

/// Gives a class or module a new object under a name.
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

/// Adds a function to a class, not to its instances. Its `self` is the class, by which pickle finds
/// it.
template <auto Function>
[[gnu::cold]] void def_static_fast(py::handle type, const char* name, const char* doc) {
    PyObject* const function = PyCFunction_New(define_fast<Function>(type, name, doc), type.ptr());
    if (function == nullptr) throw py::error_already_set();
    const auto owned = py::reinterpret_steal<py::object>(function);
    add_member(type, name, PyStaticMethod_New(owned.ptr()));
}

/// Adds a method of a class, which is its `self`.
template <auto Function>
[[gnu::cold]] void def_class_fast(py::handle type, const char* name, const char* doc) {
    auto* const owner = reinterpret_cast<PyTypeObject*>(type.ptr());
    add_member(type, name, PyDescr_NewClassMethod(owner, define_fast<Function>(type, name, doc)));
}

/// Adds a function of a module.
template <auto Function>
[[gnu::cold]] void def_fast(py::module_& m, const char* name, const char* doc) {
    add_member(
        m, name,
        PyCFunction_NewEx(define_fast<Function>(m, name, doc), nullptr, m.attr("__name__").ptr()));
}

/// Gives a class an attribute whose definition lives as long as the process.
[[gnu::cold]] inline void add_getter(py::handle type, PyGetSetDef& definition) {
    auto* const owner = reinterpret_cast<PyTypeObject*>(type.ptr());
    add_member(type, definition.name, PyDescr_NewGetSet(owner, &definition));
}

template <auto Function, class T>
PyObject* call_plain(PyObject* self) noexcept {
    return guarded([&] { return to_new_object(std::invoke(Function, held_by<T>(self))); });
}

/// Adds a method without parameters: what `Function` gives for the value that self holds.
template <auto Function, class T, class... Options>
[[gnu::cold]] void def_method(py::class_<T, Options...>& c, const char* name, const char* doc) {
    static const std::string plain = declare_function(c, name, doc);
    static PyMethodDef definition{
        name, [](PyObject* self, PyObject*) { return call_plain<Function, T>(self); }, METH_NOARGS,
        plain.c_str()};
    add_member(c, name, PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(c.ptr()), &definition));
}

/// Adds an attribute that can't be set, `name: type`: what `Function` gives for the value that self
/// holds.
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

/// Adds the constructor that the class's docstring declares: `Make(const raw_call&)` gives the
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
