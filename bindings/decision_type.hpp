// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_DECISION_TYPE_HPP
#define SLUICE_BINDINGS_DECISION_TYPE_HPP

#include <optional>

#include <pybind11/pybind11.h>

#include <sluice/rate_limit/decision.hpp>

namespace sluice::bindings {

/// Registers the class Decision: a type of CPython's own, whose instances hold the decision itself,
/// since one is made for every request. Attributes become Python objects when they are asked for.
[[gnu::cold]] void register_decision(pybind11::module_& m);

/// A decision as Python shows it, with its reset in whole seconds, rounded up.
[[nodiscard]] PyObject* make_decision(const decision& made);

/// The decision of a Decision; nothing for anything else.
[[nodiscard]] std::optional<decision> to_decision(PyObject* made) noexcept;

}  // namespace sluice::bindings

#endif
