// SPDX-License-Identifier: MIT
#include "row_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sluice/query/page.hpp>

#include "convert.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

/// Counts a level of a nested list during its lifetime. RecursionError if there are too many.
struct nested_level {
    nested_level() {
        if (Py_EnterRecursiveCall(" in a list of lists") != 0) throw py::error_already_set();
    }
    nested_level(const nested_level&) = delete;
    nested_level& operator=(const nested_level&) = delete;
    ~nested_level() { Py_LeaveRecursiveCall(); }
};

/// Returns true if a value is an exact number: no bool, and a float only if it is whole and below
/// 2^53.
bool is_exact_number(py::handle value) {
    if (PyBool_Check(value.ptr()) || !is_number(value)) return false;
    if (!PyFloat_Check(value.ptr())) return true;
    const double number = PyFloat_AS_DOUBLE(value.ptr());
    return std::fabs(number) < 0x1p53 && std::trunc(number) == number;
}

bool is_numpy_time(py::handle value) {
    return std::string_view(Py_TYPE(value.ptr())->tp_name) == "numpy.datetime64";
}

/// Returns the milliseconds since 1970 of a numpy.datetime64, rounded down; the last ones of 64
/// bits if there are more.
instant to_numpy_instant(py::handle time) {
    const auto unit = py::cast<std::string>(
        py::module_::import("numpy").attr("datetime_data")(time.attr("dtype"))[py::int_(0)]);
    const bool is_fine = unit.size() == 2;  // ms, us, ns, ps, fs, as
    const auto count = [&](const char* type) {
        return py::cast<std::int64_t>(time.attr("astype")(type).attr("astype")("int64"));
    };
    if (is_fine) return instant{std::chrono::milliseconds{count("datetime64[ms]")}};
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000;
    const std::int64_t seconds = std::clamp(count("datetime64[s]"), -most, most);
    return instant{std::chrono::milliseconds{seconds * 1'000}};
}

}  // namespace

void for_each_text(py::handle row, const name_place& place,
                   const std::function<void(std::string_view)>& see) {
    if (PyUnicode_Check(row.ptr())) return see(utf8_text(row, "").view());
    if (is_list(row)) {
        const nested_level level;
        for (const py::handle item : to_items(row)) for_each_text(item, place, see);
    } else if (!is_missing(row)) {
        refuse_type(place(), "str, None or a list of these", row);
    }
}

instant to_time(py::handle row, const name_place& place) {
    if (PyUnicode_Check(row.ptr())) {
        const auto at = parse_timestamp(utf8_text(row, "").view());
        if (at) return *at;
        throw py::value_error(place() + ": expected RFC 3339 text");
    }
    if (PyIndex_Check(row.ptr()) != 0 && !PyBool_Check(row.ptr())) {
        return instant{std::chrono::milliseconds{to_integer(row, place())}};
    }
    if (is_numpy_time(row)) return to_numpy_instant(row);
    return to_instant(row, place());
}

calendar_day to_day(py::handle row, const name_place& place) {
    if (PyUnicode_Check(row.ptr())) {
        if (const auto day = parse_day(utf8_text(row, "").view())) return *day;
        throw py::value_error(place() + ": expected a day such as 2026-08-21");
    }
    if (is_numpy_time(row)) return to_day(row.attr("item")(), place);
    const py::module_ datetime = py::module_::import("datetime");
    const bool is_date = py::isinstance(row, datetime.attr("date")) &&
                         !py::isinstance(row, datetime.attr("datetime"));
    if (!is_date) refuse_type(place(), "a date or text such as 2026-08-21", row);
    return *parse_day(to_utf8(row.attr("isoformat")()));
}

double to_real(py::handle row, const name_place& place) {
    const py::object value = to_plain_scalar(row);
    const bool is_real = PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr());
    if (!is_real || PyBool_Check(value.ptr())) refuse_type(place(), "float or int", row);
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return number;
}

std::string to_name(py::handle row, const name_place& place) {
    if (PyUnicode_Check(row.ptr())) return std::string(utf8_text(row, "").view());
    if (py::isinstance(row, py::module_::import("enum").attr("Enum"))) {
        return to_name(row.attr("value"), place);
    }
    if (py::isinstance(row, py::module_::import("uuid").attr("UUID"))) return to_utf8(py::str(row));
    refuse_type(place(), "str, UUID or a member of an Enum", row);
}

std::int64_t to_whole_number(py::handle row, const name_place& place) {
    const py::object value = to_plain_scalar(row);
    if (PyLong_Check(value.ptr()) || !is_exact_number(value)) return to_integer(value, place());
    const auto number = parse_int64(to_number_text(value, place()));
    if (number) return *number;
    throw py::value_error(place() + ": expected a whole number of 64 bits");
}

std::string to_decimal_text(py::handle row, const name_place& place) {
    const py::object value = to_plain_scalar(row);
    if (PyUnicode_Check(value.ptr())) return to_utf8(value);
    if (!is_exact_number(value)) refuse_type(place(), "Decimal, int or text of a number", row);
    return to_number_text(value, place());
}

}  // namespace sluice::bindings
