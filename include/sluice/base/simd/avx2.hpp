// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_AVX2_HPP
#define SLUICE_BASE_SIMD_AVX2_HPP

#if defined(__x86_64__)

#include <immintrin.h>

#include <sluice/base/simd/sse2.hpp>

/// The AVX2 kernels, in vectors of 32 bytes. kernel_table.hpp says what kernels do.
namespace sluice::detail::simd {

[[gnu::target("avx2")]] inline __m256i load_avx2(const void* from) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

/// Returns the 16 bytes in both halves: PSHUFB looks up in each half by itself.
[[gnu::target("avx2")]] inline __m256i repeat_avx2(
    const std::array<std::uint8_t, 16>& table) noexcept {
    return _mm256_broadcastsi128_si256(
        _mm_load_si128(reinterpret_cast<const __m128i*>(table.data())));
}

/// Membership of 32 byte codes; see `nibble_rows`.
struct byte_matcher_avx2 {
    static constexpr std::size_t step = 32;
    static constexpr bool waits_for_memory = true;
    __m256i low, high, columns;

    [[gnu::target("avx2")]] explicit byte_matcher_avx2(const byte_set& accepted) noexcept {
        const nibble_rows rows = nibble_rows_of(accepted);
        low = repeat_avx2(rows.low);
        high = repeat_avx2(rows.high);
        columns = repeat_avx2(nibble_columns);
    }

    [[gnu::target("avx2")]] std::uint64_t operator()(const std::uint8_t* from) const noexcept {
        const __m256i codes = load_avx2(from);
        const __m256i flipped = _mm256_xor_si256(codes, _mm256_set1_epi8(-128));
        const __m256i row =
            _mm256_or_si256(_mm256_shuffle_epi8(low, codes), _mm256_shuffle_epi8(high, flipped));
        // AVX2 can't shift bytes: a shift of 16-bit lanes moves bits between bytes, which the mask
        // removes.
        const __m256i nibble = _mm256_and_si256(_mm256_srli_epi16(codes, 4), _mm256_set1_epi8(15));
        const __m256i column = _mm256_shuffle_epi8(columns, nibble);
        const __m256i hits = _mm256_cmpeq_epi8(_mm256_and_si256(row, column), column);
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(hits));
    }
};

/// Membership of 8 codes by a gather of the 32-bit words that their bits are in. A gather takes
/// more time than the codes' way from memory.
template <class Code>
struct table_matcher_avx2 {
    static constexpr std::size_t step = 8;
    static constexpr bool waits_for_memory = false;
    const int* words;
    __m256i last, others;  // the greatest code of the table; all bits if other codes are members

    /// Expects accepted.codes > 0.
    [[gnu::target("avx2")]] explicit table_matcher_avx2(const code_bits& accepted) noexcept
        : words(reinterpret_cast<const int*>(accepted.words)),
          last(_mm256_set1_epi32(last_code(accepted))),
          others(_mm256_set1_epi32(accepted.others ? -1 : 0)) {}

    [[gnu::target("avx2")]] std::uint64_t operator()(const Code* from) const noexcept {
        const __m256i codes = widened(from);
        const __m256i known = _mm256_cmpeq_epi32(_mm256_min_epu32(codes, last), codes);
        const __m256i word =
            _mm256_mask_i32gather_epi32(others, words, _mm256_srli_epi32(codes, 5), known, 4);
        // Bit c % 32 becomes the sign bit, by a shift of 31 - c % 32.
        const __m256i shift = _mm256_andnot_si256(codes, _mm256_set1_epi32(31));
        const __m256i sign = _mm256_sllv_epi32(word, shift);
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(sign)));
    }

    /// Returns 8 codes, each in 32 bits.
    [[gnu::target("avx2")]] static __m256i widened(const Code* from) noexcept {
        if constexpr (sizeof(Code) == 4) return load_avx2(from);
        return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
};

/// Equality of 32 codes of 2 bytes, or 8 of 4 bytes, with any of a few values.
template <class Code>
struct few_matcher_avx2 {
    static constexpr std::size_t step = sizeof(Code) == 2 ? 32 : 8;
    static constexpr bool waits_for_memory = true;
    few_lanes<Code> few;

    [[gnu::target("avx2")]] std::uint64_t operator()(const std::uint16_t* from) const noexcept {
        const __m256i low = load_avx2(from);
        const __m256i high = load_avx2(from + 16);
        __m256i low_found = _mm256_setzero_si256();
        __m256i high_found = _mm256_setzero_si256();
        for (std::size_t i = 0; i < few.count; ++i) {
            const __m256i value = _mm256_set1_epi32(few.lanes[i]);
            low_found = _mm256_or_si256(low_found, _mm256_cmpeq_epi16(low, value));
            high_found = _mm256_or_si256(high_found, _mm256_cmpeq_epi16(high, value));
        }
        // Packing works within halves of a vector and leaves the quarters as 0 2 1 3.
        const __m256i bytes =
            _mm256_permute4x64_epi64(_mm256_packs_epi16(low_found, high_found), 0b11'01'10'00);
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
    }

    [[gnu::target("avx2")]] std::uint64_t operator()(const std::uint32_t* from) const noexcept {
        const __m256i codes = load_avx2(from);
        __m256i hits = _mm256_setzero_si256();
        for (std::size_t i = 0; i < few.count; ++i) {
            const __m256i value = _mm256_set1_epi32(few.lanes[i]);
            hits = _mm256_or_si256(hits, _mm256_cmpeq_epi32(codes, value));
        }
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(hits)));
    }
};

/// Numbers in a range: 32 of 2 bytes, 8 of 4 or 4 of 8.
template <class Number>
struct range_matcher_avx2 {
    static constexpr std::size_t step = sizeof(Number) == 2 ? 32 : 32 / sizeof(Number);
    static constexpr bool waits_for_memory = true;
    Number least, span;

    [[gnu::target("avx2")]] std::uint64_t operator()(const std::uint16_t* from) const noexcept {
        const __m256i first = _mm256_set1_epi16(static_cast<short>(least));
        const __m256i last = _mm256_set1_epi16(static_cast<short>(span));
        const __m256i low = _mm256_sub_epi16(load_avx2(from), first);
        const __m256i high = _mm256_sub_epi16(load_avx2(from + 16), first);
        const __m256i low_in = _mm256_cmpeq_epi16(_mm256_min_epu16(low, last), low);
        const __m256i high_in = _mm256_cmpeq_epi16(_mm256_min_epu16(high, last), high);
        // Packing works within halves of a vector and leaves the quarters as 0 2 1 3.
        const __m256i bytes =
            _mm256_permute4x64_epi64(_mm256_packs_epi16(low_in, high_in), 0b11'01'10'00);
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
    }
    [[gnu::target("avx2")]] std::uint64_t operator()(const std::uint32_t* from) const noexcept {
        const __m256i first = _mm256_set1_epi32(static_cast<int>(least));
        const __m256i last = _mm256_set1_epi32(static_cast<int>(span));
        const __m256i offset = _mm256_sub_epi32(load_avx2(from), first);
        const __m256i in = _mm256_cmpeq_epi32(_mm256_min_epu32(offset, last), offset);
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(in)));
    }
    /// AVX2 compares signed numbers only: flipping the sign bit keeps the order of unsigned ones.
    [[gnu::target("avx2")]] std::uint64_t operator()(const std::uint64_t* from) const noexcept {
        constexpr std::uint64_t sign = std::uint64_t{1} << 63;
        const __m256i first = _mm256_set1_epi64x(static_cast<long long>(least - sign));
        const __m256i last = _mm256_set1_epi64x(static_cast<long long>(span ^ sign));
        const __m256i offset = _mm256_sub_epi64(load_avx2(from), first);
        const __m256i beyond = _mm256_cmpgt_epi64(offset, last);
        return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 15U;
    }
};

/// Returns the bits of 64 rows.
template <class Matcher, class Code>
[[gnu::target("avx2")]] inline std::uint64_t match_word_avx2(const Matcher& matcher,
                                                             const Code* codes) noexcept {
    std::uint64_t word = 0;
#pragma GCC unroll 16
    for (std::size_t row = 0; row < word_rows; row += Matcher::step) {
        word |= matcher(codes + row) << row;
    }
    return word;
}

/// Writes the bits of all rows: of four quarters at once if there are enough (see quartered_words),
/// then of the remaining words, then of the last rows that fill no word.
template <class Matcher, class Code>
[[gnu::target("avx2")]] inline void match_rows_avx2(const Matcher& matcher, const Code* codes,
                                                    std::size_t rows,
                                                    std::uint64_t* bitmap) noexcept {
    const std::size_t whole = rows / word_rows;
    const std::size_t quarter = Matcher::waits_for_memory ? quarter_of(whole) : 0;
    for (std::size_t word = 0; word < quarter; ++word) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t at = i * quarter + word;
            bitmap[at] = match_word_avx2(matcher, codes + at * word_rows);
        }
    }
    codes += 4 * quarter * word_rows;
    for (std::size_t word = 4 * quarter; word < whole; ++word, codes += word_rows) {
        prefetch_ahead(codes);
        bitmap[word] = match_word_avx2(matcher, codes);
    }
    if (const std::size_t rest = rows % word_rows; rest != 0) {
        bitmap[whole] = match_word_avx2(matcher, padded(codes, rest).data()) & low_bits(rest);
    }
}

[[gnu::target("avx2")]] inline void match_u8_avx2(const std::uint8_t* codes, std::size_t rows,
                                                  const byte_set& accepted,
                                                  std::uint64_t* bitmap) noexcept {
    match_rows_avx2(byte_matcher_avx2(accepted), codes, rows, bitmap);
}

template <class Code>
[[gnu::target("avx2")]] inline void match_table_avx2(const Code* codes, std::size_t rows,
                                                     const code_bits& accepted,
                                                     std::uint64_t* bitmap) noexcept {
    if (accepted.codes == 0) return fill_rows(bitmap, rows, accepted.others);
    match_rows_avx2(table_matcher_avx2<Code>(accepted), codes, rows, bitmap);
}

template <class Code>
[[gnu::target("avx2")]] inline void match_few_avx2(const Code* codes, std::size_t rows,
                                                   const Code* values, std::size_t count,
                                                   std::uint64_t* bitmap) noexcept {
    match_rows_avx2(few_matcher_avx2<Code>{few_lanes_of(values, count)}, codes, rows, bitmap);
}

template <class Number>
[[gnu::target("avx2")]] inline void match_range_avx2(const Number* numbers, std::size_t rows,
                                                     Number least, Number span,
                                                     std::uint64_t* bitmap) noexcept {
    match_rows_avx2(range_matcher_avx2<Number>{least, span}, numbers, rows, bitmap);
}

/// Counts the rows whose code is accepted: words of 64 rows, then the last rows as a padded word.
[[gnu::target("avx2,popcnt")]] inline std::size_t count_u8_avx2(const std::uint8_t* codes,
                                                                std::size_t rows,
                                                                const byte_set& accepted) noexcept {
    const byte_matcher_avx2 matcher(accepted);
    std::size_t count = 0;
    for (; rows >= word_rows; rows -= word_rows, codes += word_rows) {
        prefetch_ahead(codes);
        count += static_cast<std::size_t>(__builtin_popcountll(match_word_avx2(matcher, codes)));
    }
    if (rows == 0) return count;
    const std::uint64_t rest =
        match_word_avx2(matcher, padded(codes, rows).data()) & low_bits(rows);
    return count + static_cast<std::size_t>(__builtin_popcountll(rest));
}

/// Returns the number of set bits in each byte of a vector: the sum of its two nibbles' entries in
/// nibble_counts.
[[gnu::target("avx2")]] inline __m256i byte_counts_avx2(__m256i bits) noexcept {
    const __m256i counts = repeat_avx2(nibble_counts);
    const __m256i low = _mm256_and_si256(bits, _mm256_set1_epi8(15));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), _mm256_set1_epi8(15));
    return _mm256_add_epi8(_mm256_shuffle_epi8(counts, low), _mm256_shuffle_epi8(counts, high));
}

/// Returns the sum of the four 64-bit lanes.
[[gnu::target("avx2")]] inline std::size_t sum_avx2(__m256i sums) noexcept {
    const __m128i half =
        _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return static_cast<std::size_t>(_mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1));
}

/// Returns the bits that all bitmaps have in the 4 words from `word` on.
template <class Count>
[[gnu::target("avx2")]] inline __m256i common_avx2(const std::uint64_t* const* bitmaps, Count count,
                                                   std::size_t word) noexcept {
    __m256i common = load_avx2(bitmaps[0] + word);
    for (std::size_t map = 1; map < count; ++map) {
        common = _mm256_and_si256(common, load_avx2(bitmaps[map] + word));
    }
    return common;
}

/// Returns the number of bits set in all bitmaps. `Count` is a number or a known_count.
template <class Count>
[[gnu::target("avx2,popcnt")]] std::size_t count_common_avx2(const std::uint64_t* const* bitmaps,
                                                             Count count,
                                                             std::size_t words) noexcept {
    __m256i sums = _mm256_setzero_si256();
    std::size_t word = 0;
    for (; word + 4 <= words; word += 4) {
        const __m256i counts = byte_counts_avx2(common_avx2(bitmaps, count, word));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(counts, _mm256_setzero_si256()));
    }
    return sum_avx2(sums) + count_all_words(bitmaps, count, word, words);
}

[[gnu::target("avx2,popcnt")]] inline std::size_t count_all_avx2(
    const std::uint64_t* const* bitmaps, std::size_t count, std::size_t words) noexcept {
    if (count == 2) return count_common_avx2(bitmaps, known_count<2>(), words);
    if (count == 3) return count_common_avx2(bitmaps, known_count<3>(), words);
    return count_common_avx2(bitmaps, count, words);
}

[[gnu::target("avx2,popcnt")]] inline std::size_t count_bits_avx2(const std::uint64_t* bitmap,
                                                                  std::size_t words) noexcept {
    return count_common_avx2(&bitmap, known_count<1>(), words);
}

template <bit_operation operation>
[[gnu::target("avx2")]] inline void combine_avx2(std::uint64_t* into, const std::uint64_t* with,
                                                 std::size_t words) noexcept {
    std::size_t word = 0;
    for (; word + 4 <= words; word += 4) {
        __m256i bits = load_avx2(into + word);
        combine<operation>(bits, load_avx2(with + word));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(into + word), bits);
    }
    combine_words<operation>(into, with, word, words);
}

/// Like quoted_sse2(), for 32 positions; reads 33 bytes.
[[gnu::target("avx2")]] inline std::uint32_t quoted_avx2(const char* from,
                                                         const after_quote& wanted) noexcept {
    const __m256i bytes = load_avx2(from);
    const __m256i next = load_avx2(from + 1);
    __m256i hits = _mm256_setzero_si256();
    for (std::size_t i = 0; i < wanted.count; ++i) {
        hits = _mm256_or_si256(hits, _mm256_cmpeq_epi8(next, _mm256_set1_epi8(wanted.bytes[i])));
    }
    hits = _mm256_and_si256(hits, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')));
    hits = _mm256_or_si256(hits, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(hits));
}

/// The last vector ends where the text does, and its positions are shifted.
[[gnu::target("avx2")]] inline std::size_t find_quoted_avx2(const char* text, std::size_t begin,
                                                            std::size_t size,
                                                            const after_quote& wanted) noexcept {
    constexpr std::size_t step = 32;
    if (size <= step) return find_quoted_sse2(text, begin, size, wanted);
    for (std::size_t at = begin; at + 1 < size; at += step) {
        const std::size_t from = at + step < size ? at : size - 1 - step;
        const std::uint32_t hits = quoted_avx2(text + from, wanted) >> (at - from);
        if (hits != 0) return at + static_cast<std::size_t>(__builtin_ctz(hits));
    }
    return size;
}

/// Tests 32 positions at a time, and the last ones by find_pair_sse2().
[[gnu::target("avx2")]] inline std::size_t find_pair_avx2(const char* text, std::size_t begin,
                                                          std::size_t size,
                                                          const byte_pair& wanted) noexcept {
    constexpr std::size_t step = 32;
    const __m256i first = _mm256_set1_epi8(wanted.first), last = _mm256_set1_epi8(wanted.last);
    std::size_t at = begin;
    for (; at + wanted.distance + step <= size; at += step) {
        const __m256i hits =
            _mm256_and_si256(_mm256_cmpeq_epi8(load_avx2(text + at), first),
                             _mm256_cmpeq_epi8(load_avx2(text + at + wanted.distance), last));
        const auto places = static_cast<std::uint32_t>(_mm256_movemask_epi8(hits));
        if (places != 0) return at + static_cast<std::size_t>(__builtin_ctz(places));
    }
    return find_pair_sse2(text, at, size, wanted);
}

inline constexpr kernels avx2_kernels{
    .match_u8 = match_u8_avx2,
    .match_u16 = match_table_avx2<std::uint16_t>,
    .match_u32 = match_table_avx2<std::uint32_t>,
    .match_few_u16 = match_few_avx2<std::uint16_t>,
    .match_few_u32 = match_few_avx2<std::uint32_t>,
    .match_range_u16 = match_range_avx2<std::uint16_t>,
    .match_range_u32 = match_range_avx2<std::uint32_t>,
    .match_range_u64 = match_range_avx2<std::uint64_t>,
    .count_u8 = count_u8_avx2,
    .count_bits = count_bits_avx2,
    .count_all = count_all_avx2,
    .intersect = combine_avx2<bit_operation::intersect>,
    .subtract = combine_avx2<bit_operation::subtract>,
    .unite = combine_avx2<bit_operation::unite>,
    .list_rows = list_rows_sse2,
    .find_quoted = find_quoted_avx2,
    .find_pair = find_pair_avx2,
};

}  // namespace sluice::detail::simd

#endif

#endif
