// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_CALL_HPP
#define SLUICE_API_SERVICE_CALL_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <sluice/api/service/request.hpp>
#include <sluice/api/service/thread_cpu_time.hpp>
#include <sluice/api/workspace.hpp>
#include <sluice/envelope.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/time_zone.hpp>

namespace sluice::api {

struct handler_options {
    std::string docs_url{};  ///< what doc_url in errors starts with; see documentation_url
    std::string
        base_url{};  ///< the server's own address: what the targets of Link headers start with
    std::vector<std::string> cors_origins{};  ///< whose pages may read answers: `https://a.example`
    bool behind_proxy = false;       ///< X-Forwarded-Proto tells the scheme; the proxy is trusted
    bool strict_parameters = false;  ///< unknown parameters are errors
    bool ratelimit_fields = false;   ///< send the IETF RateLimit fields too
    /// A random number, drawn anew at every start. Entity tags need it, or else those of an earlier
    /// start would be taken for this one's; without it none are sent.
    std::optional<std::uint64_t> start_number{};
    std::size_t max_keys = keyed_limiter<>::default_max_keys;  ///< keys whose use is remembered
    /// The CPU time after which a search for events is refused: query_too_costly; 0 for none.
    std::chrono::milliseconds deadline{1'000};
    /// What tells the CPU time that the calling thread has used.
    std::function<std::chrono::nanoseconds()> cpu_time = thread_cpu_time;
};

/// A request that passed the gates, and what its answer is made from.
struct call {
    const request& asked;
    workspace_view view;  ///< of the key's workspace
    const time_zone_database& zones;
    const handler_options& options;
    instant now;
    std::stop_token stop{};  ///< asked for once nobody waits for the answer any more
};

/// Makes the response to a call, or says why there is none.
using answer_function = result<response> (*)(const call&);

}  // namespace sluice::api

#endif
