// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_CUSTOM_RULES_HPP
#define SLUICE_BINDINGS_CUSTOM_RULES_HPP

#include <cstddef>

#include <pybind11/pybind11.h>

#include <sluice/errors/error.hpp>

namespace sluice::bindings {

/// Converts an exception of a user's function to an error: of an ApiError it keeps rule, offset and
/// length. Any other becomes value_malformed, at all of a text of `size` bytes.
[[nodiscard]] error to_own_error(const pybind11::object& raised, std::size_t size);

/// Adds the functions that declare custom rules.
[[gnu::cold]] void register_custom_rules(pybind11::module_& m);

}  // namespace sluice::bindings

#endif
