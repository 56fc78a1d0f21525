// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PARAMETER_ATTRIBUTES_HPP
#define SLUICE_BINDINGS_PARAMETER_ATTRIBUTES_HPP

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include <sluice/params/info.hpp>

#include "convert.hpp"
#include "fast_method.hpp"

namespace sluice::bindings {

// Generates the members of a query class from its parameter table: for each parameter an attribute
// in snake_case, with its value, its type for stubs and its docstring.

/// The representation of a parameter's value in Python.
struct value_form {
    std::string type;                                ///< type in stubs
    std::string words;                               ///< type in docstrings
    py::object (*read)(std::string_view) = nullptr;  ///< converts the canonical text
};

/// The form of a parameter's value, given its default, which may be empty. A str for types without
/// a form of their own.
[[nodiscard]] value_form form_of(const param_info& info, std::string_view default_text);

/// The value of a parameter, converted from its canonical text, or without one from its default.
[[nodiscard]] py::object to_python_value(const param_info& info, std::string_view default_text,
                                         const std::optional<std::string>& text);

/// The value of a row's parameter.
template <class Row, class Query>
[[nodiscard]] py::object to_python(const Row& row, const Query& query) {
    return to_python_value(row.info, row.default_text(), row.as_text(query, row.info));
}

/// Adds the attribute of a parameter; `get` is called with `row`.
[[gnu::cold]] void def_parameter(py::handle type, const param_info& info,
                                 std::string_view default_text, const value_form& form, getter get,
                                 const void* row = nullptr);

template <auto QueryOf, class T, class Row>
PyObject* get_parameter(PyObject* self, void* row) noexcept {
    return guarded([&] {
        return to_python(*static_cast<const Row*>(row), QueryOf(held_by<T>(self))).release().ptr();
    });
}

/// The names of a table's parameters, in order.
template <class Table>
[[nodiscard]] py::tuple to_names(const Table& table) {
    py::list names;
    for (const auto& row : table) names.append(to_python(row.info.name));
    return py::tuple(names);
}

/// Adds an attribute for each parameter of a table, and `parameters` with their names. `QueryOf`
/// returns the query that the table describes.
template <auto QueryOf, class T, class Table>
[[gnu::cold]] void def_parameters(py::class_<T>& c, const Table& table) {
    using row = typename Table::value_type;
    declare(c, "parameters", "parameters: ClassVar[tuple[str, ...]]");
    c.attr("parameters") = to_names(table);
    for (const row& each : table) {
        const std::string default_text = each.default_text();
        def_parameter(c, each.info, default_text, form_of(each.info, default_text),
                      get_parameter<QueryOf, T, row>, &each);
    }
}

/// Replaces the value of a parameter's attribute by the result of `Function`.
template <auto Function, class T, class Table>
[[gnu::cold]] void show_as(py::class_<T>& c, const Table& table, std::string_view parameter,
                           const value_form& form) {
    const auto row =
        std::ranges::find_if(table, [&](const auto& each) { return each.info.name == parameter; });
    def_parameter(c, row->info, row->default_text(), form,
                  [](PyObject* self, void*) { return call_plain<Function, T>(self); });
}

}  // namespace sluice::bindings

#endif
