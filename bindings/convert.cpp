// SPDX-License-Identifier: MIT
#include "convert.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <sluice/detail/unicode.hpp>
#include <sluice/query_string.hpp>

namespace sluice::bindings {

namespace {

[[nodiscard]] std::string type_name(py::handle object) {
    return py::cast<std::string>(py::type::handle_of(object).attr("__name__"));
}

[[noreturn]] void refuse_type(std::string_view what, std::string_view expected, py::handle given) {
    throw py::type_error(std::string(what)
                             .append(": expected ")
                             .append(expected)
                             .append(", not ")
                             .append(type_name(given)));
}

/// 1970-01-01T00:00:00Z as a datetime.
py::object epoch() {
    const py::module_ datetime = py::module_::import("datetime");
    const py::object utc = datetime.attr("timezone").attr("utc");
    return datetime.attr("datetime")(1970, 1, 1, 0, 0, 0, 0, utc);
}

struct owned_pair {
    std::string name, value;
};
using owned_pairs = std::vector<owned_pair>;

/// A number's JSON text, a boolean's, or a text.
std::string to_value_text(std::string_view name, py::handle value) {
    if (PyBool_Check(value.ptr())) return value.ptr() == Py_True ? "true" : "false";
    if (py::isinstance<py::str>(value)) return to_utf8(value);
    if (PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr())) return to_number_text(value);
    refuse_type(name, "str, bool, int or float, or a list of these", value);
}

void add_value(owned_pairs& pairs, const std::string& name, py::handle value) {
    if (!value.is_none()) pairs.push_back({name, to_value_text(name, value)});
}

void add_values(owned_pairs& pairs, const std::string& name, py::handle value) {
    if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) {
        return add_value(pairs, name, value);
    }
    for (const py::handle each : value) add_value(pairs, name, each);
}

owned_pairs to_pairs(const py::object& source) {
    const bool is_mapping = py::hasattr(source, "items");
    const py::object items = is_mapping ? source.attr("items")() : source;
    owned_pairs pairs;
    for (const py::handle item : items) {
        if (!py::isinstance<py::tuple>(item) && !py::isinstance<py::list>(item)) {
            refuse_type("query_string", "pairs of a name and a value", item);
        }
        const auto pair = py::reinterpret_borrow<py::sequence>(item);
        if (pair.size() != 2) throw py::value_error("query_string: expected pairs of two");
        add_values(pairs, to_bytes(pair[0], "query_string: name"), pair[1]);
    }
    return pairs;
}

}  // namespace

std::string to_utf8(py::handle text) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 != nullptr) return {utf8, static_cast<std::size_t>(size)};
    PyErr_Clear();
    PyObject* const encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass");
    if (encoded == nullptr) throw py::error_already_set();
    const auto bytes = py::reinterpret_steal<py::bytes>(encoded);
    return sluice::detail::to_valid_utf8(std::string_view(bytes));
}

std::string to_bytes(py::handle text, std::string_view what) {
    if (py::isinstance<py::str>(text)) return to_utf8(text);
    if (py::isinstance<py::bytes>(text)) return py::reinterpret_borrow<py::bytes>(text);
    refuse_type(what, "str or bytes", text);
}

std::string to_number_text(py::handle number) {
    // A subclass may have a repr of its own.
    PyObject* const plain = PyLong_Check(number.ptr()) ? PyNumber_ToBase(number.ptr(), 10)
                                                       : PyFloat_Type.tp_repr(number.ptr());
    if (plain == nullptr) throw py::error_already_set();
    return to_utf8(py::reinterpret_steal<py::str>(plain));
}

py::object to_python(std::optional<std::string_view> text) {
    if (!text) return py::none();
    return py::str(text->data(), text->size());
}

instant to_instant(const py::object& moment) {
    if (!py::isinstance(moment, py::module_::import("datetime").attr("datetime"))) {
        refuse_type("now", "an aware datetime", moment);
    }
    if (moment.attr("utcoffset")().is_none()) {
        throw py::value_error(
            "now: a naive datetime, expected an aware one such as datetime.now(timezone.utc)");
    }
    const py::object since = moment - epoch();
    const auto part = [&](const char* name) { return py::cast<std::int64_t>(since.attr(name)); };
    return instant{std::chrono::days{part("days")} + std::chrono::seconds{part("seconds")} +
                   std::chrono::milliseconds{part("microseconds") / 1'000}};
}

instant to_now(const py::object& now) {
    if (!now.is_none()) return to_instant(now);
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

py::object to_datetime(instant at) {
    constexpr instant earliest = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
    const auto since = std::max(at, earliest).time_since_epoch();
    const py::object timedelta = py::module_::import("datetime").attr("timedelta");
    return epoch() + timedelta(py::arg("milliseconds") = since.count());
}

std::string to_query_text(const py::object& source) {
    if (py::isinstance<py::str>(source) || py::isinstance<py::bytes>(source)) {
        return to_bytes(source, "query_string");
    }
    const owned_pairs owned = to_pairs(source);
    std::vector<name_value> pairs;
    for (const auto& [name, value] : owned) pairs.push_back({name, value});
    return to_query_string(pairs);
}

const time_zone_database* system_zones() {
    static const auto zones = time_zone_database::load();
    return zones ? &*zones : nullptr;
}

}  // namespace sluice::bindings
