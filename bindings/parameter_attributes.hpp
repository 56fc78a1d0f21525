// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PARAMETER_ATTRIBUTES_HPP
#define SLUICE_BINDINGS_PARAMETER_ATTRIBUTES_HPP

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include <sluice/params/param.hpp>

#include "convert.hpp"
#include "members.hpp"

namespace sluice::bindings {

// Generates the members of a query class from its parameter table: for each parameter an attribute
// in snake_case, with its value, its type for stubs and its docstring.

/// The representation of a parameter's value in Python.
struct value_form {
    std::string type;                                ///< type in stubs
    std::string words;                               ///< type in docstrings
    py::object (*read)(std::string_view) = nullptr;  ///< converts the canonical text
};

/// The form of a parameter's value. `default_text` is the canonical text of its default; without
/// one it is empty, and the value may be None. A str for types without a form of their own.
[[nodiscard]] value_form form_of(const param_info& info, std::string_view default_text);

/// The value of a parameter, converted from its canonical text, or without one from its default.
[[nodiscard]] py::object to_python_value(const param_info& info, std::string_view default_text,
                                         const std::optional<std::string>& text);

/// The value of a row's parameter.
template <class Row, class Query>
[[nodiscard]] py::object to_python(const Row& row, const Query& query) {
    return to_python_value(row.info, row.default_text(), row.as_text(query, row.info));
}

/// The declaration of a parameter's attribute, such as `sort_by: str` of `sortBy`.
[[nodiscard, gnu::cold]] std::string to_declaration(const param_info& info, const value_form& form);

/// The docstring of a parameter's attribute.
[[nodiscard, gnu::cold]] std::string to_attribute_doc(const param_info& info,
                                                      std::string_view default_text,
                                                      const value_form& form);

/// The names of a table's parameters, in order.
template <class Table>
[[nodiscard]] py::tuple to_names(const Table& table) {
    py::list names;
    for (const auto& row : table) names.append(to_python(row.info.name));
    return py::tuple(names);
}

/// Adds an attribute for each parameter of a table, and `parameters` with their names.
/// `query_of(value)` returns the query that the table describes.
template <class T, class Table, class QueryOf>
[[gnu::cold]] void def_parameters(py::class_<T>& c, const Table& table, const QueryOf& query_of) {
    declare(c, "parameters", "parameters: ClassVar[tuple[str, ...]]");
    c.attr("parameters") = to_names(table);
    for (const auto& row : table) {
        const std::string default_text = row.default_text();
        const value_form form = form_of(row.info, default_text);
        const auto get = [&row, query_of](const T& self) { return to_python(row, query_of(self)); };
        def_attribute(c, to_declaration(row.info, form), get,
                      to_attribute_doc(row.info, default_text, form).c_str());
    }
}

/// Replaces the value of a parameter's attribute by the result of `get`. Expects a parameter of the
/// table.
template <class T, class Table, class Get>
[[gnu::cold]] void show_as(py::class_<T>& c, const Table& table, std::string_view parameter,
                           const Get& get, const value_form& form) {
    const auto row = std::ranges::find_if(
        table, [&](const auto& entry) { return entry.info.name == parameter; });
    def_attribute(c, to_declaration(row->info, form), get,
                  to_attribute_doc(row->info, row->default_text(), form).c_str());
}

}  // namespace sluice::bindings

#endif
