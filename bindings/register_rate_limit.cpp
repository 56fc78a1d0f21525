// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include <sluice/rate_limit.hpp>
#include <sluice/rate_limit/any_limiter.hpp>

#include "convert.hpp"
#include "decision_type.hpp"
#include "fast_method.hpp"
#include "package.hpp"
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

Admits up to a limit of requests in a window, by key. For any number of threads.

Always true, even without keys; len() is the number of keys it holds. With a storage all processes
count together, in Redis, by the arguments after it.

Args:
    limit: The number of requests that a window admits, an int of at least 1.
    window_seconds: The length of a window, a number of seconds, read to the millisecond.
    algorithm: )" +
           to_alternatives(algorithm_names) + R"(.
    max_keys: The most keys to remember, an int; the longest unused are forgotten first.
    seed: The seed for the hashes of keys, an int from 0 to 2**64 - 1; None draws one at
        random, once for the process.
    storage: The URL of Redis: redis://, rediss://, unix://, redis+cluster:// or
        redis+sentinel://. Needs redis: pip install 'sluice[redis]'.
    also: Further limits with their windows in seconds. A request is counted under all of them or,
        if one refuses it, under none; the decision is that of the strictest.
    on_error: The decision while Redis fails: 'local' counts limit / nodes in this process,
        'refuse' and 'allow' count nothing.
    nodes: The number of processes that share the limits, an int.
    prefix: The prefix of keys in Redis, a str. Limiters of the same prefix, algorithm and window
        share their counters.
    deadline_ms: The milliseconds to wait for a connection, and for an answer, an int.

Raises:
    ApiError: The limit, window, algorithm or on_error is invalid, or the limit times the window in
        milliseconds is beyond 2**53, which Redis doesn't count exactly.
    ValueError: The storage isn't a URL of Redis.

Example:
    >>> limiter = sluice.RateLimiter(1, 60)
    >>> limiter.check("a").allowed, limiter.check("a").allowed, limiter.check("b").allowed
    (True, False, True))";
}

constexpr const char* check =
    R"(check($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision
--

Decides on a request, and counts it if it passes.

Args:
    key: The client, a str.
    now: An aware datetime; the current time by default, by the storage's clock if there is one.
    cost: The number of requests it counts as, an int. One above the limit never passes, so that its
        decision has no retry_after.

Returns:
    A Decision.)";

constexpr const char* acheck =
    R"(acheck($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Awaitable[Decision]
--

Decides on a request as check() does, without holding up the event loop.

Args:
    key: As for check().
    now: As for check(); the clock of Redis by default, if there is a storage.
    cost: As for check().

Returns:
    An awaitable Decision.)";

constexpr const char* aclose = R"(aclose($self) -> Awaitable[None]
--

Closes the connections that acheck() has opened to the storage in this event loop.

Returns:
    An awaitable None.)";

constexpr const char* peek =
    R"(peek($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision
--

Returns what check() would, without counting. TypeError for a limiter with a storage.

Args:
    key: As for check().
    now: As for check().
    cost: As for check().

Returns:
    A Decision.)";

constexpr const char* forget = R"(forget($self, key: str) -> bool
--

Forgets what a key has used. TypeError for a limiter with a storage.

Args:
    key: A str.

Returns:
    True if the key was known: bool.)";

}  // namespace doc

/// Creates the limiter that counts in this process.
any_limiter make_states(py::handle algorithm, py::handle max_keys, py::handle seed) {
    const auto keys = std::max<std::int64_t>(to_integer(max_keys, "max_keys"), 1);
    const hash_seed hashes =
        seed.is_none() ? process_hash_seed() : hash_seed{to_unsigned(seed, "seed")};
    return any_limiter(to_algorithm(algorithm), static_cast<std::size_t>(keys), hashes);
}

/// The limits and their windows in milliseconds, as pairs of int.
py::list to_pairs(const policy& first, py::handle also) {
    py::list pairs;
    const auto add = [&](const policy& limits) {
        pairs.append(py::make_tuple(limits.limit, limits.window.count()));
    };
    add(first);
    if (also.is_none()) return pairs;
    constexpr std::string_view expected = "pairs of a limit and a window in seconds";
    if (!py::isinstance<py::iterable>(also)) refuse_type("also", expected, also);
    for (const py::handle item : py::reinterpret_borrow<py::iterable>(also)) {
        const py::sequence pair = to_pair(item, "also", expected);
        add(to_policy(pair[0], pair[1], "also: "));
    }
    return pairs;
}

/// The arguments for limits shared through Redis. `storage` and `also` are None if missing, the
/// others are Ellipsis, since None is a mistake there.
struct sharing {
    py::handle storage, also, on_error, nodes, prefix, deadline_ms;
};

/// The Redis-backed limiter; null without `storage`, which all other arguments require.
py::object make_shared_limiter(const rate_limiter& limiter, const sharing& arguments) {
    py::dict options;
    const auto add = [&](const char* name, py::handle value) {
        if (!value.is(py::ellipsis())) options[name] = value;
    };
    add("on_error", arguments.on_error);
    add("nodes", arguments.nodes);
    add("prefix", arguments.prefix);
    add("deadline_ms", arguments.deadline_ms);
    if (arguments.storage.is_none()) {
        if (arguments.also.is_none() && options.empty()) return {};
        throw py::type_error(
            "RateLimiter: also, on_error, nodes, prefix and deadline_ms need a storage");
    }
    return package_object("SharedLimiter")(
        arguments.storage, to_pairs(limiter.limits, arguments.also),
        to_python(to_string(limiter.states.algorithm())), **options);
}

std::unique_ptr<rate_limiter> make_limiter(py::handle limit, py::handle window,
                                           py::handle algorithm, py::handle max_keys,
                                           py::handle seed, py::handle storage, py::handle also,
                                           py::handle on_error, py::handle nodes, py::handle prefix,
                                           py::handle deadline_ms) {
    const policy limits = to_policy(limit, window);
    auto limiter = std::unique_ptr<rate_limiter>(
        new rate_limiter{limits, make_states(algorithm, max_keys, seed)});
    limiter->shared =
        make_shared_limiter(*limiter, {storage, also, on_error, nodes, prefix, deadline_ms});
    return limiter;
}

/// Returns the limiter if its states are in this process, otherwise raises TypeError; `function`
/// names the caller.
rate_limiter& require_states(rate_limiter& limiter, const char* function) {
    if (!limiter.shared) return limiter;
    throw py::type_error(std::string(function) + ": not of a limiter with a storage");
}

/// The arguments of check, acheck and peek; null for missing ones.
struct check_arguments {
    py::handle key, now, cost;
};

/// The converted arguments of a request.
struct request {
    utf8_text key;
    instant now;
    std::int64_t cost;

    explicit request(const check_arguments& arguments)
        : key(arguments.key, "key", "str", surrogates::kept),
          now(to_now(arguments.now)),
          cost(arguments.cost ? to_integer(arguments.cost, "cost") : 1) {}
};

/// Checks a request by the states in this process.
py::object decide_here(rate_limiter& limiter, const check_arguments& arguments) {
    const request checked(arguments);
    return make_decision(
        limiter.states.check(checked.key.view(), limiter.limits, checked.now, checked.cost));
}

/// Calls a method of the Redis-backed limiter, `check` or `acheck`, and returns its result.
py::object decide_in_redis(const rate_limiter& limiter, const char* function,
                           const check_arguments& arguments) {
    const py::object cost = arguments.cost ? py::reinterpret_borrow<py::object>(arguments.cost)
                                           : py::object(py::int_(1));
    const py::object now =
        arguments.now ? py::reinterpret_borrow<py::object>(arguments.now) : py::object(py::none());
    return limiter.shared.attr(function)(arguments.key, now, cost);
}

PyObject* check(PyObject* self, const raw_call& call) {
    auto& limiter = value_of<rate_limiter>(self);
    const auto [key, now, cost] = bind_arguments<3>("check", {"key", "now", "cost"}, 1, call);
    const check_arguments arguments{key, now, cost};
    const auto decide = [&] {
        return limiter.shared ? decide_in_redis(limiter, "check", arguments)
                              : decide_here(limiter, arguments);
    };
    return decide().release().ptr();
}

/// An awaitable of a value that is already known.
py::object to_awaitable(py::handle value) {
    return py::module_::import("asyncio").attr("sleep")(0, value);
}

py::object acheck(rate_limiter& limiter, py::handle key, py::handle now, py::handle cost) {
    if (limiter.shared) return decide_in_redis(limiter, "acheck", {key, now, cost});
    return to_awaitable(decide_here(limiter, {key, now, cost}));
}

py::object aclose(const rate_limiter& limiter) {
    return limiter.shared ? limiter.shared.attr("aclose")() : to_awaitable(py::none());
}

py::object peek_at(rate_limiter& limiter, py::handle key, py::handle now, py::handle cost) {
    const any_limiter& states = require_states(limiter, "peek").states;
    const request checked({key, now, cost});
    return make_decision(
        states.peek(checked.key.view(), limiter.limits, checked.now, checked.cost));
}

bool forget(rate_limiter& limiter, py::handle key) {
    any_limiter& states = require_states(limiter, "forget").states;
    return states.forget(utf8_text(key, "key", "str", surrogates::kept).view());
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
    def_constructor(c, make_limiter, py::arg("limit"), py::arg("window_seconds"),
                    py::arg("algorithm") = "sliding_window", py::kw_only(),
                    py::arg("max_keys") = keyed_limiter<>::default_max_keys,
                    py::arg("seed") = py::none(), py::arg("storage") = py::none(),
                    py::arg("also") = py::none(), py::arg("on_error") = py::ellipsis(),
                    py::arg("nodes") = py::ellipsis(), py::arg("prefix") = py::ellipsis(),
                    py::arg("deadline_ms") = py::ellipsis());
    def_fast<check>(c, "check", doc::check);
    def(c, "acheck", acheck, doc::acheck, py::arg("key"), py::arg("now") = py::none(),
        py::arg("cost") = 1);
    def(c, "aclose", aclose, doc::aclose);
    def(c, "peek", peek_at, doc::peek, py::arg("key"), py::arg("now") = py::none(),
        py::arg("cost") = 1);
    def(c, "forget", forget, doc::forget, py::arg("key"));
    def(c, "__len__", size_of, len_doc);
    def_always_true(c);
    def(c, "__repr__", repr_of_limiter, repr_doc);
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
