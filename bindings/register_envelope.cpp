// SPDX-License-Identifier: MIT
#include <string_view>

#include <sluice/envelope.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

error_code code_of(const py::str& name) {
    const std::string text = to_utf8(name);
    return unwrap(parse_error_code(text), text);
}

}  // namespace

void register_envelope(py::module_& m) {
    m.def(
        "http_status", [](const py::str& code) { return http_status(code_of(code)); },
        py::arg("code"), "The HTTP status of an error code, such as 400 of 'bad_request'.");
    m.def(
        "error_body",
        [](const py::str& code, const py::str& message, const py::str& docs_url) {
            return error_body(code_of(code), to_utf8(message), to_utf8(docs_url));
        },
        py::arg("code"), py::arg("message"), py::arg("docs_url") = "",
        "The JSON body of an error response.");
}

}  // namespace sluice::bindings
