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
        // AVX-512 can't shift bytes: a shift of 16-bit lanes moves bits between bytes, which the
        // mask removes.
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

/// Tests 64 positions at a time; masked loads read nothing beyond the text.
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

/// Tests 64 positions at a time; masked loads read nothing beyond the text.
[[gnu::target("avx512f,avx512bw")]] inline std::size_t find_pair_avx512(
    const char* text, std::size_t begin, std::size_t size, const byte_pair& wanted) noexcept {
    constexpr std::size_t step = 64;
    const __m512i first = _mm512_set1_epi8(wanted.first), last = _mm512_set1_epi8(wanted.last);
    for (std::size_t at = begin; at + wanted.distance < size; at += step) {
        const std::size_t left = size - wanted.distance - at;
        const __mmask64 places = left < step ? low_bits(left) : ~std::uint64_t{0};
        const __m512i bytes = _mm512_maskz_loadu_epi8(places, text + at);
        const __m512i later = _mm512_maskz_loadu_epi8(places, text + at + wanted.distance);
        const std::uint64_t hits = _mm512_mask_cmpeq_epi8_mask(
            _mm512_mask_cmpeq_epi8_mask(places, bytes, first), later, last);
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
    .match_range_u16 = match_range_avx512<std::uint16_t>,
    .match_range_u32 = match_range_avx512<std::uint32_t>,
    .match_range_u64 = match_range_avx512<std::uint64_t>,
    .count_u8 = count_u8_avx512,
    .count_bits = count_bits_avx512,
    .count_all = count_all_avx512,
    .intersect = combine_avx512<bit_operation::intersect>,
    .subtract = combine_avx512<bit_operation::subtract>,
    .unite = combine_avx512<bit_operation::unite>,
    .list_rows = list_rows_avx512,
    .find_quoted = find_quoted_avx512,
    .find_pair = find_pair_avx512,
};

// The kernels in which VBMI (look-ups in 64 bytes), VBMI2 (compression of 16-bit lanes) and
// VPOPCNTDQ save instructions.

/// Membership of 64 byte codes. VPERMB looks up by the low six bits of its index, so the set is
/// its own table, and no index needs a mask:
///
///     code >> 3, and bits of its neighbour:  x x x 7 6 5 4 3  -> byte of the set, which stands
///                                                  twice in the 64 bytes: bit 5 does not matter
///     code:                                  7 6 5 4 3 2 1 0  -> the bit, one of 8 that stand
///                                                        8 times: bits 3 to 5 do not matter
struct byte_matcher_vbmi {
    static constexpr std::size_t step = 64;
    __m512i bytes, bits;

    [[gnu::target("avx512f,avx512bw")]] explicit byte_matcher_vbmi(
        const byte_set& accepted) noexcept
        : bytes(_mm512_broadcast_i64x4(
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(accepted.bits.data())))),
          bits(_mm512_set1_epi64(static_cast<long long>(0x8040'2010'0804'0201))) {}

    [[gnu::target("avx512f,avx512bw,avx512vbmi")]] std::uint64_t operator()(
        const std::uint8_t* from) const noexcept {
        const __m512i codes = load_avx512(from);
        const __m512i byte = _mm512_permutexvar_epi8(_mm512_srli_epi16(codes, 3), bytes);
        return _mm512_test_epi8_mask(byte, _mm512_permutexvar_epi8(codes, bits));
    }
};

[[gnu::target("avx512f,avx512bw,avx512vbmi")]] inline void match_u8_vbmi(
    const std::uint8_t* codes, std::size_t rows, const byte_set& accepted,
    std::uint64_t* bitmap) noexcept {
    const byte_matcher_vbmi matcher(accepted);
    const std::size_t whole = rows / word_rows, quarter = quarter_of(whole);
    for (std::size_t word = 0; word < quarter; ++word) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t at = i * quarter + word;
            bitmap[at] = matcher(codes + at * word_rows);
        }
    }
    codes += 4 * quarter * word_rows;
    for (std::size_t word = 4 * quarter; word < whole; ++word, codes += word_rows) {
        prefetch_ahead(codes);
        bitmap[word] = matcher(codes);
    }
    if (const std::size_t rest = rows % word_rows; rest != 0) {
        bitmap[whole] = matcher(padded(codes, rest).data()) & low_bits(rest);
    }
}

[[gnu::target("avx512f,avx512bw,avx512vbmi,popcnt")]] inline std::size_t count_u8_vbmi(
    const std::uint8_t* codes, std::size_t rows, const byte_set& accepted) noexcept {
    const byte_matcher_vbmi matcher(accepted);
    std::size_t count = 0;
    for (; rows >= word_rows; rows -= word_rows, codes += word_rows) {
        prefetch_ahead(codes);
        count += static_cast<std::size_t>(__builtin_popcountll(matcher(codes)));
    }
    if (rows == 0) return count;
    const std::uint64_t rest = matcher(padded(codes, rows).data()) & low_bits(rows);
    return count + static_cast<std::size_t>(__builtin_popcountll(rest));
}

/// Returns the number of bits set in all bitmaps. `Count` is a number or a known_count.
template <class Count>
[[gnu::target("avx512f,avx512vpopcntdq")]] std::size_t count_common_vbmi(
    const std::uint64_t* const* bitmaps, Count count, std::size_t words) noexcept {
    __m512i sums = _mm512_setzero_si512();
    std::size_t word = 0;
    for (; word + 8 <= words; word += 8) {
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(common_avx512(bitmaps, count, word)));
    }
    return static_cast<std::size_t>(_mm512_reduce_add_epi64(sums)) +
           count_all_words(bitmaps, count, word, words);
}

[[gnu::target("avx512f,avx512vpopcntdq")]] inline std::size_t count_all_vbmi(
    const std::uint64_t* const* bitmaps, std::size_t count, std::size_t words) noexcept {
    if (count == 2) return count_common_vbmi(bitmaps, known_count<2>(), words);
    if (count == 3) return count_common_vbmi(bitmaps, known_count<3>(), words);
    return count_common_vbmi(bitmaps, count, words);
}

[[gnu::target("avx512f,avx512vpopcntdq")]] inline std::size_t count_bits_vbmi(
    const std::uint64_t* bitmap, std::size_t words) noexcept {
    return count_common_vbmi(&bitmap, known_count<1>(), words);
}

/// Lists half a word at a time: lanes hold row numbers, and those of set bits are compressed.
[[gnu::target("avx512f,avx512bw,avx512vbmi2,popcnt")]] inline std::size_t list_rows_vbmi(
    const std::uint64_t* bitmap, std::size_t words, std::uint16_t* rows) noexcept {
    alignas(64) std::array<std::uint16_t, 32> lanes{};
    for (std::uint16_t lane = 0; lane < 32; ++lane) lanes[lane] = lane;
    const __m512i first = load_avx512(lanes.data());
    std::uint16_t* next = rows;
    for (std::size_t word = 0; word < words; ++word) {
        std::size_t row = word * word_rows;
        for (std::uint64_t rest = bitmap[word]; rest != 0; rest >>= 32, row += 32) {
            const auto set = static_cast<__mmask32>(rest);
            const __m512i numbers =
                _mm512_add_epi16(first, _mm512_set1_epi16(static_cast<short>(row)));
            const auto count = static_cast<std::size_t>(__builtin_popcount(set));
            _mm512_mask_storeu_epi16(next, static_cast<__mmask32>(low_bits(count)),
                                     _mm512_maskz_compress_epi16(set, numbers));
            next += count;
        }
    }
    return static_cast<std::size_t>(next - rows);
}

[[nodiscard]] constexpr kernels make_vbmi_kernels() noexcept {
    kernels table = avx512_kernels;
    table.match_u8 = match_u8_vbmi;
    table.count_u8 = count_u8_vbmi;
    table.count_bits = count_bits_vbmi;
    table.count_all = count_all_vbmi;
    table.list_rows = list_rows_vbmi;
    return table;
}

inline constexpr kernels vbmi_kernels = make_vbmi_kernels();

}  // namespace sluice::detail::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

#endif
