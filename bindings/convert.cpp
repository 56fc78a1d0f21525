// SPDX-License-Identifier: MIT
#include "convert.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <datetime.h>

#include <sluice/detail/unicode.hpp>
#include <sluice/query_string.hpp>
#include <sluice/system_time_zones.hpp>

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

using microseconds = std::chrono::microseconds;

void import_datetime() {
    if (PyDateTimeAPI != nullptr) return;
    PyDateTime_IMPORT;
    if (PyDateTimeAPI == nullptr) throw py::error_already_set();
}

/// How far an aware datetime is ahead of UTC. A naive one is a ValueError.
microseconds utc_offset(py::handle moment) {
    if (PyDateTime_DATE_GET_TZINFO(moment.ptr()) == PyDateTime_TimeZone_UTC) return {};
    const py::object offset = moment.attr("utcoffset")();
    if (!PyDelta_Check(offset.ptr())) {
        throw py::value_error(
            "now: a naive datetime, expected an aware one such as datetime.now(timezone.utc)");
    }
    return std::chrono::days{PyDateTime_DELTA_GET_DAYS(offset.ptr())} +
           std::chrono::seconds{PyDateTime_DELTA_GET_SECONDS(offset.ptr())} +
           microseconds{PyDateTime_DELTA_GET_MICROSECONDS(offset.ptr())};
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

void utf8_text::refuse(py::handle text, std::string_view what, std::string_view expected) {
    refuse_type(what, expected, text);
}

void utf8_text::copy(py::handle text) {
    PyErr_Clear();
    copied_ = to_utf8(text);
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

instant to_instant(py::handle moment) {
    import_datetime();
    if (!PyDateTime_Check(moment.ptr())) refuse_type("now", "an aware datetime", moment);
    const microseconds ahead = utc_offset(moment);
    const std::chrono::year_month_day day{
        std::chrono::year{PyDateTime_GET_YEAR(moment.ptr())},
        std::chrono::month{static_cast<unsigned>(PyDateTime_GET_MONTH(moment.ptr()))},
        std::chrono::day{static_cast<unsigned>(PyDateTime_GET_DAY(moment.ptr()))}};
    const auto time_of_day = std::chrono::hours{PyDateTime_DATE_GET_HOUR(moment.ptr())} +
                             std::chrono::minutes{PyDateTime_DATE_GET_MINUTE(moment.ptr())} +
                             std::chrono::seconds{PyDateTime_DATE_GET_SECOND(moment.ptr())} +
                             microseconds{PyDateTime_DATE_GET_MICROSECOND(moment.ptr())};
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::sys_days{day} + time_of_day -
                                                         ahead);
}

instant to_now(py::handle now) {
    if (now.ptr() != nullptr && !now.is_none()) return to_instant(now);
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::int64_t to_integer(py::handle number, std::string_view what) {
    if (PyIndex_Check(number.ptr()) == 0) refuse_type(what, "int", number);
    const std::int64_t value = PyLong_AsLongLong(number.ptr());
    if (value != -1 || PyErr_Occurred() == nullptr) return value;
    throw py::error_already_set();
}

py::object to_datetime(instant at) {
    import_datetime();
    constexpr instant earliest = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
    const instant shown = std::clamp(at, earliest, latest_instant);
    const auto day = std::chrono::floor<std::chrono::days>(shown);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{shown - day};
    PyObject* const made = PyDateTimeAPI->DateTime_FromDateAndTime(
        static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
        static_cast<int>(static_cast<unsigned>(date.day())), static_cast<int>(time.hours().count()),
        static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
        static_cast<int>(time.subseconds().count() * 1'000), PyDateTime_TimeZone_UTC,
        PyDateTimeAPI->DateTimeType);
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
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
    static const auto zones = load_time_zones();
    return zones ? &*zones : nullptr;
}

}  // namespace sluice::bindings
