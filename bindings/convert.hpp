// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_CONVERT_HPP
#define SLUICE_BINDINGS_CONVERT_HPP

#include <optional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <sluice/instant.hpp>
#include <sluice/time_zone.hpp>

namespace sluice::bindings {

namespace py = pybind11;

/// The UTF-8 of a str. Lone surrogates, which UTF-8 lacks, become U+FFFD, as they do in a query
/// string.
[[nodiscard]] std::string to_utf8(py::handle text);

/// The UTF-8 of a str, as to_utf8 gives it, where it lies: no copy unless it has lone surrogates.
/// It views the str. TypeError for anything else; `what` names it and `expected` what it may be.
class utf8_text {
public:
    utf8_text(py::handle text, std::string_view what, std::string_view expected = "str") {
        Py_ssize_t size = 0;
        if (!PyUnicode_Check(text.ptr())) refuse(text, what, expected);
        const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (utf8 == nullptr) copy(text);
        view_ = utf8 != nullptr ? std::string_view(utf8, static_cast<std::size_t>(size)) : copied_;
    }
    utf8_text(const utf8_text&) = delete;
    utf8_text& operator=(const utf8_text&) = delete;

    [[nodiscard]] std::string_view view() const noexcept { return view_; }

private:
    [[noreturn]] static void refuse(py::handle text, std::string_view what,
                                    std::string_view expected);
    void copy(py::handle text);

    std::string copied_;
    std::string_view view_;
};

/// The bytes of bytes, or the UTF-8 of a str. TypeError for anything else; `what` names it.
[[nodiscard]] std::string to_bytes(py::handle text, std::string_view what);

/// The JSON text of an int or a float; of one that is not finite, what is no number in JSON.
[[nodiscard]] std::string to_number_text(py::handle number);

/// A text, or None.
[[nodiscard]] py::object to_python(std::optional<std::string_view> text);

/// The instant of an aware datetime, cut to milliseconds. A naive one is a ValueError, anything
/// else a TypeError.
[[nodiscard]] instant to_instant(py::handle moment);

/// The same for an argument `now`. None, or one not given, is the present: this is where the
/// library meets a clock.
[[nodiscard]] instant to_now(py::handle now);

/// An int of 64 bits, or what counts as one. TypeError for anything else; `what` names it.
[[nodiscard]] std::int64_t to_integer(py::handle number, std::string_view what);

/// An aware datetime in UTC; before the year 1, which datetime lacks, the earliest one.
[[nodiscard]] py::object to_datetime(instant at);

/// The query string of what a caller gives as one: str, bytes, a mapping or pairs. The values of a
/// mapping or of pairs are str, bool, int or float, or for repeats a list or tuple of those; None
/// is left out.
[[nodiscard]] std::string to_query_text(const py::object& source);

/// The system's time zones, loaded at the first call; null where there are none.
[[nodiscard]] const time_zone_database* system_zones();

}  // namespace sluice::bindings

#endif
