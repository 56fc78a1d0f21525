// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_VALUES_HPP
#define SLUICE_BINDINGS_VALUES_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <sluice/param_info.hpp>

namespace sluice::bindings {

namespace py = pybind11;

// The values that Python users have, whichever library made them.

/// Whether a value is missing: None, and what isn't equal to itself, which are NaN of any type,
/// NaT and pandas.NA.
[[nodiscard]] bool is_missing(py::handle value);

/// A NumPy scalar as the value of Python's own; its times and all else as they are.
[[nodiscard]] py::object to_plain_scalar(py::handle value);

/// Whether a value is a list, tuple, set, frozenset or NumPy array.
[[nodiscard]] bool is_list(py::handle value);
/// The items of one; those of a set in no order.
[[nodiscard]] py::object to_items(py::handle list);

/// Whether a value is a dict or any other mapping.
[[nodiscard]] bool is_mapping(py::handle value);
/// Whether a value is a list or a tuple.
[[nodiscard]] bool is_array(py::handle value);

/// Whether a value is an int, a float or a Decimal.
[[nodiscard]] bool is_number(py::handle value);
/// The JSON text of a number. ValueError where it is not finite; `what` names it.
[[nodiscard]] std::string to_number_text(py::handle number, std::string_view what);

/// The items of a mapping, or pairs themselves. TypeError for anything else; `what` names it.
[[nodiscard]] py::object to_pairs_of(py::handle source, std::string_view what);
/// A tuple or list of two. TypeError or ValueError for anything else; `what` names it and
/// `expected` says what all of them are.
[[nodiscard]] py::sequence to_pair(py::handle item, std::string_view what,
                                   std::string_view expected = "pairs of a name and a value");

/// Finds the type of a parameter by its name; empty for an unknown one.
using type_finder = std::function<std::optional<param_type>(std::string_view)>;

/// Finds the types of a table, which outlives the function.
template <class Table>
[[nodiscard]] type_finder types_of(const Table& table) {
    return [&table](std::string_view name) -> std::optional<param_type> {
        const std::size_t row = table.find(name);
        return row < table.size() ? std::optional(table[row].info.type) : std::nullopt;
    };
}

/// The query string of what a caller gives as one: str, bytes, a mapping or pairs. See
/// sluice.to_query_string for the values. Without `type_of` every parameter is a filter.
[[nodiscard]] std::string to_query_text(py::handle source, const type_finder& type_of = {});

/// Raises ApiError if a query string is a whole address, such as `https://example.com/orders?a=b`.
void refuse_address(std::string_view text);

}  // namespace sluice::bindings

#endif
