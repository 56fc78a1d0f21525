// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/api/handler.hpp>
#include <sluice/api/service/key_file.hpp>
#include <sluice/random_hash_seed.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "decision_type.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "statement_runner.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* response = R"(The answer to a request.

Made by Handler.handle().)";

constexpr const char* status = "The HTTP status, an int.";
constexpr const char* headers = "The headers: a dict of str by lower-case name.";
constexpr const char* body = "The body, bytes.";

constexpr const char* openapi = R"(openapi_document(base_url: str = "/") -> str
--

The OpenAPI 3.1 document of the reference service, as its server answers GET /openapi.json.

Args:
    base_url: The server's own address, such as 'https://api.example.com'.

Returns:
    A JSON object, a str.

Example:
    >>> import json
    >>> sorted(json.loads(sluice.api.openapi_document())["paths"])[0]
    '/api-reference/errors')";

constexpr const char* token = R"(bearer_token(header: str) -> str | None
--

The token of an Authorization header.

Args:
    header: The header's value, a str.

Returns:
    str, or None where the header is malformed.)";

constexpr const char* type =
    R"(Handler(store: EventStore, keys: list[dict[str, Any]], *, docs_url: str = '', base_url: str = '', cors: Iterable[str] = (), behind_proxy: bool = False, strict_parameters: bool = False, ratelimit_fields: bool = False, deadline_ms: int = 1000, storage: str | None = None, on_error: _OnError = 'local', nodes: SupportsIndex = 1, run: _Runner | None = None)
--

Answers requests to GET /events and GET /tags over one store. For any number of threads.

Args:
    store: An EventStore.
    keys: A list of dicts with sha256, workspaceId, plan, permissions, and where wanted expiresAt
        and limits.
    docs_url: Where errors are documented, a str; this server by default.
    base_url: The server's own address, a str.
    cors: The origins whose pages may read answers, such as 'https://app.example': a list of str.
    behind_proxy: True trusts the X-Forwarded-Proto header of a proxy.
    strict_parameters: True makes unknown parameters errors.
    ratelimit_fields: True adds the RateLimit and RateLimit-Policy headers.
    deadline_ms: The milliseconds of CPU time after which a search for events is refused, an int; 0
        for none.
    storage: The URL of the Redis in which requests are counted with all processes that do, as for
        RateLimiter; this process counts for itself by default.
    on_error: What decides while Redis fails, as for RateLimiter.
    nodes: How many processes share the limits, as for RateLimiter.
    run: Runs statements of SQL on ClickHouse, which then has all events and tags in place of the
        store: a callable that takes the text and a dict of parameters, for any number of threads,
        and gives the answer as bytes or, where there is none, None.

Attributes:
    parameters: The names of the parameters of all routes, a frozenset of str.

Raises:
    ApiError: A key is none.
    TypeError: An argument is of another type, or the keys are nothing that JSON has.)";

constexpr const char* init = "Makes a handler that keeps its store alive.";

constexpr const char* handle =
    R"(handle($self, method: str, target: str | bytes, headers: _Headers, now: datetime | None = None, scheme: str = 'https', cancellation: Cancellation | None = None) -> Response
--

The answer to a request. Releases the GIL.

Args:
    method: Such as 'GET', a str.
    target: Path and query string, str or bytes.
    headers: A mapping or pairs of str or bytes.
    now: An aware datetime; the present by default.
    scheme: 'https' or 'http'.
    cancellation: A Cancellation that may end a search early, with a response that nobody should
        wait for, or None.

Returns:
    A Response, whatever the request.)";

constexpr const char* cancellation = R"(Cancellation()
--

Ends the work on requests that were handled with it, such as those whose client has gone.

For any thread, and for good: another request needs another one.)";

constexpr const char* cancellation_init = "Makes a cancellation that nobody has asked for yet.";

constexpr const char* cancel = R"(cancel($self, /) -> None
--

Asks for the end. Returns at once; the work ends soon after.)";

constexpr const char* is_cancelled = "Whether cancel() was called: bool.";

constexpr const char* lane = R"(lane($self, headers: _Headers) -> int
--

A number for the key in a request's headers: what a server shares its threads out by.

Args:
    headers: A mapping or pairs of str or bytes.

Returns:
    int, 0 where no key is known.)";

}  // namespace doc

using api::handler;
using header_list = std::vector<header>;

api::key_ring to_keys(py::handle keys) {
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
std::vector<std::string> to_origins(py::handle cors) {
    if (PyUnicode_Check(cors.ptr())) refuse_type("cors", "a list of str", cors);
    std::vector<std::string> origins;
    for (const py::handle origin : py::reinterpret_borrow<py::iterable>(cors)) {
        origins.push_back(to_text(origin, "cors"));
    }
    return origins;
}

std::string to_optional_text(PyObject* text, std::string_view what) {
    return text == nullptr ? std::string() : to_text(text, what);
}

/// What a sluice._shared.SharedLimiter decides, called on any thread; nothing where it raises. No
/// C++ object is held while Python runs: see asleep_at_exit.
std::optional<decision> ask(PyObject* shared, std::string_view counter, const policy& limits) {
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject* const made = PyObject_CallMethod(
        shared, "check", "NOi((LL))",
        PyUnicode_FromStringAndSize(counter.data(), static_cast<Py_ssize_t>(counter.size())),
        Py_None, 1, static_cast<long long>(limits.limit),
        static_cast<long long>(limits.window.count()));
    if (made == nullptr) PyErr_WriteUnraisable(shared);
    const auto decided = made == nullptr ? std::nullopt : to_decision(made);
    Py_XDECREF(made);
    PyGILState_Release(gil);
    return decided;
}

/// What counts requests in Redis; nothing where there is no storage.
api::limit_check to_limit_check(PyObject* storage, PyObject* on_error, PyObject* nodes) {
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
        const auto decided = asleep_at_exit([&] { return ask(shared.ptr(), counter, limits); });
        return decided.value();
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
    const auto& events = held_by_argument<api::event_store>(store, "store");
    api::handler_options options;
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

/// The headers of a mapping or of pairs, so that one that is there twice stays so.
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

/// The token of a Cancellation, or one that never stops.
std::stop_token to_stop_token(PyObject* cancellation) {
    if (cancellation == nullptr || cancellation == Py_None) return {};
    return held_by_argument<std::stop_source>(cancellation, "cancellation").get_token();
}

PyObject* handle(PyObject* self, const raw_call& call) {
    auto& handles = held_by<handler>(self);
    const auto [method, target, headers, now, scheme, cancellation] = bind_arguments<6>(
        "handle", {"method", "target", "headers", "now", "scheme", "cancellation"}, 3, call);
    const std::string method_text = to_text(method, "method");
    const std::string target_text = to_bytes(target, "target");
    const std::string scheme_text = scheme == nullptr ? "https" : to_text(scheme, "scheme");
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    const instant at = to_now(now);
    const std::stop_token stop = to_stop_token(cancellation);
    return to_new_object(without_gil(
        [&] { return handles.handle({method_text, target_text, pairs, scheme_text}, at, stop); }));
}

PyObject* lane(PyObject* self, const raw_call& call) {
    const auto& handles = held_by<handler>(self);
    const auto [headers] = bind_arguments<1>("lane", {"headers"}, 1, call);
    const header_list owned = to_headers(headers);
    const std::vector<name_value> pairs = to_pairs(owned);
    return to_new_object(handles.lane_of({.target = {}, .headers = pairs}));
}

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

PyObject* token_of(PyObject*, const raw_call& call) {
    const auto [header] = bind_arguments<1>("bearer_token", {"header"}, 1, call);
    const utf8_text text(header, "header");
    return to_python(api::bearer_token(text.view())).release().ptr();
}

std::stop_source make_cancellation(const raw_call& call) {
    static_cast<void>(bind_arguments<0>("Cancellation", {}, 0, call));
    return std::stop_source();
}

py::none cancel(std::stop_source& source) {
    source.request_stop();
    return py::none();
}

void register_cancellation(py::module_& m) {
    auto c = make_class<std::stop_source>(m, "Cancellation", doc::cancellation);
    def_constructor<make_cancellation>(c, doc::cancellation_init);
    def_method<cancel>(c, "cancel", doc::cancel);
    def_attribute<&std::stop_source::stop_requested>(c, "is_cancelled: bool", doc::is_cancelled);
}

void register_response(py::module_& m) {
    auto c = make_class<response>(m, "Response", doc::response);
    def_attribute<&response::status>(c, "status: int", doc::status);
    def_attribute<headers_of>(c, "headers: dict[str, str]", doc::headers);
    def_attribute<body_of>(c, "body: bytes", doc::body);
    def_method<repr>(c, "__repr__", repr_doc);
}

PyObject* openapi(PyObject*, const raw_call& call) {
    const auto [base_url] = bind_arguments<1>("openapi_document", {"base_url"}, 0, call);
    if (base_url == nullptr) return to_new_object(api::openapi_document("/", api::routes));
    const utf8_text url(base_url, "base_url");
    return to_new_object(api::openapi_document(url.view(), api::routes));
}

/// The names of the parameters of all routes.
py::frozenset to_parameter_names(std::span<const api::route> routes) {
    py::list names;
    for (const api::route& each : routes) {
        for (const std::string_view name : each.parameters.names) names.append(to_python(name));
    }
    return py::frozenset(names);
}

}  // namespace

void register_handler(py::module_& m) {
    register_response(m);
    register_cancellation(m);
    def_fast<openapi>(m, "openapi_document", doc::openapi);
    def_fast<token_of>(m, "bearer_token", doc::token);
    auto c = make_class<handler>(m, "Handler", doc::type);
    // The store is among the arguments by position or by name.
    def_constructor<make_handler>(c, doc::init, py::keep_alive<1, 2>(), py::keep_alive<1, 3>());
    def_fast<handle>(c, "handle", doc::handle);
    def_fast<lane>(c, "lane", doc::lane);
    declare(c, "parameters", "parameters: ClassVar[frozenset[str]]");
    c.attr("parameters") = to_parameter_names(api::routes);
}

}  // namespace sluice::bindings
