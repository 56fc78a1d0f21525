// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_FILTER_ROWS_HPP
#define SLUICE_BINDINGS_FILTER_ROWS_HPP

#include <optional>

#include <pybind11/pybind11.h>

#include <sluice/arrow/row_bits.hpp>
#include <sluice/arrow/row_filter.hpp>

#include "row_values.hpp"

namespace sluice::bindings {

namespace py = pybind11;

/// A Python buffer, released by the destructor.
class held_buffer {
public:
    held_buffer(py::handle object, int flags) {
        if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw py::error_already_set();
    }
    held_buffer(const held_buffer&) = delete;
    held_buffer& operator=(const held_buffer&) = delete;
    ~held_buffer() { PyBuffer_Release(&view_); }

    [[nodiscard]] const Py_buffer& operator*() const noexcept { return view_; }

private:
    Py_buffer view_{};
};

/// Returns true if an object is a NumPy array; false without importing NumPy.
[[nodiscard]] bool is_numpy_array(py::handle rows);

/// The mask of a NumPy array of `U` or `S` texts, in the order of its elements, computed without
/// the GIL; nullopt for other dtypes.
[[nodiscard]] std::optional<arrow::row_bits> numpy_mask(const py::object& rows,
                                                        const arrow::row_filter& wanted);

/// Returns true if a row passes: a str, a missing value, or an arbitrarily nested list of these,
/// which matches by any item. TypeError for other types, with `place` in its message.
[[nodiscard]] bool row_passes(py::handle row, const arrow::row_filter& wanted,
                              const name_place& place);

/// Implements Filter.mask.
[[nodiscard]] py::object mask_of(const arrow::row_filter& wanted, const py::object& rows);

}  // namespace sluice::bindings

#endif
