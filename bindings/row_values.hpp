// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_ROW_VALUES_HPP
#define SLUICE_BINDINGS_ROW_VALUES_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::bindings {

namespace py = pybind11;

// Conversions of single values of Python rows, which must not be missing. TypeError or ValueError
// for other types, with the value's place.

/// Describes the location of a value for messages; called only if one is needed.
using name_place = std::function<std::string()>;

/// Calls `see` with each text of a row: a str, or an arbitrarily nested list, tuple, set or array
/// of texts and missing values. Always visits all items, so that a value that isn't a text is
/// refused wherever it is.
void for_each_text(py::handle row, const name_place& place,
                   const std::function<void(std::string_view)>& see);

/// The instant of an aware datetime, an int of milliseconds since 1970 or an RFC 3339 text.
[[nodiscard]] instant to_time(py::handle row, const name_place& place);

/// The day of a date that isn't a datetime, or of a text such as 2026-08-21.
[[nodiscard]] calendar_day to_day(py::handle row, const name_place& place);

/// The double of a float or an int.
[[nodiscard]] double to_real(py::handle row, const name_place& place);

/// The text of a str, a UUID or a member of an Enum whose value is one of these.
[[nodiscard]] std::string to_name(py::handle row, const name_place& place);

/// An int of 64 bits, or a float or Decimal that is exactly one.
[[nodiscard]] std::int64_t to_whole_number(py::handle row, const name_place& place);

/// The text of a Decimal, an int or a whole float; a str as it is. Floats must be whole, because
/// few decimals are exact as floats.
[[nodiscard]] std::string to_decimal_text(py::handle row, const name_place& place);

}  // namespace sluice::bindings

#endif
