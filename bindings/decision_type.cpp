// SPDX-License-Identifier: MIT
#include "decision_type.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <sluice/rate_limit/headers.hpp>

#include "convert.hpp"
#include "fast_method.hpp"
#include "native_class.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

/// An instance of Decision. Its reset is in whole seconds.
struct decision_object {
    PyObject_HEAD decision value;
};

/// The class, once register_decision() has created it.
PyTypeObject* decision_type = nullptr;

[[nodiscard]] const decision& value_of(PyObject* self) noexcept {
    return reinterpret_cast<decision_object*>(self)->value;
}

/// Creates an instance.
py::object make(const decision& value) {
    auto* const self = PyObject_New(decision_object, decision_type);
    if (self == nullptr) throw py::error_already_set();
    new (&self->value) decision(value);
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(self));
}

/// Implements tp_dealloc. A decision needs no destructor; instances own a reference to their type.
void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

/// The reset in seconds since 1970, to which make_decision() has rounded it up.
std::int64_t reset_of(const decision& self) {
    return std::chrono::floor<std::chrono::seconds>(self.reset).time_since_epoch().count();
}

py::object retry_after_of(const decision& self) {
    if (!self.retry_after) return py::none();
    return py::int_(self.retry_after->count());
}

py::tuple fields_of(const decision& self) {
    return py::make_tuple(self.allowed, self.limit, self.remaining, reset_of(self),
                          retry_after_of(self));
}

py::dict named_fields_of(const decision& self) {
    using py::literals::operator""_a;
    return py::dict("allowed"_a = self.allowed, "limit"_a = self.limit,
                    "remaining"_a = self.remaining, "reset"_a = reset_of(self),
                    "retry_after"_a = retry_after_of(self));
}

/// A getter that returns a new reference, or null with an exception set.
template <auto Function>
PyObject* get(PyObject* self, void*) noexcept {
    return guarded([&] { return py::object(Function(value_of(self))).release().ptr(); });
}

/// A method without arguments.
template <auto Function>
PyObject* call(PyObject* self, PyObject*) noexcept {
    return get<Function>(self, nullptr);
}

py::object allowed(const decision& self) { return py::bool_(self.allowed); }
py::object limit(const decision& self) { return py::int_(self.limit); }
py::object remaining(const decision& self) { return py::int_(self.remaining); }
py::object reset(const decision& self) { return py::int_(reset_of(self)); }

py::object headers(const decision& self) {
    py::dict headers;
    for (const auto& [name, value] : rate_limit_headers(self)) {
        headers[to_python(name)] = to_python(value);
    }
    return headers;
}

/// Implements __reduce__: a call of the class with keywords, which needs a functools.partial.
py::object reduced(const decision& self) {
    const py::object partial = py::module_::import("functools").attr("partial");
    const auto type =
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(decision_type));
    return py::make_tuple(partial(type, **named_fields_of(self)), py::tuple());
}

py::object repr(const decision& self) {
    const py::str format("Decision(allowed={}, limit={}, remaining={}, reset={}, retry_after={})");
    return format.attr("format")(*fields_of(self));
}

/// Converts seconds since 1970. ValueError if they don't fit into 64 bits as milliseconds.
instant to_reset(py::handle reset) {
    constexpr std::int64_t most = instant::duration::max().count() / 1'000;
    const std::int64_t seconds = to_integer(reset, "reset");
    if (seconds < -most || seconds > most) {
        throw py::value_error("reset: expected epoch seconds, at most " + std::to_string(most));
    }
    return instant{std::chrono::seconds{seconds}};
}

/// Implements the constructor.
py::object make_from(py::handle allowed, py::handle limit, py::handle remaining, py::handle reset,
                     py::handle retry_after) {
    decision outcome{to_flag(allowed, "allowed"),
                     to_integer(limit, "limit"),
                     to_integer(remaining, "remaining"),
                     to_reset(reset),
                     {}};
    if (!retry_after.is_none()) {
        outcome.retry_after = std::chrono::seconds{to_integer(retry_after, "retry_after")};
    }
    return make(outcome);
}

/// Implements tp_richcompare: `==` and `!=` between decisions.
PyObject* compare(PyObject* a, PyObject* b, int how) noexcept {
    if (Py_TYPE(b) != decision_type || (how != Py_EQ && how != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((value_of(a) == value_of(b)) == (how == Py_EQ) ? 1 : 0);
}

/// Implements tp_hash. Returns -1 with an exception set on failure.
Py_hash_t hash(PyObject* self) noexcept {
    try {
        return py::hash(fields_of(value_of(self)));
    } catch (py::error_already_set& raised) {
        raised.restore();
    }
    return -1;
}

PyObject* repr_of(PyObject* self) noexcept { return get<repr>(self, nullptr); }

namespace doc {

constexpr const char* allowed = "True if the request passes: bool.";
constexpr const char* limit = "The number of requests that a window admits: int.";
constexpr const char* remaining = "The number that would still be admitted now: int.";
constexpr const char* reset =
    "The time of X-RateLimit-Reset: int, in seconds since 1970 in UTC, rounded up.";
constexpr const char* retry_after =
    R"(The seconds after which a refused client is admitted: int, at least 1, or None.

None when it passes, and for a cost above the limit, which never does.)";

constexpr const char* headers = R"(headers($self, /)
--

The headers of an answer.

These are X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, and Retry-After unless
retry_after is None.

Returns:
    A dict of str to str.)";

constexpr const char* type =
    R"(Decision(*, allowed: bool, limit: int, remaining: int, reset: int, retry_after: int | None = None)
--

The decision on a request, with the values of its rate-limit headers.

Args:
    allowed: bool.
    limit: The number of requests that a window admits, an int.
    remaining: The number that would still be admitted now, an int.
    reset: The time of X-RateLimit-Reset, an int of seconds since 1970 in UTC.
    retry_after: The seconds after which a refused client is admitted, an int, or None.

Example:
    >>> sluice.Decision(allowed=True, limit=5, remaining=4, reset=60).headers()["x-ratelimit-reset"]
    '60')";

}  // namespace doc

PyGetSetDef getters[]{
    {"allowed", get<allowed>, nullptr, doc::allowed, nullptr},
    {"limit", get<limit>, nullptr, doc::limit, nullptr},
    {"remaining", get<remaining>, nullptr, doc::remaining, nullptr},
    {"reset", get<reset>, nullptr, doc::reset, nullptr},
    {"retry_after", get<retry_after_of>, nullptr, doc::retry_after, nullptr},
    {},
};

PyMethodDef methods[]{
    {"headers", call<headers>, METH_NOARGS, doc::headers},
    {"__reduce__", call<reduced>, METH_NOARGS, nullptr},
    {},
};

/// Declares the members for stubs.
void declare_members(py::handle type) {
    declare(type, "Decision", to_signature(doc::type));
    declare(type, "allowed", "allowed: bool");
    declare(type, "limit", "limit: int");
    declare(type, "remaining", "remaining: int");
    declare(type, "reset", "reset: int");
    declare(type, "retry_after", "retry_after: int | None");
    declare(type, "headers", "headers($self, /) -> dict[str, str]");
    declare(type, "__reduce__", to_signature(reduce_doc));
}

/// A slot of the type, whose value CPython takes as void*.
template <class Value>
PyType_Slot slot(int id, Value* value) {
    if constexpr (std::is_function_v<Value>)
        return {id, reinterpret_cast<void*>(value)};
    else
        return {id, const_cast<std::remove_const_t<Value>*>(value)};
}

}  // namespace

void register_decision(py::module_& m) {
    static const std::string plain = to_plain_doc(doc::type);
    PyType_Slot slots[]{
        slot(Py_tp_doc, plain.c_str()), slot(Py_tp_new, create),  slot(Py_tp_dealloc, destroy),
        slot(Py_tp_repr, repr_of),      slot(Py_tp_hash, hash),   slot(Py_tp_richcompare, compare),
        {Py_tp_getset, getters},        {Py_tp_methods, methods}, {0, nullptr},
    };
    PyType_Spec spec{"sluice.Decision", sizeof(decision_object), 0, Py_TPFLAGS_DEFAULT, slots};
    native_class c(spec);
    decision_type = reinterpret_cast<PyTypeObject*>(c.ptr());
    declare_members(c);
    def_constructor(c, make_from, py::kw_only(), py::arg("allowed"), py::arg("limit"),
                    py::arg("remaining"), py::arg("reset"), py::arg("retry_after") = py::none());
    m.attr("Decision") = c;
}

std::optional<decision> to_decision(PyObject* object) noexcept {
    if (Py_TYPE(object) != decision_type) return std::nullopt;
    return value_of(object);
}

py::object make_decision(const decision& outcome) {
    decision shown = outcome;
    shown.reset = std::chrono::ceil<std::chrono::seconds>(outcome.reset);
    return make(shown);
}

}  // namespace sluice::bindings
