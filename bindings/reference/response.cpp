// SPDX-License-Identifier: MIT
#include <stop_token>
#include <string>

#include <sluice/errors/envelope.hpp>

#include "convert.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* response = R"(The answer to a request.

Made by Handler.handle().)";

constexpr const char* status = "The HTTP status, an int.";
constexpr const char* headers = "The headers: a dict of str by lower-case name.";
constexpr const char* body = "The body, bytes.";

constexpr const char* cancellation = R"(Cancellation()
--

Ends the work on requests that were handled with it, such as those whose client has gone.

For any thread, and for good: another request needs another one.)";

constexpr const char* cancel = R"(cancel($self, /) -> None
--

Requests the end of the work. Returns at once; the work ends soon after.)";

constexpr const char* is_cancelled = "True if cancel() was called: bool.";

}  // namespace doc

py::dict headers_of(const response& answer) {
    py::dict headers;
    for (const auto& [name, value] : answer.headers) headers[to_python(name)] = to_python(value);
    return headers;
}

py::bytes body_of(const response& answer) { return answer.body; }

std::string repr(const response& answer) {
    return "<Response " + std::to_string(answer.status) + ": " +
           std::to_string(answer.body.size()) + " bytes>";
}

}  // namespace

void register_cancellation(py::module_& m) {
    auto c = make_class<std::stop_source>(m, "Cancellation", doc::cancellation);
    def_constructor(c, [] { return std::stop_source(); });
    def(c, "cancel", [](std::stop_source& source) { source.request_stop(); }, doc::cancel);
    def_attribute(c, "is_cancelled: bool", &std::stop_source::stop_requested, doc::is_cancelled);
}

void register_response(py::module_& m) {
    auto c = make_class<response>(m, "Response", doc::response);
    def_attribute(
        c, "status: int", [](const response& answer) { return answer.status; }, doc::status);
    def_attribute(c, "headers: dict[str, str]", headers_of, doc::headers);
    def_attribute(c, "body: bytes", body_of, doc::body);
    def(c, "__repr__", repr, repr_doc);
}

}  // namespace sluice::bindings
