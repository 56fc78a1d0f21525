// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_DECLARED_VALUES_HPP
#define SLUICE_BINDINGS_DECLARED_VALUES_HPP

#include <cstddef>

#include "bound_query.hpp"

namespace sluice::bindings {

/// The value of a declaration in a request, as Python has it; those of a sort and a page are
/// tuples, of which sluice._declared makes its classes.
[[nodiscard]] py::object to_python_value(const declared_request& request, std::size_t place);

}  // namespace sluice::bindings

#endif
