// SPDX-License-Identifier: MIT
#include "pydantic_hooks.hpp"

#include <string>

#include <sluice/params/openapi.hpp>

namespace sluice::bindings {

const char* const json_schema_doc =
    R"(__get_pydantic_json_schema__(schema: object, handler: object) -> dict[str, Any]
--

Tells pydantic the JSON schema of the texts of values.)";

py::dict json_schema_of(param_type type) {
    const param_info info{.type = type};
    std::string text;
    sluice::detail::json_writer json(text);
    sluice::detail::write_schema(json.begin_object(), info, "");
    json.end_object();
    py::dict schema = py::module_::import("json").attr("loads")(text)["schema"];
    schema["description"] = sluice::detail::description_of(info);
    return schema;
}

}  // namespace sluice::bindings
