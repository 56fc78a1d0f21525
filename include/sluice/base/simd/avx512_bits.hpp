// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_AVX512_BITS_HPP
#define SLUICE_BASE_SIMD_AVX512_BITS_HPP

#if defined(__x86_64__)

#include <immintrin.h>

#include <sluice/base/simd/shared.hpp>

#if defined(__GNUC__) && !defined(__clang__)  // g++ warns of its own intrinsics: GCC PR105593
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/// The AVX-512 kernels over bitmaps, in vectors of 64 bytes.
namespace sluice::detail::simd {

[[gnu::target("avx512f")]] inline __m512i load_avx512(const void* from) noexcept {
    return _mm512_loadu_si512(from);
}

/// Returns the 16 bytes in all quarters: PSHUFB looks up in each quarter by itself.
[[gnu::target("avx512f")]] inline __m512i repeat_avx512(
    const std::array<std::uint8_t, 16>& table) noexcept {
    return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table.data())));
}

/// Returns the number of set bits in each 64-bit lane: the sum of its nibbles' entries in
/// nibble_counts.
[[gnu::target("avx512f,avx512bw")]] inline __m512i lane_counts_avx512(__m512i bits) noexcept {
    const __m512i counts = repeat_avx512(nibble_counts);
    const __m512i low = _mm512_and_si512(bits, _mm512_set1_epi8(15));
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(bits, 4), _mm512_set1_epi8(15));
    const __m512i bytes =
        _mm512_add_epi8(_mm512_shuffle_epi8(counts, low), _mm512_shuffle_epi8(counts, high));
    return _mm512_sad_epu8(bytes, _mm512_setzero_si512());
}

/// Returns the bits that all bitmaps have in the 8 words from `word` on.
template <class Count>
[[gnu::target("avx512f")]] inline __m512i common_avx512(const std::uint64_t* const* bitmaps,
                                                        Count count, std::size_t word) noexcept {
    __m512i common = load_avx512(bitmaps[0] + word);
    for (std::size_t map = 1; map < count; ++map) common &= load_avx512(bitmaps[map] + word);
    return common;
}

/// Returns the number of bits set in all bitmaps. `Count` is a number or a known_count.
template <class Count>
[[gnu::target("avx512f,avx512bw")]] std::size_t count_common_avx512(
    const std::uint64_t* const* bitmaps, Count count, std::size_t words) noexcept {
    __m512i sums = _mm512_setzero_si512();
    std::size_t word = 0;
    for (; word + 8 <= words; word += 8) {
        sums = _mm512_add_epi64(sums, lane_counts_avx512(common_avx512(bitmaps, count, word)));
    }
    return static_cast<std::size_t>(_mm512_reduce_add_epi64(sums)) +
           count_all_words(bitmaps, count, word, words);
}

[[gnu::target("avx512f,avx512bw")]] inline std::size_t count_all_avx512(
    const std::uint64_t* const* bitmaps, std::size_t count, std::size_t words) noexcept {
    if (count == 2) return count_common_avx512(bitmaps, known_count<2>(), words);
    if (count == 3) return count_common_avx512(bitmaps, known_count<3>(), words);
    return count_common_avx512(bitmaps, count, words);
}

[[gnu::target("avx512f,avx512bw")]] inline std::size_t count_bits_avx512(
    const std::uint64_t* bitmap, std::size_t words) noexcept {
    return count_common_avx512(&bitmap, known_count<1>(), words);
}

template <bit_operation operation>
[[gnu::target("avx512f")]] inline void combine_avx512(std::uint64_t* into,
                                                      const std::uint64_t* with,
                                                      std::size_t words) noexcept {
    std::size_t word = 0;
    for (; word + 8 <= words; word += 8) {
        __m512i bits = load_avx512(into + word);
        combine<operation>(bits, load_avx512(with + word));
        _mm512_storeu_si512(into + word, bits);
    }
    combine_words<operation>(into, with, word, words);
}

/// Lists sixteen rows at a time: lanes hold their numbers, and those of set bits are compressed.
[[gnu::target("avx512f,avx512bw,avx512vl,popcnt")]] inline std::size_t list_rows_avx512(
    const std::uint64_t* bitmap, std::size_t words, std::uint16_t* rows) noexcept {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    std::uint16_t* next = rows;
    for (std::size_t word = 0; word < words; ++word) {
        std::size_t row = word * word_rows;
        for (std::uint64_t rest = bitmap[word]; rest != 0; rest >>= 16, row += 16) {
            const auto set = static_cast<__mmask16>(rest);
            const __m512i numbers =
                _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(row)));
            const __m256i listed = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(set, numbers));
            const auto count = static_cast<std::size_t>(__builtin_popcount(set));
            _mm256_mask_storeu_epi16(next, static_cast<__mmask16>(low_bits(count)), listed);
            next += count;
        }
    }
    return static_cast<std::size_t>(next - rows);
}

}  // namespace sluice::detail::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

#endif
