// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PACKAGE_HPP
#define SLUICE_BINDINGS_PACKAGE_HPP

#include <pybind11/pybind11.h>

namespace sluice::bindings {

/// Returns an object of the Python package by its name, such as its exception `ApiError`. The
/// loader that the package has registered imports it on first use.
[[nodiscard]] pybind11::object package_object(const char* name);

/// Adds the function that registers the loader.
[[gnu::cold]] void register_package(pybind11::module_& m);

}  // namespace sluice::bindings

#endif
