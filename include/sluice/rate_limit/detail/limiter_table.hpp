// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DETAIL_LIMITER_TABLE_HPP
#define SLUICE_RATE_LIMIT_DETAIL_LIMITER_TABLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/base/word.hpp>
#include <sluice/time/instant.hpp>

/// The hash table of keyed limiters: keys and states.
namespace sluice::detail {

/// Returns true if two texts of `size` bytes are equal. Compares the table's keys in steps of eight
/// bytes, the last of which may overlap the one before.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) noexcept {
    if (size < 8) return std::memcmp(a, b, size) == 0;
    for (std::size_t at = 0; at + 8 < size; at += 8) {
        if (load_word<std::uint64_t>(a + at) != load_word<std::uint64_t>(b + at)) return false;
    }
    return load_word<std::uint64_t>(a + size - 8) == load_word<std::uint64_t>(b + size - 8);
}

/// A client's key as limiters compare it, of at most 129 bytes, with its hash.
///
/// ```
/// up to 128 bytes: the key            longer: | first 113 bytes | length (8) | hash (8) |
/// ```
/// The longer form has 129 bytes, so it equals no short key. Views a short key.
class limiter_key {
public:
    limiter_key(std::string_view key, const text_hasher& hasher) noexcept
        : text_(key), hash_(hasher(key)) {
        if (key.size() > max_bytes) shorten(key);
    }
    limiter_key(const limiter_key&) = delete;
    limiter_key& operator=(const limiter_key&) = delete;

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

private:
    static constexpr std::size_t max_bytes = 128;

    // Not inlined: g++ 12 would warn of reads past short keys, for which it isn't called.
    [[gnu::noinline]] void shorten(std::string_view key) noexcept {
        const std::array<std::uint64_t, 2> rest{key.size(), hash_};
        constexpr std::size_t kept = max_bytes + 1 - sizeof(rest);
        std::memcpy(short_, key.data(), kept);
        std::memcpy(short_ + kept, rest.data(), sizeof(rest));
        text_ = {short_, sizeof(short_)};
    }

    std::string_view text_;
    std::uint64_t hash_;
    char short_[max_bytes + 1];  // the form of a longer key; uninitialised for a short one
};

/// Owns the text of a key in a table, in 24 bytes: up to 23 bytes of text in place, a longer one on
/// the heap.
///
/// ```
/// | text, padded with zeros (23) | size (1) |     | pointer to the text (8) | … | size (1) |
/// ```
class held_key {
public:
    held_key() noexcept = default;
    explicit held_key(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
        char* target = bytes_.data();
        if (is_owned()) {
            target = new char[text.size()];
            std::memcpy(bytes_.data(), &target, sizeof(target));
        }
        if (!text.empty()) std::memcpy(target, text.data(), text.size());
    }
    held_key(held_key&& other) noexcept { swap(other); }
    held_key& operator=(held_key&& other) noexcept {
        held_key taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~held_key() {
        if (is_owned()) delete[] data();
    }

    [[nodiscard]] bool operator==(std::string_view text) const noexcept {
        return text.size() == size_ && equal_bytes(data(), text.data(), size_);
    }

private:
    static constexpr std::size_t room = 23;

    [[nodiscard]] bool is_owned() const noexcept { return size_ > room; }
    [[nodiscard]] const char* data() const noexcept {
        if (!is_owned()) return bytes_.data();
        const char* owned = nullptr;
        std::memcpy(&owned, bytes_.data(), sizeof(owned));
        return owned;
    }
    void swap(held_key& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
    }

    std::array<char, room> bytes_{};
    std::uint8_t size_ = 0;
};
static_assert(sizeof(held_key) == 24);  // no padding

/// A key and its state. With a state of up to 24 bytes and a key of up to 23 a slot is one cache
/// line, so that a decision on an uncached key waits for memory once.
template <class State>
struct alignas(64) limiter_slot {
    State state{};
    instant stale{};               ///< from then on the state decides like a new one
    std::uint32_t used = 0;        ///< number of the last use, modulo 2^32; evictions compare it
    std::uint32_t upper_hash = 0;  ///< upper half of the key's hash, 1 for 0; 0: the slot is empty
    held_key key{};
};

/// An open-addressing hash table whose slots hold the entries themselves.
///
/// A key's home is the slot that its hash, scaled to the number of slots, chooses. The key lies
/// there or in one of the next slots, cyclically, with no empty slot in between. Erasing moves
/// entries back (backward-shift deletion): there are no tombstones, which would slow a table down
/// with time. insert() and erase() may move any entry: slots that were returned before are no
/// longer valid.
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
        if (!slots_.empty()) sluice::detail::prefetch_to_write(&slots_[home(upper_hash_of(key))]);
    }
    /// Returns the slot of a key; null if it is not held.
    [[nodiscard]] slot* find(const limiter_key& key) noexcept {
        return const_cast<slot*>(std::as_const(*this).find(key));
    }
    [[nodiscard]] const slot* find(const limiter_key& key) const noexcept {
        if (slots_.empty()) return nullptr;
        const std::uint32_t upper_hash = upper_hash_of(key);
        for (std::size_t at = home(upper_hash);; at = next(at)) {
            const slot& seen = slots_[at];
            if (seen.upper_hash == upper_hash && seen.key == key.text()) return &seen;
            if (seen.upper_hash == 0) return nullptr;
        }
    }

    /// Adds a slot for a key that is not held. Expects a table that is not full.
    slot& insert(const limiter_key& key) {
        if (size_ * 8 >= slots_.size() * 5) grow();  // at most 5 of 8 slots are taken
        slot& added = free_slot(upper_hash_of(key));
        added.key = held_key(key.text());
        added.upper_hash = upper_hash_of(key);
        ++size_;
        return added;
    }

    /// Empties a slot, and moves later entries back so that no empty slot separates them from their
    /// homes.
    void erase(slot& erased) noexcept {
        auto hole = static_cast<std::size_t>(&erased - slots_.data());
        for (std::size_t at = next(hole); slots_[at].upper_hash != 0; at = next(at)) {
            if (distance(home(slots_[at].upper_hash), at) < distance(hole, at)) continue;
            slots_[hole] = std::move(slots_[at]);
            hole = at;
        }
        slots_[hole] = slot{};
        --size_;
    }

    /// Returns the next entry of an endless walk over all, in the order of slots: a candidate for
    /// eviction. Expects a table that is not empty.
    [[nodiscard]] slot& walk() noexcept {
        do {
            hand_ = next(hand_);
        } while (slots_[hand_].upper_hash == 0);
        return slots_[hand_];
    }

private:
    static constexpr std::size_t least_slots = 8;

    /// Returns the upper half of the hash, but never 0. The lower half has selected this table: a
    /// limiter has one for each of its shards.
    static std::uint32_t upper_hash_of(const limiter_key& key) noexcept {
        const auto upper_hash = static_cast<std::uint32_t>(key.hash() >> 32);
        return upper_hash == 0 ? 1 : upper_hash;
    }

    /// Returns the slot where the look-up of a key begins: upper_hash / 2^32 of the number of
    /// slots.
    [[nodiscard]] std::size_t home(std::uint32_t upper_hash) const noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(upper_hash) * slots_.size() >>
                                        32);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const noexcept {
        return at + 1 < slots_.size() ? at + 1 : 0;
    }
    /// Returns the number of slots from `from` to `to`, cyclically.
    [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const noexcept {
        return to >= from ? to - from : to + slots_.size() - from;
    }

    /// Returns the first empty slot from a key's home on.
    [[nodiscard]] slot& free_slot(std::uint32_t upper_hash) noexcept {
        std::size_t at = home(upper_hash);
        while (slots_[at].upper_hash != 0) at = next(at);
        return slots_[at];
    }

    using slot_list = std::vector<slot, page_allocator<slot>>;

    /// Doubles the slots, but to no more than a full table needs with 5 of 8 slots taken, and then
    /// rounds them up to whole huge pages; see round_to_pages().
    void grow() {
        const std::size_t most = capacity_ + capacity_ * 3 / 5 + 2;
        const std::size_t wanted = slots_.empty() ? least_slots : slots_.size() * 2;
        slot_list old(round_to_pages(std::min(wanted, most) * sizeof(slot)) / sizeof(slot));
        old.swap(slots_);
        hand_ = 0;
        for (slot& moved : old) {
            if (moved.upper_hash != 0) free_slot(moved.upper_hash) = std::move(moved);
        }
    }

    slot_list slots_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::size_t hand_ = 0;  // position of walk()
};

}  // namespace sluice::detail

#endif
