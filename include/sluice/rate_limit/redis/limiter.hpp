// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_LIMITER_HPP
#define SLUICE_RATE_LIMIT_REDIS_LIMITER_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/rate_limit/any_limiter.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/redis/detail/fallback.hpp>
#include <sluice/rate_limit/redis/options.hpp>
#include <sluice/rate_limit/redis/request.hpp>
#include <sluice/time/instant.hpp>

/// A limiter that shares its counters through Redis.
namespace sluice {

/// A reply of the Redis script.
struct redis_reply {
    /// The part of one policy. If another policy refuses the request, one that would admit it
    /// reports the result of peek(): no policy counts the request.
    struct part {
        decision decided;
        instant ready;  ///< when a refused cost is admitted, if nothing else is before

        friend constexpr bool operator==(const part&, const part&) = default;
    };

    instant now{};              ///< by the clock that decided
    instant until{};            ///< a refusal stays the same until then; `now` if there is none
    std::vector<part> parts{};  ///< one for each policy, in their order

    friend bool operator==(const redis_reply&, const redis_reply&) = default;
};

namespace detail {

/// Returns the failure of a reply at some of its bytes.
[[nodiscard]] inline tl::unexpected<error> refuse_reply(std::size_t offset, std::size_t length) {
    error refused = make_error(rule::value_malformed, offset, length);
    refused.param = "reply";
    return tl::unexpected<error>(refused);
}

/// Reads the binary numbers of a reply (see request.hpp), one after the other. Expects a text that
/// has as many as are read. After one that is out of range, all are 0.
class number_reader {
public:
    explicit number_reader(std::string_view text) noexcept : text_(text) {}

    /// Reads a whole number from `least` to `most`.
    std::int64_t number(std::int64_t least, std::int64_t most) noexcept {
        if (has_failed_) return 0;
        const double value = redis_number_at(text_, at_);
        const bool is_right = value >= static_cast<double>(least) &&
                              value <= static_cast<double>(most) && value == std::floor(value);
        if (!is_right) {
            has_failed_ = true;
            return 0;
        }
        at_ += redis_number_size;
        return static_cast<std::int64_t>(value);
    }

    /// Reads a time, from `least` to two of the longest windows after the year 9999.
    instant time(instant least) noexcept {
        constexpr instant most = latest_instant + 2 * policy_max_window;
        return instant{std::chrono::milliseconds{
            number(least.time_since_epoch().count(), most.time_since_epoch().count())}};
    }

    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /// Returns the offset of the next number, or of the first wrong one.
    [[nodiscard]] std::size_t position() const noexcept { return at_; }

private:
    std::string_view text_;
    std::size_t at_ = 0;
    bool has_failed_ = false;
};

/// Numbers in a reply for one policy, see parse_redis_reply().
inline constexpr std::size_t numbers_of_part = 6;

/// Appends the part of one policy to a reply, and lowers its `until` if the policy refuses. A
/// policy that refuses a cost above its limit has no retry_after.
inline void read_part(redis_reply& reply, number_reader& reader, const policy& limits,
                      std::int64_t cost) {
    const instant now = reply.now = reader.time(earliest_instant);
    decision decided{.allowed = reader.number(0, 1) == 1, .limit = limits.limit};
    decided.remaining = reader.number(0, limits.limit);
    decided.reset = reader.time(now);
    const instant ready = reader.time(now);
    const instant until = reader.time(now);
    if (!decided.allowed) {
        if (cost <= limits.limit) decided.retry_after = wait_until(ready, now);
        reply.until = std::min(reply.until, until);
    }
    reply.parts.push_back({decided, ready});
}

}  // namespace detail

/// Parses the script's reply to a check of `cost` under these policies. Error: value_malformed, if
/// it is too short, too long, or has a number out of range.
///
/// ```
/// reply = 1*( now allowed remaining reset ready until )       ; of each policy
/// ```
/// Each is a whole number, a little-endian double of 8 bytes. Times are in milliseconds since 1970;
/// `until` is when the refusal of a policy may change.
[[nodiscard]] inline result<redis_reply> parse_redis_reply(std::string_view text,
                                                           std::span<const policy> policies,
                                                           std::int64_t cost) {
    const std::size_t size = policies.size() * detail::numbers_of_part * detail::redis_number_size;
    if (text.size() < size) return detail::refuse_reply(text.size(), 0);
    if (text.size() > size) return detail::refuse_reply(size, text.size() - size);
    detail::number_reader reader(text);
    redis_reply reply{.until = instant::max()};
    for (const policy& limits : policies) detail::read_part(reply, reader, limits, cost);
    if (reply.until == instant::max()) reply.until = reply.now;
    if (reader.has_failed()) {
        return detail::refuse_reply(reader.position(), detail::redis_number_size);
    }
    return reply;
}

namespace detail {

/// A cache of refusals, which saves requests to Redis. With a refusal, the script returns a time
/// `until`: earlier checks of the same cost are refused, too, whatever other clients do. Not safe
/// for several threads.
///
/// ```
///       entry.time               entry.time + (until - now)
/// ----------|-----------------------|--------------------> the caller's clock
///  ask Redis|   the same refusal    | ask Redis
/// ```
/// `until` and `now` are by the clock that decided, perhaps that of Redis; only their difference
/// counts. The cache doesn't answer a check before entry.time, because a clock that goes back may
/// reset a counter, nor one of another cost or policy, which Redis may admit.
class refusal_cache {
public:
    explicit refusal_cache(std::size_t max_entries) : max_entries_(max_entries) {}

    /// Returns the decisions on a check at the time `at` of the caller's clock; empty if none is
    /// known, so that Redis has to decide.
    [[nodiscard]] std::vector<decision> find(const redis_request& request, instant at) {
        const auto position = entries_.find(request.keys);
        if (position == entries_.end()) return {};
        const entry& cached = position->second;
        if (at < cached.time || at - cached.time >= cached.reply.until - cached.reply.now) {
            entries_.erase(position);
            return {};
        }
        if (cached.numbers != numbers_of(request)) return {};
        return decisions_at(cached.reply, cached.reply.now + (at - cached.time));
    }

    /// Stores the reply to a check that was made at the time `at` of the caller's clock, if it is a
    /// refusal that lasts. A full cache drops another entry for it.
    void add(const redis_request& request, instant at, redis_reply reply) {
        entries_.erase(request.keys);
        if (reply.until <= reply.now || max_entries_ == 0) return;
        if (entries_.size() >= max_entries_) entries_.erase(entries_.begin());
        entries_.insert_or_assign(request.keys, entry{numbers_of(request), at, std::move(reply)});
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct entry {
        std::string numbers;  // see numbers_of()
        instant time;         // of the check, by the caller's clock
        redis_reply reply;
    };

    /// Returns the numbers on which a decision depends besides the time: the request's bytes of the
    /// cost and the policies, after a mark if the caller's clock decides. The algorithm is always
    /// the limiter's.
    static std::string numbers_of(const redis_request& request) {
        return (request.now ? "given" : "") + request.arguments.back().substr(redis_number_size);
    }

    /// Returns the decisions of a reply as they are at a later time `now`, by the same clock.
    static std::vector<decision> decisions_at(const redis_reply& reply, instant now) {
        std::vector<decision> decisions;
        for (const redis_reply::part& part : reply.parts) {
            decision& answer = decisions.emplace_back(part.decided);
            answer.reset = std::max(answer.reset, now);  // may be past, for a policy that admits
            if (answer.retry_after) answer.retry_after = wait_until(part.ready, now);
        }
        return decisions;
    }

    std::size_t max_entries_;
    std::map<std::vector<std::string>, entry> entries_;  // by their keys
};

}  // namespace detail

/// A connection to Redis, which the caller provides. `run` sends a request and returns the script's
/// answer, or the reason why there is none, within a deadline of its own. `failed` is called with
/// the reason if a check is decided without Redis, for logs.
template <class T>
concept redis_connection = requires(T& redis, const redis_request& request, std::string_view why) {
    { redis.run(request) } -> std::same_as<tl::expected<std::string, std::string>>;
    { redis.failed(why) } -> std::same_as<void>;
};

/// A limiter that processes share through Redis, without the I/O: send the request that `begin`
/// returns, or pass a connection to `check`.
///
/// ```
/// begin --> redis_request --> Redis --> its reply --> finish --> decisions
///    |                           '--> no answer ---> fail ----> by on_error
///    '--> a cached refusal, or by on_error while the circuit breaker is open
/// ```
///
/// ```
/// const auto begun = limiter.begin(check, clock);
/// if (!begun) return begun.error();
/// if (!begun->decided.empty()) return begun->decided;
/// // Send begun->request.packed(). With an answer:
/// const auto decided = limiter.finish(*begun, answer);
/// return decided ? *decided : limiter.fail(*begun);  // without one: limiter.fail(*begun)
/// ```
/// Safe for any number of threads.
class redis_limiter {
public:
    using decisions = std::vector<decision>;

    /// The outcome of begin(): one decision for each policy, or a request to send.
    struct step {
        decisions decided{};  ///< empty if the request is to be sent
        redis_request request{};
        instant clock{};  ///< time of this process's clock when the check began

        /// Returns the time of the check, by its caller's clock.
        [[nodiscard]] instant time() const noexcept { return request.now.value_or(clock); }
    };

    explicit redis_limiter(const redis_limiter_options& options = {})
        : algorithm_(options.algorithm),
          prefix_(options.prefix),
          fallback_(options),
          refusals_(options.max_refusals) {}

    /// Begins a check when this process's clock shows `clock`. Errors: those of
    /// make_redis_request().
    [[nodiscard]] result<step> begin(const shared_check& check, instant clock) {
        auto request = make_redis_request(check, algorithm_, prefix_);
        if (!request) return tl::unexpected<error>(request.error());
        step begun{.request = *std::move(request), .clock = clock};
        const std::lock_guard lock(mutex_);
        begun.decided = refusals_.find(begun.request, begun.time());
        if (begun.decided.empty() && !breaker_.admits(clock)) {
            begun.decided = fallback_.decide(begun.request, begun.time());
        }
        return begun;
    }

    /// Finishes the check with Redis's reply. Error: value_malformed, if that isn't a reply to this
    /// request; then call fail().
    [[nodiscard]] result<decisions> finish(const step& begun, std::string_view answer) {
        auto reply = parse_redis_reply(answer, begun.request.policies, begun.request.cost);
        if (!reply) return tl::unexpected<error>(reply.error());
        decisions decided;
        for (const redis_reply::part& part : reply->parts) decided.push_back(part.decided);
        const std::lock_guard lock(mutex_);
        breaker_.succeed();
        refusals_.add(begun.request, begun.time(), *std::move(reply));
        return decided;
    }

    /// Decides by on_error after a failure of Redis. The third in a row opens the circuit breaker.
    [[nodiscard]] decisions fail(const step& begun) {
        const std::lock_guard lock(mutex_);
        breaker_.fail(begun.clock);
        return fallback_.decide(begun.request, begun.time());
    }

    /// Decides by on_error without a failure of Redis, such as while all connections are in use.
    [[nodiscard]] decisions fall_back(const step& begun) {
        const std::lock_guard lock(mutex_);
        return fallback_.decide(begun.request, begun.time());
    }

    /// Runs a whole check through a connection. Errors: those of make_redis_request().
    template <redis_connection Connection>
    [[nodiscard]] result<decisions> check(const shared_check& check, instant clock,
                                          Connection& connection) {
        auto begun = begin(check, clock);
        if (!begun) return tl::unexpected<error>(begun.error());
        if (!begun->decided.empty()) return std::move(begun->decided);
        const auto answer = connection.run(begun->request);
        if (!answer) {
            connection.failed(answer.error());
            return fail(*begun);
        }
        auto decided = finish(*begun, *answer);
        if (decided) return decided;
        connection.failed("not what the script answers, but " + std::to_string(answer->size()) +
                          " bytes");
        return fail(*begun);
    }

private:
    algorithm_kind algorithm_;
    std::string prefix_;
    std::mutex mutex_;
    detail::redis_fallback fallback_;
    detail::circuit_breaker breaker_;
    detail::refusal_cache refusals_;
};

/// Returns the strictest of several decisions: the refusal with the longest wait (one without a
/// retry_after never ends); if all allow, the decision with the least remaining. Returns one that
/// allows if there is none.
[[nodiscard]] inline decision strictest(std::span<const decision> decided) noexcept {
    const auto is_stricter = [](const decision& a, const decision& b) {
        if (a.allowed != b.allowed) return !a.allowed;
        if (a.allowed) return a.remaining < b.remaining;
        return b.retry_after && (!a.retry_after || *a.retry_after > *b.retry_after);
    };
    const auto minimum = std::ranges::min_element(decided, is_stricter);
    return minimum == decided.end() ? decision{.allowed = true} : *minimum;
}

}  // namespace sluice

#endif
