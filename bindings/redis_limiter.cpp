// SPDX-License-Identifier: MIT
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/rate_limit/redis/limiter.hpp>

#include "convert.hpp"
#include "decision_type.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"

// The base of sluice._shared, which manages the connections. See redis_limiter for the order of the
// calls begin(), finish(), fail() and fall_back().

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* request = R"(A request for Redis, from RedisLimiter.begin().)";

constexpr const char* keys = "The keys of the script: a list of bytes.";
constexpr const char* arguments = "The arguments of the script: a list of bytes.";

constexpr const char* packed = "The command that runs the script, as it is sent: bytes.";

constexpr const char* type =
    R"(RedisLimiter(algorithm: _Algorithm, on_error: _OnError, nodes: SupportsIndex, prefix: str)
--

Decisions that processes share through Redis, but for the connections.

Args:
    algorithm: As for RateLimiter.
    on_error: As for RateLimiter.
    nodes: As for RateLimiter.
    prefix: As for RateLimiter.)";

constexpr const char* begin =
    R"(begin($self, key: str, policies: Iterable[tuple[int, int]], now: datetime | None = None, cost: SupportsIndex = 1) -> Decision | RedisRequest
--

Returns a decision, or the request for Redis that it needs.

Args:
    key: The client, a str.
    policies: Limits with their windows in milliseconds, pairs of int.
    now: An aware datetime; the clock of Redis by default.
    cost: The number of requests it counts as, an int.

Returns:
    A Decision or a RedisRequest.

Raises:
    ApiError: Redis can't count a policy exactly.)";

constexpr const char* finish = R"(finish($self, request: RedisRequest, reply: object) -> Decision
--

Decides by the reply of Redis.

Args:
    request: The request that begin() returned.
    reply: The reply of Redis, bytes.

Returns:
    A Decision.

Raises:
    ApiError: The reply isn't one of the script.)";

constexpr const char* fail = R"(fail($self, request: RedisRequest) -> Decision
--

Decides by on_error after a failure of Redis; the third in a row keeps requests from it.

Args:
    request: The request that failed.

Returns:
    A Decision.)";

constexpr const char* fall_back = R"(fall_back($self, request: RedisRequest) -> Decision
--

Decides by on_error without a request to Redis.

Args:
    request: The request that was not sent.

Returns:
    A Decision.)";

}  // namespace doc

using step = redis_limiter::step;

/// The strictest of the decisions of all policies, as a Decision.
py::object to_strictest(const redis_limiter::decisions& decided) {
    return make_decision(strictest(decided));
}

on_error to_on_error(py::handle name) {
    const utf8_text text(name, "on_error");
    return unwrap(parse_on_error(text.view()), text.view());
}

std::unique_ptr<redis_limiter> make_limiter(py::handle algorithm, py::handle on_error,
                                            py::handle nodes, py::handle prefix) {
    const utf8_text name(algorithm, "algorithm");
    const redis_limiter_options options{
        .algorithm = unwrap(parse_algorithm(name.view()), name.view()),
        .on_error = to_on_error(on_error),
        .nodes = to_integer(nodes, "nodes"),
        .prefix = to_text(prefix, "prefix")};
    return std::make_unique<redis_limiter>(options);
}

/// Converts pairs of a limit and a window in milliseconds.
std::vector<shared_policy> to_policies(py::handle policies) {
    std::vector<shared_policy> all;
    for (const py::handle item : py::reinterpret_borrow<py::iterable>(policies)) {
        const py::sequence pair = to_pair(item, "policies");
        const std::chrono::milliseconds window{to_integer(pair[1], "policies: window")};
        all.push_back({unwrap(make_policy(to_integer(pair[0], "policies: limit"), window))});
    }
    return all;
}

py::object begin(redis_limiter& limiter, py::handle key, py::handle policies, py::handle now,
                 py::handle cost) {
    const utf8_text name(key, "key", "str", surrogates::kept);
    const std::vector<shared_policy> all = to_policies(policies);
    shared_check check{name.view(), all, to_integer(cost, "cost")};
    if (!now.is_none()) check.now = to_instant(now, "now");
    step begun = unwrap(limiter.begin(check, to_now(py::none())));
    return begun.decided.empty() ? py::cast(std::move(begun)) : to_strictest(begun.decided);
}

py::object finish(redis_limiter& limiter, py::handle request, py::handle reply) {
    const auto& begun = to_value_of<step>(request, "request");
    const bool is_bytes = py::isinstance<py::bytes>(reply);
    const std::string text = is_bytes ? to_bytes(reply, "reply") : std::string();
    // A reply that isn't bytes is an error of Redis; an empty text is refused as no reply.
    return to_strictest(unwrap(limiter.finish(begun, text)));
}

py::object fail(redis_limiter& limiter, py::handle request) {
    return to_strictest(limiter.fail(to_value_of<step>(request, "request")));
}

py::object fall_back(redis_limiter& limiter, py::handle request) {
    return to_strictest(limiter.fall_back(to_value_of<step>(request, "request")));
}

py::list to_bytes_list(const std::vector<std::string>& texts) {
    py::list all;
    for (const std::string& text : texts) all.append(py::bytes(text));
    return all;
}
py::list keys_of(const step& begun) { return to_bytes_list(begun.request.keys); }
py::list arguments_of(const step& begun) { return to_bytes_list(begun.request.arguments); }
py::bytes packed_of(const step& begun) { return py::bytes(begun.request.packed()); }

}  // namespace

void register_redis_limiter(py::module_& m) {
    declare(m, "_OnError", "_OnError: TypeAlias = " + to_literal(on_error_names));
    declare(m, "REDIS_SCRIPT", "REDIS_SCRIPT: str");
    m.attr("REDIS_SCRIPT") = to_python(redis_script);
    declare(m, "REDIS_SCRIPT_SHA1", "REDIS_SCRIPT_SHA1: str");
    m.attr("REDIS_SCRIPT_SHA1") = to_python(redis_script_sha1);
    auto request = make_class<step>(m, "RedisRequest", doc::request);
    def_attribute(request, "keys: list[bytes]", keys_of, doc::keys);
    def_attribute(request, "arguments: list[bytes]", arguments_of, doc::arguments);
    def_attribute(request, "packed: bytes", packed_of, doc::packed);
    auto c = make_class<redis_limiter>(m, "RedisLimiter", doc::type);
    def_constructor(c, make_limiter, py::arg("algorithm"), py::arg("on_error"), py::arg("nodes"),
                    py::arg("prefix"));
    def(c, "begin", begin, doc::begin, py::arg("key"), py::arg("policies"),
        py::arg("now") = py::none(), py::arg("cost") = 1);
    def(c, "finish", finish, doc::finish, py::arg("request"), py::arg("reply"));
    def(c, "fail", fail, doc::fail, py::arg("request"));
    def(c, "fall_back", fall_back, doc::fall_back, py::arg("request"));
}

}  // namespace sluice::bindings
