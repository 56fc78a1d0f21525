// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_REGISTER_SETS_HPP
#define SLUICE_BASE_SIMD_REGISTER_SETS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <sluice/base/simd/shared.hpp>

/// Sets of codes that fit into one vector, for machines that look up in all of it at once (VPERMD).
namespace sluice::detail::simd {

/// A few values, each in the place that some of its bits choose. A code is one of them if it equals
/// the value in its own place:
///
///     values 5 = 101, 6 = 110 and 9 = 1001 in 4 places, by bits 1 and 2    | 9 | 5 | 5 | 6 |
///
/// Bits 0 and 1 don't distinguish 5 from 9. Place 1 has no value of its own and holds the first
/// one, which no code of that place equals.
template <class Code, std::size_t Places>
struct value_places {
    std::array<Code, Places> values{};
    unsigned shift = 0;
};

/// Returns the places of values; nullopt if there are no values, or no such bits distinguish them.
template <class Code, std::size_t Places>
[[nodiscard]] constexpr std::optional<value_places<Code, Places>> places_of(
    const Code* values, std::size_t count) noexcept {
    for (unsigned shift = 0; count > 0 && shift < 8 * sizeof(Code); ++shift) {
        value_places<Code, Places> few{.shift = shift};
        few.values.fill(values[0]);
        std::uint64_t taken = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t place = (values[i] >> shift) % Places;
            taken |= std::uint64_t{1} << place;
            few.values[place] = values[i];
        }
        if (count_word(taken) == count) return few;
    }
    return std::nullopt;
}

/// A set of codes below 512, one bit each.
inline constexpr std::size_t small_codes = 512;
using small_set = std::array<std::uint64_t, small_codes / 64>;

/// Returns the codes of a table that knows only codes below 512.
[[nodiscard]] constexpr small_set small_set_of(const code_bits& table) noexcept {
    small_set set{};
    for (std::size_t word = 0; word * 64 < table.codes; ++word) {
        const std::size_t left = table.codes - word * 64;
        set[word] = table.words[word] & (left < 64 ? low_bits(left) : ~std::uint64_t{0});
    }
    return set;
}
/// Returns a set of values; nullopt if one is 512 or larger.
template <class Code>
[[nodiscard]] constexpr std::optional<small_set> small_set_of(const Code* values,
                                                              std::size_t count) noexcept {
    small_set set{};
    for (std::size_t i = 0; i < count; ++i) {
        if (values[i] >= small_codes) return std::nullopt;
        set[values[i] / 64] |= std::uint64_t{1} << (values[i] % 64);
    }
    return set;
}

}  // namespace sluice::detail::simd

#endif
