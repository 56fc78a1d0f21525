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

// The base of sluice._shared, which manages the connections.

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* request = R"(What Redis is to be asked.

Made by RedisLimiter.begin().)";

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

constexpr const char* init = "Makes a limiter that has asked nothing.";

constexpr const char* begin =
    R"(begin($self, key: str, policies: Iterable[tuple[int, int]], now: datetime | None = None, cost: SupportsIndex = 1) -> Decision | RedisRequest
--

A decision, where Redis need not be asked, or what to ask.

Args:
    key: Whose request it is, a str.
    policies: Limits with their windows in milliseconds, pairs of int.
    now: An aware datetime; the clock of Redis by default.
    cost: How many requests it counts as, an int.

Returns:
    A Decision or a RedisRequest.

Raises:
    ApiError: A policy is none that Redis can count exactly.)";

constexpr const char* finish = R"(finish($self, request: RedisRequest, reply: object) -> Decision
--

What Redis has answered.

Args:
    request: What it was asked.
    reply: Its answer, bytes.

Returns:
    A Decision.

Raises:
    ApiError: The reply is none of the script.)";

constexpr const char* fail = R"(fail($self, request: RedisRequest) -> Decision
--

Decides by on_error after a failure of Redis; the third in a row keeps requests from it.

Args:
    request: What it was asked.

Returns:
    A Decision.)";

constexpr const char* fall_back = R"(fall_back($self, request: RedisRequest) -> Decision
--

Decides by on_error where Redis was not asked.

Args:
    request: What it would have been asked.

Returns:
    A Decision.)";

}  // namespace doc

using step = redis_limiter::step;

PyObject* to_strictest(const redis_limiter::decisions& decided) {
    return make_decision(strictest(decided));
}

on_error to_on_error(py::handle name) {
    const utf8_text text(name, "on_error");
    return unwrap(parse_on_error(text.view()), text.view());
}

std::unique_ptr<redis_limiter> make_limiter(const raw_call& call) {
    const auto [algorithm, on_error, nodes, prefix] =
        bind_arguments<4>("RedisLimiter", {"algorithm", "on_error", "nodes", "prefix"}, 4, call);
    const utf8_text name(algorithm, "algorithm");
    const redis_limiter_options options{
        .algorithm = unwrap(parse_algorithm(name.view()), name.view()),
        .on_error = to_on_error(on_error),
        .nodes = to_integer(nodes, "nodes"),
        .prefix = to_text(prefix, "prefix")};
    return std::make_unique<redis_limiter>(options);
}

std::vector<shared_policy> to_policies(py::handle policies) {
    std::vector<shared_policy> all;
    for (const py::handle each : py::reinterpret_borrow<py::iterable>(policies)) {
        const py::sequence pair = to_pair(each, "policies");
        const std::chrono::milliseconds window{to_integer(pair[1], "policies: window")};
        all.push_back({unwrap(make_policy(to_integer(pair[0], "policies: limit"), window))});
    }
    return all;
}

PyObject* begin(PyObject* self, const raw_call& call) {
    auto& limiter = held_by<redis_limiter>(self);
    const auto [key, policies, now, cost] =
        bind_arguments<4>("begin", {"key", "policies", "now", "cost"}, 2, call);
    const utf8_text name(key, "key", "str", surrogates::kept);
    const std::vector<shared_policy> all = to_policies(policies);
    shared_check asked{name.view(), all, cost == nullptr ? 1 : to_integer(cost, "cost")};
    if (now != nullptr && now != Py_None) asked.now = to_instant(now, "now");
    step begun = unwrap(limiter.begin(asked, to_now(nullptr)));
    return begun.decided.empty() ? to_new_object(std::move(begun)) : to_strictest(begun.decided);
}

PyObject* finish(PyObject* self, const raw_call& call) {
    auto& limiter = held_by<redis_limiter>(self);
    const auto [request, reply] = bind_arguments<2>("finish", {"request", "reply"}, 2, call);
    const auto& begun = held_by_argument<step>(request, "request");
    const std::string text = PyBytes_Check(reply) ? to_bytes(reply, "reply") : std::string();
    return to_strictest(unwrap(limiter.finish(begun, text)));  // others: empty, no reply
}

PyObject* fail(PyObject* self, const raw_call& call) {
    auto& limiter = held_by<redis_limiter>(self);
    const auto [request] = bind_arguments<1>("fail", {"request"}, 1, call);
    return to_strictest(limiter.fail(held_by_argument<step>(request, "request")));
}

PyObject* fall_back(PyObject* self, const raw_call& call) {
    auto& limiter = held_by<redis_limiter>(self);
    const auto [request] = bind_arguments<1>("fall_back", {"request"}, 1, call);
    return to_strictest(limiter.fall_back(held_by_argument<step>(request, "request")));
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
    def_attribute<keys_of>(request, "keys: list[bytes]", doc::keys);
    def_attribute<arguments_of>(request, "arguments: list[bytes]", doc::arguments);
    def_attribute<packed_of>(request, "packed: bytes", doc::packed);
    auto c = make_class<redis_limiter>(m, "RedisLimiter", doc::type);
    def_constructor<make_limiter>(c, doc::init);
    def_fast<begin>(c, "begin", doc::begin);
    def_fast<finish>(c, "finish", doc::finish);
    def_fast<fail>(c, "fail", doc::fail);
    def_fast<fall_back>(c, "fall_back", doc::fall_back);
}

}  // namespace sluice::bindings
