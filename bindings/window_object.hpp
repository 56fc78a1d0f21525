// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_WINDOW_OBJECT_HPP
#define SLUICE_BINDINGS_WINDOW_OBJECT_HPP

#include <pybind11/pybind11.h>

#include <sluice/params/list.hpp>

namespace sluice::bindings {

/// Converts the window of a request to a sluice.Window.
[[nodiscard]] pybind11::object to_window(const list_window& window);

}  // namespace sluice::bindings

#endif
