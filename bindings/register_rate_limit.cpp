// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <pybind11/stl.h>

#include <sluice/params.hpp>
#include <sluice/rate_limit.hpp>

#include "checked_caster.hpp"
#include "convert.hpp"
#include "decision_type.hpp"
#include "process_hash_seed.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

using any_limiter = std::variant<keyed_limiter<sliding_window>, keyed_limiter<fixed_window>,
                                 keyed_limiter<sliding_log>, keyed_limiter<gcra>>;

/// In the order of any_limiter.
constexpr std::array<std::string_view, 4> algorithm_names{"sliding_window", "fixed_window",
                                                          "sliding_log", "gcra"};

/// What RateLimiter holds: one policy for all keys.
struct rate_limiter {
    policy limits;
    std::size_t algorithm;
    any_limiter states;
};

}  // namespace

}  // namespace sluice::bindings

namespace pybind11::detail {

template <>
struct type_caster<sluice::bindings::rate_limiter>
    : sluice::bindings::checked_caster<sluice::bindings::rate_limiter> {};

}  // namespace pybind11::detail

namespace sluice::bindings {

namespace {

result<std::size_t> parse_algorithm(std::string_view name) {
    auto index = parse_choice(name, algorithm_names);
    if (!index) {
        index.error().param = "algorithm";
        index.error().accepts = sluice::detail::choices_text<algorithm_names>.view();
    }
    return index;
}

/// Whole milliseconds; a window that no policy has stays one.
std::chrono::milliseconds to_window(double seconds) {
    constexpr double longest = 1e9;
    const double bounded = seconds > 0 ? std::fmin(seconds, longest) : 0;
    return std::chrono::milliseconds{std::llround(bounded * 1'000)};
}

any_limiter make_states(std::size_t algorithm, std::size_t max_keys, hash_seed seed) {
    switch (algorithm) {
        case 1: return any_limiter(std::in_place_index<1>, max_keys, seed);
        case 2: return any_limiter(std::in_place_index<2>, max_keys, seed);
        case 3: return any_limiter(std::in_place_index<3>, max_keys, seed);
        default: return any_limiter(std::in_place_index<0>, max_keys, seed);
    }
}

std::unique_ptr<rate_limiter> make_limiter(std::int64_t limit, double window_seconds,
                                           const py::str& algorithm, std::int64_t max_keys,
                                           std::optional<std::uint64_t> seed) {
    const std::string name = to_utf8(algorithm);
    const policy limits = unwrap(make_policy(limit, to_window(window_seconds)));
    const std::size_t index = unwrap(parse_algorithm(name), name);
    const auto keys = static_cast<std::size_t>(std::max<std::int64_t>(max_keys, 1));
    const hash_seed hashes = seed ? hash_seed{*seed} : process_hash_seed();
    return std::unique_ptr<rate_limiter>(
        new rate_limiter{limits, index, make_states(index, keys, hashes)});
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
    return make_decision(std::visit(
        [&](auto& states) { return states.check(r.key.view(), limiter.limits, r.now, r.cost); },
        limiter.states));
}

PyObject* peek_at(PyObject* self, const raw_call& call) {
    const auto& limiter = held_by<rate_limiter>(self);
    const request r("peek", call);
    return make_decision(std::visit(
        [&](const auto& states) {
            return states.peek(r.key.view(), limiter.limits, r.now, r.cost);
        },
        limiter.states));
}

bool forget(rate_limiter& limiter, const py::str& key) {
    const std::string name = to_utf8(key);
    return std::visit([&](auto& states) { return states.forget(name); }, limiter.states);
}

std::size_t size_of(const rate_limiter& limiter) {
    return std::visit([](const auto& states) { return states.size(); }, limiter.states);
}

std::string repr_of_limiter(const rate_limiter& limiter) {
    const double seconds = static_cast<double>(limiter.limits.window.count()) / 1'000;
    return "RateLimiter(" + std::to_string(limiter.limits.limit) + ", " +
           to_number_text(py::float_(seconds)) + ", '" +
           std::string(algorithm_names[limiter.algorithm]) + "')";
}

void register_limiter(py::module_& m) {
    auto c =
        make_class<rate_limiter>(m, "RateLimiter",
                                 "Admits up to limit in each window, for each key apart. For any\n"
                                 "number of threads.");
    c.def(py::init(&make_limiter), py::arg("limit"), py::arg("window_seconds"),
          py::arg("algorithm") = "sliding_window", py::kw_only(),
          py::arg("max_keys") = keyed_limiter<>::default_max_keys, py::arg("seed") = py::none(),
          "algorithm: 'sliding_window', 'fixed_window', 'sliding_log' or 'gcra'. seed: where the\n"
          "hashes of keys start from, 0 to 2**64 - 1; by default drawn at random, once a process.");
    def_fast<check>(c, "check",
                    "check($self, key, now=None, cost=1)\n--\n\n"
                    "Decides on a request, and counts it if it passes.");
    def_fast<peek_at>(c, "peek",
                      "peek($self, key, now=None, cost=1)\n--\n\n"
                      "What check would say, with nothing counted.");
    c.def("forget", forget, py::arg("key"),
          "Forgets what a key has used, and says whether it was known.");
    c.def("__len__", size_of);
    c.def("__repr__", repr_of_limiter);
}

}  // namespace

void register_rate_limit(py::module_& m) {
    register_decision(m);
    register_limiter(m);
}

}  // namespace sluice::bindings
