// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_JSON_TEXT_HPP
#define SLUICE_BINDINGS_JSON_TEXT_HPP

#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

namespace sluice::bindings {

namespace py = pybind11;

/// The JSON text of mappings, lists, tuples, texts, booleans, None and finite numbers. What is no
/// JSON is a TypeError or a ValueError that tells where, such as `tree.where.gte`, where `what`
/// names the whole; what has more levels than the library reads is json_too_deep.
[[nodiscard]] std::string to_json_text(py::handle value, std::string_view what);

}  // namespace sluice::bindings

#endif
