// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_WINDOW_OBJECT_HPP
#define SLUICE_BINDINGS_WINDOW_OBJECT_HPP

#include <pybind11/pybind11.h>

#include <sluice/params/list.hpp>

namespace sluice::bindings {

/// Converts the window of a request to a sluice.Window, with its interval only if the request has
/// no start. ApiError if an end lies outside the years 1 to 9999, which datetime has.
[[nodiscard]] pybind11::object to_window(const list_window& window);

}  // namespace sluice::bindings

#endif
