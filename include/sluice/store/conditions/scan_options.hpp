// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_SCAN_OPTIONS_HPP
#define SLUICE_STORE_CONDITIONS_SCAN_OPTIONS_HPP

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include <sluice/store/conditions/explanation.hpp>

namespace sluice::store {

/// Limits of a scan: CPU time and a stop token. Unlimited by default.
///
/// ```
/// const scan_limits limits{.cpu_time = thread_cpu_time,
///                          .deadline = thread_cpu_time() + std::chrono::seconds(1)};
/// ```
struct scan_limits {
    /// The CPU time that the calling thread has used so far; null for no deadline.
    std::function<std::chrono::nanoseconds()> cpu_time{};
    std::chrono::nanoseconds deadline{};  ///< a reading of cpu_time
    std::stop_token stop{};               ///< stopped by whoever no longer wants the result
};

/// Options of a scan; none of them changes its result.
struct scan_options {
    /// The path to use if possible; the code scan otherwise.
    std::optional<access_path> forced{};
    scan_limits limits{};
};

}  // namespace sluice::store

#endif
