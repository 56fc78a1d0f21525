// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_SIMD_AVX512_HPP
#define SLUICE_DETAIL_SIMD_AVX512_HPP

#if defined(__x86_64__)

#include <immintrin.h>

#include <sluice/detail/simd/avx512_bits.hpp>

#if defined(__GNUC__) && !defined(__clang__)  // g++ warns of its own intrinsics: GCC PR105593
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/// The kernels in vectors of 64 bytes, whose comparisons yield a bit for each lane.
namespace sluice::detail::simd {

/// Membership of 64 byte codes: see `nibble_rows`.
struct byte_matcher_avx512 {
    static constexpr std::size_t step = 64;
    static constexpr bool waits_for_memory = true;
    __m512i low, high, columns;

    [[gnu::target("avx512f,avx512bw")]] explicit byte_matcher_avx512(
        const byte_set& accepted) noexcept {
        const nibble_rows rows = nibble_rows_of(accepted);
        low = repeat_avx512(rows.low);
        high = repeat_avx512(rows.high);
        columns = repeat_avx512(nibble_columns);
    }

    [[gnu::target("avx512f,avx512bw")]] std::uint64_t operator()(
        const std::uint8_t* from) const noexcept {
        const __m512i codes = load_avx512(from);
        const __m512i flipped = _mm512_xor_si512(codes, _mm512_set1_epi8(-128));
        const __m512i row =
            _mm512_or_si512(_mm512_shuffle_epi8(low, codes), _mm512_shuffle_epi8(high, flipped));
        // There is no shift of bytes: that of 16-bit lanes brings in bits, which the mask removes.
        const __m512i nibble = _mm512_and_si512(_mm512_srli_epi16(codes, 4), _mm512_set1_epi8(15));
        return _mm512_test_epi8_mask(row, _mm512_shuffle_epi8(columns, nibble));
    }
};

/// Membership of 16 codes by a gather of the 32-bit words that their bits are in.
template <class Code>
struct table_matcher_avx512 {
    static constexpr std::size_t step = 16;
    static constexpr bool waits_for_memory = false;
    const std::uint64_t* words;
    __m512i last, others;

    /// `accepted` knows at least one code.
    [[gnu::target("avx512f")]] explicit table_matcher_avx512(const code_bits& accepted) noexcept
        : words(accepted.words),
          last(_mm512_set1_epi32(last_code(accepted))),
          others(_mm512_set1_epi32(accepted.others ? -1 : 0)) {}

    [[gnu::target("avx512f")]] std::uint64_t operator()(const Code* from) const noexcept {
        const __m512i codes = widened(from);
        const __mmask16 known = _mm512_cmple_epu32_mask(codes, last);
        const __m512i index = _mm512_srli_epi32(codes, 5);
        const __m512i word = _mm512_mask_i32gather_epi32(others, known, index, words, 4);
        // Rotated by c modulo 32, bit c % 32 comes first.
        return _mm512_test_epi32_mask(_mm512_rorv_epi32(word, codes), _mm512_set1_epi32(1));
    }

    [[gnu::target("avx512f")]] static __m512i widened(const Code* from) noexcept {
        if constexpr (sizeof(Code) == 4) return load_avx512(from);
        return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
};

/// Equality of 32 codes of 2 bytes, or 16 of 4 bytes, with any of a few values.
template <class Code>
struct few_matcher_avx512 {
    static constexpr std::size_t step = 64 / sizeof(Code);
    static constexpr bool waits_for_memory = true;
    few_lanes<Code> few;

    [[gnu::target("avx512f,avx512bw")]] std::uint64_t operator()(const Code* from) const noexcept {
        const __m512i codes = load_avx512(from);
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < few.count; ++i) {
            const __m512i value = _mm512_set1_epi32(few.lanes[i]);
            if constexpr (sizeof(Code) == 2) found |= _mm512_cmpeq_epi16_mask(codes, value);
            if constexpr (sizeof(Code) == 4) found |= _mm512_cmpeq_epi32_mask(codes, value);
        }
        return found;
    }
};

template <class Matcher, class Code>
[[gnu::target("avx512f,avx512bw")]] inline std::uint64_t match_word_avx512(
    const Matcher& matcher, const Code* codes) noexcept {
    std::uint64_t word = 0;
#pragma GCC unroll 4
    for (std::size_t row = 0; row < word_rows; row += Matcher::step) {
        word |= matcher(codes + row) << row;
    }
    return word;
}

template <class Matcher, class Code>
[[gnu::target("avx512f,avx512bw")]] inline void match_rows_avx512(const Matcher& matcher,
                                                                  const Code* codes,
                                                                  std::size_t rows,
                                                                  std::uint64_t* bitmap) noexcept {
    const std::size_t whole = rows / word_rows;
    const std::size_t quarter = Matcher::waits_for_memory ? quarter_of(whole) : 0;
    for (std::size_t word = 0; word < quarter; ++word) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t at = i * quarter + word;
            bitmap[at] = match_word_avx512(matcher, codes + at * word_rows);
        }
    }
    codes += 4 * quarter * word_rows;
    for (std::size_t word = 4 * quarter; word < whole; ++word, codes += word_rows) {
        prefetch_ahead(codes);
        bitmap[word] = match_word_avx512(matcher, codes);
    }
    if (const std::size_t rest = rows % word_rows; rest != 0) {
        bitmap[whole] = match_word_avx512(matcher, padded(codes, rest).data()) & low_bits(rest);
    }
}

[[gnu::target("avx512f,avx512bw")]] inline void match_u8_avx512(const std::uint8_t* codes,
                                                                std::size_t rows,
                                                                const byte_set& accepted,
                                                                std::uint64_t* bitmap) noexcept {
    match_rows_avx512(byte_matcher_avx512(accepted), codes, rows, bitmap);
}

template <class Code>
[[gnu::target("avx512f,avx512bw")]] inline void match_table_avx512(const Code* codes,
                                                                   std::size_t rows,
                                                                   const code_bits& accepted,
                                                                   std::uint64_t* bitmap) noexcept {
    if (accepted.codes == 0) return fill_rows(bitmap, rows, accepted.others);
    match_rows_avx512(table_matcher_avx512<Code>(accepted), codes, rows, bitmap);
}

template <class Code>
[[gnu::target("avx512f,avx512bw")]] inline void match_few_avx512(const Code* codes,
                                                                 std::size_t rows,
                                                                 const Code* values,
                                                                 std::size_t count,
                                                                 std::uint64_t* bitmap) noexcept {
    match_rows_avx512(few_matcher_avx512<Code>{few_lanes_of(values, count)}, codes, rows, bitmap);
}

[[gnu::target("avx512f,avx512bw,popcnt")]] inline std::size_t count_u8_avx512(
    const std::uint8_t* codes, std::size_t rows, const byte_set& accepted) noexcept {
    const byte_matcher_avx512 matcher(accepted);
    std::size_t count = 0;
    for (; rows >= word_rows; rows -= word_rows, codes += word_rows) {
        prefetch_ahead(codes);
        count += static_cast<std::size_t>(__builtin_popcountll(matcher(codes)));
    }
    if (rows == 0) return count;
    const std::uint64_t rest = matcher(padded(codes, rows).data()) & low_bits(rows);
    return count + static_cast<std::size_t>(__builtin_popcountll(rest));
}

/// 64 places at a time; of the last ones only the bytes that are there are read.
[[gnu::target("avx512f,avx512bw")]] inline std::size_t find_quoted_avx512(
    const char* text, std::size_t begin, std::size_t size, const after_quote& wanted) noexcept {
    constexpr std::size_t step = 64;
    for (std::size_t at = begin; at + 1 < size; at += step) {
        const std::size_t left = size - 1 - at;
        const __mmask64 places = left < step ? low_bits(left) : ~std::uint64_t{0};
        const __m512i bytes = _mm512_maskz_loadu_epi8(places, text + at);
        const __m512i next = _mm512_maskz_loadu_epi8(places, text + at + 1);
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < wanted.count; ++i) {
            found |= _mm512_mask_cmpeq_epi8_mask(places, next, _mm512_set1_epi8(wanted.bytes[i]));
        }
        found &= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'));
        found |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
        if (found != 0) return at + static_cast<std::size_t>(__builtin_ctzll(found));
    }
    return size;
}

inline constexpr kernels avx512_kernels{
    .match_u8 = match_u8_avx512,
    .match_u16 = match_table_avx512<std::uint16_t>,
    .match_u32 = match_table_avx512<std::uint32_t>,
    .match_few_u16 = match_few_avx512<std::uint16_t>,
    .match_few_u32 = match_few_avx512<std::uint32_t>,
    .count_u8 = count_u8_avx512,
    .count_bits = count_bits_avx512,
    .count_all = count_all_avx512,
    .intersect = combine_avx512<bit_operation::intersect>,
    .subtract = combine_avx512<bit_operation::subtract>,
    .unite = combine_avx512<bit_operation::unite>,
    .list_rows = list_rows_avx512,
    .find_quoted = find_quoted_avx512,
};

}  // namespace sluice::detail::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

#endif
