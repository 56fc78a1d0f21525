// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_LIMITER_SHARD_HPP
#define SLUICE_DETAIL_LIMITER_SHARD_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <sluice/instant.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/policy.hpp>

namespace sluice::detail {

/// A key of bounded size with its hash.
///
/// ```
/// up to 128 bytes: the key            longer: | first 113 bytes | length (8) | hash (8) |
/// ```
/// The longer form has 129 bytes, so it equals no short key.
class limiter_key {
public:
    explicit limiter_key(std::string_view key) noexcept
        : text_(key), hash_(std::hash<std::string_view>{}(key)) {
        if (key.size() > max_bytes) shorten(key);
    }
    limiter_key(const limiter_key&) = delete;
    limiter_key& operator=(const limiter_key&) = delete;

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] std::size_t hash() const noexcept { return hash_; }

private:
    static constexpr std::size_t max_bytes = 128;

    void shorten(std::string_view key) noexcept {
        const std::array<std::uint64_t, 2> rest{key.size(), hash_};
        constexpr std::size_t kept = max_bytes + 1 - sizeof(rest);
        std::memcpy(short_.data(), key.data(), kept);
        std::memcpy(short_.data() + kept, rest.data(), sizeof(rest));
        text_ = {short_.data(), short_.size()};
    }

    std::string_view text_;
    std::size_t hash_;
    std::array<char, max_bytes + 1> short_;
};

/// The states of some of a limiter's keys, behind one mutex.
///
/// Entries wait for eviction in queues, the least recently used first. Keys whose windows have the
/// same bit width share a queue and go stale in nearly the same order as they are used, so that the
/// heads of the queues are all that an eviction looks at.
///
/// ```
/// index:   key -> entry
/// queues:  [window of 1 ms]        entry, entry, …
///          [2 to 3 ms]             entry, …
///          …
///          [2^34 ms and longer]    …
/// ```
template <rate_algorithm Algorithm>
class limiter_shard {
public:
    explicit limiter_shard(std::size_t capacity) noexcept : capacity_(capacity) {}

    decision check(const limiter_key& key, const policy& p, instant now, std::int64_t cost) {
        const std::lock_guard lock(mutex_);
        const auto known = index_.find({key.text(), key.hash()});
        if (known == index_.end()) return check_new(key, p, now, cost);
        const position at = known->second;
        auto decided = decide(std::move(at->state), p, now, cost);
        at->state = std::move(decided.state);
        use(at, p, now);
        return decided.decision;
    }

    [[nodiscard]] decision peek(const limiter_key& key, const policy& p, instant now,
                                std::int64_t cost) const {
        const std::lock_guard lock(mutex_);
        const auto known = index_.find({key.text(), key.hash()});
        if (known == index_.end()) return sluice::peek(Algorithm{}, p, now, cost);
        return sluice::peek(known->second->state, p, now, cost);
    }

    bool forget(const limiter_key& key) {
        const std::lock_guard lock(mutex_);
        const auto known = index_.find({key.text(), key.hash()});
        if (known == index_.end()) return false;
        remove(known->second);
        return true;
    }

    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return index_.size();
    }

private:
    struct entry {
        std::string key;
        std::size_t hash = 0;
        Algorithm state{};
        instant stale{};         ///< from here on the state is as good as new
        std::uint64_t used = 0;  ///< number of the last use
        std::size_t queue = 0;   ///< the queue that it waits in
    };
    using position = typename std::list<entry>::iterator;

    /// A view of a key that an entry or a caller owns.
    struct key_view {
        std::string_view text;
        std::size_t hash;
        bool operator==(const key_view& other) const noexcept { return text == other.text; }
    };
    struct hash_of {
        std::size_t operator()(const key_view& key) const noexcept { return key.hash; }
    };

    static constexpr std::size_t queue_of(const policy& p) noexcept {
        return static_cast<std::size_t>(
            std::bit_width(static_cast<std::uint64_t>(in_range(p).window.count())) - 1);
    }

    /// A client that is refused, or asks at no cost, has nothing that must be remembered.
    decision check_new(const limiter_key& key, const policy& p, instant now, std::int64_t cost) {
        auto decided = decide(Algorithm{}, p, now, cost);
        if (!decided.decision.allowed || cost <= 0) return decided.decision;
        if (index_.size() >= capacity_) remove(next_to_go(clock_time(now)));
        auto& queue = queues_[queue_of(p)];
        queue.push_back({std::string(key.text()), key.hash(), std::move(decided.state)});
        const position added = std::prev(queue.end());
        added->queue = queue_of(p);
        use(added, p, now);
        index_.emplace(key_view{added->key, added->hash}, added);
        return decided.decision;
    }

    void use(position at, const policy& p, instant now) {
        const std::size_t to = queue_of(p);
        queues_[to].splice(queues_[to].end(), queues_[at->queue], at);
        at->queue = to;
        at->used = ++uses_;
        at->stale = clock_time(now, at->state.latest) + 2 * in_range(p).window;
    }

    /// The entry to evict from a full shard: one whose state is stale, else the least recently
    /// used.
    position next_to_go(instant now) {
        position oldest{};
        bool found = false;
        for (auto& queue : queues_) {
            if (queue.empty()) continue;
            const position head = queue.begin();
            if (head->stale <= now) return head;
            if (!found || head->used < oldest->used) oldest = head;
            found = true;
        }
        return oldest;
    }

    void remove(position at) {
        index_.erase({at->key, at->hash});
        queues_[at->queue].erase(at);
    }

    static constexpr std::size_t queue_count = queue_of({1, policy_max_window}) + 1;

    mutable std::mutex mutex_;
    std::size_t capacity_;
    std::uint64_t uses_ = 0;
    std::array<std::list<entry>, queue_count> queues_;
    std::unordered_map<key_view, position, hash_of> index_;
};

}  // namespace sluice::detail

#endif
