// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_HANDLER_OPTIONS_HPP
#define SLUICE_REFERENCE_SERVICE_HANDLER_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/reference/clickhouse/request.hpp>

/// Options of the request handler.
namespace sluice::reference {

/// The CPU time used so far by the calling thread, a clock for store::scan_limits. It stops while
/// the thread waits for a processor, so that a busy machine refuses no more searches than an idle
/// one.
[[nodiscard]] inline std::chrono::nanoseconds thread_cpu_time() noexcept {
    std::timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// Charges a request to the counter of a name and returns the decision. A name stands for one key
/// and quota. Called by any thread.
using limit_check = std::function<decision(std::string_view name, const policy&, instant now)>;

/// The settings of a handler, which its owner chooses once; all have defaults.
struct handler_options {
    std::string docs_url{};  ///< prefix of doc_url in errors; see documentation_url
    std::string base_url{};  ///< the server's URL, such as https://api.example: begin of page links
    std::vector<std::string> cors_origins{};  ///< origins allowed by CORS: see parse_origins
    bool behind_proxy = false;       ///< trust the proxy's X-Forwarded-Proto for the scheme
    bool strict_parameters = false;  ///< unknown parameters are errors
    bool ratelimit_fields = false;   ///< also send the IETF RateLimit header fields
    /// A random number, new for each start, which entity tags depend on, so that tags of an earlier
    /// start are never reused. Without it no entity tags are sent.
    std::optional<std::uint64_t> start_number{};
    std::size_t max_keys = keyed_limiter<>::default_max_keys;  ///< counters of the rate limiter
    /// Charges requests to a store that servers share, instead of this process's memory; empty: in
    /// memory. Names of counters are those of api_key::shared_counter().
    limit_check check_limit{};
    /// Runs statements on a ClickHouse server; lists are then answered from there. Empty: lists are
    /// answered from memory. After a stop request its result is ignored.
    clickhouse::stoppable_runner run_statement{};
    /// CPU time limit of a search for events, after which it fails with query_too_costly; 0: none.
    std::chrono::milliseconds deadline{1'000};
    /// Returns the CPU time used by the calling thread.
    std::function<std::chrono::nanoseconds()> cpu_time = thread_cpu_time;
};

}  // namespace sluice::reference

#endif
