// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include <sluice/rate_limit.hpp>
#include <sluice/rate_limit/any_limiter.hpp>

#include "convert.hpp"
#include "decision_type.hpp"
#include "policy_arguments.hpp"
#include "process_hash_seed.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

/// The value of RateLimiter: a policy for all keys, and their states or, with `storage`, the
/// limiter that uses Redis.
struct rate_limiter {
    policy limits;
    any_limiter states;
    py::object shared{};  ///< a sluice._shared.SharedLimiter, or null
};

namespace doc {

/// Returns the docstring of RateLimiter, which lists the algorithms.
std::string type() {
    return R"(RateLimiter(limit: SupportsIndex, window_seconds: SupportsFloat, algorithm: _Algorithm = 'sliding_window', *, max_keys: int = 100000, seed: int | None = None, storage: str | None = None, also: Iterable[tuple[SupportsIndex, SupportsFloat]] = (), on_error: _OnError = 'local', nodes: SupportsIndex = 1, prefix: str = 'sluice', deadline_ms: SupportsIndex = 100)
--

Admits up to a limit in each window, for each key apart. For any number of threads.

Always true, however few keys it holds; len() is how many it does. With a storage all processes
count together, in Redis, and the arguments after it may be given.

Args:
    limit: How many requests a window admits, an int of at least 1.
    window_seconds: The length of a window, a number of seconds, read to the millisecond.
    algorithm: )" +
           to_alternatives(algorithm_names) + R"(.
    max_keys: How many keys are remembered, an int; the longest unused are forgotten first.
    seed: Where the hashes of keys start from, an int from 0 to 2**64 - 1; None draws one at
        random, once for the process.
    storage: The URL of Redis: redis://, rediss://, unix://, redis+cluster:// or
        redis+sentinel://. Needs redis: pip install 'sluice[redis]'.
    also: Further limits with their windows in seconds. A request is counted under all of them or,
        where one refuses it, under none; the decision is that of the strictest.
    on_error: What decides while Redis fails: 'local' counts limit / nodes in this process,
        'refuse' and 'allow' count nothing.
    nodes: How many processes share the limits, an int.
    prefix: What keys in Redis begin with, a str. Limiters of the same prefix, algorithm and window
        share their counters.
    deadline_ms: How long to wait for a connection, and for an answer, an int.

Raises:
    ApiError: The limit, window, algorithm or on_error is none, or the limit times the window in
        milliseconds is beyond 2**53, which Redis doesn't count exactly.
    ValueError: The storage is none.

Example:
    >>> limiter = sluice.RateLimiter(1, 60)
    >>> limiter.check("a").allowed, limiter.check("a").allowed, limiter.check("b").allowed
    (True, False, True))";
}

constexpr const char* init = "Makes a limiter that knows no key.";

constexpr const char* check =
    R"(check($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision
--

Decides on a request, and counts it if it passes.

Args:
    key: Whose request it is, a str.
    now: An aware datetime; the present by default, by the clock of the storage where there is one.
    cost: How many requests it counts as, an int. One above the limit never passes, so that its
        decision has no retry_after.

Returns:
    A Decision.)";

constexpr const char* acheck =
    R"(acheck($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Awaitable[Decision]
--

Decides on a request as check() does, without holding up the event loop.

Args:
    key: As for check().
    now: As for check(); the clock of Redis by default, where there is a storage.
    cost: As for check().

Returns:
    An awaitable Decision.)";

constexpr const char* aclose = R"(aclose($self) -> Awaitable[None]
--

Closes the connections to the storage that acheck() made in this event loop.

Returns:
    An awaitable None.)";

constexpr const char* peek =
    R"(peek($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision
--

What check() would say, with nothing counted. Not where there is a storage.

Args:
    key: As for check().
    now: As for check().
    cost: As for check().

Returns:
    A Decision.)";

constexpr const char* forget = R"(forget($self, key: str) -> bool
--

Forgets what a key has used. Not where there is a storage.

Args:
    key: A str.

Returns:
    Whether the key was known: bool.)";

}  // namespace doc

any_limiter make_states(PyObject* algorithm, PyObject* max_keys, PyObject* seed) {
    const std::int64_t keys =
        max_keys == nullptr ? keyed_limiter<>::default_max_keys : to_integer(max_keys, "max_keys");
    const auto held = static_cast<std::size_t>(std::max<std::int64_t>(keys, 1));
    const bool is_seeded = seed != nullptr && seed != Py_None;
    const hash_seed hashes = is_seeded ? hash_seed{to_unsigned(seed, "seed")} : process_hash_seed();
    return any_limiter(to_algorithm(algorithm), held, hashes);
}

/// The arguments for shared limits; all others require the first.
constexpr std::array<const char*, 6> sharing_names{"storage", "also",   "on_error",
                                                   "nodes",   "prefix", "deadline_ms"};
using sharing_arguments = std::span<PyObject* const, sharing_names.size()>;

/// The limits and their windows in milliseconds, as pairs of int.
py::list to_pairs(const policy& first, PyObject* also) {
    py::list pairs;
    const auto add = [&](const policy& p) {
        pairs.append(py::make_tuple(p.limit, p.window.count()));
    };
    add(first);
    if (also == nullptr) return pairs;
    constexpr std::string_view expected = "pairs of a limit and a window in seconds";
    if (!py::isinstance<py::iterable>(also)) refuse_type("also", expected, also);
    for (const py::handle each : py::reinterpret_borrow<py::iterable>(also)) {
        const py::sequence pair = to_pair(each, "also", expected);
        add(to_policy(pair[0], pair[1], "also: "));
    }
    return pairs;
}

/// The Redis-backed limiter; null without `storage`.
py::object make_shared_limiter(const rate_limiter& limiter, sharing_arguments given) {
    py::dict options;
    for (std::size_t at = 2; at < given.size(); ++at) {
        if (given[at] != nullptr) options[sharing_names[at]] = py::handle(given[at]);
    }
    if (given[0] == nullptr || given[0] == Py_None) {
        if (given[1] == nullptr && options.empty()) return {};
        throw py::type_error(
            "RateLimiter: also, on_error, nodes, prefix and deadline_ms need a storage");
    }
    return py::module_::import("sluice._shared")
        .attr("SharedLimiter")(py::handle(given[0]), to_pairs(limiter.limits, given[1]),
                               to_python(to_string(limiter.states.algorithm())), **options);
}

std::unique_ptr<rate_limiter> make_limiter(const raw_call& call) {
    constexpr std::size_t by_position = 3;
    const auto given =
        bind_arguments<11>("RateLimiter",
                           {"limit", "window_seconds", "algorithm", "max_keys", "seed", "storage",
                            "also", "on_error", "nodes", "prefix", "deadline_ms"},
                           2, call, by_position);
    const policy limits = to_policy(given[0], given[1]);
    auto made = std::unique_ptr<rate_limiter>(
        new rate_limiter{limits, make_states(given[2], given[3], given[4])});
    made->shared = make_shared_limiter(*made, std::span(given).last<sharing_names.size()>());
    return made;
}

/// Calls a method of the Redis-backed limiter with the arguments of check.
PyObject* ask_redis(const rate_limiter& limiter, const char* function, const raw_call& call) {
    const auto [key, now, cost] = bind_arguments<3>(function, {"key", "now", "cost"}, 1, call);
    const py::object units = cost == nullptr ? py::int_(1) : optional_object(cost);
    return limiter.shared.attr(function)(py::handle(key), optional_object(now), units)
        .release()
        .ptr();
}

/// Returns the limiter if its states are in this process, otherwise raises TypeError; `function`
/// names the caller.
rate_limiter& require_states(rate_limiter& limiter, const char* function) {
    if (!limiter.shared) return limiter;
    throw py::type_error(std::string(function) + ": not of a limiter with a storage");
}

/// The arguments of check and peek.
struct request {
    utf8_text key;
    instant now;
    std::int64_t cost;

    request(const char* function, const raw_call& call)
        : request(bind_arguments<3>(function, {"key", "now", "cost"}, 1, call)) {}

private:
    explicit request(const std::array<PyObject*, 3>& given)
        : key(given[0], "key", "str", surrogates::kept),
          now(to_now(given[1])),
          cost(given[2] == nullptr ? 1 : to_integer(given[2], "cost")) {}
};

PyObject* check(PyObject* self, const raw_call& call) {
    auto& limiter = held_by<rate_limiter>(self);
    if (limiter.shared) return ask_redis(limiter, "check", call);
    const request r("check", call);
    return make_decision(limiter.states.check(r.key.view(), limiter.limits, r.now, r.cost));
}

/// An awaitable of a value that is already known.
PyObject* to_awaitable(py::handle value) {
    return py::module_::import("asyncio").attr("sleep")(0, value).release().ptr();
}

PyObject* acheck(PyObject* self, const raw_call& call) {
    const auto& limiter = held_by<rate_limiter>(self);
    if (limiter.shared) return ask_redis(limiter, "acheck", call);
    return to_awaitable(py::reinterpret_steal<py::object>(check(self, call)));
}

PyObject* aclose(PyObject* self, const raw_call& call) {
    const auto& limiter = held_by<rate_limiter>(self);
    static_cast<void>(bind_arguments<0>("aclose", {}, 0, call));
    if (!limiter.shared) return to_awaitable(py::none());
    return limiter.shared.attr("aclose")().release().ptr();
}

PyObject* peek_at(PyObject* self, const raw_call& call) {
    const auto& limiter = require_states(held_by<rate_limiter>(self), "peek");
    const request r("peek", call);
    return make_decision(limiter.states.peek(r.key.view(), limiter.limits, r.now, r.cost));
}

PyObject* forget(PyObject* self, const raw_call& call) {
    auto& limiter = require_states(held_by<rate_limiter>(self), "forget");
    const auto [key] = bind_arguments<1>("forget", {"key"}, 1, call);
    const utf8_text name(key, "key", "str", surrogates::kept);
    return PyBool_FromLong(limiter.states.forget(name.view()) ? 1 : 0);
}

std::size_t size_of(rate_limiter& limiter) { return require_states(limiter, "len").states.size(); }

std::string repr_of_limiter(const rate_limiter& limiter) {
    const double seconds = static_cast<double>(limiter.limits.window.count()) / 1'000;
    std::string text = "RateLimiter(" + std::to_string(limiter.limits.limit) + ", " +
                       to_number_text(py::float_(seconds), "window_seconds") + ", '" +
                       std::string(to_string(limiter.states.algorithm())) + "'";
    if (limiter.shared) text += ", storage='" + to_text(limiter.shared.attr("shown_url"), "") + "'";
    return text + ")";
}

void register_limiter(py::module_& m) {
    auto c = make_class<rate_limiter>(m, "RateLimiter", doc::type().c_str());
    def_constructor<make_limiter>(c, doc::init);
    def_fast<check>(c, "check", doc::check);
    def_fast<acheck>(c, "acheck", doc::acheck);
    def_fast<aclose>(c, "aclose", doc::aclose);
    def_fast<peek_at>(c, "peek", doc::peek);
    def_fast<forget>(c, "forget", doc::forget);
    def_method<size_of>(c, "__len__", len_doc);
    def_always_true(c);
    def_method<repr_of_limiter>(c, "__repr__", repr_doc);
}

}  // namespace

void register_rate_limit(py::module_& m) {
    declare(m, "_Algorithm", "_Algorithm: TypeAlias = " + to_literal(algorithm_names));
    register_decision(m);
    register_limiter_states(m);
    register_redis_limiter(m);
    register_limiter(m);
}

}  // namespace sluice::bindings
