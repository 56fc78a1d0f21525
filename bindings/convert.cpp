// SPDX-License-Identifier: MIT
#include "convert.hpp"

#include <algorithm>
#include <chrono>

#include <datetime.h>

#include <sluice/base/unicode.hpp>
#include <sluice/time/system_zones.hpp>

#include "raise.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

using microseconds = std::chrono::microseconds;

/// Loads the C API of datetime, which the macros below use. Call it before them.
void import_datetime() {
    if (PyDateTimeAPI != nullptr) return;
    PyDateTime_IMPORT;
    if (PyDateTimeAPI == nullptr) throw py::error_already_set();
}

[[noreturn]] void refuse_naive(std::string_view what) {
    throw py::value_error(std::string(what).append(
        ": a naive datetime, expected an aware one such as datetime.now(timezone.utc)"));
}

/// Raises the pending exception of reading an int; an OverflowError becomes a ValueError.
[[noreturn]] void refuse_size(std::string_view what, std::string_view expected) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw py::error_already_set();
    PyErr_Clear();
    throw py::value_error(std::string(what).append(": expected ").append(expected));
}

/// The UTC offset of an aware datetime; nullopt for a naive one.
std::optional<microseconds> utc_offset(py::handle moment) {
    if (PyDateTime_DATE_GET_TZINFO(moment.ptr()) == PyDateTime_TimeZone_UTC) return microseconds{};
    const py::object offset = moment.attr("utcoffset")();
    if (!PyDelta_Check(offset.ptr())) return std::nullopt;
    return std::chrono::days{PyDateTime_DELTA_GET_DAYS(offset.ptr())} +
           std::chrono::seconds{PyDateTime_DELTA_GET_SECONDS(offset.ptr())} +
           microseconds{PyDateTime_DELTA_GET_MICROSECONDS(offset.ptr())};
}

/// The displayed date and time of a datetime, as if it were in UTC.
std::chrono::sys_time<microseconds> shown_by(py::handle moment) {
    const std::chrono::year_month_day day{
        std::chrono::year{PyDateTime_GET_YEAR(moment.ptr())},
        std::chrono::month{static_cast<unsigned>(PyDateTime_GET_MONTH(moment.ptr()))},
        std::chrono::day{static_cast<unsigned>(PyDateTime_GET_DAY(moment.ptr()))}};
    return std::chrono::sys_days{day} + std::chrono::hours{PyDateTime_DATE_GET_HOUR(moment.ptr())} +
           std::chrono::minutes{PyDateTime_DATE_GET_MINUTE(moment.ptr())} +
           std::chrono::seconds{PyDateTime_DATE_GET_SECOND(moment.ptr())} +
           microseconds{PyDateTime_DATE_GET_MICROSECOND(moment.ptr())};
}

/// The text of a naive datetime, without Z. ValueError for fold=1, which has no such text.
std::string to_local_text(py::handle moment, std::string_view what) {
    if (PyDateTime_DATE_GET_FOLD(moment.ptr()) != 0) refuse_naive(what);
    std::string text =
        format_timestamp(std::chrono::floor<std::chrono::milliseconds>(shown_by(moment)));
    text.pop_back();
    return text;
}

}  // namespace

std::string to_utf8(py::handle text, surrogates how) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 != nullptr) return {utf8, static_cast<std::size_t>(size)};
    PyErr_Clear();
    PyObject* const encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass");
    if (encoded == nullptr) throw py::error_already_set();
    std::string bytes(py::reinterpret_steal<py::bytes>(encoded));
    if (how == surrogates::bytes) return sluice::detail::to_valid_utf8(bytes);
    // A lone surrogate is encoded as ED, A0 to BF, and a third byte; U+FFFD has three bytes, too.
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    for (std::size_t at = 0; how == surrogates::character && at + 2 < bytes.size(); ++at) {
        const bool is_surrogate = bytes[at] == '\xED' && (bytes[at + 1] & 0x20) != 0;
        if (is_surrogate) bytes.replace(at, replacement.size(), replacement);
    }
    return bytes;
}

void utf8_text::copy(py::handle text, surrogates how) {
    PyErr_Clear();
    copied_ = to_utf8(text, how);
}

std::string to_text(py::handle text, std::string_view what) {
    return std::string(utf8_text(text, what).view());
}

std::string to_bytes(py::handle text, std::string_view what, surrogates how) {
    if (py::isinstance<py::str>(text)) return to_utf8(text, how);
    if (py::isinstance<py::bytes>(text)) return py::reinterpret_borrow<py::bytes>(text);
    refuse_type(what, "str or bytes", text);
}

py::object to_python(std::optional<std::string_view> text) {
    if (!text) return py::none();
    return py::str(text->data(), text->size());
}

instant to_instant(py::handle moment, std::string_view what) {
    import_datetime();
    if (!PyDateTime_Check(moment.ptr())) refuse_type(what, "an aware datetime", moment);
    const auto ahead = utc_offset(moment);
    if (!ahead) refuse_naive(what);
    return std::chrono::floor<std::chrono::milliseconds>(shown_by(moment) - *ahead);
}

bool is_exact_datetime(py::handle value) {
    import_datetime();
    return PyDateTime_CheckExact(value.ptr());
}

std::optional<std::string> to_time_text(py::handle time, std::string_view what) {
    import_datetime();
    if (PyDateTime_Check(time.ptr())) {
        if (!utc_offset(time)) return to_local_text(time, what);
        return format_timestamp(to_instant(time, what));
    }
    if (PyDate_Check(time.ptr())) return to_utf8(time.attr("isoformat")());
    return std::nullopt;
}

instant to_now(py::handle now) {
    if (now.ptr() != nullptr && !now.is_none()) return to_instant(now, "now");
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::int64_t to_integer(py::handle number, std::string_view what) {
    if (PyIndex_Check(number.ptr()) == 0) refuse_type(what, "int", number);
    const std::int64_t value = PyLong_AsLongLong(number.ptr());
    if (value != -1 || PyErr_Occurred() == nullptr) return value;
    refuse_size(what, "an int of 64 bits");
}

std::uint64_t to_unsigned(py::handle number, std::string_view what) {
    if (PyIndex_Check(number.ptr()) == 0) refuse_type(what, "int", number);
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
    const std::uint64_t value = index ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
    if (PyErr_Occurred() == nullptr) return value;
    refuse_size(what, "an int from 0 to 2**64 - 1");
}

double to_double(py::handle number, std::string_view what) {
    const double value = PyFloat_AsDouble(number.ptr());
    if (value != -1 || PyErr_Occurred() == nullptr) return value;
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    refuse_type(what, "a number", number);
}

std::chrono::milliseconds to_deadline(py::handle milliseconds) {
    constexpr std::chrono::milliseconds most = std::chrono::hours{24};
    const std::int64_t count = to_integer(milliseconds, "deadline_ms");
    if (count >= 0 && count <= most.count()) return std::chrono::milliseconds(count);
    throw py::value_error("deadline_ms: out of range, expected 0 to " +
                          std::to_string(most.count()));
}

bool to_flag(py::handle flag, std::string_view what, bool absent) {
    if (!flag) return absent;
    if (PyBool_Check(flag.ptr())) return flag.ptr() == Py_True;  // checking for NumPy types is slow
    const py::object plain = to_plain_scalar(flag);
    if (!PyBool_Check(plain.ptr())) refuse_type(what, "bool", flag);
    return plain.ptr() == Py_True;
}

std::filesystem::path to_path(py::handle path, std::string_view what) {
    const bool is_path =
        PyUnicode_Check(path.ptr()) || PyBytes_Check(path.ptr()) || py::hasattr(path, "__fspath__");
    if (!is_path) refuse_type(what, "str or a path", path);
    PyObject* encoded = nullptr;
    if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) throw py::error_already_set();
    return std::string(py::reinterpret_steal<py::bytes>(encoded));
}

py::object to_datetime(instant at) {
    import_datetime();
    constexpr instant earliest = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
    if (at < earliest || at > latest_instant) {
        error beyond = make_error(rule::time_out_of_range);
        beyond.accepts = "expected a time in the years 0001 to 9999, which datetime has";
        raise(beyond);
    }
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{at - day};
    static const py::object& datetime =
        *new py::object(py::module_::import("datetime").attr("datetime"));
    return datetime(static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                    static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
                    time.seconds().count(), time.subseconds().count() * 1'000,
                    py::handle(PyDateTime_TimeZone_UTC));
}

const time_zone_database* system_zones() {
    // Never destroyed: a thread may still use them while the process exits.
    static const auto& zones = *new auto(load_time_zones());
    return zones ? &*zones : nullptr;
}

}  // namespace sluice::bindings
