// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_SSE2_HPP
#define SLUICE_BASE_SIMD_SSE2_HPP

#if defined(__x86_64__)

#include <emmintrin.h>

#include <sluice/base/simd/scalar.hpp>
#include <sluice/base/simd/shared.hpp>

/// The SSE2 kernels, in vectors of 16 bytes. SSE2 has no look-ups and no gathers: vectors compare
/// with a few values, and tables are read byte by byte.
namespace sluice::detail::simd {

inline __m128i load_sse2(const void* from) noexcept {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

/// Returns the bits of 64 rows from four vectors with a byte for each row, 0 or -1.
inline std::uint64_t word_sse2(const __m128i (&bytes)[4]) noexcept {
    const auto bits = [&](int i) {
        return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(bytes[i]))};
    };
    return bits(0) | bits(1) << 16 | bits(2) << 32 | bits(3) << 48;
}

/// Number of values above which byte_table was faster by measurement than comparing with each.
inline constexpr std::size_t few_bytes = 10;

/// Membership in a set of at most `few_bytes` codes or, as its complement, in one that lacks at
/// most as many. Called with 64 codes, it returns a bit for each, set if the code is a member.
struct few_bytes_sse2 {
    few_lanes<std::uint8_t> few;
    std::uint64_t flip;

    few_bytes_sse2(const byte_set& set, bool complement) noexcept
        : flip(complement ? ~std::uint64_t{0} : 0) {
        for (std::size_t word = 0; word < set.bits.size(); ++word) {
            for (std::uint64_t rest = set.bits[word] ^ flip; rest != 0; rest &= rest - 1) {
                const std::size_t code = word * 64 + static_cast<unsigned>(__builtin_ctzll(rest));
                few.append(static_cast<std::uint8_t>(code));
            }
        }
    }

    std::uint64_t operator()(const std::uint8_t* from) const noexcept {
        const __m128i codes[4] = {load_sse2(from), load_sse2(from + 16), load_sse2(from + 32),
                                  load_sse2(from + 48)};
        __m128i hits[4] = {};
        for (std::size_t i = 0; i < few.count; ++i) {
            const __m128i value = _mm_set1_epi32(few.lanes[i]);
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) hits[j] |= _mm_cmpeq_epi8(codes[j], value);
        }
        return word_sse2(hits) ^ flip;
    }
};

/// Membership by eight tables, one for each place of a row in a byte of the bitmap: entry
/// [row][code] has bit `row` set if the code is a member. So eight rows take eight reads, and no
/// shift. Called like few_bytes_sse2.
struct byte_table {
    std::array<std::array<std::uint8_t, 256>, 8> bits;

    explicit byte_table(const byte_set& set) noexcept {
        for (std::size_t code = 0; code < 256; ++code) {
            const unsigned member = set.contains(static_cast<std::uint8_t>(code)) ? 1 : 0;
            for (std::size_t row = 0; row < 8; ++row) {
                bits[row][code] = static_cast<std::uint8_t>(member << row);
            }
        }
    }

    /// Returns the bits of 8 codes. Loads them four at a time.
    [[nodiscard]] std::uint64_t match_8(const std::uint8_t* from) const noexcept {
        std::uint32_t first;
        std::uint32_t second;
        std::memcpy(&first, from, 4);
        std::memcpy(&second, from + 4, 4);
        const unsigned low = bits[0][first & 255] | bits[1][first >> 8 & 255] |
                             bits[2][first >> 16 & 255] | bits[3][first >> 24];
        const unsigned high = bits[4][second & 255] | bits[5][second >> 8 & 255] |
                              bits[6][second >> 16 & 255] | bits[7][second >> 24];
        return low | high;
    }

    std::uint64_t operator()(const std::uint8_t* from) const noexcept {
        std::uint64_t word = 0;
#pragma GCC unroll 8
        for (int row = 0; row < 64; row += 8) word |= match_8(from + row) << row;
        return word;
    }
};

/// Numbers of 2 or 4 bytes from `least` to `least + span`, 64 at a time; a bit for each.
template <class Number>
struct range_matcher_sse2 {
    Number least, span;

    /// Returns the matches of 16 numbers as 16 bytes, 0 or -1.
    [[nodiscard]] __m128i match_16(const std::uint16_t* from) const noexcept {
        const __m128i first = _mm_set1_epi16(static_cast<short>(least));
        const __m128i last = _mm_set1_epi16(static_cast<short>(span));
        const auto match = [&](const std::uint16_t* part) {
            const __m128i beyond = _mm_subs_epu16(_mm_sub_epi16(load_sse2(part), first), last);
            return _mm_cmpeq_epi16(beyond, _mm_setzero_si128());
        };
        return _mm_packs_epi16(match(from), match(from + 8));
    }
    /// SSE2 compares signed numbers only: flipping the sign bit keeps the order of unsigned ones.
    [[nodiscard]] __m128i match_16(const std::uint32_t* from) const noexcept {
        constexpr std::uint32_t sign = 0x8000'0000;
        const __m128i first = _mm_set1_epi32(static_cast<int>(least - sign));
        const __m128i last = _mm_set1_epi32(static_cast<int>(span ^ sign));
        const auto beyond = [&](const std::uint32_t* part) {
            return _mm_cmpgt_epi32(_mm_sub_epi32(load_sse2(part), first), last);
        };
        const __m128i outside =
            _mm_packs_epi16(_mm_packs_epi32(beyond(from), beyond(from + 4)),
                            _mm_packs_epi32(beyond(from + 8), beyond(from + 12)));
        return _mm_cmpeq_epi8(outside, _mm_setzero_si128());
    }

    std::uint64_t operator()(const Number* from) const noexcept {
        const __m128i bytes[4] = {match_16(from), match_16(from + 16), match_16(from + 32),
                                  match_16(from + 48)};
        return word_sse2(bytes);
    }
};

/// Equality with any of a few values, 64 codes at a time; a bit for each.
template <class Code>
struct few_matcher_sse2 {
    few_lanes<Code> few;

    /// Returns the matches of 16 codes as 16 bytes, 0 or -1.
    [[nodiscard]] __m128i match_16(const std::uint16_t* from) const noexcept {
        const __m128i codes[2] = {load_sse2(from), load_sse2(from + 8)};
        __m128i hits[2] = {};
        for (std::size_t i = 0; i < few.count; ++i) {
            const __m128i value = _mm_set1_epi32(few.lanes[i]);
#pragma GCC unroll 2
            for (int j = 0; j < 2; ++j) hits[j] |= _mm_cmpeq_epi16(codes[j], value);
        }
        return _mm_packs_epi16(hits[0], hits[1]);
    }
    [[nodiscard]] __m128i match_16(const std::uint32_t* from) const noexcept {
        const __m128i codes[4] = {load_sse2(from), load_sse2(from + 4), load_sse2(from + 8),
                                  load_sse2(from + 12)};
        __m128i hits[4] = {};
        for (std::size_t i = 0; i < few.count; ++i) {
            const __m128i value = _mm_set1_epi32(few.lanes[i]);
#pragma GCC unroll 4
            for (int j = 0; j < 4; ++j) hits[j] |= _mm_cmpeq_epi32(codes[j], value);
        }
        return _mm_packs_epi16(_mm_packs_epi32(hits[0], hits[1]),
                               _mm_packs_epi32(hits[2], hits[3]));
    }

    std::uint64_t operator()(const Code* from) const noexcept {
        const __m128i bytes[4] = {match_16(from), match_16(from + 16), match_16(from + 32),
                                  match_16(from + 48)};
        return word_sse2(bytes);
    }
};

/// Calls `take_word(word, bits)` with the bits of each 64 rows.
template <class Matcher, class Code, class TakeWord>
void for_words_sse2(const Matcher& matcher, const Code* codes, std::size_t rows,
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

/// Like for_words_sse2() with a matcher, which it chooses by the number of members.
template <class TakeWord>
void for_words_sse2(const byte_set& accepted, const std::uint8_t* codes, std::size_t rows,
                    const TakeWord& take_word) noexcept {
    const std::size_t members = count_bits_scalar(accepted.bits.data(), accepted.bits.size());
    if (members <= few_bytes || members >= 256 - few_bytes) {
        return for_words_sse2(few_bytes_sse2(accepted, members > few_bytes), codes, rows,
                              take_word);
    }
    for_words_sse2(byte_table(accepted), codes, rows, take_word);
}

inline void match_u8_sse2(const std::uint8_t* codes, std::size_t rows, const byte_set& accepted,
                          std::uint64_t* bitmap) noexcept {
    for_words_sse2(accepted, codes, rows,
                   [=](std::size_t word, std::uint64_t bits) { bitmap[word] = bits; });
}

inline std::size_t count_u8_sse2(const std::uint8_t* codes, std::size_t rows,
                                 const byte_set& accepted) noexcept {
    std::size_t count = 0;
    for_words_sse2(accepted, codes, rows,
                   [&](std::size_t, std::uint64_t bits) { count += count_word(bits); });
    return count;
}

template <class Code>
void match_few_sse2(const Code* codes, std::size_t rows, const Code* values, std::size_t count,
                    std::uint64_t* bitmap) noexcept {
    for_words_sse2(few_matcher_sse2<Code>{few_lanes_of(values, count)}, codes, rows,
                   [=](std::size_t word, std::uint64_t bits) { bitmap[word] = bits; });
}

template <class Number>
void match_range_sse2(const Number* numbers, std::size_t rows, Number least, Number span,
                      std::uint64_t* bitmap) noexcept {
    for_words_sse2(range_matcher_sse2<Number>{least, span}, numbers, rows,
                   [=](std::size_t word, std::uint64_t bits) { bitmap[word] = bits; });
}

/// Like count_word(), for the bytes of a vector.
inline __m128i byte_counts_sse2(__m128i bits) noexcept {
    const __m128i pairs = _mm_set1_epi8(0x55);
    const __m128i quads = _mm_set1_epi8(0x33);
    bits = _mm_sub_epi8(bits, _mm_srli_epi16(bits, 1) & pairs);
    bits = _mm_add_epi8(bits & quads, _mm_srli_epi16(bits, 2) & quads);
    return _mm_add_epi8(bits, _mm_srli_epi16(bits, 4)) & _mm_set1_epi8(15);
}

inline std::size_t count_all_sse2(const std::uint64_t* const* bitmaps, std::size_t count,
                                  std::size_t words) noexcept {
    __m128i sums = _mm_setzero_si128();
    std::size_t word = 0;
    for (; word + 2 <= words; word += 2) {
        __m128i common = load_sse2(bitmaps[0] + word);
        for (std::size_t map = 1; map < count; ++map) common &= load_sse2(bitmaps[map] + word);
        sums = _mm_add_epi64(sums, _mm_sad_epu8(byte_counts_sse2(common), _mm_setzero_si128()));
    }
    const __m128i high = _mm_unpackhi_epi64(sums, sums);
    const auto vectors = static_cast<std::size_t>(_mm_cvtsi128_si64(_mm_add_epi64(sums, high)));
    return vectors + count_all_words(bitmaps, count, word, words);
}

inline std::size_t count_bits_sse2(const std::uint64_t* bitmap, std::size_t words) noexcept {
    return count_all_sse2(&bitmap, 1, words);
}

template <bit_operation operation>
void combine_sse2(std::uint64_t* into, const std::uint64_t* with, std::size_t words) noexcept {
    std::size_t word = 0;
    for (; word + 2 <= words; word += 2) {
        __m128i bits = load_sse2(into + word);
        combine<operation>(bits, load_sse2(with + word));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(into + word), bits);
    }
    combine_words<operation>(into, with, word, words);
}

inline std::size_t list_rows_sse2(const std::uint64_t* bitmap, std::size_t words,
                                  std::uint16_t* rows) noexcept {
    const auto put_eight = [](const std::array<std::uint8_t, 8>& numbers, std::size_t first,
                              std::uint16_t* to) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(numbers.data()));
        const __m128i wide = _mm_unpacklo_epi8(bytes, _mm_setzero_si128());
        const __m128i listed = _mm_add_epi16(wide, _mm_set1_epi16(static_cast<short>(first)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), listed);
    };
    return list_rows_by_bytes(bitmap, words, rows, count_bits_sse2(bitmap, words), put_eight);
}

/// Returns the positions, among 16, of a backslash or of a quote before a wanted byte; reads 17
/// bytes.
inline std::uint32_t quoted_sse2(const char* from, const after_quote& wanted) noexcept {
    const __m128i bytes = load_sse2(from);
    const __m128i next = load_sse2(from + 1);
    __m128i hits = _mm_setzero_si128();
    for (std::size_t i = 0; i < wanted.count; ++i) {
        hits |= _mm_cmpeq_epi8(next, _mm_set1_epi8(wanted.bytes[i]));
    }
    hits &= _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    hits |= _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(hits));
}

/// The last vector ends where the text does, and its positions are shifted.
inline std::size_t find_quoted_sse2(const char* text, std::size_t begin, std::size_t size,
                                    const after_quote& wanted) noexcept {
    constexpr std::size_t step = 16;
    if (size <= step) return find_quoted_scalar(text, begin, size, wanted);
    for (std::size_t at = begin; at + 1 < size; at += step) {
        const std::size_t from = at + step < size ? at : size - 1 - step;
        const std::uint32_t hits = quoted_sse2(text + from, wanted) >> (at - from);
        if (hits != 0) return at + static_cast<std::size_t>(__builtin_ctz(hits));
    }
    return size;
}

/// Tests 16 positions at a time, and the last ones one by one.
inline std::size_t find_pair_sse2(const char* text, std::size_t begin, std::size_t size,
                                  const byte_pair& wanted) noexcept {
    constexpr std::size_t step = 16;
    const __m128i first = _mm_set1_epi8(wanted.first), last = _mm_set1_epi8(wanted.last);
    std::size_t at = begin;
    for (; at + wanted.distance + step <= size; at += step) {
        const __m128i hits = _mm_cmpeq_epi8(load_sse2(text + at), first) &
                             _mm_cmpeq_epi8(load_sse2(text + at + wanted.distance), last);
        const auto places = static_cast<std::uint32_t>(_mm_movemask_epi8(hits));
        if (places != 0) return at + static_cast<std::size_t>(__builtin_ctz(places));
    }
    return find_pair_scalar(text, at, size, wanted);
}

inline constexpr kernels sse2_kernels{
    .match_u8 = match_u8_sse2,
    .match_u16 = match_table_scalar<std::uint16_t>,
    .match_u32 = match_table_scalar<std::uint32_t>,
    .match_few_u16 = match_few_sse2<std::uint16_t>,
    .match_few_u32 = match_few_sse2<std::uint32_t>,
    .match_range_u16 = match_range_sse2<std::uint16_t>,
    .match_range_u32 = match_range_sse2<std::uint32_t>,
    .match_range_u64 = match_range_scalar<std::uint64_t>,
    .count_u8 = count_u8_sse2,
    .count_bits = count_bits_sse2,
    .count_all = count_all_sse2,
    .intersect = combine_sse2<bit_operation::intersect>,
    .subtract = combine_sse2<bit_operation::subtract>,
    .unite = combine_sse2<bit_operation::unite>,
    .list_rows = list_rows_sse2,
    .find_quoted = find_quoted_sse2,
    .find_pair = find_pair_sse2,
};

}  // namespace sluice::detail::simd

#endif

#endif
