// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PYTHON_ROW_HPP
#define SLUICE_BINDINGS_PYTHON_ROW_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include <sluice/query/list_query.hpp>

#include "arguments.hpp"
#include "row_values.hpp"
#include "table_masks.hpp"

namespace sluice::bindings {

/// A user's object as a row: a mapping by its keys, any other object by its attributes.
class python_row {
public:
    /// Borrows both arguments.
    python_row(py::handle object, const column_names& names) : object_(object), names_(names) {}

    /// Returns true if the row meets a condition; a condition on a column mapped to None is known
    /// to hold. ValueError if the object has no such column; for invalid values see row_values.hpp.
    [[nodiscard]] bool meets(const leaf& condition);
    /// Like meets(), with the name of the condition's column as a str; null if there is none.
    [[nodiscard]] bool meets(const leaf& condition, py::handle name);

    /// Returns the row's value in a column, valid until the next call; an absent one for a column
    /// mapped to None. Errors as of meets().
    [[nodiscard]] cell at(const column& subject);

    /// Returns true if a value of the row meets a condition.
    [[nodiscard]] bool meets(const leaf& condition, const py::object& value,
                             const name_place& place);

private:
    /// Converts a value to a cell of the column; the cell is valid until the next call.
    [[nodiscard]] cell to_cell(const column& subject, const py::object& value,
                               const name_place& place);
    /// Converts JSON: as json.loads() returns it, or a document as text.
    [[nodiscard]] cell to_json_cell(const py::object& json, const name_place& place);
    /// Like to_cell(), for a column of texts: one text, or a list of them.
    [[nodiscard]] cell to_text_cell(const py::object& value, const name_place& place);
    [[nodiscard]] cell to_list_cell(const column& subject, const py::object& value,
                                    const name_place& place);
    [[nodiscard]] static cell to_records_cell(const py::object& value, const name_place& place);

    py::handle object_;
    const column_names& names_;
    std::vector<std::string> texts_;       // texts of the last cell
    std::vector<std::string_view> views_;  // views of texts_
    std::vector<std::int64_t> numbers_;    // numbers of the last cell
};

/// The docstring of the query method matches.
extern const char* const matches_doc;

/// Implements matches: returns true if an object is among a query's rows. `leaf_names` are the
/// names of the columns of query.rows.leaves() as strs; empty if they aren't kept.
[[nodiscard]] bool matches(const list_query& query, columns_view columns,
                           std::span<const py::str> leaf_names, const raw_call& call);

}  // namespace sluice::bindings

#endif
