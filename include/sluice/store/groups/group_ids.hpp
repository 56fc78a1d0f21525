// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_GROUP_IDS_HPP
#define SLUICE_STORE_GROUPS_GROUP_IDS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::store {

/// Numbers keys of 64 bits, which are pairs of smaller numbers, in the order of their first use. A
/// hash table with linear probing, at most half full.
class group_ids {
public:
    using id = std::uint32_t;

    [[nodiscard]] static constexpr std::uint64_t pair(id a, id b) noexcept {
        return std::uint64_t{a} << 32 | b;
    }

    /// Returns the number of a key, adding it if needed.
    [[nodiscard]] id number(std::uint64_t key) {
        if (slots_.size() < 2 * (keys_.size() + 1)) grow();
        for (std::size_t at = place_of(key);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at] == 0) {
                keys_.push_back(key);
                slots_[at] = static_cast<id>(keys_.size());
                return slots_[at] - 1;
            }
            if (keys_[slots_[at] - 1] == key) return slots_[at] - 1;
        }
    }
    /// Returns the key of a number.
    [[nodiscard]] std::uint64_t key(id of) const noexcept { return keys_[of]; }
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

private:
    /// Returns the first slot to look in for a key. The factors are odd constants whose bits look
    /// random, so that all bits of a key change the slot.
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept {
        std::uint64_t mixed = key * 0x9E37'79B9'7F4A'7C15U;
        mixed ^= mixed >> 32;
        return static_cast<std::size_t>(mixed * 0xD6E8'FEB8'6659'FD93U >> 20) & (slots_.size() - 1);
    }
    void grow() {
        slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            std::size_t at = place_of(keys_[i]);
            while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<id>(i + 1);
        }
    }

    std::vector<std::uint64_t> keys_;  // by number
    std::vector<id> slots_;            // numbers plus 1; 0 is free
};

}  // namespace sluice::store

#endif
