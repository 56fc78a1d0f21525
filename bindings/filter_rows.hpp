// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_FILTER_ROWS_HPP
#define SLUICE_BINDINGS_FILTER_ROWS_HPP

#include <optional>

#include <pybind11/pybind11.h>

#include <sluice/arrow/row_bits.hpp>
#include <sluice/arrow/row_filter.hpp>

namespace sluice::bindings {

namespace py = pybind11;

/// Whether an object is a NumPy array. It is none where nobody has imported NumPy.
[[nodiscard]] bool is_numpy_array(py::handle rows);

/// The mask of a NumPy array of `U` or `S` texts, in the order of its elements, without the GIL;
/// nothing where it is of another type.
[[nodiscard]] std::optional<arrow::row_bits> numpy_mask(const py::object& rows,
                                                        const arrow::row_filter& wanted);

/// Whether a row passes: a str, or None where there is no value. With `lists` also a list or tuple
/// of str, which is named by any of its items.
[[nodiscard]] bool row_passes(py::handle row, const arrow::row_filter& wanted, bool lists = false);

/// What Filter.mask gives.
[[nodiscard]] py::object mask_of(const filter& f, const py::object& rows, collation how);

}  // namespace sluice::bindings

#endif
