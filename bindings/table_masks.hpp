// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_TABLE_MASKS_HPP
#define SLUICE_BINDINGS_TABLE_MASKS_HPP

#include <functional>
#include <map>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include <sluice/arrow/table_mask.hpp>
#include <sluice/query/schema.hpp>

#include "mask.hpp"

namespace sluice::bindings {

namespace py = pybind11;

/// The argument `columns`: the names of a table's columns, by their names in a query; nullopt if
/// conditions on the column are known to hold.
using column_names = std::map<std::string, std::optional<std::string>, std::less<>>;
[[nodiscard]] column_names to_column_names(py::handle columns);
/// Like to_column_names(), but ValueError for names that aren't in the schema.
[[nodiscard]] column_names to_column_names(py::handle columns, columns_view schema);

/// Computes a Mask of the rows that meet some conditions, for Arrow data, a mapping of names to
/// columns, a lazy frame, a dataset or a scanner. Raises the errors of raise_failure().
[[nodiscard]] row_mask table_mask(const py::object& table, arrow::condition_tree conditions);

}  // namespace sluice::bindings

#endif
