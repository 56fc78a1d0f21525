// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_KEYED_LIMITER_HPP
#define SLUICE_RATE_LIMIT_KEYED_LIMITER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sched.h>

#include <sluice/base/text_hasher.hpp>
#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/detail/limiter_table.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/time/instant.hpp>

/// Rate limiters by key, in memory.
namespace sluice {

namespace detail {

/// The spinning mutex of keyed limiters, for a few dozen instructions: one byte, and one locked
/// instruction for locking and unlocking together, where std::mutex takes two. A waiting thread
/// yields after a short while, since the holder may have been interrupted. The atomics are compiler
/// builtins: <atomic>, <mutex> and <thread> would take a tenth of the compile time of
/// <sluice/sluice.hpp>.
class spin_mutex {
public:
    void lock() noexcept {
        while (__atomic_exchange_n(&is_held_, true, __ATOMIC_ACQUIRE)) wait();
    }
    void unlock() noexcept { __atomic_store_n(&is_held_, false, __ATOMIC_RELEASE); }

private:
    /// Waits until the mutex is free, or for about 100 reads; lock() tries again after both.
    void wait() const noexcept {
        for (int turn = 0; turn < 100; ++turn) {
            if (!__atomic_load_n(&is_held_, __ATOMIC_RELAXED)) return;
        }
#ifdef __STDCPP_THREADS__  // WebAssembly has one thread only, which nobody holds up
        static_cast<void>(sched_yield());
#endif
    }

    bool is_held_ = false;
};

/// Holds a mutex during its lifetime.
class [[nodiscard]] spin_lock {
public:
    explicit spin_lock(spin_mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    ~spin_lock() { mutex_.unlock(); }
    spin_lock(const spin_lock&) = delete;
    spin_lock& operator=(const spin_lock&) = delete;

private:
    spin_mutex& mutex_;
};

/// The states of those keys of a limiter whose hashes choose this shard, behind one mutex.
/// Functions are like those of keyed_limiter.
///
/// A full shard evicts one of the next 32 entries of an endless walk over its table: the first
/// whose state is stale (see limiter_slot), otherwise the least recently used.
template <rate_algorithm Algorithm>
class alignas(64) limiter_shard {
public:
    using key_type = limiter_key;

    void set_capacity(std::size_t capacity) noexcept { table_.set_capacity(capacity); }

    decision check(const limiter_key& key, const policy& limits, instant now, std::int64_t cost) {
        const spin_lock lock(mutex_);
        slot* const known = table_.find(key);
        if (known == nullptr) return check_new(key, limits, now, cost);
        const decision decided = decide_in_place(known->state, limits, now, cost);
        use(*known, limits, now);
        return decided;
    }

    /// Prefetches what a check of the key will read.
    void prefetch(const limiter_key& key) const noexcept {
        const spin_lock lock(mutex_);
        table_.prefetch(key);
    }

    [[nodiscard]] decision peek(const limiter_key& key, const policy& limits, instant now,
                                std::int64_t cost) const {
        const spin_lock lock(mutex_);
        const slot* const known = table_.find(key);
        if (known == nullptr) return sluice::peek(Algorithm{}, limits, now, cost);
        return sluice::peek(known->state, limits, now, cost);
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

    /// Checks a key without a state, and stores one if the request was admitted at a cost.
    /// Otherwise the state is still a new one, which needs no slot.
    decision check_new(const limiter_key& key, const policy& limits, instant now,
                       std::int64_t cost) {
        auto decided = decide(Algorithm{}, limits, now, cost);
        if (!decided.decision.allowed || cost <= 0) return decided.decision;
        if (table_.is_full()) table_.erase(next_to_go(clock_time(now)));
        slot& added = table_.insert(key);
        added.state = std::move(decided.state);
        use(added, limits, now);
        return decided.decision;
    }

    /// Notes that a slot was used now. Two windows after its last admission its state decides like
    /// a new one, see rate_algorithm.
    void use(slot& used, const policy& limits, instant now) noexcept {
        used.used = ++uses_;
        used.stale = clock_time(now, used.state.latest) + 2 * in_range(limits).window;
    }

    /// Returns the slot to evict. Expects a table that isn't empty.
    slot& next_to_go(instant now) noexcept {
        slot* oldest = &table_.walk();
        for (int seen = 1; seen < eviction_candidates && oldest->stale > now; ++seen) {
            slot& other = table_.walk();
            // Differences modulo 2^32, so that the counter may wrap.
            const bool is_older = uses_ - other.used > uses_ - oldest->used;
            if (other.stale <= now || is_older) oldest = &other;
        }
        return *oldest;
    }

    mutable spin_mutex mutex_;
    std::uint32_t uses_ = 0;  // number of the last use, modulo 2^32
    limiter_table<Algorithm> table_;
};

}  // namespace detail

/// A rate limiter with a state for each key, for any number of threads at once.
///
/// ```
/// sluice::keyed_limiter<> limiter;  // sliding windows, 100,000 keys
/// const sluice::policy limits{600, std::chrono::minutes{1}};
/// const sluice::decision d = limiter.check("key_1", limits, now);
/// ```
/// Memory is bounded: at most `max_keys` states are held, each about 110 bytes with its key of up
/// to 23 bytes (140 if tables take whole huge pages, from about a million keys on), plus longer
/// keys, plus the log of a sliding_log. A new key beyond that evicts another: of the next 32 keys
/// in turn, one that has gone unused for two of its windows, otherwise the least recently used one.
/// In the first case nothing is lost; in the second the evicted key starts anew, so `max_keys`
/// should exceed the number of clients active at once. Of a key longer than 128 bytes only the
/// first 113, the length and a 64-bit hash are kept: two that agree in all three share a counter.
///
/// Keys are spread over shards by their hash, each with a mutex and an equal share of `max_keys`;
/// below 2,048 keys there is one shard. A check takes O(1) time, evictions included, and allocates
/// nothing for a known key, except for the log of a sliding_log. It waits for memory once if the
/// key is up to 23 bytes long and the state is not a sliding_log.
///
/// If clients choose their keys, pass a `seed` that they can't know: random_hash_seed(). A client
/// that knows it can choose keys that crowd into one shard. No decision depends on it.
///
/// A key has one counter, whatever the policy: use separate keys, or limiters, for requests that
/// are counted separately.
template <rate_algorithm Algorithm = sliding_window>
class keyed_limiter {
public:
    static constexpr std::size_t default_max_keys = 100'000;

    /// Makes a limiter of up to `max_keys` states, at least 1.
    explicit keyed_limiter(std::size_t max_keys = default_max_keys,
                           hash_seed seed = hash_seed::of_process())
        : hasher_(seed), last_shard_(shard_count(max_keys) - 1), shards_(last_shard_ + 1) {
        const std::size_t share = std::max<std::size_t>(1, max_keys / (last_shard_ + 1));
        for (shard& target : shards_) target.set_capacity(share);
    }
    keyed_limiter(keyed_limiter&&) noexcept = default;
    keyed_limiter& operator=(keyed_limiter&&) noexcept = default;
    keyed_limiter(const keyed_limiter&) = delete;
    keyed_limiter& operator=(const keyed_limiter&) = delete;
    ~keyed_limiter() = default;

    /// Decides on a request of a client and counts it if it passes; see sluice::decide.
    [[nodiscard]] decision check(std::string_view key, const policy& limits, instant now,
                                 std::int64_t cost = 1) {
        const detail::limiter_key bounded(key, hasher_);
        return shards_[shard_of(bounded)].check(bounded, limits, now, cost);
    }

    /// Decides on one request of each key, in order, like check(). It prefetches a few keys at a
    /// time, so that they wait for memory together: if the keys don't fit the caches, that takes
    /// about half the time.
    [[nodiscard]] std::vector<decision> check_many(std::span<const std::string_view> keys,
                                                   const policy& limits, instant now,
                                                   std::int64_t cost = 1) {
        std::vector<decision> decided;
        decided.reserve(keys.size());
        for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), batch))) {
            check_batch(keys.first(std::min(keys.size(), batch)), limits, now, cost, decided);
        }
        return decided;
    }

    /// Returns what check() would, without counting or adding the key; see sluice::peek.
    [[nodiscard]] decision peek(std::string_view key, const policy& limits, instant now,
                                std::int64_t cost = 1) const {
        const detail::limiter_key bounded(key, hasher_);
        return shards_[shard_of(bounded)].peek(bounded, limits, now, cost);
    }

    /// Forgets the counts of a client. Returns true if it was known.
    bool forget(std::string_view key) {
        const detail::limiter_key bounded(key, hasher_);
        return shards_[shard_of(bounded)].forget(bounded);
    }

    /// Returns the number of keys held.
    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (const shard& source : shards_) sum += source.size();
        return sum;
    }

private:
    using shard = detail::limiter_shard<Algorithm>;

    static constexpr std::size_t max_shards = 64;
    static constexpr std::size_t keys_worth_a_shard =
        1'024;  // fewer don't need a mutex of their own

    static constexpr std::size_t batch = 16;  // keys; CPUs load few more cache lines at once

    /// Appends the decisions on up to `batch` keys.
    void check_batch(std::span<const std::string_view> keys, const policy& limits, instant now,
                     std::int64_t cost, std::vector<decision>& decided) {
        std::array<std::optional<typename shard::key_type>, batch> bounded;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto& key = bounded[i].emplace(keys[i], hasher_);
            shards_[shard_of(key)].prefetch(key);
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            decided.push_back(shards_[shard_of(*bounded[i])].check(*bounded[i], limits, now, cost));
        }
    }

    /// Returns the number of shards, a power of two.
    static constexpr std::size_t shard_count(std::size_t max_keys) noexcept {
        const std::size_t wanted = std::bit_floor(max_keys / keys_worth_a_shard);
        return std::clamp<std::size_t>(wanted, 1, max_shards);
    }

    /// Returns the shard of a key, by the low bits of its hash; its upper half chooses the slot.
    [[nodiscard]] std::size_t shard_of(const detail::limiter_key& key) const noexcept {
        return key.hash() & last_shard_;
    }

    detail::text_hasher hasher_;
    std::size_t last_shard_;  // one less than a power of two: a mask of hashes
    std::vector<shard> shards_;
};

}  // namespace sluice

#endif
