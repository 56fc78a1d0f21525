// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CODE_TABLE_HPP
#define SLUICE_STORE_CODE_TABLE_HPP

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::store {

/// The number that stands for a text in a column.
using code = std::uint32_t;

/// The code of a value that is absent.
inline constexpr code absent = 0;

/// A hash table of codes that is read without a lock while one thread inserts. A slot holds the
/// upper half of a hash beside the code, so that a text is looked at only where it is very likely
/// the right one:
///
/// ```
/// | hash 63..32 | code |   64 bits a slot, 0 where it is free; linear probing, at most half full
/// ```
///
/// A table that grows is replaced by a copy twice its size. The old one stays until the end, as
/// others may still read it: all old ones together are as large as the last.
class code_table {
public:
    code_table() { publish(first_size); }

    /// The code of `hash` that `is_it(code)` accepts, or `absent`. Any thread.
    template <std::predicate<code> IsIt>
    [[nodiscard]] code find(std::uint64_t hash, const IsIt& is_it) const noexcept {
        const slots* const in = current_.load(std::memory_order_acquire);
        const std::uint64_t tag = hash >> 32;
        for (std::size_t at = tag & in->mask;; at = (at + 1) & in->mask) {
            const std::uint64_t slot = in->values[at].load(std::memory_order_acquire);
            if (slot == 0) return absent;
            if (slot >> 32 == tag && is_it(static_cast<code>(slot))) return static_cast<code>(slot);
        }
    }
    /// Brings the place of a hash nearer, for a find() or insert() that comes soon. Any thread.
    void prefetch(std::uint64_t hash) const noexcept {
        const slots* const in = current_.load(std::memory_order_acquire);
        __builtin_prefetch(&in->values[(hash >> 32) & in->mask]);
    }
    /// The most slots that a find() of a code that is here looks at: few, unless texts were chosen
    /// to meet. Any thread.
    [[nodiscard]] std::size_t longest_probe() const noexcept {
        const slots* const in = current_.load(std::memory_order_acquire);
        std::size_t longest = 0;
        for (std::size_t at = 0; at <= in->mask; ++at) {
            const std::uint64_t slot = in->values[at].load(std::memory_order_acquire);
            if (slot != 0) longest = std::max(longest, ((at - (slot >> 32)) & in->mask) + 1);
        }
        return longest;
    }
    /// Inserts a code that is not there. Only one thread at a time.
    void insert(std::uint64_t hash, code added) {
        if (++size_ * 2 > all_.back()->mask) publish((all_.back()->mask + 1) * 2);
        put(*all_.back(), (hash >> 32) << 32 | added);
    }
    /// Removes the codes from `limit` on. Only the thread that inserts, while no other looks up.
    void shrink(code limit) noexcept {
        const slots& in = *all_.back();
        for (std::size_t at = 0; at <= in.mask;) {
            const std::uint64_t slot = in.values[at].load(std::memory_order_relaxed);
            if (slot == 0 || static_cast<code>(slot) < limit) {
                ++at;
            } else {
                remove(in, at);  // what moves here is looked at next
                --size_;
            }
        }
    }

private:
    static constexpr std::size_t first_size = 64;

    struct slots {
        explicit slots(std::size_t size)
            : mask(size - 1), values(std::make_unique<std::atomic<std::uint64_t>[]>(size)) {}
        std::size_t mask;
        std::unique_ptr<std::atomic<std::uint64_t>[]> values;
    };

    static void put(const slots& to, std::uint64_t slot) noexcept {
        std::size_t at = (slot >> 32) & to.mask;
        while (to.values[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & to.mask;
        to.values[at].store(slot, std::memory_order_release);
    }
    /// Empties a slot, and moves back those after it which a free slot would cut off.
    static void remove(const slots& from, std::size_t hole) noexcept {
        for (std::size_t at = (hole + 1) & from.mask;; at = (at + 1) & from.mask) {
            const std::uint64_t slot = from.values[at].load(std::memory_order_relaxed);
            if (slot == 0) break;
            const std::size_t from_home = (at - (slot >> 32)) & from.mask;
            if (from_home < ((at - hole) & from.mask)) continue;
            from.values[hole].store(slot, std::memory_order_relaxed);
            hole = at;
        }
        from.values[hole].store(0, std::memory_order_relaxed);
    }
    void publish(std::size_t size) {
        auto next = std::make_unique<slots>(size);
        if (!all_.empty()) {
            const slots& old = *all_.back();
            for (std::size_t i = 0; i <= old.mask; ++i) {
                const std::uint64_t slot = old.values[i].load(std::memory_order_relaxed);
                if (slot != 0) put(*next, slot);
            }
        }
        current_.store(next.get(), std::memory_order_release);
        all_.push_back(std::move(next));
    }

    std::atomic<const slots*> current_ = nullptr;
    std::vector<std::unique_ptr<slots>> all_;  // the last is the current one
    std::size_t size_ = 0;
};

}  // namespace sluice::store

#endif
