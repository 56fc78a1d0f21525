// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_OWN_RULES_HPP
#define SLUICE_BINDINGS_OWN_RULES_HPP

#include <cstddef>

#include <pybind11/pybind11.h>

#include <sluice/error.hpp>

namespace sluice::bindings {

/// The error that an exception of a program's own function stands for: of the rule that an ApiError
/// names, else of `value_malformed` for all of a text of so many bytes.
[[nodiscard]] error to_own_error(const pybind11::object& raised, std::size_t size);

/// Adds the functions by which Python declares rules.
[[gnu::cold]] void register_own_rules(pybind11::module_& m);

}  // namespace sluice::bindings

#endif
