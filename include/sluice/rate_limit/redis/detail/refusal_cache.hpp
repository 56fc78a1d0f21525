// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_DETAIL_REFUSAL_CACHE_HPP
#define SLUICE_RATE_LIMIT_REDIS_DETAIL_REFUSAL_CACHE_HPP

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/redis/reply.hpp>
#include <sluice/rate_limit/redis/request.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::detail {

/// The last refusals of some counters, for which Redis need not be asked: until the very
/// millisecond that the script returns, no request can change its answer.
///
/// ```
///         asked                   asked + (until - now)
/// ----------|-----------------------|--------------------> the caller's clock
///  ask Redis|   the same refusal    | ask Redis
/// ```
/// A clock that goes back may reset a counter, and a request of another cost or policy may be
/// admitted: neither is answered from the cache.
class refusal_cache {
public:
    explicit refusal_cache(std::size_t max_entries) : max_entries_(max_entries) {}

    /// Returns the answer to a check at a time of the caller's clock; empty if Redis has to be
    /// asked.
    [[nodiscard]] std::vector<decision> find(const redis_request& asked, instant at) {
        const auto found = entries_.find(asked.keys);
        if (found == entries_.end()) return {};
        const entry& held = found->second;
        if (at < held.asked || at - held.asked >= held.reply.until - held.reply.now) {
            entries_.erase(found);
            return {};
        }
        if (held.asks != question_of(asked)) return {};
        return as_told(held.reply, held.reply.now + (at - held.asked));
    }

    /// Stores the reply to a check that was made at a time of the caller's clock, if it is a
    /// refusal that lasts.
    void keep(const redis_request& asked, instant at, redis_reply reply) {
        entries_.erase(asked.keys);
        if (reply.until <= reply.now || max_entries_ == 0) return;
        if (entries_.size() >= max_entries_) entries_.erase(entries_.begin());
        entries_.insert_or_assign(asked.keys, entry{question_of(asked), at, std::move(reply)});
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct entry {
        std::string asks;
        instant asked;
        redis_reply reply;
    };

    /// Returns the numbers of the request without the time; one limiter has one algorithm.
    static std::string question_of(const redis_request& asked) {
        return (asked.now ? "given" : "") + asked.arguments.back().substr(redis_number_size);
    }

    static std::vector<decision> as_told(const redis_reply& reply, instant now) {
        std::vector<decision> told;
        for (const redis_reply::part& each : reply.parts) {
            decision& d = told.emplace_back(each.decided);
            d.reset = std::max(d.reset, now);  // of a policy that did not refuse
            if (d.retry_after) d.retry_after = wait_until(each.ready, now);
        }
        return told;
    }

    std::size_t max_entries_;
    std::map<std::vector<std::string>, entry> entries_;  // by their keys
};

}  // namespace sluice::detail

#endif
