// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_POLICY_ARGUMENTS_HPP
#define SLUICE_BINDINGS_POLICY_ARGUMENTS_HPP

#include <string>

#include <pybind11/pybind11.h>

#include <sluice/rate_limit/any_limiter.hpp>
#include <sluice/rate_limit/policy.hpp>

namespace sluice::bindings {

/// The argument `algorithm`; the sliding window if it is missing. ApiError for an unknown name.
[[nodiscard]] algorithm_kind to_algorithm(pybind11::handle name);

/// The arguments `limit` and `window_seconds`; `place` precedes their names in messages. ApiError
/// if one is out of range, TypeError for other types.
[[nodiscard]] policy to_policy(pybind11::handle limit, pybind11::handle window,
                               const std::string& place = {});

}  // namespace sluice::bindings

#endif
