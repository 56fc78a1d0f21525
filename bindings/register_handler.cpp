// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <sluice/api/handler.hpp>
#include <sluice/api/key_file.hpp>
#include <sluice/random_hash_seed.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "service_casters.hpp"

namespace sluice::bindings {

namespace {

using api::handler;
using header_list = std::vector<header>;

api::key_ring to_keys(const py::object& keys) {
    const std::string json = to_utf8(py::module_::import("json").attr("dumps")(keys));
    auto parsed = api::parse_keys(json);
    if (!parsed) raise(parsed.error().why, {.message = message(parsed.error())});
    return std::move(*parsed);
}

const time_zone_database& required_zones() {
    const time_zone_database* const zones = system_zones();
    if (zones == nullptr) raise(make_error(rule::time_zone_data));
    return *zones;
}

/// A list of origins. One text is a list of its letters to Python, which nobody means.
std::vector<std::string> to_origins(const py::iterable& cors) {
    if (py::isinstance<py::str>(cors)) throw py::type_error("cors: a str, expected a list of them");
    std::vector<std::string> origins;
    for (const py::handle origin : cors) origins.push_back(to_utf8(py::cast<py::str>(origin)));
    return origins;
}

std::chrono::milliseconds to_deadline(std::int64_t count) {
    constexpr std::chrono::milliseconds most = std::chrono::hours{24};
    if (count >= 0 && count <= most.count()) return std::chrono::milliseconds(count);
    throw py::value_error("deadline_ms: out of range, expected 0 to " +
                          std::to_string(most.count()));
}

std::unique_ptr<handler> make_handler(const api::event_store& store, const py::object& keys,
                                      const py::str& docs_url, const py::str& base_url,
                                      const py::iterable& cors, bool behind_proxy,
                                      bool strict_parameters, bool ratelimit_fields,
                                      std::int64_t deadline_ms) {
    api::handler_options options;
    options.deadline = to_deadline(deadline_ms);
    options.docs_url = to_utf8(docs_url);
    options.base_url = to_utf8(base_url);
    options.cors_origins = to_origins(cors);
    options.behind_proxy = behind_proxy;
    options.strict_parameters = strict_parameters;
    options.ratelimit_fields = ratelimit_fields;
    options.start_number = random_hash_seed().value;
    return std::make_unique<handler>(store, to_keys(keys), required_zones(), std::move(options));
}

/// The headers of a mapping or of pairs, so that one that is there twice stays so.
header_list to_headers(const py::object& headers) {
    const py::object items = py::hasattr(headers, "items") ? headers.attr("items")() : headers;
    header_list all;
    for (const py::handle item : items) {
        const auto pair = py::cast<py::sequence>(item);
        if (pair.size() != 2) throw py::value_error("headers: expected pairs of two");
        all.push_back({to_bytes(pair[0], "headers: name"), to_bytes(pair[1], "headers: value")});
    }
    return all;
}

std::vector<name_value> to_pairs(const header_list& headers) {
    std::vector<name_value> pairs;
    for (const auto& [name, value] : headers) pairs.push_back({name, value});
    return pairs;
}

response handle(handler& handles, const py::str& method, const py::object& target,
                const py::object& headers, const py::object& now, const py::str& scheme,
                const std::stop_source* cancellation) {
    const std::string method_text = to_utf8(method);
    const std::string target_text = to_bytes(target, "target");
    const std::string scheme_text = to_utf8(scheme);
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    const instant at = to_now(now);
    const std::stop_token stop = cancellation ? cancellation->get_token() : std::stop_token();
    return without_gil(
        [&] { return handles.handle({method_text, target_text, pairs, scheme_text}, at, stop); });
}

std::uint64_t lane_of(const handler& handles, const py::object& headers) {
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    return handles.lane_of({.target = {}, .headers = pairs});
}

py::dict headers_of(const response& answer) {
    py::dict headers;
    for (const auto& [name, value] : answer.headers) headers[to_python(name)] = to_python(value);
    return headers;
}

void register_response(py::module_& m) {
    auto c = make_class<response>(m, "Response", "The answer to a request.");
    c.def_readonly("status", &response::status);
    c.def_property_readonly("headers", headers_of, "Values by lower-case name.");
    c.def_property_readonly("body", [](const response& answer) { return py::bytes(answer.body); });
    c.def("__repr__", [](const response& answer) {
        return "<Response " + std::to_string(answer.status) + ": " +
               std::to_string(answer.body.size()) + " bytes>";
    });
}

void register_cancellation(py::module_& m) {
    auto c = make_class<std::stop_source>(
        m, "Cancellation",
        "Ends the work on requests that were handled with it, from any thread, for instance when\n"
        "their client has gone. For good: another request needs another one.");
    c.def(py::init<>(), "A cancellation that nobody has asked for yet.");
    c.def(
        "cancel", [](std::stop_source& source) { source.request_stop(); },
        "Asks for the end. Returns at once; the work ends soon after.");
    c.def_property_readonly("is_cancelled", &std::stop_source::stop_requested,
                            "Whether cancel was called.");
}

py::object token_of(const py::str& header) {
    const std::string text = to_utf8(header);
    return to_python(api::bearer_token(text));
}

}  // namespace

void register_handler(py::module_& m) {
    register_response(m);
    register_cancellation(m);
    m.def("bearer_token", token_of, py::arg("header"),
          "The token of an Authorization header, or None where it is malformed.");
    auto c = make_class<handler>(
        m, "Handler",
        "Answers requests to GET /events and GET /tags over one store. For any\n"
        "number of threads.");
    c.def(
        py::init(&make_handler), py::keep_alive<1, 2>(), py::arg("store"), py::arg("keys"),
        py::kw_only(), py::arg("docs_url") = "", py::arg("base_url") = "",
        py::arg("cors") = py::tuple(), py::arg("behind_proxy") = false,
        py::arg("strict_parameters") = false, py::arg("ratelimit_fields") = false,
        py::arg("deadline_ms") = 1'000,
        "keys: a list of dicts with sha256, workspaceId, plan, permissions, and where wanted\n"
        "expiresAt and limits. Raises ApiError for a bad one. base_url: the server's own address.\n"
        "docs_url: where errors are documented, by default on this server. cors: origins whose\n"
        "pages may read answers, such as 'https://app.example'. deadline_ms: the milliseconds of\n"
        "CPU time after which a search for events is refused, 0 for none.");
    c.def("handle", handle, py::arg("method"), py::arg("target"), py::arg("headers"),
          py::arg("now") = py::none(), py::arg("scheme") = "https",
          py::arg("cancellation") = py::none(),
          "The Response to a request. headers: a mapping or pairs. A Cancellation ends a search\n"
          "early, with a response that nobody should wait for. Releases the GIL.");
    c.def("lane", lane_of, py::arg("headers"),
          "A number for the key in a request's headers, 0 where none is known: what a server\n"
          "shares its threads out by. headers: a mapping or pairs.");
}

}  // namespace sluice::bindings
