// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_CONVERT_HPP
#define SLUICE_BINDINGS_CONVERT_HPP

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <sluice/time/instant.hpp>
#include <sluice/time/zone.hpp>

#include "arguments.hpp"

namespace sluice::bindings {

namespace py = pybind11;

/// The replacement of lone surrogates of a str, which UTF-8 can't encode.
enum class surrogates : std::uint8_t {
    bytes,      ///< three U+FFFD, one for each byte of its encoding, as in a query string
    character,  ///< one U+FFFD, as in a JSON text
    kept,       ///< its three bytes, which are invalid UTF-8, so that different strs stay different
};

/// The UTF-8 of a str.
[[nodiscard]] std::string to_utf8(py::handle text, surrogates how = surrogates::bytes);

/// A view of the UTF-8 of a str, equal to to_utf8(), without a copy unless it has lone surrogates.
/// Must not outlive the str. TypeError for other types; `what` names the argument and `expected`
/// its type.
class utf8_text {
public:
    utf8_text(py::handle text, std::string_view what, std::string_view expected = "str",
              surrogates how = surrogates::bytes) {
        Py_ssize_t size = 0;
        if (!PyUnicode_Check(text.ptr())) refuse_type(what, expected, text);
        const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (utf8 == nullptr) copy(text, how);
        view_ = utf8 != nullptr ? std::string_view(utf8, static_cast<std::size_t>(size)) : copied_;
    }
    utf8_text(const utf8_text&) = delete;
    utf8_text& operator=(const utf8_text&) = delete;

    [[nodiscard]] std::string_view view() const noexcept { return view_; }

private:
    void copy(py::handle text, surrogates how);

    std::string copied_;  // the text, if it has lone surrogates
    std::string_view view_;
};

/// The UTF-8 of a str. TypeError for other types; `what` names it.
[[nodiscard]] std::string to_text(py::handle text, std::string_view what);

/// The bytes of a bytes object, or the UTF-8 of a str. TypeError for other types; `what` names it.
[[nodiscard]] std::string to_bytes(py::handle text, std::string_view what,
                                   surrogates how = surrogates::bytes);

/// A str, or None.
[[nodiscard]] py::object to_python(std::optional<std::string_view> text);

/// The instant of an aware datetime, truncated to milliseconds. ValueError for naive ones,
/// TypeError for other types; `what` names it.
[[nodiscard]] instant to_instant(py::handle moment, std::string_view what);

/// Returns true for a datetime.datetime that is of no derived class, such as pandas.NaT's.
[[nodiscard]] bool is_exact_datetime(py::handle value);

/// The text of a time for a time parameter: an aware datetime in UTC, a naive one as a local time,
/// or a date as a day. nullopt for other types.
[[nodiscard]] std::optional<std::string> to_time_text(py::handle time, std::string_view what);

/// The instant of an argument `now`. None or a missing argument is the current time: the only use
/// of a clock.
[[nodiscard]] instant to_now(py::handle now);

/// An int of 64 bits, or an object with __index__. TypeError or ValueError otherwise; `what` names
/// it.
[[nodiscard]] std::int64_t to_integer(py::handle number, std::string_view what);

/// An int from 0 to 2**64 - 1. TypeError or ValueError otherwise; `what` names it.
[[nodiscard]] std::uint64_t to_unsigned(py::handle number, std::string_view what);

/// A float, or an object with __float__. TypeError otherwise; `what` names it.
[[nodiscard]] double to_double(py::handle number, std::string_view what);

/// The argument `deadline_ms`, from 0 to a day. TypeError or ValueError otherwise.
[[nodiscard]] std::chrono::milliseconds to_deadline(py::handle milliseconds);

/// A bool of Python or NumPy; `absent` if it is missing. TypeError otherwise; `what` names it.
[[nodiscard]] bool to_flag(py::handle flag, std::string_view what, bool absent = false);

/// The path of a str, bytes or an object with __fspath__. TypeError otherwise; `what` names it.
[[nodiscard]] std::filesystem::path to_path(py::handle path, std::string_view what);

/// An aware datetime in UTC. ApiError time_out_of_range outside the years 1 to 9999, the range of
/// datetime.
[[nodiscard]] py::object to_datetime(instant at);

/// The system's time zones, loaded on the first call; null if there are none.
[[nodiscard]] const time_zone_database* system_zones();

}  // namespace sluice::bindings

#endif
