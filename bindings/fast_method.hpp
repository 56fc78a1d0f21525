// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_FAST_METHOD_HPP
#define SLUICE_BINDINGS_FAST_METHOD_HPP

#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <string_view>

#include <pybind11/pybind11.h>

// Methods that are called for every request, bound to CPython's own calling convention: pybind11's
// dispatcher costs more than they do. A function takes the arguments as the interpreter passes
// them and throws as others do.

namespace sluice::bindings {

namespace py = pybind11;

/// The arguments of a call, in the interpreter's form.
struct raw_call {
    PyObject* const* args;
    Py_ssize_t count;    ///< of those by position
    PyObject* keywords;  ///< the names of those behind them, or null
};

/// A call's arguments in the order of the parameters; null where one was not given. `required` of
/// them have to be. Raises TypeError in the words of the interpreter.
template <std::size_t Count>
[[nodiscard]] std::array<PyObject*, Count> bind_arguments(
    const char* function, const std::array<const char*, Count>& names, std::size_t required,
    const raw_call& call);

/// Writes TypeErrors; apart from the template, which each function has its own of.
[[noreturn]] void refuse_count(const char* function, std::size_t most, Py_ssize_t given);
[[noreturn]] void refuse_keyword(const char* function, PyObject* keyword, bool is_repeat);
[[noreturn]] void refuse_missing(const char* function, const char* name);
[[noreturn]] void refuse_uninitialised(PyObject* self);

template <std::size_t Count>
std::array<PyObject*, Count> bind_arguments(const char* function,
                                            const std::array<const char*, Count>& names,
                                            std::size_t required, const raw_call& call) {
    if (call.count > static_cast<Py_ssize_t>(Count)) refuse_count(function, Count, call.count);
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

/// What an instance of a class that pybind11 made holds. TypeError where nothing does, as after
/// `Filter.__new__(Filter)`.
template <class T>
[[nodiscard]] T& held_by(PyObject* self) {
    // Classes of make_class have one base and a pointer as holder: the simple layout.
    void* const value = reinterpret_cast<py::detail::instance*>(self)->simple_value_holder[0];
    if (value == nullptr) refuse_uninitialised(self);
    return *static_cast<T*>(value);
}

/// Turns what a function throws into what the interpreter expects.
template <auto Function>
PyObject* call_fast(PyObject* self, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords) noexcept {
    try {
        return Function(self, raw_call{args, count, keywords});
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

/// A definition of `PyObject* Function(PyObject* self, const raw_call&)`; `doc` begins with the
/// signature: `name($self, value)\n--\n\n`. It lives as long as the process.
template <auto Function>
[[nodiscard]] PyMethodDef* define_fast(const char* name, const char* doc) {
    static PyMethodDef definition{
        name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_fast<Function>)),
        METH_FASTCALL | METH_KEYWORDS, doc};
    return &definition;
}

/// Adds a method.
template <auto Function>
void def_fast(py::handle type, const char* name, const char* doc) {
    auto* const owner = reinterpret_cast<PyTypeObject*>(type.ptr());
    PyObject* const method = PyDescr_NewMethod(owner, define_fast<Function>(name, doc));
    if (method == nullptr) throw py::error_already_set();
    type.attr(name) = py::reinterpret_steal<py::object>(method);
}

/// Adds a static method, whose `self` is null.
template <auto Function>
void def_static_fast(py::handle type, const char* name, const char* doc) {
    PyObject* const function = PyCFunction_New(define_fast<Function>(name, doc), nullptr);
    if (function == nullptr) throw py::error_already_set();
    const auto owned = py::reinterpret_steal<py::object>(function);
    type.attr(name) = py::reinterpret_steal<py::object>(PyStaticMethod_New(owned.ptr()));
}

/// Adds a function of a module.
template <auto Function>
void def_fast(py::module_& m, const char* name, const char* doc) {
    PyObject* const function =
        PyCFunction_NewEx(define_fast<Function>(name, doc), nullptr, m.attr("__name__").ptr());
    if (function == nullptr) throw py::error_already_set();
    m.attr(name) = py::reinterpret_steal<py::object>(function);
}

}  // namespace sluice::bindings

#endif
