// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <sluice/params.hpp>
#include <sluice/rate_limit.hpp>

#include "convert.hpp"
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

any_limiter make_states(std::size_t algorithm, std::size_t max_keys) {
    switch (algorithm) {
        case 1: return any_limiter(std::in_place_index<1>, max_keys);
        case 2: return any_limiter(std::in_place_index<2>, max_keys);
        case 3: return any_limiter(std::in_place_index<3>, max_keys);
        default: return any_limiter(std::in_place_index<0>, max_keys);
    }
}

std::unique_ptr<rate_limiter> make_limiter(std::int64_t limit, double window_seconds,
                                           const py::str& algorithm, std::int64_t max_keys) {
    const std::string name = to_utf8(algorithm);
    const policy limits = unwrap(make_policy(limit, to_window(window_seconds)));
    const std::size_t index = unwrap(parse_algorithm(name), name);
    const auto keys = static_cast<std::size_t>(std::max<std::int64_t>(max_keys, 1));
    return std::unique_ptr<rate_limiter>(new rate_limiter{limits, index, make_states(index, keys)});
}

/// A decision as Python shows it: the reset in whole seconds.
decision in_seconds(decision d) {
    d.reset = std::chrono::ceil<std::chrono::seconds>(d.reset);
    return d;
}

decision check(rate_limiter& limiter, const py::str& key, const py::object& now,
               std::int64_t cost) {
    const std::string name = to_utf8(key);
    const instant at = to_now(now);
    return in_seconds(
        std::visit([&](auto& states) { return states.check(name, limiter.limits, at, cost); },
                   limiter.states));
}

decision peek_at(const rate_limiter& limiter, const py::str& key, const py::object& now,
                 std::int64_t cost) {
    const std::string name = to_utf8(key);
    const instant at = to_now(now);
    return in_seconds(
        std::visit([&](const auto& states) { return states.peek(name, limiter.limits, at, cost); },
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

std::int64_t reset_of(const decision& d) {
    return std::chrono::floor<std::chrono::seconds>(d.reset).time_since_epoch().count();
}

std::optional<std::int64_t> retry_after_of(const decision& d) {
    return d.retry_after ? std::optional(d.retry_after->count()) : std::nullopt;
}

py::dict headers_of(const decision& d) {
    py::dict headers;
    for (const auto& [name, value] : rate_limit_headers(d)) {
        headers[to_python(name)] = to_python(value);
    }
    return headers;
}

py::tuple fields_of(const decision& d) {
    return py::make_tuple(d.allowed, d.limit, d.remaining, reset_of(d), retry_after_of(d));
}

decision make_decision(bool allowed, std::int64_t limit, std::int64_t remaining, std::int64_t reset,
                       std::optional<std::int64_t> retry_after) {
    constexpr auto latest = std::chrono::floor<std::chrono::seconds>(latest_instant);
    if (reset < 0 || reset > latest.time_since_epoch().count()) {
        throw py::value_error("reset: expected epoch seconds up to the year 9999");
    }
    decision d{allowed, limit, remaining, instant{std::chrono::seconds{reset}}, {}};
    if (retry_after) d.retry_after = std::chrono::seconds{*retry_after};
    return d;
}

std::string repr_of_decision(const decision& d) {
    const py::str format("Decision(allowed={}, limit={}, remaining={}, reset={}, retry_after={})");
    return to_utf8(format.attr("format")(*fields_of(d)));
}

void register_decision(py::module_& m) {
    auto c = make_class<decision>(m, "Decision",
                                  "Whether a request passes, and what to tell its client.");
    c.def(py::init(&make_decision), py::kw_only(), py::arg("allowed"), py::arg("limit"),
          py::arg("remaining"), py::arg("reset"), py::arg("retry_after") = py::none());
    c.def_readonly("allowed", &decision::allowed);
    c.def_readonly("limit", &decision::limit);
    c.def_readonly("remaining", &decision::remaining);
    c.def_property_readonly("reset", reset_of);
    c.def_property_readonly("retry_after", retry_after_of);
    c.def("headers", headers_of, "The X-RateLimit headers, and Retry-After where it was refused.");
    c.def("__repr__", repr_of_decision);
    c.def(py::self == py::self);
    c.def("__hash__", [](const decision& d) { return py::hash(fields_of(d)); });
    c.def(py::pickle([](const decision& d) { return fields_of(d); },
                     [](const py::tuple& state) {
                         return make_decision(state[0].cast<bool>(), state[1].cast<std::int64_t>(),
                                              state[2].cast<std::int64_t>(),
                                              state[3].cast<std::int64_t>(),
                                              state[4].cast<std::optional<std::int64_t>>());
                     }));
}

void register_limiter(py::module_& m) {
    auto c =
        make_class<rate_limiter>(m, "RateLimiter",
                                 "Admits up to limit in each window, for each key apart. For any\n"
                                 "number of threads.");
    c.def(py::init(&make_limiter), py::arg("limit"), py::arg("window_seconds"),
          py::arg("algorithm") = "sliding_window", py::kw_only(),
          py::arg("max_keys") = keyed_limiter<>::default_max_keys,
          "algorithm: 'sliding_window', 'fixed_window', 'sliding_log' or 'gcra'.");
    c.def("check", check, py::arg("key"), py::arg("now") = py::none(), py::arg("cost") = 1,
          "Decides on a request, and counts it if it passes.");
    c.def("peek", peek_at, py::arg("key"), py::arg("now") = py::none(), py::arg("cost") = 1,
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
