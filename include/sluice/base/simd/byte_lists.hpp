// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_BYTE_LISTS_HPP
#define SLUICE_BASE_SIMD_BYTE_LISTS_HPP

#include <sluice/base/simd/shared.hpp>

/// Row lists by bytes of a bitmap, for machines that cannot compress vectors.
namespace sluice::detail::simd {

/// Returns a list for each byte: entry b has the set bits of byte b, ascending, and then zeros.
[[nodiscard]] constexpr std::array<std::array<std::uint8_t, 8>, 256> list_byte_bits() noexcept {
    std::array<std::array<std::uint8_t, 8>, 256> lists{};
    for (std::size_t byte = 0; byte < lists.size(); ++byte) {
        std::size_t count = 0;
        for (std::uint8_t bit = 0; bit < 8; ++bit) {
            if ((byte >> bit & 1) != 0) lists[byte][count++] = bit;
        }
    }
    return lists;
}

inline constexpr std::array<std::array<std::uint8_t, 8>, 256> byte_bits = list_byte_bits();

/// Returns in byte i the number of set bits in bytes 0 to i. All eight at once, so that no byte of
/// a word waits for the one before it.
[[nodiscard]] constexpr std::uint64_t counts_up_to_bytes(std::uint64_t word) noexcept {
    word -= word >> 1 & 0x5555'5555'5555'5555;
    word = (word & 0x3333'3333'3333'3333) + (word >> 2 & 0x3333'3333'3333'3333);
    word = (word + (word >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
    return word * 0x0101'0101'0101'0101;
}

/// Words with fewer rows are listed row by row.
inline constexpr std::size_t dense_word = 12;

/// Lists the rows of a bitmap. `put_eight(numbers, first, to)` writes first + numbers[0] to first +
/// numbers[7]. Each byte writes eight rows, of which the next byte overwrites those that are none;
/// so the last rows, after which there may be no room, are listed row by row too.
template <class PutEight>
std::size_t list_rows_by_bytes(const std::uint64_t* bitmap, std::size_t words, std::uint16_t* rows,
                               std::size_t total, const PutEight& put_eight) noexcept {
    std::uint16_t* next = rows;
    const std::uint16_t* const end = rows + total;
    for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t counts = counts_up_to_bytes(bitmap[word]);
        const std::size_t count = counts >> 56;
        if (count < dense_word || static_cast<std::size_t>(end - next) < count + 8) {
            next = list_word(bitmap[word], word * word_rows, next);
            continue;
        }
        for (unsigned byte = 0; byte < 8; ++byte) {
            const std::size_t before = byte == 0 ? 0 : counts >> (8 * byte - 8) & 0xff;
            put_eight(byte_bits[bitmap[word] >> 8 * byte & 0xff], word * word_rows + 8 * byte,
                      next + before);
        }
        next += count;
    }
    return total;
}

}  // namespace sluice::detail::simd

#endif
