// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_HANDLER_OPTIONS_HPP
#define SLUICE_API_SERVICE_HANDLER_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/api/clickhouse/answer.hpp>
#include <sluice/api/service/thread_cpu_time.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>

namespace sluice::api {

/// Decides on a request that counts under a text of its own for each key and quota, and counts it
/// if it passes.
using limit_check = std::function<decision(std::string_view, const policy&, instant now)>;

struct handler_options {
    std::string docs_url{};  ///< what doc_url in errors starts with; see documentation_url
    std::string
        base_url{};  ///< the server's own address: what the targets of Link headers start with
    std::vector<std::string> cors_origins{};  ///< whose pages may read answers: see parse_origins
    bool behind_proxy = false;       ///< X-Forwarded-Proto tells the scheme; the proxy is trusted
    bool strict_parameters = false;  ///< unknown parameters are errors
    bool ratelimit_fields = false;   ///< send the IETF RateLimit fields too
    /// A random number, drawn anew at every start. Entity tags need it, or else those of an earlier
    /// start would be taken for this one's; without it none are sent.
    std::optional<std::uint64_t> start_number{};
    std::size_t max_keys = keyed_limiter<>::default_max_keys;  ///< keys whose use is remembered
    /// Counts requests in place of this process's memory, for servers that share limits. A key is
    /// told by the first half of its hash.
    limit_check check_limit{};
    /// Runs statements on a server of ClickHouse, in place of searches of this process's memory: no
    /// list is answered from there then. It is asked to stop as a search is; what it gives then is
    /// of no account.
    clickhouse::stoppable_runner run_statement{};
    /// The CPU time after which a search for events is refused: query_too_costly; 0 for none.
    std::chrono::milliseconds deadline{1'000};
    /// What tells the CPU time that the calling thread has used.
    std::function<std::chrono::nanoseconds()> cpu_time = thread_cpu_time;
};

}  // namespace sluice::api

#endif
