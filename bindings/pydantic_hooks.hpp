// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PYDANTIC_HOOKS_HPP
#define SLUICE_BINDINGS_PYDANTIC_HOOKS_HPP

#include <pybind11/pybind11.h>

#include <sluice/params/info.hpp>

#include "python_method.hpp"

namespace sluice::bindings {

// Hooks that make value classes usable as field and parameter types of pydantic and FastAPI.

extern const python_method core_schema_method;
extern const char* const json_schema_doc;

/// The JSON schema of a parameter type's texts, with its OpenAPI description.
[[nodiscard]] py::dict json_schema_of(param_type type);

template <class T>
PyObject* make_core_schema(PyObject* type, const raw_call& call) {
    return call_python(core_schema_method, type, call);
}
template <class T, param_type Type>
PyObject* make_json_schema(PyObject*, const raw_call& call) {
    static_cast<void>(bind_arguments<2>("json_schema", {"schema", "handler"}, 2, call));
    return to_new_object(json_schema_of(Type));
}

/// Adds the hooks of pydantic to a class.
template <param_type Type, class T>
[[gnu::cold]] void def_pydantic(py::class_<T>& c) {
    constexpr const char* json_schema = "__get_pydantic_json_schema__";
    def_static_fast<make_core_schema<T>>(c, core_schema_method.name, core_schema_method.doc);
    def_static_fast<make_json_schema<T, Type>>(c, json_schema, json_schema_doc);
}

}  // namespace sluice::bindings

#endif
