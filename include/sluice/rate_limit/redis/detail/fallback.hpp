// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_DETAIL_FALLBACK_HPP
#define SLUICE_RATE_LIMIT_REDIS_DETAIL_FALLBACK_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <sluice/rate_limit/any_limiter.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/redis/options.hpp>
#include <sluice/rate_limit/redis/request.hpp>
#include <sluice/time/instant.hpp>

/// The fallback of the limiter in Redis: decisions while Redis fails.
namespace sluice::detail {

/// The circuit breaker of the fallback: keeps calls from a server that fails.
///
/// ```
///           success                   success
///            +---+    +------------------------------------+
///            |   v    v                                    |
///          [ closed ] --third failure--> [ open ] --pause--> [ one call tries ]
///            all calls                    no call  <--failure--'
/// ```
/// A clock that goes back to before the failure closes it.
class circuit_breaker {
public:
    static constexpr int max_failures = 3;  ///< in a row
    static constexpr std::chrono::milliseconds pause{1'000};

    /// Returns true if a call may be made now. An open breaker admits one call after a pause, to
    /// try; others wait for another pause.
    [[nodiscard]] bool admits(instant now) noexcept {
        if (!opened_) return true;
        if (now >= *opened_ && now < *opened_ + pause) return false;
        opened_ = now;
        return true;
    }

    /// Reports that a call succeeded.
    void succeed() noexcept {
        failures_ = 0;
        opened_.reset();
    }

    /// Reports that a call failed.
    void fail(instant now) noexcept {
        if (++failures_ >= max_failures) opened_ = now;
    }

private:
    int failures_ = 0;                 // in a row
    std::optional<instant> opened_{};  // time of the last failure or try; nullopt while closed
};

/// Decides by on_error while Redis fails. Not safe for several threads.
class redis_fallback {
public:
    using decisions = std::vector<decision>;

    explicit redis_fallback(const redis_limiter_options& options)
        : on_error_(options.on_error),
          nodes_(std::max<std::int64_t>(1, options.nodes)),
          shares_(options.algorithm, options.max_keys) {}

    /// Returns one decision for each policy of a request.
    [[nodiscard]] decisions decide(const redis_request& request, instant now) {
        if (on_error_ == on_error::local) return decide_by_shares(request, now);
        decisions decided;
        for (const policy& limits : request.policies) {
            decided.push_back(decide_blindly(limits, now, request.cost));
        }
        return decided;
    }

private:
    /// Allows or refuses a request without counting it. A refused client is to wait for a pause of
    /// the circuit breaker.
    [[nodiscard]] decision decide_blindly(const policy& limits, instant now,
                                          std::int64_t cost) const noexcept {
        constexpr auto pause = std::chrono::ceil<std::chrono::seconds>(circuit_breaker::pause);
        if (on_error_ == on_error::allow) {
            return {
                .allowed = true, .limit = limits.limit, .remaining = limits.limit, .reset = now};
        }
        decision refused{.limit = limits.limit, .reset = now + pause};
        if (cost <= limits.limit) refused.retry_after = pause;
        return refused;
    }

    /// Either all policies admit a request and count it, or none counts it.
    decisions decide_by_shares(const redis_request& request, instant now) {
        const auto peek = [&](std::string_view key, const policy& limits) {
            return shares_.peek(key, limits, now, request.cost);
        };
        const auto check = [&](std::string_view key, const policy& limits) {
            return shares_.check(key, limits, now, request.cost);
        };
        decisions peeked = apply_to_shares(request, peek);
        const bool is_admitted = std::ranges::all_of(peeked, &decision::allowed);
        return is_admitted ? apply_to_shares(request, check) : peeked;
    }

    /// Returns `decide(key, policy)` for every policy of a request, with this process's share of
    /// the limit: limit / nodes, at least 1.
    template <class Decide>
    [[nodiscard]] decisions apply_to_shares(const redis_request& request, Decide decide) const {
        decisions decided;
        for (std::size_t i = 0; i < request.policies.size(); ++i) {
            const policy& whole = request.policies[i];
            const policy share{std::max<std::int64_t>(1, whole.limit / nodes_), whole.window};
            decided.push_back(decide(request.keys[i], share));
        }
        return decided;
    }

    sluice::on_error on_error_;
    std::int64_t nodes_;
    any_limiter shares_;  // counts what this process admits
};

}  // namespace sluice::detail

#endif
