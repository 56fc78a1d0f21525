// SPDX-License-Identifier: MIT
#include <string_view>

#include <sluice/envelope.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* status = R"(http_status(code: str) -> int
--

The HTTP status of an error code.

Args:
    code: str, one of the codes of an error response.

Returns:
    int.

Raises:
    ApiError: The code is unknown.

Example:
    >>> sluice.http_status("rate_limit_exceeded")
    429)";

constexpr const char* body = R"(error_body(code: str, message: str, docs_url: str = '') -> str
--

The JSON body of an error response.

Args:
    code: str, one of the codes of an error response.
    message: str, for people.
    docs_url: str, the address in front of the documentation's path.

Returns:
    str, a JSON object.

Raises:
    ApiError: The code is unknown.

Example:
    >>> import json
    >>> json.loads(sluice.error_body("not_found", "No such path."))["error"]["message"]
    'No such path.')";

}  // namespace doc

error_code to_code(py::handle name) {
    const utf8_text text(name, "code");
    return unwrap(parse_error_code(text.view()), text.view());
}

PyObject* status(PyObject*, const raw_call& call) {
    const auto [code] = bind_arguments<1>("http_status", {"code"}, 1, call);
    return to_new_object(http_status(to_code(code)));
}

PyObject* body(PyObject*, const raw_call& call) {
    const auto [code, message, docs_url] =
        bind_arguments<3>("error_body", {"code", "message", "docs_url"}, 2, call);
    return to_new_object(error_body(to_code(code), to_text(message, "message"),
                                    docs_url == nullptr ? "" : to_text(docs_url, "docs_url")));
}

}  // namespace

void register_envelope(py::module_& m) {
    def_fast<status>(m, "http_status", doc::status);
    def_fast<body>(m, "error_body", doc::body);
}

}  // namespace sluice::bindings
