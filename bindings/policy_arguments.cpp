// SPDX-License-Identifier: MIT
#include "policy_arguments.hpp"

#include <chrono>
#include <cmath>

#include "convert.hpp"
#include "raise.hpp"

namespace sluice::bindings {

namespace {

/// Converts seconds, rounded to milliseconds. A window out of range, or NaN, becomes one that
/// make_policy() refuses, too, and that fits into 64 bits.
std::chrono::milliseconds to_window(double seconds) {
    constexpr double longest = 1e9;  // more than policy_max_window
    const double bounded = seconds > 0 ? std::fmin(seconds, longest) : 0;
    return std::chrono::milliseconds{std::llround(bounded * 1'000)};
}

}  // namespace

algorithm_kind to_algorithm(py::handle name) {
    if (!name) return algorithm_kind::sliding_window;
    const utf8_text text(name, "algorithm");
    return unwrap(parse_algorithm(text.view()), text.view());
}

policy to_policy(py::handle limit, py::handle window, const std::string& place) {
    const auto length = to_window(to_double(window, place + "window_seconds"));
    return unwrap(make_policy(to_integer(limit, place + "limit"), length));
}

}  // namespace sluice::bindings
