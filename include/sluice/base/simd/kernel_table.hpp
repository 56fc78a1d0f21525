// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_KERNEL_TABLE_HPP
#define SLUICE_BASE_SIMD_KERNEL_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

/// The kernels: inner loops of column scans, which every SIMD level implements, and their
/// arguments.
namespace sluice::detail::simd {

/// A set of byte codes for kernels: bit c % 64 of word c / 64 is code c. A code is the number of a
/// row's value in the dictionary of its column.
struct byte_set {
    std::array<std::uint64_t, 4> bits{};

    [[nodiscard]] constexpr bool contains(std::uint8_t code) const noexcept {
        return (bits[code / 64U] >> (code % 64U) & 1) != 0;
    }
    constexpr void insert(std::uint8_t code) noexcept {
        bits[code / 64U] |= std::uint64_t{1} << (code % 64U);
    }
};

/// A set of codes of 2 or 4 bytes: code c < `codes` is a member if bit c % 64 of words[c / 64] is
/// set, every other code if `others` is true. Borrows ceil(codes / 64) words, which are not read if
/// `codes` is 0.
struct code_bits {
    const std::uint64_t* words;
    std::size_t codes;
    bool others;
};

/// Maximum number of values for `match_few_u16` and `match_few_u32`.
inline constexpr std::size_t few_values = 16;

/// The bytes that find_quoted looks for after a quote: the first `count` of `bytes`.
struct after_quote {
    std::array<char, 4> bytes{};
    std::size_t count = 0;
};

/// Two bytes of a text, one some bytes after the other, that find_pair looks for.
struct byte_pair {
    char first;
    char last;
    std::size_t distance;  ///< from the first to the last
};

/// The inner loops of one SIMD level.
///
/// A row bitmap is ceil(rows / 64) words: bit r % 64 of word r / 64 is row r. Kernels write the
/// bits beyond `rows` as 0. Pointers need the alignment of their type, no more. Nothing is read
/// or written outside of the arrays, whose sizes are those of the parameters.
struct kernels {
    /// Overwrite a bitmap: a row's bit is set if its code is in `accepted`.
    void (*match_u8)(const std::uint8_t* codes, std::size_t rows, const byte_set& accepted,
                     std::uint64_t* bitmap);
    void (*match_u16)(const std::uint16_t* codes, std::size_t rows, const code_bits& accepted,
                      std::uint64_t* bitmap);
    void (*match_u32)(const std::uint32_t* codes, std::size_t rows, const code_bits& accepted,
                      std::uint64_t* bitmap);

    /// Like match_u16 and match_u32, for rows whose code is one of `count` <= `few_values` values.
    void (*match_few_u16)(const std::uint16_t* codes, std::size_t rows, const std::uint16_t* values,
                          std::size_t count, std::uint64_t* bitmap);
    void (*match_few_u32)(const std::uint32_t* codes, std::size_t rows, const std::uint32_t* values,
                          std::size_t count, std::uint64_t* bitmap);

    /// Like match_u16, for rows whose number is one of `least` to `least` + `span`, modulo the
    /// number's width.
    void (*match_range_u16)(const std::uint16_t* numbers, std::size_t rows, std::uint16_t least,
                            std::uint16_t span, std::uint64_t* bitmap);
    void (*match_range_u32)(const std::uint32_t* numbers, std::size_t rows, std::uint32_t least,
                            std::uint32_t span, std::uint64_t* bitmap);
    void (*match_range_u64)(const std::uint64_t* numbers, std::size_t rows, std::uint64_t least,
                            std::uint64_t span, std::uint64_t* bitmap);

    /// Returns the number of bits that `match_u8` would set.
    std::size_t (*count_u8)(const std::uint8_t* codes, std::size_t rows, const byte_set& accepted);

    std::size_t (*count_bits)(const std::uint64_t* bitmap, std::size_t words);

    /// Returns the number of bits set in all of `count` >= 1 bitmaps, without writing the
    /// intersection.
    std::size_t (*count_all)(const std::uint64_t* const* bitmaps, std::size_t count,
                             std::size_t words);

    /// Change the words of `into`: to those bits that both bitmaps have, that only `into` has, or
    /// that either has.
    void (*intersect)(std::uint64_t* into, const std::uint64_t* with, std::size_t words);
    void (*subtract)(std::uint64_t* into, const std::uint64_t* without, std::size_t words);
    void (*unite)(std::uint64_t* into, const std::uint64_t* with, std::size_t words);

    /// Lists the set bits of a bitmap of at most 65,536 rows as row numbers, ascending; returns
    /// their number. `rows` has room for exactly those.
    std::size_t (*list_rows)(const std::uint64_t* bitmap, std::size_t words, std::uint16_t* rows);

    /// Returns the first position in a text of `size` bytes, from `begin` on, of a backslash or of
    /// a quote before a wanted byte; `size` if there is none. The last byte is no match.
    std::size_t (*find_quoted)(const char* text, std::size_t begin, std::size_t size,
                               const after_quote& wanted);
    /// Returns the first position in a text of `size` bytes, from `begin` on, of a pair's first
    /// byte before its last; `size` if there is none.
    std::size_t (*find_pair)(const char* text, std::size_t begin, std::size_t size,
                             const byte_pair& wanted);
};

}  // namespace sluice::detail::simd

#endif
