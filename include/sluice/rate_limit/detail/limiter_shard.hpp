// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DETAIL_LIMITER_SHARD_HPP
#define SLUICE_RATE_LIMIT_DETAIL_LIMITER_SHARD_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/detail/limiter_key.hpp>
#include <sluice/rate_limit/detail/limiter_table.hpp>
#include <sluice/rate_limit/detail/spin_mutex.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::detail {

/// The states of some of a limiter's keys, behind one mutex.
///
/// A full shard evicts one of the next 32 entries of an endless walk over its table: the first
/// whose state is stale, otherwise the least recently used.
template <rate_algorithm Algorithm>
class alignas(64) limiter_shard {
public:
    using key_type = limiter_key;

    void set_capacity(std::size_t capacity) noexcept { table_.set_capacity(capacity); }

    decision check(const limiter_key& key, const policy& p, instant now, std::int64_t cost) {
        const spin_lock lock(mutex_);
        slot* const known = table_.find(key);
        if (known == nullptr) return check_new(key, p, now, cost);
        const decision decided = decide_in_place(known->state, p, now, cost);
        use(*known, p, now);
        return decided;
    }

    /// Prefetches what a check of the key will read.
    void prefetch(const limiter_key& key) const noexcept {
        const spin_lock lock(mutex_);
        table_.prefetch(key);
    }

    [[nodiscard]] decision peek(const limiter_key& key, const policy& p, instant now,
                                std::int64_t cost) const {
        const spin_lock lock(mutex_);
        const slot* const known = table_.find(key);
        if (known == nullptr) return sluice::peek(Algorithm{}, p, now, cost);
        return sluice::peek(known->state, p, now, cost);
    }

    bool forget(const limiter_key& key) {
        const spin_lock lock(mutex_);
        slot* const known = table_.find(key);
        if (known == nullptr) return false;
        table_.erase(*known);
        return true;
    }

    [[nodiscard]] std::size_t size() const {
        const spin_lock lock(mutex_);
        return table_.size();
    }

private:
    using slot = limiter_slot<Algorithm>;

    static constexpr int eviction_candidates = 32;

    /// A client that is refused, or whose cost is 0, has no state to be stored.
    decision check_new(const limiter_key& key, const policy& p, instant now, std::int64_t cost) {
        auto decided = decide(Algorithm{}, p, now, cost);
        if (!decided.decision.allowed || cost <= 0) return decided.decision;
        if (table_.is_full()) table_.erase(next_to_go(clock_time(now)));
        slot& added = table_.insert(key);
        added.state = std::move(decided.state);
        use(added, p, now);
        return decided.decision;
    }

    void use(slot& used, const policy& p, instant now) noexcept {
        used.used = ++uses_;
        used.stale = clock_time(now, used.state.latest) + 2 * in_range(p).window;
    }

    slot& next_to_go(instant now) noexcept {
        slot* oldest = &table_.walk();
        for (int seen = 1; seen < eviction_candidates && oldest->stale > now; ++seen) {
            slot& other = table_.walk();
            const bool older = uses_ - other.used > uses_ - oldest->used;
            if (other.stale <= now || older) oldest = &other;
        }
        return *oldest;
    }

    mutable spin_mutex mutex_;
    std::uint32_t uses_ = 0;
    limiter_table<Algorithm> table_;
};

}  // namespace sluice::detail

#endif
