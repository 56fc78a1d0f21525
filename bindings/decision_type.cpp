// SPDX-License-Identifier: MIT
#include "decision_type.hpp"

#include <array>
#include <optional>
#include <utility>

#include <sluice/rate_limit/headers.hpp>

#include "convert.hpp"
#include "fast_method.hpp"
#include "raise.hpp"

namespace sluice::bindings {

namespace {

struct decision_object {
    PyObject_HEAD decision value;
};

PyTypeObject* decision_type = nullptr;

[[nodiscard]] const decision& value_of(PyObject* self) noexcept {
    return reinterpret_cast<decision_object*>(self)->value;
}

PyObject* make(PyTypeObject* type, const decision& value) {
    auto* const made = PyObject_New(decision_object, type);
    if (made == nullptr) throw py::error_already_set();
    new (&made->value) decision(value);
    return reinterpret_cast<PyObject*>(made);
}

void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

std::int64_t reset_of(const decision& d) {
    return std::chrono::floor<std::chrono::seconds>(d.reset).time_since_epoch().count();
}

py::object retry_after_of(const decision& d) {
    if (!d.retry_after) return py::none();
    return py::int_(d.retry_after->count());
}

py::tuple fields_of(const decision& d) {
    return py::make_tuple(d.allowed, d.limit, d.remaining, reset_of(d), retry_after_of(d));
}

py::dict named_fields_of(const decision& d) {
    using py::literals::operator""_a;
    return py::dict("allowed"_a = d.allowed, "limit"_a = d.limit, "remaining"_a = d.remaining,
                    "reset"_a = reset_of(d), "retry_after"_a = retry_after_of(d));
}

/// A C function that gives a new reference, or null with an exception set.
template <auto Function>
PyObject* guarded(PyObject* self, void* = nullptr) noexcept {
    try {
        return py::object(Function(value_of(self))).release().ptr();
    } catch (py::error_already_set& raised) {
        raised.restore();
    }
    return nullptr;
}

py::object allowed(const decision& d) { return py::bool_(d.allowed); }
py::object limit(const decision& d) { return py::int_(d.limit); }
py::object remaining(const decision& d) { return py::int_(d.remaining); }
py::object reset(const decision& d) { return py::int_(reset_of(d)); }

py::object headers(const decision& d) {
    py::dict headers;
    for (const auto& [name, value] : rate_limit_headers(d)) {
        headers[to_python(name)] = to_python(value);
    }
    return headers;
}

/// The arguments of __new__, for pickle and copy.
py::object new_arguments(const decision& d) {
    return py::make_tuple(py::tuple(), named_fields_of(d));
}

py::object repr(const decision& d) {
    const py::str format("Decision(allowed={}, limit={}, remaining={}, reset={}, retry_after={})");
    return format.attr("format")(*fields_of(d));
}

std::int64_t checked_reset(py::handle reset) {
    constexpr auto latest = std::chrono::floor<std::chrono::seconds>(latest_instant);
    const auto seconds = to_integer(reset.ptr(), "reset");
    if (seconds < 0 || seconds > latest.time_since_epoch().count()) {
        throw py::value_error("reset: expected epoch seconds up to the year 9999");
    }
    return seconds;
}

PyObject* make_from(PyTypeObject* type, PyObject* args, PyObject* keywords) noexcept {
    constexpr std::array<const char*, 6> names{"allowed", "limit",       "remaining",
                                               "reset",   "retry_after", nullptr};
    std::array<PyObject*, 5> given{nullptr, nullptr, nullptr, nullptr, Py_None};
    if (PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOOO:Decision",
                                    const_cast<char**>(names.data()), &given[0], &given[1],
                                    &given[2], &given[3], &given[4]) == 0) {
        return nullptr;
    }
    try {
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i] == nullptr) refuse_missing("Decision", names[i]);
        }
        if (!PyBool_Check(given[0])) throw py::type_error("allowed: expected bool");
        decision made{given[0] == Py_True,
                      to_integer(given[1], "limit"),
                      to_integer(given[2], "remaining"),
                      instant{std::chrono::seconds{checked_reset(given[3])}},
                      {}};
        if (given[4] != Py_None) {
            made.retry_after = std::chrono::seconds{to_integer(given[4], "retry_after")};
        }
        return make(type, made);
    } catch (py::error_already_set& raised) {
        raised.restore();
    } catch (const py::builtin_exception& raised) {
        raised.set_error();
    }
    return nullptr;
}

PyObject* compare(PyObject* a, PyObject* b, int how) noexcept {
    if (Py_TYPE(b) != decision_type || (how != Py_EQ && how != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((value_of(a) == value_of(b)) == (how == Py_EQ) ? 1 : 0);
}

Py_hash_t hash(PyObject* self) noexcept {
    try {
        return py::hash(fields_of(value_of(self)));
    } catch (py::error_already_set& raised) {
        raised.restore();
    }
    return -1;
}

std::array<PyGetSetDef, 6> attributes{{
    {"allowed", guarded<allowed>, nullptr, "Whether the request passes.", nullptr},
    {"limit", guarded<limit>, nullptr, "What the policy admits in a window.", nullptr},
    {"remaining", guarded<remaining>, nullptr, "What would still be admitted now.", nullptr},
    {"reset", guarded<reset>, nullptr, "When all is free again, in epoch seconds.", nullptr},
    {"retry_after", guarded<retry_after_of>, nullptr,
     "The seconds after which a refused client is admitted, or None.", nullptr},
    {},
}};

template <auto Function>
PyObject* guarded_method(PyObject* self, PyObject*) noexcept {
    return guarded<Function>(self);
}

PyObject* repr_of(PyObject* self) noexcept { return guarded<repr>(self); }

std::array<PyMethodDef, 3> methods{{
    {"headers", guarded_method<headers>, METH_NOARGS,
     "headers($self)\n--\n\nThe X-RateLimit headers, and Retry-After where it was refused."},
    {"__getnewargs_ex__", guarded_method<new_arguments>, METH_NOARGS, nullptr},
    {},
}};

constexpr const char* doc =
    "Decision(*, allowed, limit, remaining, reset, retry_after=None)\n--\n\n"
    "Whether a request passes, and what to tell its client.";

template <class Value>
PyType_Slot slot(int id, Value* value) {
    if constexpr (std::is_function_v<Value>)
        return {id, reinterpret_cast<void*>(value)};
    else
        return {id, const_cast<std::remove_const_t<Value>*>(value)};
}

}  // namespace

void register_decision(py::module_& m) {
    PyType_Slot slots[]{
        slot(Py_tp_doc, doc),
        slot(Py_tp_new, make_from),
        slot(Py_tp_dealloc, destroy),
        slot(Py_tp_repr, repr_of),
        slot(Py_tp_hash, hash),
        slot(Py_tp_richcompare, compare),
        slot(Py_tp_getset, attributes.data()),
        slot(Py_tp_methods, methods.data()),
        {0, nullptr},
    };
    PyType_Spec spec{"sluice.Decision", sizeof(decision_object), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* const type = PyType_FromSpec(&spec);
    if (type == nullptr) throw py::error_already_set();
    decision_type = reinterpret_cast<PyTypeObject*>(type);
    m.attr("Decision") = py::reinterpret_borrow<py::object>(type);
}

PyObject* make_decision(const decision& made) {
    decision shown = made;
    shown.reset = std::chrono::ceil<std::chrono::seconds>(made.reset);
    return make(decision_type, shown);
}

}  // namespace sluice::bindings
