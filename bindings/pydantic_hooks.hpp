// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PYDANTIC_HOOKS_HPP
#define SLUICE_BINDINGS_PYDANTIC_HOOKS_HPP

#include <pybind11/pybind11.h>

#include <sluice/params/param.hpp>

#include "members.hpp"

namespace sluice::bindings {

extern const char* const json_schema_doc;

/// The JSON schema of a parameter type's texts, with its OpenAPI description.
[[nodiscard]] py::dict json_schema_of(param_type type);

/// Adds the hook by which pydantic and FastAPI describe fields and parameters of a value class.
template <param_type Type, class T>
[[gnu::cold]] void def_pydantic(py::class_<T>& c) {
    def_static(
        c, "__get_pydantic_json_schema__",
        [](py::handle /*schema*/, py::handle /*handler*/) { return json_schema_of(Type); },
        json_schema_doc, py::arg("schema"), py::arg("handler"));
}

}  // namespace sluice::bindings

#endif
