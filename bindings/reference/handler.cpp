// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/random_hash_seed.hpp>
#include <sluice/reference/handler.hpp>
#include <sluice/reference/service/access_log.hpp>
#include <sluice/reference/service/key_file.hpp>
#include <sluice/reference/service/request_id.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "decision_type.hpp"
#include "handler_docs.hpp"
#include "package.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "statement_runner.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

using reference::handler;
using header_list = std::vector<header>;

/// Converts a list of keys. ApiError if one is invalid, TypeError if the list isn't JSON.
reference::key_ring to_keys(py::handle keys) {
    const std::string json = to_utf8(py::module_::import("json").attr("dumps")(keys));
    auto parsed = reference::parse_keys(json);
    if (!parsed) raise(parsed.error().why, {.message = message(parsed.error())});
    return std::move(*parsed);
}

/// The system's time zones. ApiError if there are none.
const time_zone_database& required_zones() {
    const time_zone_database* const zones = system_zones();
    if (zones == nullptr) raise(make_error(rule::time_zone_data));
    return *zones;
}

/// A list of origins. A single str is refused: Python would iterate over its letters.
std::vector<std::string> to_origins(py::handle cors) {
    if (PyUnicode_Check(cors.ptr())) refuse_type("cors", "a list of str", cors);
    std::vector<std::string> origins;
    for (const py::handle origin : py::reinterpret_borrow<py::iterable>(cors)) {
        const std::string text = to_text(origin, "cors");
        std::ranges::move(unwrap(reference::parse_origins(text), text),
                          std::back_inserter(origins));
    }
    return origins;
}

/// The decision of a sluice._shared.SharedLimiter on one request; nullopt if it raises, which goes
/// to sys.unraisablehook. Needs the GIL.
std::optional<decision> check_in_redis(PyObject* shared, std::string_view counter,
                                       const policy& limits) {
    PyObject* const outcome = PyObject_CallMethod(
        shared, "check", "NOi((LL))",
        PyUnicode_FromStringAndSize(counter.data(), static_cast<Py_ssize_t>(counter.size())),
        Py_None, 1, static_cast<long long>(limits.limit),
        static_cast<long long>(limits.window.count()));
    if (outcome == nullptr) PyErr_WriteUnraisable(shared);
    const auto decided = outcome == nullptr ? std::nullopt : to_decision(outcome);
    Py_XDECREF(outcome);
    return decided;
}

/// The limiter that counts requests in Redis; empty without `storage`.
reference::limit_check to_limit_check(py::handle storage, py::handle on_error, py::handle nodes) {
    py::dict options;
    if (!on_error.is_none()) options["on_error"] = on_error;
    if (!nodes.is_none()) options["nodes"] = nodes;
    if (storage.is_none()) {
        if (options.empty()) return {};
        throw py::type_error("Handler: on_error and nodes need a storage");
    }
    const py::object shared =
        package_object("SharedLimiter")(storage, py::tuple(), "sliding_window", **options);
    return [shared](std::string_view counter, const policy& limits, instant /*now*/) {
        return with_gil([&] { return check_in_redis(shared.ptr(), counter, limits); }).value();
    };
}

std::unique_ptr<handler> make_handler(py::handle store, py::handle keys, py::handle docs_url,
                                      py::handle base_url, py::handle cors, py::handle behind_proxy,
                                      py::handle strict_parameters, py::handle ratelimit_fields,
                                      py::handle deadline_ms, py::handle storage,
                                      py::handle on_error, py::handle nodes,
                                      const py::object& run) {
    const auto& events = to_value_of<reference::event_store>(store, "store");
    reference::handler_options options;
    options.deadline = to_deadline(deadline_ms);
    options.docs_url = to_text(docs_url, "docs_url");
    options.base_url = to_text(base_url, "base_url");
    options.cors_origins = to_origins(cors);
    options.behind_proxy = to_flag(behind_proxy, "behind_proxy");
    options.strict_parameters = to_flag(strict_parameters, "strict_parameters");
    options.ratelimit_fields = to_flag(ratelimit_fields, "ratelimit_fields");
    options.check_limit = to_limit_check(storage, on_error, nodes);
    if (!run.is_none()) {
        options.run_statement = [runner = statement_runner(run)](const sql::statement& statement,
                                                                 const std::stop_token&) {
            return runner(statement);
        };
    }
    options.start_number = random_hash_seed().value;
    return std::make_unique<handler>(events, to_keys(keys), required_zones(), std::move(options));
}

/// The headers of a mapping or of pairs; duplicates are kept.
header_list to_headers(py::handle headers) {
    header_list all;
    for (const py::handle item : to_pairs_of(headers, "headers")) {
        const auto pair = to_pair(item, "headers");
        all.push_back({to_bytes(pair[0], "headers: name"), to_bytes(pair[1], "headers: value")});
    }
    return all;
}

/// The headers of a request, and the pairs that view them.
struct request_headers {
    header_list headers;
    std::vector<name_value> pairs{};

    explicit request_headers(py::handle mapping) : headers(to_headers(mapping)) {
        for (const auto& [name, value] : headers) pairs.push_back({name, value});
    }
    request_headers(const request_headers&) = delete;
    request_headers& operator=(const request_headers&) = delete;
    ~request_headers() = default;

    /// A request of which nothing but the headers is known.
    [[nodiscard]] reference::request request() const { return {.target = {}, .headers = pairs}; }
};

/// The stop token of a Cancellation, or one that never stops.
std::stop_token to_stop_token(py::handle cancellation) {
    if (cancellation.is_none()) return {};
    return to_value_of<std::stop_source>(cancellation, "cancellation").get_token();
}

/// A request of Python that a handler has resolved. It owns its texts, and borrows the handler.
class resolved_call {
public:
    resolved_call(handler& answers, py::handle method, py::handle target, py::handle headers,
                  py::handle scheme, py::handle mount)
        : answers_(answers),
          method_(to_text(method, "method")),
          target_(to_bytes(target, "target")),
          scheme_(to_text(scheme, "scheme")),
          mount_(to_text(mount, "mount")),
          headers_(headers),
          resolved_(answers.resolve({method_, target_, headers_.pairs, scheme_, mount_})) {}
    resolved_call(const resolved_call&) = delete;
    resolved_call& operator=(const resolved_call&) = delete;
    ~resolved_call() = default;

    [[nodiscard]] std::uint64_t key_number() const { return resolved_.key_number(); }
    [[nodiscard]] std::string_view route_label() const { return resolved_.route_label(); }
    [[nodiscard]] bool is_small() const { return answers_.is_small(resolved_, to_now(py::none())); }
    [[nodiscard]] response handle(py::handle now, py::handle cancellation) const {
        const instant at = to_now(now);
        const std::stop_token stop = to_stop_token(cancellation);
        return without_gil([&] { return answers_.handle(resolved_, at, stop); });
    }

private:
    handler& answers_;
    std::string method_, target_, scheme_, mount_;
    request_headers headers_;
    reference::resolved_request resolved_;
};

std::unique_ptr<resolved_call> resolve(handler& answers, py::handle method, py::handle target,
                                       py::handle headers, py::handle scheme, py::handle mount) {
    return std::make_unique<resolved_call>(answers, method, target, headers, scheme, mount);
}

response handle(handler& answers, py::handle method, py::handle target, py::handle headers,
                py::handle now, py::handle scheme, py::handle cancellation, py::handle mount) {
    return resolved_call(answers, method, target, headers, scheme, mount).handle(now, cancellation);
}

void replace_keys(handler& handles, py::handle keys) {
    auto parsed = to_keys(keys);
    without_gil([&] { handles.replace_keys(std::move(parsed)); });
}

py::dict to_dict(const header_list& headers) {
    py::dict all;
    for (const auto& [name, value] : headers) all[to_python(name)] = to_python(value);
    return all;
}

py::dict cors_headers(const handler& handles, py::handle headers) {
    const request_headers held(headers);
    return to_dict(handles.cors_headers(held.request()));
}

py::list measure(const handler& handles) {
    py::list all;
    for (const auto& [what, is_counter, value] : without_gil([&] { return handles.measure(); })) {
        all.append(py::make_tuple(to_python(what.name), to_python(what.help), is_counter, value));
    }
    return all;
}

py::object id_of(py::handle headers) {
    const request_headers held(headers);
    return to_python(reference::request_id_of(held.request()));
}

py::list origins_of(py::handle origins) {
    const utf8_text text(origins, "text");
    py::list all;
    for (const auto& origin : unwrap(reference::parse_origins(text.view()), text.view())) {
        all.append(to_python(origin));
    }
    return all;
}

reference::log_format to_format(py::handle form) {
    const utf8_text text(form, "form");
    return unwrap(reference::parse_log_format(text.view()), text.view());
}

std::string access_line(py::handle form, py::handle time, py::handle client, py::handle method,
                        py::handle target, py::handle route, py::handle status, py::handle size,
                        py::handle seconds, py::handle id) {
    const utf8_text client_text(client, "client"), method_text(method, "method"),
        route_text(route, "route"), id_text(id, "request_id");
    const std::string target_text = to_bytes(target, "target");
    const std::chrono::duration<double> taken(to_double(seconds, "seconds"));
    const reference::access_record logged{
        .time = to_instant(time, "time"),
        .client = client_text.view(),
        .method = method_text.view(),
        .target = target_text,
        .route = route_text.view(),
        .status = static_cast<int>(to_integer(status, "status")),
        .bytes = static_cast<std::size_t>(to_integer(size, "size")),
        .taken = std::chrono::duration_cast<std::chrono::microseconds>(taken),
        .request_id = id_text.view()};
    return reference::access_line(logged, to_format(form));
}

py::object token_of(py::handle header) {
    return to_python(reference::bearer_token(utf8_text(header, "header").view()));
}

std::string openapi(py::handle base_url) {
    reference::handler_options options;
    options.base_url = to_text(base_url, "base_url");
    return reference::openapi_document(options, reference::routes);
}

py::dict openapi_of(const handler& described) {
    return py::module_::import("json").attr("loads")(described.openapi());
}

/// The names of the parameters of all routes.
py::frozenset to_parameter_names(std::span<const reference::route> routes) {
    py::list names;
    for (const reference::route& route : routes) {
        for (const std::string_view name : route.parameters.names) names.append(to_python(name));
    }
    return py::frozenset(names);
}

[[gnu::cold]] void register_resolved_request(py::module_& m) {
    auto c = make_class<resolved_call>(m, "ResolvedRequest", handler_doc::resolved);
    def_attribute(c, "route: str", &resolved_call::route_label, handler_doc::route);
    def_attribute(c, "key_number: int", &resolved_call::key_number, handler_doc::key_number);
    def_attribute(c, "is_small: bool", &resolved_call::is_small, handler_doc::is_small);
    def(c, "handle", &resolved_call::handle, handler_doc::handle_resolved,
        py::arg("now") = py::none(), py::arg("cancellation") = py::none());
}

}  // namespace

void register_handler(py::module_& m) {
    def(m, "openapi_document", openapi, handler_doc::openapi, py::arg("base_url") = "");
    def(m, "bearer_token", token_of, handler_doc::token, py::arg("header"));
    def(m, "parse_origins", origins_of, handler_doc::origins, py::arg("text"));
    def(m, "request_id", id_of, handler_doc::id, py::arg("headers"));
    def(m, "access_line", access_line, handler_doc::line, py::arg("form"), py::arg("time"),
        py::arg("client"), py::arg("method"), py::arg("target"), py::arg("route"),
        py::arg("status"), py::arg("size"), py::arg("seconds"), py::arg("request_id"));
    register_resolved_request(m);
    auto c = make_class<handler>(m, "Handler", handler_doc::type);
    const py::keep_alive<0, 1> keeps_store;
    def_constructor(c, make_handler, py::arg("store"), py::arg("keys"), py::kw_only(),
                    py::arg("docs_url") = "", py::arg("base_url") = "",
                    py::arg("cors") = py::tuple(), py::arg("behind_proxy") = false,
                    py::arg("strict_parameters") = false, py::arg("ratelimit_fields") = false,
                    py::arg("deadline_ms") = 1'000, py::arg("storage") = py::none(),
                    py::arg("on_error") = py::none(), py::arg("nodes") = py::none(),
                    py::arg("run") = py::none(), keeps_store);
    def(c, "handle", handle, handler_doc::handle, py::arg("method"), py::arg("target"),
        py::arg("headers"), py::arg("now") = py::none(), py::arg("scheme") = "https",
        py::arg("cancellation") = py::none(), py::arg("mount") = "");
    def(c, "resolve", resolve, handler_doc::resolve, py::arg("method"), py::arg("target"),
        py::arg("headers"), py::arg("scheme") = "https", py::arg("mount") = "",
        py::keep_alive<0, 1>());
    def(c, "openapi", openapi_of, handler_doc::handler_openapi);
    def(c, "replace_keys", replace_keys, handler_doc::replace, py::arg("keys"));
    def(c, "cors_headers", cors_headers, handler_doc::cors, py::arg("headers"));
    def(c, "measure", measure, handler_doc::measure);
    declare(c, "parameters", "parameters: ClassVar[frozenset[str]]");
    c.attr("parameters") = to_parameter_names(reference::routes);
}

}  // namespace sluice::bindings
