// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_DECISION_TYPE_HPP
#define SLUICE_BINDINGS_DECISION_TYPE_HPP

#include <optional>

#include <pybind11/pybind11.h>

#include <sluice/rate_limit/decision.hpp>

namespace sluice::bindings {

/// Registers the class Decision, a plain CPython type whose instances hold the decision directly,
/// because one is created for every request. Attributes are converted to Python objects on access.
[[gnu::cold]] void register_decision(pybind11::module_& m);

/// Creates a Decision, with its reset rounded up to whole seconds.
[[nodiscard]] pybind11::object make_decision(const decision& outcome);

/// The decision of a Decision object; nullopt for other objects.
[[nodiscard]] std::optional<decision> to_decision(PyObject* object) noexcept;

}  // namespace sluice::bindings

#endif
