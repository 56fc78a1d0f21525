// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_SHARED_HPP
#define SLUICE_BASE_SIMD_SHARED_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <sluice/base/simd/kernel_table.hpp>

/// Building blocks shared by the kernels of several levels. The kernels themselves are specified in
/// kernel_table.hpp.
///
/// A matcher is a function object that compares the codes at an address with a set and returns one
/// bit for each, the first code's lowest: `Matcher::step` codes, or 64 if it has no `step`.
/// `Matcher::waits_for_memory` is true if comparing takes less time than loading the codes from
/// memory; see quartered_words.
namespace sluice::detail::simd {

/// Rows of one word of a bitmap.
inline constexpr std::size_t word_rows = 64;

/// Returns a word whose lowest `count` < 64 bits are set.
[[nodiscard]] constexpr std::uint64_t low_bits(std::size_t count) noexcept {
    return (std::uint64_t{1} << count) - 1;
}

/// Returns a copy of the last `rows` < 64 codes of a column, followed by zeros, so that whole
/// vectors can be read.
template <class Code>
[[nodiscard]] std::array<Code, word_rows> padded(const Code* codes, std::size_t rows) noexcept {
    std::array<Code, word_rows> all{};
    std::memcpy(all.data(), codes, rows * sizeof(Code));
    return all;
}

/// Distance in bytes at which scans prefetch codes. The prefetcher of the CPU stops at the end of a
/// 4 KiB page, and vectors of codes take so many instructions that the CPU does not look far ahead
/// by itself: from memory, scans are up to twice as fast with this.
inline constexpr std::size_t prefetch_distance = 2'048;

/// Prefetches the codes of the word of rows that lies prefetch_distance after `codes`; the column
/// may end before. Calls the builtin, as the volatile statement in detail::prefetch() slows scans
/// of bytes by up to a quarter.
template <class Code>
void prefetch_ahead(const Code* codes) noexcept {
    constexpr std::size_t line = 64;
    const auto ahead = reinterpret_cast<std::uintptr_t>(codes) + prefetch_distance;
    for (std::size_t at = 0; at < word_rows * sizeof(Code); at += line) {
        __builtin_prefetch(reinterpret_cast<const void*>(ahead + at));
    }
}

/// Number of words from which on a scan that waits for memory reads four quarters at once, a word
/// of each in turn. By measurement a fifth faster than one stream for blocks that are scattered in
/// memory, and no slower for adjacent ones. Nothing is prefetched, as the CPU follows four streams
/// by itself. Smaller quarters, of a few memory pages, were slower.
inline constexpr std::size_t quartered_words = 512;

/// Returns the number of words in each quarter; 0 if there are too few.
[[nodiscard]] constexpr std::size_t quarter_of(std::size_t words) noexcept {
    return words < quartered_words ? 0 : words / 4;
}

/// Sets every row of a bitmap, or none.
inline void fill_rows(std::uint64_t* bitmap, std::size_t rows, bool set) noexcept {
    const std::size_t whole = rows / word_rows;
    for (std::size_t word = 0; word < whole; ++word) bitmap[word] = set ? ~std::uint64_t{0} : 0;
    if (rows % word_rows != 0) bitmap[whole] = set ? low_bits(rows % word_rows) : 0;
}

/// Returns the greatest code below `table.codes`, which isn't 0, as the signed lanes of vectors
/// hold it.
[[nodiscard]] constexpr std::int32_t last_code(const code_bits& table) noexcept {
    constexpr std::size_t greatest = 0xffff'ffff;
    const std::size_t last = table.codes - 1;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(last < greatest ? last : greatest));
}

/// A few values to compare codes with. Each is repeated to fill 32 bits (0x07 as 0x07070707), so
/// that every level can fill a vector with it by one instruction. They are integers and not
/// vectors, since g++ 12 may place local arrays of vectors at addresses that are not aligned for
/// them (GCC PR109780).
template <class Code>
struct few_lanes {
    std::array<std::int32_t, few_values> lanes{};
    std::size_t count = 0;

    constexpr void append(Code value) noexcept {
        constexpr std::uint32_t repeated = ~std::uint32_t{0} / static_cast<Code>(~Code{0});
        lanes[count++] = static_cast<std::int32_t>(repeated * value);
    }
};

template <class Code>
[[nodiscard]] few_lanes<Code> few_lanes_of(const Code* values, std::size_t count) noexcept {
    few_lanes<Code> few;
    for (std::size_t i = 0; i < count; ++i) few.append(values[i]);
    return few;
}

/// Returns the number of set bits, by partial sums: without POPCNT, std::popcount is a call.
[[nodiscard]] constexpr std::size_t count_word(std::uint64_t word) noexcept {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return word * 0x0101010101010101 >> 56;
}

/// Returns the number of bits that every one of `count` bitmaps has set, among those of their words
/// `begin` to `end` - 1. The scalar twin of the kernels, and their last words.
[[nodiscard]] constexpr std::size_t count_all_words(const std::uint64_t* const* bitmaps,
                                                    std::size_t count, std::size_t begin,
                                                    std::size_t end) noexcept {
    std::size_t bits = 0;
    for (std::size_t word = begin; word < end; ++word) {
        std::uint64_t common = bitmaps[0][word];
        for (std::size_t map = 1; map < count; ++map) common &= bitmaps[map][word];
        bits += count_word(common);
    }
    return bits;
}

/// A number of bitmaps known at compile time: the loop over them is unrolled, so that more loads
/// run at the same time. Most queries count the rows of two or three conditions.
template <std::size_t Count>
using known_count = std::integral_constant<std::size_t, Count>;

enum class bit_operation : std::uint8_t { intersect, subtract, unite };

/// Applies a bitmap operation to a word, or to a vector of any level.
template <bit_operation operation, class Bits>
constexpr void combine(Bits& into, const Bits& with) noexcept {
    if constexpr (operation == bit_operation::intersect) into &= with;
    if constexpr (operation == bit_operation::subtract) into &= ~with;
    if constexpr (operation == bit_operation::unite) into |= with;
}

/// Combines the words `begin` to `end`, one by one.
template <bit_operation operation>
constexpr void combine_words(std::uint64_t* into, const std::uint64_t* with, std::size_t begin,
                             std::size_t end) noexcept {
    for (std::size_t word = begin; word < end; ++word) combine<operation>(into[word], with[word]);
}

/// A set of byte codes as rows of a 16 x 16 square, for machines that look up 16 entries at once
/// (PSHUFB). The low nibble of a code chooses a row and the high nibble a bit in it:
///
///                      low[n], bit h           high[n], bit h - 8
///     code = h n       h = 7 6 5 4 3 2 1 0     h = f e d c b a 9 8
///     n = 0              . . . . . . . .           . . . . . . . .
///     ...                                ...
///     n = f              . . . . . . . .           . . . . . . . .
///
/// PSHUFB yields 0 where bit 7 of its index is set, and ignores bits 4 to 6. So codes from 0x80
/// on find nothing in `low` as they are, and those below nothing in `high` with bit 7 flipped.
struct nibble_rows {
    alignas(16) std::array<std::uint8_t, 16> low{};
    alignas(16) std::array<std::uint8_t, 16> high{};
};

/// Returns bits n, n + 16, n + 32 and n + 48 of a word as 4 bits: the product moves them to 48 and
/// on.
[[nodiscard]] constexpr unsigned every_16th_bit(std::uint64_t word, unsigned n) noexcept {
    const std::uint64_t spread = word >> n & 0x0001'0001'0001'0001;
    return static_cast<unsigned>(spread * 0x0001'0002'0004'0008 >> 48) & 15;
}

/// Returns the rows of a set. Word w of the set has the codes with high nibbles 4w to 4w + 3.
[[nodiscard]] constexpr nibble_rows nibble_rows_of(const byte_set& set) noexcept {
    nibble_rows rows;
    for (unsigned n = 0; n < 16; ++n) {
        rows.low[n] = static_cast<std::uint8_t>(every_16th_bit(set.bits[0], n) |
                                                every_16th_bit(set.bits[1], n) << 4);
        rows.high[n] = static_cast<std::uint8_t>(every_16th_bit(set.bits[2], n) |
                                                 every_16th_bit(set.bits[3], n) << 4);
    }
    return rows;
}

/// Entry n is bit n % 8: the column of `nibble_rows` for high nibble n.
alignas(16) inline constexpr std::array<std::uint8_t, 16> nibble_columns{
    1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

/// Number of set bits in each nibble.
alignas(16) inline constexpr std::array<std::uint8_t, 16> nibble_counts{0, 1, 1, 2, 1, 2, 2, 3,
                                                                        1, 2, 2, 3, 2, 3, 3, 4};

/// Lists the rows of one word by clearing its lowest bit until none is left; returns the place of
/// the next row.
inline std::uint16_t* list_word(std::uint64_t word, std::size_t first_row,
                                std::uint16_t* rows) noexcept {
    for (; word != 0; word &= word - 1) {
        *rows++ =
            static_cast<std::uint16_t>(first_row + static_cast<std::size_t>(__builtin_ctzll(word)));
    }
    return rows;
}

// Row lists by bytes of a bitmap, for machines that cannot compress vectors.

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

/// Returns in byte i the number of set bits in bytes 0 to i of a word. The partial sums are those
/// of count_word(); the product adds all lower bytes to each byte.
[[nodiscard]] constexpr std::uint64_t counts_up_to_bytes(std::uint64_t word) noexcept {
    word -= word >> 1 & 0x5555'5555'5555'5555;
    word = (word & 0x3333'3333'3333'3333) + (word >> 2 & 0x3333'3333'3333'3333);
    word = (word + (word >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
    return word * 0x0101'0101'0101'0101;
}

/// Words with fewer rows are listed row by row, which was faster by measurement.
inline constexpr std::size_t dense_word = 12;

/// Lists the rows of a bitmap, `total` in all, and returns `total`. `put_eight(numbers, first, to)`
/// writes the sums of `first` and each of eight numbers at `to`.
///
/// Every byte of the bitmap writes eight rows, and the next byte overwrites those beyond the bits
/// that are set. The last rows, after which `rows` may have no room for that, are listed row by
/// row.
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
