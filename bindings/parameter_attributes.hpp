// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PARAMETER_ATTRIBUTES_HPP
#define SLUICE_BINDINGS_PARAMETER_ATTRIBUTES_HPP

#include <algorithm>
#include <string>
#include <string_view>

#include <sluice/param_info.hpp>

#include "fast_method.hpp"

namespace sluice::bindings {

/// The attribute of a parameter: `utm_source` of `utm_source`, `sort_by` of `sortBy`.
[[nodiscard]] std::string to_attribute_name(std::string_view parameter);

/// The docstring of a parameter's attribute, all of it from the parameter's table.
[[nodiscard]] std::string to_attribute_doc(const param_info& info);

/// Adds the attribute of a table's parameter: what `Function` gives for the value that self holds.
template <auto Function, class T, class Table>
void def_parameter(py::class_<T>& c, const Table& table, std::string_view parameter) {
    const auto row =
        std::ranges::find_if(table, [&](const auto& each) { return each.info.name == parameter; });
    static const std::string name = to_attribute_name(parameter);
    static const std::string doc = to_attribute_doc(row->info);
    def_attribute<Function>(c, name.c_str(), doc.c_str());
}

}  // namespace sluice::bindings

#endif
