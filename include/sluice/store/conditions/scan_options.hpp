// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_SCAN_OPTIONS_HPP
#define SLUICE_STORE_CONDITIONS_SCAN_OPTIONS_HPP

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include <sluice/store/conditions/explanation.hpp>

namespace sluice::store {

/// Limits of a scan: CPU time and a stop token. Unlimited by default. A scan that meets one fails
/// with query_too_costly or request_cancelled.
///
/// ```
/// const scan_limits limits{.cpu_time = thread_cpu_time,
///                          .deadline = thread_cpu_time() + std::chrono::seconds(1)};
/// ```
struct scan_limits {
    /// The CPU time that the calling thread has used so far; null for no deadline.
    std::function<std::chrono::nanoseconds()> cpu_time{};
    std::chrono::nanoseconds deadline{};  ///< the value of cpu_time() at which the scan ends
    std::stop_token stop{};               ///< ends the scan when a stop is requested
};

/// Options of a scan; none of them changes its result.
struct scan_options {
    /// The access path of all blocks, or the code scan for blocks that it can't answer; nullopt for
    /// the cheapest path of each block.
    std::optional<access_path> forced{};
    scan_limits limits{};
};

}  // namespace sluice::store

#endif
