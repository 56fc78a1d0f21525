// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_NAME_INDEX_HPP
#define SLUICE_BASE_NAME_INDEX_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>

/// An index of rows by their names, for parameter tables.
namespace sluice::detail {

/// Returns the number of slots for an index of some names: a power of two, at most a quarter used.
constexpr std::size_t name_slots(std::size_t names) noexcept {
    return std::bit_ceil(4 * names + 1);
}

/// An index of the rows of a parameter table by their names: a hash table with open addressing.
/// `Slots` is an array or a vector of name_slots() numbers of 16 bits. Rows have their names at
/// `.info.name`, and say by `.repeatable()` if they take repeats; calls pass the same rows.
///
/// ```
/// name ── mark_of() ──> length and three bytes ── factor_ ──> first slot ──> the row's, a free
/// one,
///                                                                            or else the next slot
/// ```
template <class Slots>
class name_index {
public:
    /// The content of a free slot, and the row of an unknown name.
    static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();

    constexpr name_index() = default;
    explicit constexpr name_index(Slots slots) noexcept : slots_(std::move(slots)) {}

    /// Indexes the names of rows; of those with the same name, the first. Tries factors until no
    /// two names collide, so that look-ups need one comparison; the last of 200 is used even if
    /// they do. A factor stays odd, so that no bit of a mark is lost.
    template <class Rows>
    constexpr void build(const Rows& rows) {
        for (int tries = 200; has_collision(rows) && tries > 0; --tries)
            factor_ += 2 * 0x3C6E'F35FU;
        std::fill(slots_.begin(), slots_.end(), none);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            std::uint16_t& slot = slots_[slot_of(rows, rows[row].info.name)];
            if (slot == none) slot = static_cast<std::uint16_t>(row);
        }
    }

    /// Returns the row of a name, or `none`.
    template <class Rows>
    [[nodiscard]] constexpr std::size_t find(const Rows& rows,
                                             std::string_view name) const noexcept {
        return slots_[slot_of(rows, name)];
    }

    /// Returns the row that a name in a query string refers to, or `none`. The name of a row that
    /// takes repeats may be followed by `[]`.
    template <class Rows>
    [[nodiscard]] constexpr std::size_t find_parameter(const Rows& rows,
                                                       std::string_view name) const noexcept {
        const std::size_t row = find(rows, name);
        if (row != none || !name.ends_with("[]")) return row;
        const std::size_t list = find(rows, name.substr(0, name.size() - 2));
        return list != none && rows[list].repeatable() ? list : none;
    }

private:
    /// Returns true if names with different marks collide in a slot, which another factor may
    /// prevent. Names with the same mark always collide.
    template <class Rows>
    [[nodiscard]] constexpr bool has_collision(const Rows& rows) const {
        std::vector<std::uint32_t> marks(slots_.size(), 0);  // by slot; 0: no name
        for (const auto& row : rows) {
            const std::uint32_t mark = mark_of(row.info.name);
            std::uint32_t& taken = marks[slot_of_mark(mark)];
            if (taken != 0 && taken != mark) return true;
            taken = mark;
        }
        return false;
    }

    /// Returns the slot of a name, or the free one that it would take: the first from its hash on.
    template <class Rows>
    [[nodiscard]] constexpr std::size_t slot_of(const Rows& rows,
                                                std::string_view name) const noexcept {
        std::size_t slot = name.empty() ? 0 : slot_of_mark(mark_of(name));
        while (slots_[slot] != none && !equal_bytes(rows[slots_[slot]].info.name, name)) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }
    /// Returns the first slot for a mark.
    [[nodiscard]] constexpr std::size_t slot_of_mark(std::uint32_t mark) const noexcept {
        return ((mark * factor_) >> 16U) & (slots_.size() - 1);
    }
    /// Combines the length of a name and three of its bytes, which distinguish most names. Expects
    /// a name that isn't empty.
    [[nodiscard]] static constexpr std::uint32_t mark_of(std::string_view name) noexcept {
        const auto byte = [&](std::size_t at) -> std::uint32_t {
            return static_cast<unsigned char>(name[at]);
        };
        return static_cast<std::uint32_t>(name.size()) ^ byte(0) << 8U ^
               byte(name.size() / 2) << 16U ^ byte(name.size() - 1) << 24U;
    }

    Slots slots_{};
    std::uint32_t factor_ = 0x9E37'79B1;  // of slot_of_mark(); build() changes it if names collide
};

}  // namespace sluice::detail

#endif
