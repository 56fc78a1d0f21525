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

/// A cache of refusals, which saves requests to Redis: until the very millisecond that the script
/// returns, no request can change its answer.
///
/// ```
///         time                    time + (until - now)
/// ----------|-----------------------|--------------------> the caller's clock
///  ask Redis|   the same refusal    | ask Redis
/// ```
/// A clock that goes back may reset a counter, and a request of another cost or policy may be
/// admitted: neither is answered from the cache.
class refusal_cache {
public:
    explicit refusal_cache(std::size_t max_entries) : max_entries_(max_entries) {}

    /// Returns the answer to a check at a time of the caller's clock; empty if it needs Redis.
    [[nodiscard]] std::vector<decision> find(const redis_request& time, instant at) {
        const auto position = entries_.find(time.keys);
        if (position == entries_.end()) return {};
        const entry& cached = position->second;
        if (at < cached.time || at - cached.time >= cached.reply.until - cached.reply.now) {
            entries_.erase(position);
            return {};
        }
        if (cached.numbers != numbers_of(time)) return {};
        return decisions_at(cached.reply, cached.reply.now + (at - cached.time));
    }

    /// Stores the reply to a check that was made at a time of the caller's clock, if it is a
    /// refusal that lasts.
    void add(const redis_request& request, instant at, redis_reply reply) {
        entries_.erase(request.keys);
        if (reply.until <= reply.now || max_entries_ == 0) return;
        if (entries_.size() >= max_entries_) entries_.erase(entries_.begin());
        entries_.insert_or_assign(request.keys, entry{numbers_of(request), at, std::move(reply)});
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct entry {
        std::string numbers;
        instant time;
        redis_reply reply;
    };

    /// Returns the numbers of the request without the time; one limiter has one algorithm.
    static std::string numbers_of(const redis_request& request) {
        return (request.now ? "given" : "") + request.arguments.back().substr(redis_number_size);
    }

    static std::vector<decision> decisions_at(const redis_reply& reply, instant now) {
        std::vector<decision> decisions;
        for (const redis_reply::part& part : reply.parts) {
            decision& answer = decisions.emplace_back(part.decided);
            answer.reset = std::max(answer.reset, now);  // of a policy that did not refuse
            if (answer.retry_after) answer.retry_after = wait_until(part.ready, now);
        }
        return decisions;
    }

    std::size_t max_entries_;
    std::map<std::vector<std::string>, entry> entries_;  // by their keys
};

}  // namespace sluice::detail

#endif
