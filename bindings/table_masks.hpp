// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_TABLE_MASKS_HPP
#define SLUICE_BINDINGS_TABLE_MASKS_HPP

#include <functional>
#include <map>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include <sluice/arrow/table_mask.hpp>
#include <sluice/schema.hpp>

namespace sluice::bindings {

namespace py = pybind11;

/// The argument `columns`: the names of a table's columns by what they are called in a query; none
/// where a condition is known to hold.
using column_names = std::map<std::string, std::optional<std::string>, std::less<>>;
[[nodiscard]] column_names to_column_names(PyObject* columns);
/// The same where a query calls them as its schema does. ValueError for others.
[[nodiscard]] column_names to_column_names(PyObject* columns, columns_view schema);

/// Which rows of a table meet some conditions, as a Mask: of Arrow data, of a mapping of names to
/// columns, of a lazy frame, a dataset or a scanner. Raises what raise_failure() does.
[[nodiscard]] PyObject* table_mask(const py::object& table, arrow::condition_tree asked);

}  // namespace sluice::bindings

#endif
