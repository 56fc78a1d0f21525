// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_METRICS_HPP
#define SLUICE_REFERENCE_SERVICE_METRICS_HPP

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

/// The metrics of a service, for Prometheus: their names and values, without an HTTP endpoint.
namespace sluice::reference {

/// A Prometheus metric.
struct metric {
    std::string_view name;
    std::string_view help;
};

/// Counted by servers for all requests, including those that don't reach a handler.
inline constexpr metric requests_metric{"sluice_http_requests_total",
                                        "Requests that were answered, by route and status."};
inline constexpr metric duration_metric{
    "sluice_http_request_duration_seconds",
    "Time from a request's arrival until its answer was handed over, by route."};
/// The upper bounds of the histogram buckets of durations, in seconds.
inline constexpr std::array<double, 13> duration_buckets{
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};

/// The value of a metric at one moment.
struct measurement {
    metric what;
    bool is_counter = false;  ///< a counter; otherwise a gauge
    std::uint64_t value = 0;
};

/// The counters of a handler. Thread-safe.
struct handler_counts {
    std::atomic<std::uint64_t> allowed{0};        ///< requests within a key's limit
    std::atomic<std::uint64_t> refused{0};        ///< requests above a key's limit
    std::atomic<std::uint64_t> past_deadline{0};  ///< searches that exceeded the deadline
};

/// The gauges of a handler and its store.
struct handler_state {
    std::uint64_t keys = 0;          ///< accepted keys
    std::uint64_t limiter_keys = 0;  ///< counters kept by this process's rate limiter
    std::uint64_t rows = 0;          ///< events in memory
    std::uint64_t bytes = 0;         ///< memory of the events and their texts
};

/// The metrics of a handler.
[[nodiscard]] inline std::array<measurement, 7> measurements_of(const handler_counts& counts,
                                                                const handler_state& state) {
    return {{{{"sluice_limiter_allowed_total", "Requests that passed the limit of their key."},
              true,
              counts.allowed},
             {{"sluice_limiter_refused_total", "Requests above the limit of their key."},
              true,
              counts.refused},
             {{"sluice_limiter_tracked_keys", "Counters of keys that this process remembers."},
              false,
              state.limiter_keys},
             {{"sluice_keys", "Keys that are accepted."}, false, state.keys},
             {{"sluice_store_rows", "Events in memory."}, false, state.rows},
             {{"sluice_store_bytes", "Memory of the events and their texts."}, false, state.bytes},
             {{"sluice_store_deadline_exceeded_total",
               "Searches that were ended as they took more than the deadline."},
              true,
              counts.past_deadline}}};
}

}  // namespace sluice::reference

#endif
