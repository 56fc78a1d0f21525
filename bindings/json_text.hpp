// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_JSON_TEXT_HPP
#define SLUICE_BINDINGS_JSON_TEXT_HPP

#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

namespace sluice::bindings {

namespace py = pybind11;

/// The JSON text of mappings, lists, tuples, texts, booleans, None and finite numbers. TypeError or
/// ValueError for other values, with their path, such as `tree.where.gte`; `what` names the
/// document. ApiError json_too_deep if it is nested too deeply.
[[nodiscard]] std::string to_json_text(py::handle value, std::string_view what);

/// The dicts, lists, texts, numbers, booleans and None of a valid JSON text.
[[nodiscard]] py::object from_json_text(const std::string& json);

}  // namespace sluice::bindings

#endif
