// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_DECLARED_VALUES_HPP
#define SLUICE_BINDINGS_DECLARED_VALUES_HPP

#include <cstddef>

#include "bound_query.hpp"

namespace sluice::bindings {

/// The Python value of a declared parameter in a request. Values of sort and page parameters are
/// tuples, which sluice._declared converts to its classes.
[[nodiscard]] py::object to_python_value(const declared_request& request, std::size_t place);

}  // namespace sluice::bindings

#endif
