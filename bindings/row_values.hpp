// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_ROW_VALUES_HPP
#define SLUICE_BINDINGS_ROW_VALUES_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <sluice/instant.hpp>

namespace sluice::bindings {

namespace py = pybind11;

// What rows of Python objects hold, one value at a time, which none of these is given as missing.
// What is of another type is a TypeError or a ValueError that says where it is.

/// Says where a row is, for messages.
using name_place = std::function<std::string()>;

/// Gives each text of a row: a str, or those of a list, tuple, set or array of texts and values
/// that are missing, however deep. All of it is looked at, so that what isn't a text is refused
/// wherever it is.
void for_each_text(py::handle row, const name_place& place,
                   const std::function<void(std::string_view)>& see);

/// An aware datetime, milliseconds since 1970 or RFC 3339.
[[nodiscard]] instant to_time(py::handle row, const name_place& place);

/// An int of 64 bits, or a float or Decimal without doubt equal to one.
[[nodiscard]] std::int64_t to_whole_number(py::handle row, const name_place& place);

/// The text of a number. Of floats those are taken that are whole, since few decimals are one.
[[nodiscard]] std::string to_decimal_text(py::handle row, const name_place& place);

}  // namespace sluice::bindings

#endif
