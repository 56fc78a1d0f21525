// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_VALUES_HPP
#define SLUICE_BINDINGS_VALUES_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <sluice/params/param.hpp>

namespace sluice::bindings {

namespace py = pybind11;

// Values from Python, whichever library they belong to.

/// Returns true if a value is missing: None, or unequal to itself, such as NaN of any type, NaT and
/// pandas.NA.
[[nodiscard]] bool is_missing(py::handle value);

/// Converts a NumPy scalar to a plain Python value; returns NumPy's times and other values
/// unchanged.
[[nodiscard]] py::object to_plain_scalar(py::handle value);

/// Returns true if a value is a list, tuple, set, frozenset or NumPy array.
[[nodiscard]] bool is_list(py::handle value);
/// The items of a list; those of a set in no particular order.
[[nodiscard]] py::object to_items(py::handle list);

/// Returns true if a value is a dict or another mapping.
[[nodiscard]] bool is_mapping(py::handle value);
/// Returns true if a value is a list or a tuple.
[[nodiscard]] bool is_array(py::handle value);

/// Returns true if a value is an int, a float or a Decimal.
[[nodiscard]] bool is_number(py::handle value);
/// The JSON text of a number. ValueError if it is not finite; `what` names it.
[[nodiscard]] std::string to_number_text(py::handle number, std::string_view what);

/// The items of a mapping, or an iterator over any other iterable. TypeError otherwise; `what`
/// names it. The items may be anything, see to_pair().
[[nodiscard]] py::object to_pairs_of(py::handle source, std::string_view what);
/// A tuple or list of two items. TypeError or ValueError otherwise; `what` names it and `expected`
/// describes the pairs.
[[nodiscard]] py::sequence to_pair(py::handle item, std::string_view what,
                                   std::string_view expected = "pairs of a name and a value");

/// Finds a parameter by its name; null for an unknown one.
using param_finder = std::function<const param_info*(std::string_view)>;

/// A finder for the parameters of a table, which must outlive it.
template <class Table>
[[nodiscard]] param_finder params_of(const Table& table) {
    return [&table](std::string_view name) -> const param_info* {
        const std::size_t row = table.find(name);
        return row < table.size() ? &table[row].info : nullptr;
    };
}

/// The query string of str, bytes, a mapping or pairs. For values see sluice.to_query_string.
/// Without `info_of` every parameter is treated as a filter.
[[nodiscard]] std::string to_query_text(py::handle source, const param_finder& info_of = {});

/// Raises ApiError if a query string is a whole address, such as `https://example.com/orders?a=b`.
void refuse_address(std::string_view text);

}  // namespace sluice::bindings

#endif
