// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_CODE_TABLE_HPP
#define SLUICE_STORE_TEXTS_CODE_TABLE_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <sluice/base/memory.hpp>

/// Hash tables of codes, which other threads read while one inserts.
namespace sluice::store {

/// Frees objects that one thread has replaced as soon as no other can still read them. Readers
/// never wait: they are counted in their epoch, and at most two epochs have readers.
///
/// ```
///            epoch 4                | epoch 5                  | epoch 6
/// readers    a: [--------------------------]  b: [---------------------...
/// replaced   x                      | y                        |
/// freed                                     x, once a has left: the readers of epoch 4 are gone,
///                                           and epoch 6 begins
/// ```
///
/// Readers hold the result of enter() while they use an object. To replace one: prepare(), show
/// readers the new object, then retire() the old one.
template <class T>
class reader_epochs {
public:
    /// A reader's visit: objects that are replaced during it stay until its end.
    class visit {
    public:
        explicit visit(std::atomic<std::uint32_t>& readers) noexcept : readers_(readers) {}
        ~visit() { readers_.fetch_sub(1, std::memory_order_release); }
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;

    private:
        std::atomic<std::uint32_t>& readers_;
    };

    /// Begins a visit. Any thread may call it.
    [[nodiscard]] visit enter() const noexcept {
        while (true) {
            const std::uint32_t epoch = epoch_.load();
            std::atomic<std::uint32_t>& readers = readers_[epoch % 2];
            readers.fetch_add(1);
            if (epoch_.load() == epoch) return visit(readers);
            readers.fetch_sub(1);  // the epoch ended: its readers may have been counted already
        }
    }
    /// Reserves memory for the next retire(), which then can't fail. One thread at a time, as
    /// retire().
    void prepare() { in_this_epoch_.reserve(in_this_epoch_.size() + 1); }
    /// Takes over an object that was just replaced, and frees those that no reader can have.
    void retire(std::unique_ptr<T> replaced) noexcept {
        in_this_epoch_.push_back(std::move(replaced));
        const std::uint32_t epoch = epoch_.load();
        if (readers_[(epoch + 1) % 2].load() != 0) return;  // readers of the previous epoch remain
        in_last_epoch_ = std::exchange(in_this_epoch_, {});
        epoch_.store(epoch + 1);
    }

private:
    std::atomic<std::uint32_t> epoch_ = 0;
    mutable std::array<std::atomic<std::uint32_t>, 2> readers_{};  // by epoch % 2
    std::vector<std::unique_ptr<T>> in_last_epoch_, in_this_epoch_;
};

/// The number of a text within its dictionary.
using code = std::uint32_t;

/// The code of an absent value.
inline constexpr code absent = 0;

/// A hash table of codes that is read without a lock while one thread inserts. The lowest bits of a
/// hash select one of 32 parts, its upper half the first slot to look at; slots are sorted by hash:
///
/// ```
/// slot:   | hash 63..32 | code |            64 bits, 0 where it is free
/// part:   |  |13|  |27|28|28|41|  | ...     a search ends at a greater hash or a free slot
/// insert: |  |13|  |20|27|28|28|41| ...     of 20, which belongs where 27 is: greater hashes move
///                                           up by one, the last first, so that a reader meets each
///                                           in its old slot or in the next
/// ```
///
/// A part is at most 7/8 full. A part that grows is replaced by a copy that is about an eighth
/// larger. As both are sorted, the copy takes one pass over each. The old part is freed once no
/// reader is in it.
class code_table {
public:
    code_table() = default;
    code_table(const code_table&) = delete;
    code_table& operator=(const code_table&) = delete;
    ~code_table() {
        for (const auto& part : parts_) delete part.load(std::memory_order_relaxed);
    }

    /// Returns the code with this hash for which `matches(code)` is true, or `absent`. Any thread.
    template <std::predicate<code> Matches>
    [[nodiscard]] code find(std::uint64_t hash, const Matches& matches) const noexcept {
        const auto visit = replaced_.enter();
        return find_alone(hash, matches);
    }
    /// Like find(), but without entering replaced_. Only for the inserting thread, which alone
    /// replaces parts.
    template <std::predicate<code> Matches>
    [[nodiscard]] code find_alone(std::uint64_t hash, const Matches& matches) const noexcept {
        const slots* const in = part_of(hash).load(std::memory_order_acquire);
        if (in == nullptr) return absent;
        const std::uint64_t tag = hash >> 32;
        for (const auto* at = &in->values[in->home(tag)];; ++at) {
            const std::uint64_t slot = at->load(std::memory_order_acquire);
            if (slot >> 32 == tag && matches(static_cast<code>(slot)))
                return static_cast<code>(slot);
            if (slot == 0 || slot >> 32 > tag) return absent;
        }
    }
    /// Prefetches the slot of a hash for a find() or insert() that follows soon. Only for the
    /// inserting thread.
    void prefetch(std::uint64_t hash) const noexcept {
        const slots* const in = part_of(hash).load(std::memory_order_relaxed);
        if (in != nullptr) sluice::detail::prefetch(&in->values[in->home(hash >> 32)]);
    }
    /// Returns the most slots that a find() of an existing code visits: few, unless texts were
    /// chosen to collide. Any thread.
    [[nodiscard]] std::size_t longest_probe() const noexcept {
        std::size_t longest = 0;
        for_each_part([&](const slots& in) {
            for (std::size_t at = 0; at < in.end; ++at) {
                const std::uint64_t slot = in.values[at].load(std::memory_order_acquire);
                if (slot != 0) longest = std::max(longest, at - in.home(slot >> 32) + 1);
            }
        });
        return longest;
    }
    /// Returns the size of the slots, in bytes. Any thread.
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t bytes = 0;
        for_each_part([&](const slots& in) { bytes += in.end * sizeof(in.values[0]); });
        return bytes;
    }

    /// Inserts a code that is not in the table. One thread at a time.
    void insert(std::uint64_t hash, code added) {
        const std::size_t part = hash % part_count;
        const slots* const in = at(part);
        if (in == nullptr || in->used >= in->homes / 8 * 7) grow(part);
        while (!put(*at(part), (hash >> 32) << 32 | added)) widen(part);
        ++at(part)->used;
    }
    /// Removes the codes from `limit` on. Only for the inserting thread, while no other thread
    /// reads.
    void shrink(code limit) noexcept {
        for (std::size_t part = 0; part < part_count; ++part) {
            if (at(part) != nullptr) keep_below(limit, *at(part));
        }
    }

private:
    static constexpr std::size_t part_count = 32;
    static constexpr std::size_t first_homes = 8;
    static constexpr std::size_t first_tail = 4;

    /// A slot is at its home or after it. The tail holds those after the last home; its last slot
    /// is free.
    struct slots {
        slots(std::size_t home_count, std::size_t tail)
            : homes(home_count),
              end(home_count + tail),
              values(std::make_unique<std::atomic<std::uint64_t>[]>(end)) {}

        /// Returns the first slot to look at for the upper half of a hash.
        [[nodiscard]] std::size_t home(std::uint64_t tag) const noexcept {
            return static_cast<std::size_t>(tag * homes >> 32);
        }
        [[nodiscard]] std::size_t tail() const noexcept { return end - homes; }

        std::size_t homes, end;
        std::size_t used = 0;  // only for the inserting thread
        std::unique_ptr<std::atomic<std::uint64_t>[]> values;
    };

    /// Returns the part for a hash: its slots as readers see them, null before the first text.
    [[nodiscard]] const std::atomic<slots*>& part_of(std::uint64_t hash) const noexcept {
        return parts_[hash % part_count];
    }
    /// Returns the slots of a part; null before its first text. Only for the inserting thread.
    [[nodiscard]] slots* at(std::size_t part) const noexcept {
        return parts_[part].load(std::memory_order_relaxed);
    }
    /// Calls `visit(part)` for each part with slots. A part that is replaced meanwhile is freed
    /// only after its visit. Any thread.
    template <class Visit>
    void for_each_part(const Visit& visit) const noexcept {
        for (const auto& part : parts_) {
            const auto reading = replaced_.enter();
            const slots* const in = part.load(std::memory_order_acquire);
            if (in != nullptr) visit(*in);
        }
    }

    /// Inserts a slot in order into the values of `to`. Returns false if the tail is full.
    static bool put(const slots& to, std::uint64_t slot) noexcept {
        const auto value = [&to](std::size_t at) {
            return to.values[at].load(std::memory_order_relaxed);
        };
        std::size_t at = to.home(slot >> 32);
        while (value(at) != 0 && value(at) >> 32 <= slot >> 32) ++at;
        std::size_t free = at;
        while (value(free) != 0) ++free;
        if (free + 1 == to.end) return false;
        for (; free > at; --free) {
            to.values[free].store(value(free - 1), std::memory_order_release);
        }
        to.values[at].store(slot, std::memory_order_release);
        return true;
    }
    /// Copies slots in order. Returns false if the tail is full.
    static bool copy(const slots& from, const slots& to) noexcept {
        std::size_t next = 0;
        for (std::size_t i = 0; i < from.end; ++i) {
            const std::uint64_t slot = from.values[i].load(std::memory_order_relaxed);
            if (slot == 0) continue;
            next = std::max(next, to.home(slot >> 32));
            if (next + 1 == to.end) return false;
            to.values[next++].store(slot, std::memory_order_relaxed);
        }
        return true;
    }
    /// Removes the codes from `limit` on, and moves others to where they belong.
    static void keep_below(code limit, slots& in) noexcept {
        std::size_t next = 0;
        in.used = 0;
        for (std::size_t i = 0; i < in.end; ++i) {
            const std::uint64_t slot = in.values[i].exchange(0, std::memory_order_relaxed);
            if (slot == 0 || static_cast<code>(slot) >= limit) continue;
            next = std::max(next, in.home(slot >> 32));
            in.values[next++].store(slot, std::memory_order_relaxed);
            ++in.used;
        }
    }

    /// Replaces a part by one with more homes: twice as many, or from 512 on about an eighth more,
    /// a multiple of eight.
    void grow(std::size_t part) {
        const slots* const old = at(part);
        if (old == nullptr) return replace(part, std::make_unique<slots>(first_homes, first_tail));
        const std::size_t added = old->homes < 512 ? old->homes : old->homes / 64 * 8;
        replace(part, copied(*old, old->homes + added, old->tail()));
    }
    /// Replaces a part by one with a longer tail.
    void widen(std::size_t part) {
        replace(part, copied(*at(part), at(part)->homes, 2 * at(part)->tail()));
    }
    /// Returns a copy with other sizes; the tail is longer if need be.
    static std::unique_ptr<slots> copied(const slots& from, std::size_t homes, std::size_t tail) {
        for (;; tail *= 2) {
            auto target = std::make_unique<slots>(homes, tail);
            if (!copy(from, *target)) continue;
            target->used = from.used;
            return target;
        }
    }
    /// Shows readers a new part, and frees the old one once none is in it.
    void replace(std::size_t part, std::unique_ptr<slots> by) {
        if (at(part) != nullptr) replaced_.prepare();
        std::unique_ptr<slots> old(parts_[part].exchange(by.release(), std::memory_order_acq_rel));
        if (old) replaced_.retire(std::move(old));
    }

    std::array<std::atomic<slots*>, part_count> parts_{};  // owned
    reader_epochs<slots> replaced_;                        // old parts
};

}  // namespace sluice::store

#endif
