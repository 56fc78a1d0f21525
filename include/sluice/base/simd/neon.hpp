// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_NEON_HPP
#define SLUICE_BASE_SIMD_NEON_HPP

#include <sluice/base/simd/scalar.hpp>
#include <sluice/base/simd/shared.hpp>

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)

#include <arm_neon.h>

/// The NEON kernels, in vectors of 16 bytes. There is no gather: tables of wide codes are read one
/// by one.
namespace sluice::detail::simd {

/// Returns the bits of 64 rows from four vectors with a byte for each row, 0 or -1. Each byte keeps
/// the bit of its row within eight; sums of neighbours, three times, are then the bytes of the
/// word.
inline std::uint64_t word_neon(const uint8x16_t (&bytes)[4]) noexcept {
    const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040'2010'0804'0201));
    const uint8x16_t pairs[2] = {vpaddq_u8(vandq_u8(bytes[0], places), vandq_u8(bytes[1], places)),
                                 vpaddq_u8(vandq_u8(bytes[2], places), vandq_u8(bytes[3], places))};
    const uint8x16_t quads = vpaddq_u8(pairs[0], pairs[1]);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quads, quads)), 0);
}

/// Membership of byte codes. One instruction looks up in a table of the set's 32 bytes: code >> 3
/// chooses the byte, code & 7 the bit.
struct byte_matcher_neon {
    uint8x16x2_t bytes;

    explicit byte_matcher_neon(const byte_set& accepted) noexcept
        : bytes{{vreinterpretq_u8_u64(vld1q_u64(accepted.bits.data())),
                 vreinterpretq_u8_u64(vld1q_u64(accepted.bits.data() + 2))}} {}

    [[nodiscard]] uint8x16_t match_16(const std::uint8_t* from) const noexcept {
        const uint8x16_t codes = vld1q_u8(from);
        const uint8x16_t byte = vqtbl2q_u8(bytes, vshrq_n_u8(codes, 3));
        const int8x16_t place = vreinterpretq_s8_u8(vandq_u8(codes, vdupq_n_u8(7)));
        return vtstq_u8(byte, vshlq_u8(vdupq_n_u8(1), place));
    }

    std::uint64_t operator()(const std::uint8_t* from) const noexcept {
        const uint8x16_t bytes[4] = {match_16(from), match_16(from + 16), match_16(from + 32),
                                     match_16(from + 48)};
        return word_neon(bytes);
    }
};

/// Equality with any of a few values.
template <class Code>
struct few_matcher_neon {
    const Code* values;
    std::size_t count;

    /// Returns the matches of 16 codes as 16 bytes, 0 or -1.
    [[nodiscard]] uint8x16_t match_16(const std::uint16_t* from) const noexcept {
        const uint16x8_t low = vld1q_u16(from);
        const uint16x8_t high = vld1q_u16(from + 8);
        uint8x16_t hits = vdupq_n_u8(0);
        for (std::size_t i = 0; i < count; ++i) {
            const uint16x8_t value = vdupq_n_u16(values[i]);
            const uint8x8_t half = vmovn_u16(vceqq_u16(low, value));
            hits = vorrq_u8(hits, vmovn_high_u16(half, vceqq_u16(high, value)));
        }
        return hits;
    }
    [[nodiscard]] uint8x16_t match_16(const std::uint32_t* from) const noexcept {
        return vcombine_u8(match_8(from), match_8(from + 8));
    }
    [[nodiscard]] uint8x8_t match_8(const std::uint32_t* from) const noexcept {
        const uint32x4_t low = vld1q_u32(from);
        const uint32x4_t high = vld1q_u32(from + 4);
        uint16x8_t hits = vdupq_n_u16(0);
        for (std::size_t i = 0; i < count; ++i) {
            const uint32x4_t value = vdupq_n_u32(values[i]);
            const uint16x4_t half = vmovn_u32(vceqq_u32(low, value));
            hits = vorrq_u16(hits, vmovn_high_u32(half, vceqq_u32(high, value)));
        }
        return vmovn_u16(hits);
    }

    std::uint64_t operator()(const Code* from) const noexcept {
        const uint8x16_t bytes[4] = {match_16(from), match_16(from + 16), match_16(from + 32),
                                     match_16(from + 48)};
        return word_neon(bytes);
    }
};

/// Numbers in a range.
template <class Number>
struct range_matcher_neon {
    Number least, span;

    /// Returns the matches of 16 numbers as 16 bytes, 0 or -1.
    [[nodiscard]] uint8x16_t match_16(const Number* from) const noexcept {
        return vcombine_u8(match_8(from), match_8(from + 8));
    }
    [[nodiscard]] uint8x8_t match_8(const std::uint16_t* from) const noexcept {
        const uint16x8_t offset = vsubq_u16(vld1q_u16(from), vdupq_n_u16(least));
        return vmovn_u16(vcleq_u16(offset, vdupq_n_u16(span)));
    }
    [[nodiscard]] uint8x8_t match_8(const std::uint32_t* from) const noexcept {
        return vmovn_u16(vcombine_u16(match_4(from), match_4(from + 4)));
    }
    [[nodiscard]] uint8x8_t match_8(const std::uint64_t* from) const noexcept {
        return vmovn_u16(vcombine_u16(match_4(from), match_4(from + 4)));
    }
    [[nodiscard]] uint16x4_t match_4(const std::uint32_t* from) const noexcept {
        const uint32x4_t offset = vsubq_u32(vld1q_u32(from), vdupq_n_u32(least));
        return vmovn_u32(vcleq_u32(offset, vdupq_n_u32(span)));
    }
    [[nodiscard]] uint16x4_t match_4(const std::uint64_t* from) const noexcept {
        const auto match_2 = [this](const std::uint64_t* part) {
            const uint64x2_t offset = vsubq_u64(vld1q_u64(part), vdupq_n_u64(least));
            return vmovn_u64(vcleq_u64(offset, vdupq_n_u64(span)));
        };
        return vmovn_u32(vcombine_u32(match_2(from), match_2(from + 2)));
    }

    std::uint64_t operator()(const Number* from) const noexcept {
        const uint8x16_t bytes[4] = {match_16(from), match_16(from + 16), match_16(from + 32),
                                     match_16(from + 48)};
        return word_neon(bytes);
    }
};

/// Calls `take_word(word, bits)` with the bits of each 64 rows.
template <class Matcher, class Code, class TakeWord>
void for_words_neon(const Matcher& matcher, const Code* codes, std::size_t rows,
                    const TakeWord& take_word) noexcept {
    const std::size_t whole = rows / word_rows;
    for (std::size_t word = 0; word < whole; ++word, codes += word_rows) {
        prefetch_ahead(codes);
        take_word(word, matcher(codes));
    }
    if (const std::size_t rest = rows % word_rows; rest != 0) {
        take_word(whole, matcher(padded(codes, rest).data()) & low_bits(rest));
    }
}

inline void match_u8_neon(const std::uint8_t* codes, std::size_t rows, const byte_set& accepted,
                          std::uint64_t* bitmap) noexcept {
    for_words_neon(byte_matcher_neon(accepted), codes, rows,
                   [=](std::size_t word, std::uint64_t bits) { bitmap[word] = bits; });
}

inline std::size_t count_u8_neon(const std::uint8_t* codes, std::size_t rows,
                                 const byte_set& accepted) noexcept {
    std::size_t count = 0;
    for_words_neon(byte_matcher_neon(accepted), codes, rows,
                   [&](std::size_t, std::uint64_t bits) { count += count_word(bits); });
    return count;
}

template <class Code>
void match_few_neon(const Code* codes, std::size_t rows, const Code* values, std::size_t count,
                    std::uint64_t* bitmap) noexcept {
    for_words_neon(few_matcher_neon<Code>{values, count}, codes, rows,
                   [=](std::size_t word, std::uint64_t bits) { bitmap[word] = bits; });
}

template <class Number>
void match_range_neon(const Number* numbers, std::size_t rows, Number least, Number span,
                      std::uint64_t* bitmap) noexcept {
    for_words_neon(range_matcher_neon<Number>{least, span}, numbers, rows,
                   [=](std::size_t word, std::uint64_t bits) { bitmap[word] = bits; });
}

inline std::size_t count_all_neon(const std::uint64_t* const* bitmaps, std::size_t count,
                                  std::size_t words) noexcept {
    uint64x2_t sums = vdupq_n_u64(0);
    std::size_t word = 0;
    for (; word + 2 <= words; word += 2) {
        uint64x2_t common = vld1q_u64(bitmaps[0] + word);
        for (std::size_t map = 1; map < count; ++map) {
            common = vandq_u64(common, vld1q_u64(bitmaps[map] + word));
        }
        const uint8x16_t counts = vcntq_u8(vreinterpretq_u8_u64(common));
        sums = vpadalq_u32(sums, vpaddlq_u16(vpaddlq_u8(counts)));
    }
    return vaddvq_u64(sums) + count_all_words(bitmaps, count, word, words);
}

inline std::size_t count_bits_neon(const std::uint64_t* bitmap, std::size_t words) noexcept {
    return count_all_neon(&bitmap, 1, words);
}

template <bit_operation operation>
void combine_neon(std::uint64_t* into, const std::uint64_t* with, std::size_t words) noexcept {
    std::size_t word = 0;
    for (; word + 2 <= words; word += 2) {
        uint64x2_t bits = vld1q_u64(into + word);
        combine<operation>(bits, vld1q_u64(with + word));
        vst1q_u64(into + word, bits);
    }
    combine_words<operation>(into, with, word, words);
}

inline std::size_t list_rows_neon(const std::uint64_t* bitmap, std::size_t words,
                                  std::uint16_t* rows) noexcept {
    const auto put_eight = [](const std::array<std::uint8_t, 8>& numbers, std::size_t first,
                              std::uint16_t* to) {
        const uint16x8_t start = vdupq_n_u16(static_cast<std::uint16_t>(first));
        vst1q_u16(to, vaddw_u8(start, vld1_u8(numbers.data())));
    };
    return list_rows_by_bytes(bitmap, words, rows, count_bits_neon(bitmap, words), put_eight);
}

inline constexpr kernels neon_kernels{
    .match_u8 = match_u8_neon,
    .match_u16 = match_table_scalar<std::uint16_t>,
    .match_u32 = match_table_scalar<std::uint32_t>,
    .match_few_u16 = match_few_neon<std::uint16_t>,
    .match_few_u32 = match_few_neon<std::uint32_t>,
    .match_range_u16 = match_range_neon<std::uint16_t>,
    .match_range_u32 = match_range_neon<std::uint32_t>,
    .match_range_u64 = match_range_neon<std::uint64_t>,
    .count_u8 = count_u8_neon,
    .count_bits = count_bits_neon,
    .count_all = count_all_neon,
    .intersect = combine_neon<bit_operation::intersect>,
    .subtract = combine_neon<bit_operation::subtract>,
    .unite = combine_neon<bit_operation::unite>,
    .list_rows = list_rows_neon,
    .find_quoted = find_quoted_scalar,
    .find_pair = find_pair_scalar,
};

}  // namespace sluice::detail::simd

#endif

#endif
