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
#include "raise.hpp"
#include "register.hpp"
#include "statement_runner.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

using reference::handler;
using header_list = std::vector<header>;

reference::key_ring to_keys(py::handle keys) {
    const std::string json = to_utf8(py::module_::import("json").attr("dumps")(keys));
    auto parsed = reference::parse_keys(json);
    if (!parsed) raise(parsed.error().why, {.message = message(parsed.error())});
    return std::move(*parsed);
}

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

std::string to_optional_text(PyObject* text, std::string_view what) {
    return text == nullptr ? std::string() : to_text(text, what);
}

/// The decision of a sluice._shared.SharedLimiter; nullopt if it raises.
std::optional<decision> ask(PyObject* shared, std::string_view counter, const policy& limits) {
    PyObject* const made = PyObject_CallMethod(
        shared, "check", "NOi((LL))",
        PyUnicode_FromStringAndSize(counter.data(), static_cast<Py_ssize_t>(counter.size())),
        Py_None, 1, static_cast<long long>(limits.limit),
        static_cast<long long>(limits.window.count()));
    if (made == nullptr) PyErr_WriteUnraisable(shared);
    const auto decided = made == nullptr ? std::nullopt : to_decision(made);
    Py_XDECREF(made);
    return decided;
}

/// The limiter that counts requests in Redis; empty without `storage`.
reference::limit_check to_limit_check(PyObject* storage, PyObject* on_error, PyObject* nodes) {
    py::dict options;
    if (on_error != nullptr) options["on_error"] = py::handle(on_error);
    if (nodes != nullptr) options["nodes"] = py::handle(nodes);
    if (storage == nullptr || storage == Py_None) {
        if (options.empty()) return {};
        throw py::type_error("Handler: on_error and nodes need a storage");
    }
    const py::object shared =
        py::module_::import("sluice._shared")
            .attr("SharedLimiter")(py::handle(storage), py::tuple(), "sliding_window", **options);
    return [shared](std::string_view counter, const policy& limits, instant /*now*/) {
        return with_gil([&] { return ask(shared.ptr(), counter, limits); }).value();
    };
}

std::unique_ptr<handler> make_handler(const raw_call& call) {
    constexpr std::size_t by_position = 2;
    const auto [store, keys, docs_url, base_url, cors, behind_proxy, strict, fields, deadline,
                storage, on_error, nodes, run] =
        bind_arguments<13>(
            "Handler",
            {"store", "keys", "docs_url", "base_url", "cors", "behind_proxy", "strict_parameters",
             "ratelimit_fields", "deadline_ms", "storage", "on_error", "nodes", "run"},
            2, call, by_position);
    const auto& events = held_by_argument<reference::event_store>(store, "store");
    reference::handler_options options;
    if (deadline != nullptr) options.deadline = to_deadline(deadline);
    options.docs_url = to_optional_text(docs_url, "docs_url");
    options.base_url = to_optional_text(base_url, "base_url");
    if (cors != nullptr) options.cors_origins = to_origins(cors);
    options.behind_proxy = to_flag(behind_proxy, "behind_proxy");
    options.strict_parameters = to_flag(strict, "strict_parameters");
    options.ratelimit_fields = to_flag(fields, "ratelimit_fields");
    options.check_limit = to_limit_check(storage, on_error, nodes);
    if (run != nullptr && run != Py_None) {
        options.run_statement =
            [runner = statement_runner(py::reinterpret_borrow<py::object>(run))](
                const sql::statement& asked, const std::stop_token&) { return runner(asked); };
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

std::vector<name_value> to_pairs(const header_list& headers) {
    std::vector<name_value> pairs;
    for (const auto& [name, value] : headers) pairs.push_back({name, value});
    return pairs;
}

/// The stop token of a Cancellation, or one that never stops.
std::stop_token to_stop_token(PyObject* cancellation) {
    if (cancellation == nullptr || cancellation == Py_None) return {};
    return held_by_argument<std::stop_source>(cancellation, "cancellation").get_token();
}

PyObject* handle(PyObject* self, const raw_call& call) {
    auto& handles = held_by<handler>(self);
    const auto [method, target, headers, now, scheme, cancellation, mount] = bind_arguments<7>(
        "handle", {"method", "target", "headers", "now", "scheme", "cancellation", "mount"}, 3,
        call);
    const std::string method_text = to_text(method, "method");
    const std::string target_text = to_bytes(target, "target");
    const std::string scheme_text = scheme == nullptr ? "https" : to_text(scheme, "scheme");
    const std::string mount_text = to_optional_text(mount, "mount");
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    const instant at = to_now(now);
    const std::stop_token stop = to_stop_token(cancellation);
    const reference::request asked{method_text, target_text, pairs, scheme_text, mount_text};
    return to_new_object(without_gil([&] { return handles.handle(asked, at, stop); }));
}

PyObject* lane(PyObject* self, const raw_call& call) {
    const auto& handles = held_by<handler>(self);
    const auto [headers] = bind_arguments<1>("lane", {"headers"}, 1, call);
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    return to_new_object(handles.resolve({.target = {}, .headers = pairs}).key_number());
}

PyObject* replace_keys(PyObject* self, const raw_call& call) {
    auto& handles = held_by<handler>(self);
    const auto [keys] = bind_arguments<1>("replace_keys", {"keys"}, 1, call);
    auto parsed = to_keys(keys);
    without_gil([&] { handles.replace_keys(std::move(parsed)); });
    return py::none().release().ptr();
}

py::dict to_dict(const header_list& headers) {
    py::dict all;
    for (const auto& [name, value] : headers) all[to_python(name)] = to_python(value);
    return all;
}

PyObject* cors_headers(PyObject* self, const raw_call& call) {
    const auto& handles = held_by<handler>(self);
    const auto [headers] = bind_arguments<1>("cors_headers", {"headers"}, 1, call);
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    return to_new_object(to_dict(handles.cors_headers({.target = {}, .headers = pairs})));
}

PyObject* is_small(PyObject* self, const raw_call& call) {
    const auto& handles = held_by<handler>(self);
    const auto [method, target, headers] =
        bind_arguments<3>("is_small", {"method", "target", "headers"}, 3, call);
    const std::string method_text = to_text(method, "method");
    const std::string target_text = to_bytes(target, "target");
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    return to_new_object(handles.is_small(handles.resolve({method_text, target_text, pairs})));
}

py::list measure(const handler& handles) {
    py::list all;
    for (const auto& [what, is_counter, value] : without_gil([&] { return handles.measure(); })) {
        all.append(py::make_tuple(to_python(what.name), to_python(what.help), is_counter, value));
    }
    return all;
}

PyObject* id_of(PyObject*, const raw_call& call) {
    const auto [headers] = bind_arguments<1>("request_id", {"headers"}, 1, call);
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    return to_python(reference::request_id_of({.target = {}, .headers = pairs})).release().ptr();
}

PyObject* origins_of(PyObject*, const raw_call& call) {
    const auto [origins] = bind_arguments<1>("parse_origins", {"text"}, 1, call);
    const utf8_text text(origins, "text");
    py::list all;
    for (const auto& each : unwrap(reference::parse_origins(text.view()), text.view())) {
        all.append(to_python(each));
    }
    return to_new_object(all);
}

reference::log_format to_format(py::handle form) {
    const utf8_text text(form, "form");
    return unwrap(reference::parse_log_format(text.view()), text.view());
}

PyObject* access_line(PyObject*, const raw_call& call) {
    const auto [form, time, client, method, target, status, size, seconds, id] = bind_arguments<9>(
        "access_line",
        {"form", "time", "client", "method", "target", "status", "size", "seconds", "request_id"},
        9, call);
    const utf8_text client_text(client, "client"), method_text(method, "method"),
        id_text(id, "request_id");
    const std::string target_text = to_bytes(target, "target");
    const std::chrono::duration<double> taken(to_double(seconds, "seconds"));
    const reference::access_record logged{
        .time = to_instant(time, "time"),
        .client = client_text.view(),
        .method = method_text.view(),
        .target = target_text,
        .status = static_cast<int>(to_integer(status, "status")),
        .bytes = static_cast<std::size_t>(to_integer(size, "size")),
        .taken = std::chrono::duration_cast<std::chrono::microseconds>(taken),
        .request_id = id_text.view()};
    return to_new_object(reference::access_line(logged, to_format(form)));
}

PyObject* token_of(PyObject*, const raw_call& call) {
    const auto [header] = bind_arguments<1>("bearer_token", {"header"}, 1, call);
    const utf8_text text(header, "header");
    return to_python(reference::bearer_token(text.view())).release().ptr();
}

PyObject* openapi(PyObject*, const raw_call& call) {
    const auto [base_url] = bind_arguments<1>("openapi_document", {"base_url"}, 0, call);
    reference::handler_options options;
    if (base_url != nullptr) options.base_url = to_text(base_url, "base_url");
    return to_new_object(reference::openapi_document(options, reference::routes));
}

py::dict openapi_of(const handler& described) {
    return py::module_::import("json").attr("loads")(described.openapi());
}

/// The names of the parameters of all routes.
py::frozenset to_parameter_names(std::span<const reference::route> routes) {
    py::list names;
    for (const reference::route& each : routes) {
        for (const std::string_view name : each.parameters.names) names.append(to_python(name));
    }
    return py::frozenset(names);
}

}  // namespace

void register_handler(py::module_& m) {
    def_fast<openapi>(m, "openapi_document", handler_doc::openapi);
    def_fast<token_of>(m, "bearer_token", handler_doc::token);
    def_fast<origins_of>(m, "parse_origins", handler_doc::origins);
    def_fast<id_of>(m, "request_id", handler_doc::id);
    def_fast<access_line>(m, "access_line", handler_doc::line);
    auto c = make_class<handler>(m, "Handler", handler_doc::type);
    // Keeps the store alive, which is among the positional or the keyword arguments.
    def_constructor<make_handler>(c, handler_doc::init, py::keep_alive<1, 2>(),
                                  py::keep_alive<1, 3>());
    def_fast<handle>(c, "handle", handler_doc::handle);
    def_fast<lane>(c, "lane", handler_doc::lane);
    def_method<openapi_of>(c, "openapi", handler_doc::own_openapi);
    def_fast<is_small>(c, "is_small", handler_doc::small);
    def_fast<replace_keys>(c, "replace_keys", handler_doc::replace);
    def_fast<cors_headers>(c, "cors_headers", handler_doc::cors);
    def_method<measure>(c, "measure", handler_doc::measure);
    declare(c, "parameters", "parameters: ClassVar[frozenset[str]]");
    c.attr("parameters") = to_parameter_names(reference::routes);
}

}  // namespace sluice::bindings
