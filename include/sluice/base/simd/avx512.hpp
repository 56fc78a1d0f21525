// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_AVX512_HPP
#define SLUICE_BASE_SIMD_AVX512_HPP

#if defined(__x86_64__)

#include <immintrin.h>

#include <sluice/base/simd/avx512_codes.hpp>

#if defined(__GNUC__) && !defined(__clang__)  // g++ warns of its own intrinsics: GCC PR105593
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/// The AVX-512 kernels, in vectors of 64 bytes, whose comparisons yield a bit for each lane.
namespace sluice::detail::simd {

/// Membership of 64 byte codes; see `nibble_rows`.
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

[[gnu::target("avx512f,avx512bw")]] inline void match_u8_avx512(const std::uint8_t* codes,
                                                                std::size_t rows,
                                                                const byte_set& accepted,
                                                                std::uint64_t* bitmap) noexcept {
    ignore_max_avx512 policy;
    match_rows_avx512(byte_matcher_avx512(accepted), codes, rows, bitmap, policy);
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

/// Tests 64 positions at a time; of the last ones it reads only the bytes of the text.
[[gnu::target("avx512f,avx512bw")]] inline std::size_t find_quoted_avx512(
    const char* text, std::size_t begin, std::size_t size, const after_quote& wanted) noexcept {
    constexpr std::size_t step = 64;
    for (std::size_t at = begin; at + 1 < size; at += step) {
        const std::size_t left = size - 1 - at;
        const __mmask64 places = left < step ? low_bits(left) : ~std::uint64_t{0};
        const __m512i bytes = _mm512_maskz_loadu_epi8(places, text + at);
        const __m512i next = _mm512_maskz_loadu_epi8(places, text + at + 1);
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < wanted.count; ++i) {
            hits |= _mm512_mask_cmpeq_epi8_mask(places, next, _mm512_set1_epi8(wanted.bytes[i]));
        }
        hits &= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'));
        hits |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
        if (hits != 0) return at + static_cast<std::size_t>(__builtin_ctzll(hits));
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
