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

/// A buffer of Python, given back at the end.
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

/// Whether an object is a NumPy array. It is none where nobody has imported NumPy.
[[nodiscard]] bool is_numpy_array(py::handle rows);

/// The mask of a NumPy array of `U` or `S` texts, in the order of its elements, without the GIL;
/// nothing where it is of another type.
[[nodiscard]] std::optional<arrow::row_bits> numpy_mask(const py::object& rows,
                                                        const arrow::row_filter& wanted);

/// Whether a row passes: a str, a value that is missing, or a list of these, however deep, which
/// is named by any of its items. TypeError for anything else, at `place`.
[[nodiscard]] bool row_passes(py::handle row, const arrow::row_filter& wanted,
                              const name_place& place);

/// What Filter.mask gives.
[[nodiscard]] py::object mask_of(const arrow::row_filter& wanted, const py::object& rows);

}  // namespace sluice::bindings

#endif
