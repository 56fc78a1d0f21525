// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DETAIL_LIMITER_TABLE_HPP
#define SLUICE_RATE_LIMIT_DETAIL_LIMITER_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <sluice/base/huge_pages.hpp>
#include <sluice/base/prefetch.hpp>
#include <sluice/rate_limit/detail/limiter_key.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::detail {

/// A key and its state. With a state of up to 24 bytes and a key of up to 23 a slot is one cache
/// line, so that a decision on an uncached key waits for memory once.
template <class State>
struct alignas(64) limiter_slot {
    State state{};
    instant stale{};          ///< from then on the state is as good as new
    std::uint32_t used = 0;   ///< number of the last use, modulo 2^32
    std::uint32_t place = 0;  ///< of the key's hash, see limiter_table; 0: the slot is empty
    held_key key{};
};

/// An open-addressing hash table whose slots hold the entries themselves.
///
/// A key's home is its hash scaled to the number of slots; it lies there or in one of the next
/// slots, cyclically, with no empty slot in between. Erasing moves entries back, so that there are
/// no tombstones and a table that is in use for ever stays as fast as a new one.
///
/// ```
/// home of      a b   c                    erase b: c and d move back
/// slots      | a b c d - - e |     ->   | a c d - - - e |
/// ```
template <class State>
class limiter_table {
public:
    using slot = limiter_slot<State>;

    /// Sets the maximum number of entries. Memory is allocated as they come.
    void set_capacity(std::size_t capacity) noexcept {
        capacity_ = std::min<std::size_t>(capacity, std::size_t{1} << 31);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_full() const noexcept { return size_ >= capacity_; }

    /// Prefetches the slot where the look-up of a key begins.
    void prefetch(const limiter_key& key) const noexcept {
        if (!slots_.empty()) sluice::detail::prefetch_to_write(&slots_[home(place_of(key))]);
    }
    /// Returns the slot of a key; null if it is not held.
    [[nodiscard]] slot* find(const limiter_key& key) noexcept {
        return const_cast<slot*>(std::as_const(*this).find(key));
    }
    [[nodiscard]] const slot* find(const limiter_key& key) const noexcept {
        if (slots_.empty()) return nullptr;
        const std::uint32_t place = place_of(key);
        for (std::size_t at = home(place);; at = next(at)) {
            const slot& seen = slots_[at];
            if (seen.place == place && seen.key == key.text()) return &seen;
            if (seen.place == 0) return nullptr;
        }
    }

    /// Adds a slot for a key that is not held. Expects a table that is not full.
    slot& insert(const limiter_key& key) {
        if (size_ * 8 >= slots_.size() * 5) grow();
        slot& added = free_slot(place_of(key));
        added.key = held_key(key.text());
        added.place = place_of(key);
        ++size_;
        return added;
    }

    void erase(slot& erased) noexcept {
        auto hole = static_cast<std::size_t>(&erased - slots_.data());
        for (std::size_t at = next(hole); slots_[at].place != 0; at = next(at)) {
            if (distance(home(slots_[at].place), at) < distance(hole, at)) continue;
            slots_[hole] = std::move(slots_[at]);
            hole = at;
        }
        slots_[hole] = slot{};
        --size_;
    }

    /// Returns the next entry of an endless walk over all. Expects a table that is not empty.
    [[nodiscard]] slot& walk() noexcept {
        do {
            hand_ = next(hand_);
        } while (slots_[hand_].place == 0);
        return slots_[hand_];
    }

private:
    static constexpr std::size_t least_slots = 8;

    /// Returns the high half of the hash, but never 0; the low half has selected the shard.
    static std::uint32_t place_of(const limiter_key& key) noexcept {
        const auto place = static_cast<std::uint32_t>(key.hash() >> 32);
        return place == 0 ? 1 : place;
    }

    [[nodiscard]] std::size_t home(std::uint32_t place) const noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(place) * slots_.size() >> 32);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const noexcept {
        return at + 1 < slots_.size() ? at + 1 : 0;
    }
    /// Returns the number of slots from `from` to `to`, cyclically.
    [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const noexcept {
        return to >= from ? to - from : to + slots_.size() - from;
    }

    [[nodiscard]] slot& free_slot(std::uint32_t place) noexcept {
        std::size_t at = home(place);
        while (slots_[at].place != 0) at = next(at);
        return slots_[at];
    }

    using slot_list = std::vector<slot, page_allocator<slot>>;

    /// Doubles the slots, but to no more than a full table needs, of which at most 5 in 8 are
    /// taken, and the rest of a huge page.
    void grow() {
        const std::size_t most = capacity_ + capacity_ * 3 / 5 + 2;
        const std::size_t wanted = slots_.empty() ? least_slots : slots_.size() * 2;
        slot_list old(round_to_pages(std::min(wanted, most) * sizeof(slot)) / sizeof(slot));
        old.swap(slots_);
        hand_ = 0;
        for (slot& moved : old) {
            if (moved.place != 0) free_slot(moved.place) = std::move(moved);
        }
    }

    slot_list slots_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::size_t hand_ = 0;
};

}  // namespace sluice::detail

#endif
