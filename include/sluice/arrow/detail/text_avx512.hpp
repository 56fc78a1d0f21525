// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_TEXT_AVX512_HPP
#define SLUICE_ARROW_DETAIL_TEXT_AVX512_HPP

#if defined(__x86_64__)

#include <immintrin.h>

#include <sluice/arrow/detail/text_scalar.hpp>

// The text_kernels in AVX-512 F, BW, VL and DQ: 16 heads (first 4 bytes) or 8 keys at a time. Each
// function has its own target, so that any build has it and the CPU decides.

// GCC 12 reports the undefined operands of its own intrinsics as mistakes of their callers:
// PR105593. Without optimization its intrinsics are macros that convert masks to signed numbers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace sluice::arrow::detail::avx512 {

/// Returns the bytes, those that `where` selects in ASCII lower case.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline __m512i fold(
    __m512i bytes, __mmask64 where) noexcept {
    const __m512i from_a = _mm512_sub_epi8(bytes, _mm512_set1_epi8('A'));
    const __mmask64 upper = _mm512_mask_cmplt_epu8_mask(where, from_a, _mm512_set1_epi8(26));
    return _mm512_mask_add_epi8(bytes, upper, bytes, _mm512_set1_epi8(0x20));
}

/// The keys of eight rows, by their two words; see text_key.
struct keys8 {
    __m512i first, second;
};

/// Returns the keys of eight rows, whose texts begin at data + begin. `head` are their first 4
/// bytes, already masked and folded. Lanes outside of `wanted` are not read.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline keys8 gather_keys(
    __m256i begin, __m256i size, __m256i head, const char* data, bool folds,
    __mmask8 wanted) noexcept {
    const __m512i wide = _mm512_cvtepu32_epi64(size);
    const __mmask8 is_long = _mm512_cmpgt_epu64_mask(wide, _mm512_set1_epi64(12));
    const __m512i skip =
        _mm512_mask_sub_epi64(_mm512_set1_epi64(4), is_long, wide, _mm512_set1_epi64(8));
    const __m512i at = _mm512_add_epi64(_mm512_cvtepi32_epi64(begin), skip);
    __m512i tail = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), wanted, at, data, 1);
    // The tail has min(max(size, 4) - 4, 8) bytes; a shift by 64 leaves none.
    const __m512i bytes = _mm512_sub_epi64(
        _mm512_min_epu64(_mm512_max_epu64(wide, _mm512_set1_epi64(4)), _mm512_set1_epi64(12)),
        _mm512_set1_epi64(4));
    const __m512i shift = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(bytes, 3));
    tail = _mm512_and_si512(tail, _mm512_srlv_epi64(_mm512_set1_epi64(-1), shift));
    if (folds) tail = fold(tail, ~__mmask64{0});
    const __m512i heads = _mm512_slli_epi64(_mm512_cvtepu32_epi64(head), 32);
    return {_mm512_or_si512(wide, heads), tail};
}

/// Matches eight keys to the few from `from` on. The low byte of the result has the hits, the next
/// one the maybes; see text_matches.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline unsigned match_few(
    keys8 rows, const few_keys& few, std::size_t from, __mmask8 wanted) noexcept {
    unsigned hits = 0, maybe = 0;
    for (std::size_t i = from; i < few.count; ++i) {
        const auto first = _mm512_set1_epi64(static_cast<long long>(few.keys[i].first));
        const auto second = _mm512_set1_epi64(static_cast<long long>(few.keys[i].second));
        const __mmask8 same = _mm512_mask_cmpeq_epi64_mask(
            _mm512_mask_cmpeq_epi64_mask(wanted, rows.first, first), rows.second, second);
        (i < few.whole ? hits : maybe) |= same;
    }
    return hits | maybe << 8;
}

/// Folds eight words; see key_table::slots_of().
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline __m512i folded(
    __m512i words) noexcept {
    return _mm512_xor_si512(words, _mm512_srli_epi64(words, 32));
}

/// Returns the lanes of eight keys that are in the table; see key_table::slots_of().
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline __mmask8 match_table(
    keys8 rows, const key_table& table) noexcept {
    const auto factor = [&](int i) {
        return static_cast<long long>(table.factors()[static_cast<std::size_t>(i)]);
    };
    const __m512i one_factor = _mm512_set1_epi64(factor(0));
    const __m512i head = folded(_mm512_mullo_epi64(folded(rows.first), one_factor));
    const __m512i mixed =
        _mm512_mullo_epi64(_mm512_xor_si512(head, rows.second), _mm512_set1_epi64(factor(1)));
    const __m512i hash = _mm512_mullo_epi64(folded(mixed), one_factor);
    const __m512i mask = _mm512_set1_epi64((1LL << table.bits()) - 1);
    const __m512i one = _mm512_srl_epi64(mixed, _mm_cvtsi32_si128(64 - table.bits()));
    const __m512i other = _mm512_and_si512(_mm512_srli_epi64(hash, 40), mask);
    __mmask8 matches = 0;
    for (const __m512i slot : {one, other}) {
        const __m512i at = _mm512_slli_epi64(slot, 4);
        const auto* const base = reinterpret_cast<const char*>(table.slots());
        const __m512i first = _mm512_i64gather_epi64(at, base, 1);
        const __mmask8 same = _mm512_cmpeq_epi64_mask(rows.first, first);
        if (same == 0) continue;
        const __m512i second = _mm512_mask_i64gather_epi64(rows.second, same, at, base + 8, 1);
        matches |= _mm512_mask_cmpeq_epi64_mask(same, rows.second, second);
    }
    return matches;
}

/// The begins in the data, sizes and first 4 bytes of sixteen rows.
struct heads16 {
    __m512i begin, size, head;
};

/// Loads sixteen rows; bytes of a head beyond its row are 0.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline heads16 gather_heads(
    const std::int32_t* offsets, const char* data, bool folds) noexcept {
    const __m512i begin = _mm512_loadu_si512(offsets);
    const __m512i size = _mm512_sub_epi32(_mm512_loadu_si512(offsets + 1), begin);
    const __m512i bytes = _mm512_min_epu32(size, _mm512_set1_epi32(4));
    const __m512i shift = _mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_slli_epi32(bytes, 3));
    __m512i head = _mm512_i32gather_epi32(begin, data, 1);
    head = _mm512_and_si512(head, _mm512_srlv_epi32(_mm512_set1_epi32(-1), shift));
    return {begin, size, folds ? fold(head, ~__mmask64{0}) : head};
}

/// Returns half 0 or 1 of sixteen lanes.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline __m256i half_of(__m512i lanes,
                                                                             int half) noexcept {
    return half == 0 ? _mm512_castsi512_si256(lanes) : _mm512_extracti64x4_epi64(lanes, 1);
}

/// Returns the bits of 16 rows: hits in the low 16 bits, maybes in the high ones. Tails are loaded
/// only if size and head of some row are those of a key of more than 4 bytes.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline std::uint32_t match_few_offsets(
    const heads16& rows, const char* data, const few_keys& few) noexcept {
    __mmask16 hits = 0, wanted = 0;
    for (std::size_t i = 0; i < few.count; ++i) {
        const auto size = _mm512_set1_epi32(static_cast<int>(few.keys[i].first));
        const auto head = _mm512_set1_epi32(static_cast<int>(few.keys[i].first >> 32));
        const __mmask16 same =
            _mm512_mask_cmpeq_epi32_mask(_mm512_cmpeq_epi32_mask(rows.size, size), rows.head, head);
        (i < few.heads ? hits : wanted) |= same;
    }
    std::uint32_t bits = hits;
    for (int half = 0; wanted != 0 && half < 2; ++half) {
        const auto lanes = static_cast<__mmask8>(wanted >> (8 * half));
        if (lanes == 0) continue;
        const keys8 keys = gather_keys(half_of(rows.begin, half), half_of(rows.size, half),
                                       half_of(rows.head, half), data, few.fold, lanes);
        const unsigned both = match_few(keys, few, few.heads, lanes);
        bits |= (both & 0xFF) << (8 * half) | (both >> 8) << (16 + 8 * half);
    }
    return bits;
}

/// Like match_few_offsets(), for a set with a key_table.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline std::uint32_t match_table_offsets(
    const heads16& rows, const char* data, const key_set& set) noexcept {
    std::uint32_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i size = half_of(rows.size, half);
        const keys8 keys = gather_keys(half_of(rows.begin, half), size, half_of(rows.head, half),
                                       data, set.fold(), 0xFF);
        const unsigned same = match_table(keys, set.table());
        const unsigned is_long = _mm256_cmpgt_epu32_mask(size, _mm256_set1_epi32(12));
        bits |= (same & ~is_long) << (8 * half) | (same & is_long) << (16 + 8 * half);
    }
    return bits;
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline void match_offsets(
    const std::int32_t* offsets, const char* data, std::size_t rows, const key_set& set,
    text_matches out) {
    clear(rows, out);
    const std::size_t whole = rows / 16 * 16;
    for (std::size_t row = 0; row < whole; row += 16) {
        const heads16 lanes = gather_heads(offsets + row, data, set.fold());
        const std::uint64_t bits = set.is_few() ? match_few_offsets(lanes, data, set.few())
                                                : match_table_offsets(lanes, data, set);
        out.hits[row / 64] |= (bits & 0xFFFF) << (row % 64);
        out.maybe[row / 64] |= (bits >> 16) << (row % 64);
    }
    match_offsets_tail(offsets, data, whole, rows, set, out);
}

/// Loads eight views as keys, first words together and second words together.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline keys8 load_views(
    const text_view* views, bool folds) noexcept {
    const __m512i low = _mm512_loadu_si512(views);
    const __m512i high = _mm512_loadu_si512(views + 4);
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i first = _mm512_permutex2var_epi64(low, even, high);
    const __m512i second = _mm512_permutex2var_epi64(low, odd, high);
    if (!folds) return {first, second};
    return {fold(first, 0xF0F0'F0F0'F0F0'F0F0U), fold(second, ~__mmask64{0})};
}

/// Returns the views of more than 12 bytes that may be in the set; see may_have_long().
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline __mmask8 long_views(
    keys8 rows, const key_set& set) noexcept {
    const __m512i sizes = _mm512_and_si512(rows.first, _mm512_set1_epi64(0xFFFF'FFFFLL));
    __mmask8 maybe = _mm512_cmpgt_epu64_mask(sizes, _mm512_set1_epi64(12));
    if (!set.is_few() || maybe == 0) return maybe;
    __mmask8 same = 0;
    for (std::size_t i = set.few().whole; i < set.few().count; ++i) {
        same |= _mm512_cmpeq_epi64_mask(
            rows.first, _mm512_set1_epi64(static_cast<long long>(set.few().keys[i].first)));
    }
    return maybe & same;
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline void match_views(
    const text_view* views, std::size_t rows, const key_set& set, text_matches out) {
    clear(rows, out);
    const std::size_t whole = rows / 8 * 8;
    const few_keys& few = set.few();
    for (std::size_t row = 0; row < whole; row += 8) {
        const keys8 keys = load_views(views + row, set.fold());
        const std::uint64_t maybe = long_views(keys, set);
        const std::uint64_t same =
            set.is_few() ? match_few(keys, few, 0, 0xFF) & 0xFF : match_table(keys, set.table());
        out.hits[row / 64] |= (same & ~maybe) << (row % 64);
        out.maybe[row / 64] |= maybe << (row % 64);
    }
    match_views_tail(views, whole, rows, set, out);
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] inline bool are_rising(
    const std::int32_t* offsets, std::size_t rows) {
    unsigned falls = 0;
    std::size_t row = 0;
    for (; row + 16 <= rows; row += 16) {
        falls |= _mm512_cmpgt_epi32_mask(_mm512_loadu_si512(offsets + row),
                                         _mm512_loadu_si512(offsets + row + 1));
    }
    return falls == 0 && are_rising_scalar(offsets + row, rows - row);
}

inline constexpr text_kernels table{match_offsets, match_views, are_rising};

}  // namespace sluice::arrow::detail::avx512

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

#endif
