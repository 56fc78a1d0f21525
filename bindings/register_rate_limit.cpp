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
#include "process_hash_seed.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

/// What RateLimiter holds: one policy for all keys.
struct rate_limiter {
    policy limits;
    any_limiter states;
};

namespace doc {

constexpr const char* type =
    R"(RateLimiter(limit: SupportsIndex, window_seconds: SupportsFloat, algorithm: _Algorithm = 'sliding_window', *, max_keys: int = 100000, seed: int | None = None)
--

Admits up to a limit in each window, for each key apart. For any number of threads.

Always true, however few keys it holds; len() is how many it does.

Args:
    limit: How many requests a window admits, an int of at least 1.
    window_seconds: The length of a window, a number of seconds, read to the millisecond.
    algorithm: 'sliding_window', 'fixed_window', 'sliding_log' or 'gcra'.
    max_keys: How many keys are remembered, an int; the longest unused are forgotten first.
    seed: Where the hashes of keys start from, an int from 0 to 2**64 - 1; None draws one at
        random, once for the process.

Raises:
    ApiError: The limit, window or algorithm is none.

Example:
    >>> limiter = sluice.RateLimiter(1, 60)
    >>> limiter.check("a").allowed, limiter.check("a").allowed, limiter.check("b").allowed
    (True, False, True))";

constexpr const char* init = "Makes a limiter that knows no key.";

constexpr const char* check =
    R"(check($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision
--

Decides on a request, and counts it if it passes.

Args:
    key: Whose request it is, a str.
    now: An aware datetime; the present by default.
    cost: How many requests it counts as, an int.

Returns:
    A Decision.)";

constexpr const char* peek =
    R"(peek($self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision
--

What check() would say, with nothing counted.

Args:
    key: As for check().
    now: As for check().
    cost: As for check().

Returns:
    A Decision.)";

constexpr const char* forget = R"(forget($self, key: str) -> bool
--

Forgets what a key has used.

Args:
    key: A str.

Returns:
    Whether the key was known: bool.)";

}  // namespace doc

/// Whole milliseconds; a window that no policy has stays one.
std::chrono::milliseconds to_window(double seconds) {
    constexpr double longest = 1e9;
    const double bounded = seconds > 0 ? std::fmin(seconds, longest) : 0;
    return std::chrono::milliseconds{std::llround(bounded * 1'000)};
}

std::unique_ptr<rate_limiter> make_limiter(const raw_call& call) {
    constexpr std::size_t by_position = 3;
    const auto [limit, window, algorithm, max_keys, seed] = bind_arguments<5>(
        "RateLimiter", {"limit", "window_seconds", "algorithm", "max_keys", "seed"}, 2, call,
        by_position);
    const auto seconds = to_window(to_double(window, "window_seconds"));
    const policy limits = unwrap(make_policy(to_integer(limit, "limit"), seconds));
    auto kind = algorithm_kind::sliding_window;
    if (algorithm != nullptr) {
        const utf8_text name(algorithm, "algorithm");
        kind = unwrap(parse_algorithm(name.view()), name.view());
    }
    const std::int64_t keys =
        max_keys == nullptr ? keyed_limiter<>::default_max_keys : to_integer(max_keys, "max_keys");
    const auto held = static_cast<std::size_t>(std::max<std::int64_t>(keys, 1));
    const bool is_seeded = seed != nullptr && seed != Py_None;
    const hash_seed hashes = is_seeded ? hash_seed{to_unsigned(seed, "seed")} : process_hash_seed();
    return std::unique_ptr<rate_limiter>(new rate_limiter{limits, any_limiter(kind, held, hashes)});
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
        : key(given[0], "key"),
          now(to_now(given[1])),
          cost(given[2] == nullptr ? 1 : to_integer(given[2], "cost")) {}
};

PyObject* check(PyObject* self, const raw_call& call) {
    auto& limiter = held_by<rate_limiter>(self);
    const request r("check", call);
    return make_decision(limiter.states.check(r.key.view(), limiter.limits, r.now, r.cost));
}

PyObject* peek_at(PyObject* self, const raw_call& call) {
    const auto& limiter = held_by<rate_limiter>(self);
    const request r("peek", call);
    return make_decision(limiter.states.peek(r.key.view(), limiter.limits, r.now, r.cost));
}

PyObject* forget(PyObject* self, const raw_call& call) {
    auto& limiter = held_by<rate_limiter>(self);
    const auto [key] = bind_arguments<1>("forget", {"key"}, 1, call);
    const utf8_text name(key, "key");
    return PyBool_FromLong(limiter.states.forget(name.view()) ? 1 : 0);
}

std::size_t size_of(const rate_limiter& limiter) { return limiter.states.size(); }

std::string repr_of_limiter(const rate_limiter& limiter) {
    const double seconds = static_cast<double>(limiter.limits.window.count()) / 1'000;
    return "RateLimiter(" + std::to_string(limiter.limits.limit) + ", " +
           to_number_text(py::float_(seconds), "window_seconds") + ", '" +
           std::string(to_string(limiter.states.algorithm())) + "')";
}

void register_limiter(py::module_& m) {
    auto c = make_class<rate_limiter>(m, "RateLimiter", doc::type);
    def_constructor<make_limiter>(c, doc::init);
    def_fast<check>(c, "check", doc::check);
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
    register_limiter(m);
}

}  // namespace sluice::bindings
