// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PYTHON_ROW_HPP
#define SLUICE_BINDINGS_PYTHON_ROW_HPP

#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include <sluice/list_query.hpp>

#include "fast_method.hpp"
#include "row_values.hpp"
#include "table_masks.hpp"

namespace sluice::bindings {

/// A caller's own object as a row: a mapping by its keys, any other object by its attributes.
class python_row {
public:
    /// It views both.
    python_row(py::handle object, const column_names& names) : object_(object), names_(names) {}

    /// Whether the row meets a condition; one on a column that is called None is known to hold.
    /// ValueError where the object has no such column; as row_values.hpp says where a value is none
    /// of the column.
    [[nodiscard]] bool meets(const leaf& asked);

private:
    /// What the object holds as the cell of a column, which views this until the next one.
    [[nodiscard]] cell to_cell(const column& of, const py::object& value, const name_place& place);
    [[nodiscard]] cell to_text_cell(const py::object& value, const name_place& place);

    py::handle object_;
    const column_names& names_;
    std::vector<std::string> texts_;
    std::vector<std::string_view> views_;
};

/// What Python says of a query's method matches.
extern const char* const matches_doc;

/// Whether an object is among a query's rows, by the arguments of matches.
[[nodiscard]] py::object to_match(const list_query& query, columns_view columns,
                                  const raw_call& call);

}  // namespace sluice::bindings

#endif
