// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_AVX512_CODES_HPP
#define SLUICE_BASE_SIMD_AVX512_CODES_HPP

#if defined(__x86_64__)

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <immintrin.h>

#include <sluice/base/simd/avx512_bits.hpp>

#if defined(__GNUC__) && !defined(__clang__)  // g++ warns of its own intrinsics: GCC PR105593
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/// The AVX-512 kernels over codes of 2 and 4 bytes, in vectors of 64 bytes, and their loops.
namespace sluice::detail::simd {

// Sets of codes that fit into one vector, to look up in all of it at once (VPERMD).

/// A perfect hash of a few values: value v is at place (v >> shift) % Places. A code is one of the
/// values if it equals the one at its own place:
///
///     values 5 = 101, 6 = 110 and 9 = 1001 in 4 places, by bits 1 and 2    | 9 | 5 | 5 | 6 |
///
/// Bits 0 and 1 don't distinguish 5 from 9, so the shift is 1. No value hashes to place 1. It holds
/// the first value, 5, which equals no code that hashes there.
template <class Code, std::size_t Places>
struct value_places {
    std::array<Code, Places> values{};
    unsigned shift = 0;
};

/// Returns the places of values; nullopt if there are none, or if no shift gives every value a
/// place of its own.
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

/// A set of codes below 512, one bit for a code, which fills one vector.
inline constexpr std::size_t small_codes = 512;
using small_set = std::array<std::uint64_t, small_codes / 64>;

/// Returns the set of a table. Expects at most small_codes codes in it and no others.
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

// The kernels and their loops.

/// Membership of 16 codes by a gather of the 32-bit words that their bits are in. A gather takes
/// more time than the codes' way from memory.
template <class Code>
struct table_matcher_avx512 {
    static constexpr std::size_t step = 16;
    static constexpr bool waits_for_memory = false;
    const std::uint64_t* words;
    __m512i last, others;  // the greatest code of the table; all bits if other codes are members

    /// Expects accepted.codes > 0.
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

    /// Returns 16 codes, each in 32 bits.
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
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < few.count; ++i) {
            const __m512i value = _mm512_set1_epi32(few.lanes[i]);
            if constexpr (sizeof(Code) == 2) hits |= _mm512_cmpeq_epi16_mask(codes, value);
            if constexpr (sizeof(Code) == 4) hits |= _mm512_cmpeq_epi32_mask(codes, value);
        }
        return hits;
    }
};

/// Membership of 32 codes of 2 bytes, or 16 of 4 bytes, among a few values by `value_places`.
template <class Code>
struct place_matcher_avx512 {
    static constexpr std::size_t step = 64 / sizeof(Code);
    static constexpr bool waits_for_memory = true;
    __m512i values;
    __m128i shift;

    [[gnu::target("avx512f,avx512bw")]] explicit place_matcher_avx512(
        const value_places<Code, step>& few) noexcept
        : values(load_avx512(few.values.data())),
          shift(_mm_cvtsi32_si128(static_cast<int>(few.shift))) {}

    [[gnu::target("avx512f,avx512bw")]] std::uint64_t operator()(const Code* from) const noexcept {
        const __m512i codes = load_avx512(from);
        if constexpr (sizeof(Code) == 2) {
            const __m512i places = _mm512_srl_epi16(codes, shift);
            return _mm512_cmpeq_epi16_mask(codes, _mm512_permutexvar_epi16(places, values));
        } else {
            const __m512i places = _mm512_srl_epi32(codes, shift);
            return _mm512_cmpeq_epi32_mask(codes, _mm512_permutexvar_epi32(places, values));
        }
    }
};

/// Membership of codes in a set of those below 512, whose bits are one vector: the upper bits of a
/// code choose its lane.
template <class Code>
struct bits_matcher_avx512 {
    static constexpr std::size_t step = 64 / sizeof(Code);
    static constexpr bool waits_for_memory = true;
    __m512i bits;

    [[gnu::target("avx512f")]] explicit bits_matcher_avx512(const small_set& accepted) noexcept
        : bits(load_avx512(accepted.data())) {}

    [[gnu::target("avx512f,avx512bw")]] std::uint64_t operator()(const Code* from) const noexcept {
        const __m512i codes = load_avx512(from);
        if constexpr (sizeof(Code) == 2) {
            const __m512i one = _mm512_set1_epi16(1);
            const __m512i word = _mm512_permutexvar_epi16(_mm512_srli_epi16(codes, 4), bits);
            const __m512i bit = _mm512_sllv_epi16(one, codes & _mm512_set1_epi16(15));
            const __mmask32 small = _mm512_cmplt_epu16_mask(codes, _mm512_set1_epi16(small_codes));
            return _mm512_mask_test_epi16_mask(small, word, bit);
        } else {
            const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(codes, 5), bits);
            const __mmask16 small = _mm512_cmplt_epu32_mask(codes, _mm512_set1_epi32(small_codes));
            // Rotated by c modulo 32, bit c % 32 comes first.
            return _mm512_mask_test_epi32_mask(small, _mm512_rorv_epi32(word, codes),
                                               _mm512_set1_epi32(1));
        }
    }
};

/// Numbers in a range: 32 of 2 bytes, 16 of 4 or 8 of 8.
template <class Number>
struct range_matcher_avx512 {
    static constexpr std::size_t step = 64 / sizeof(Number);
    static constexpr bool waits_for_memory = true;
    Number least, span;

    [[gnu::target("avx512f,avx512bw")]] std::uint64_t operator()(
        const Number* from) const noexcept {
        const __m512i numbers = load_avx512(from);
        if constexpr (sizeof(Number) == 2) {
            const __m512i first = _mm512_set1_epi16(static_cast<short>(least));
            const __m512i last = _mm512_set1_epi16(static_cast<short>(span));
            return _mm512_cmple_epu16_mask(_mm512_sub_epi16(numbers, first), last);
        } else if constexpr (sizeof(Number) == 4) {
            const __m512i first = _mm512_set1_epi32(static_cast<int>(least));
            const __m512i last = _mm512_set1_epi32(static_cast<int>(span));
            return _mm512_cmple_epu32_mask(_mm512_sub_epi32(numbers, first), last);
        } else {
            const __m512i first = _mm512_set1_epi64(static_cast<long long>(least));
            const __m512i last = _mm512_set1_epi64(static_cast<long long>(span));
            return _mm512_cmple_epu64_mask(_mm512_sub_epi64(numbers, first), last);
        }
    }
};

/// Policies of a pass over codes: only match them, or also track the largest of them.
struct ignore_max_avx512 {
    template <std::size_t Step, class Code>
    void take(const Code* /*from*/) noexcept {}
};
template <class Code>
struct track_max_avx512 {
    __m512i lanes;

    [[gnu::target("avx512f")]] track_max_avx512() noexcept : lanes(_mm512_setzero_si512()) {}

    /// Compares the lanes with the next `Step` codes: 64 bytes of them or, if the matcher widens
    /// codes of 2 bytes, 32.
    template <std::size_t Step>
    [[gnu::target("avx512f,avx512bw")]] void take(const Code* from) noexcept {
        __m512i codes;
        if constexpr (Step * sizeof(Code) == 64) {
            codes = load_avx512(from);
        } else {
            codes =
                _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
        }
        if constexpr (sizeof(Code) == 2) lanes = _mm512_max_epu16(lanes, codes);
        if constexpr (sizeof(Code) == 4) lanes = _mm512_max_epu32(lanes, codes);
    }
    /// Returns the largest code so far; 0 if there was none.
    [[gnu::target("avx512f")]] Code value() const noexcept {
        if constexpr (sizeof(Code) == 4) return _mm512_reduce_max_epu32(lanes);
        const __m512i even = _mm512_and_si512(lanes, _mm512_set1_epi32(0xFFFF));
        return static_cast<Code>(
            _mm512_reduce_max_epu32(_mm512_max_epu32(even, _mm512_srli_epi32(lanes, 16))));
    }
};

/// Returns the bits of 64 rows.
template <class Matcher, class Code, class MaxPolicy>
[[gnu::target("avx512f,avx512bw")]] inline std::uint64_t match_word_avx512(
    const Matcher& matcher, const Code* codes, MaxPolicy& policy) noexcept {
    std::uint64_t word = 0;
#pragma GCC unroll 8
    for (std::size_t row = 0; row < word_rows; row += Matcher::step) {
        word |= matcher(codes + row) << row;
        policy.template take<Matcher::step>(codes + row);
    }
    return word;
}

/// Writes the bits of all rows: of four quarters at once if there are enough (see quartered_words),
/// then of the remaining words, then of the last rows that fill no word.
template <class Matcher, class Code, class MaxPolicy>
[[gnu::target("avx512f,avx512bw")]] inline void match_rows_avx512(const Matcher& matcher,
                                                                  const Code* codes,
                                                                  std::size_t rows,
                                                                  std::uint64_t* bitmap,
                                                                  MaxPolicy& policy) noexcept {
    const std::size_t whole = rows / word_rows;
    const std::size_t quarter = Matcher::waits_for_memory ? quarter_of(whole) : 0;
    for (std::size_t word = 0; word < quarter; ++word) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t at = i * quarter + word;
            bitmap[at] = match_word_avx512(matcher, codes + at * word_rows, policy);
        }
    }
    codes += 4 * quarter * word_rows;
    for (std::size_t word = 4 * quarter; word < whole; ++word, codes += word_rows) {
        prefetch_ahead(codes);
        bitmap[word] = match_word_avx512(matcher, codes, policy);
    }
    if (const std::size_t rest = rows % word_rows; rest != 0) {
        bitmap[whole] =
            match_word_avx512(matcher, padded(codes, rest).data(), policy) & low_bits(rest);
    }
}

template <class Code, class MaxPolicy>
[[gnu::target("avx512f,avx512bw")]] inline void match_table_avx512(const Code* codes,
                                                                   std::size_t rows,
                                                                   const code_bits& accepted,
                                                                   std::uint64_t* bitmap,
                                                                   MaxPolicy& policy) noexcept {
    if (accepted.codes <= small_codes && !accepted.others) {
        const bits_matcher_avx512<Code> matcher(small_set_of(accepted));
        return match_rows_avx512(matcher, codes, rows, bitmap, policy);
    }
    match_rows_avx512(table_matcher_avx512<Code>(accepted), codes, rows, bitmap, policy);
}

/// Matches by the fastest matcher that the values allow: a set of small codes, a perfect hash, or
/// comparisons one after the other.
template <class Code, class MaxPolicy>
[[gnu::target("avx512f,avx512bw")]] inline void match_few_avx512(
    const Code* codes, std::size_t rows, const Code* values, std::size_t count,
    std::uint64_t* bitmap, MaxPolicy& policy) noexcept {
    if (const auto set = small_set_of(values, count)) {
        return match_rows_avx512(bits_matcher_avx512<Code>(*set), codes, rows, bitmap, policy);
    }
    if (const auto few = places_of<Code, 64 / sizeof(Code)>(values, count)) {
        return match_rows_avx512(place_matcher_avx512<Code>(*few), codes, rows, bitmap, policy);
    }
    const few_matcher_avx512<Code> matcher{few_lanes_of(values, count)};
    match_rows_avx512(matcher, codes, rows, bitmap, policy);
}

template <class Code>
[[gnu::target("avx512f,avx512bw")]] inline void match_table_avx512(const Code* codes,
                                                                   std::size_t rows,
                                                                   const code_bits& accepted,
                                                                   std::uint64_t* bitmap) noexcept {
    if (accepted.codes == 0) return fill_rows(bitmap, rows, accepted.others);
    ignore_max_avx512 policy;
    match_table_avx512(codes, rows, accepted, bitmap, policy);
}

template <class Code>
[[gnu::target("avx512f,avx512bw")]] inline void match_few_avx512(const Code* codes,
                                                                 std::size_t rows,
                                                                 const Code* values,
                                                                 std::size_t count,
                                                                 std::uint64_t* bitmap) noexcept {
    ignore_max_avx512 policy;
    match_few_avx512(codes, rows, values, count, bitmap, policy);
}

template <class Number>
[[gnu::target("avx512f,avx512bw")]] inline void match_range_avx512(const Number* numbers,
                                                                   std::size_t rows, Number least,
                                                                   Number span,
                                                                   std::uint64_t* bitmap) noexcept {
    ignore_max_avx512 policy;
    match_rows_avx512(range_matcher_avx512<Number>{least, span}, numbers, rows, bitmap, policy);
}

}  // namespace sluice::detail::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

#endif
