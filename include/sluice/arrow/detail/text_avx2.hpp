// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_TEXT_AVX2_HPP
#define SLUICE_ARROW_DETAIL_TEXT_AVX2_HPP

#if defined(__x86_64__)

#include <immintrin.h>

#include <sluice/arrow/detail/text_scalar.hpp>

// The text_kernels in AVX2: eight heads (first 4 bytes) or four keys at a time. Sets with a
// key_table go to the scalar loop, since AVX2 can't multiply 64 bits as slots_of() does.

namespace sluice::arrow::detail::avx2 {

/// Returns all bytes in ASCII lower case.
[[gnu::target("avx2")]] inline __m256i fold(__m256i bytes) noexcept {
    // Signed comparison: 'A' to 'Z' become the lowest 26 of all bytes.
    const __m256i shifted = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>('A' + 128)));
    const __m256i upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(-128 + 26), shifted);
    return _mm256_add_epi8(bytes, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
}

/// The keys of four rows, by their two words; see text_key.
struct keys4 {
    __m256i first, second;
};

/// Returns the top bit of each 64-bit lane.
[[gnu::target("avx2")]] inline unsigned lanes_of(__m256i mask) noexcept {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
}

[[gnu::target("avx2")]] inline __m256i all_of(std::uint64_t value) noexcept {
    return _mm256_set1_epi64x(static_cast<long long>(value));
}

/// Returns the keys of four rows, whose texts begin at data + begin. `head` are their first 4
/// bytes, already masked and folded.
[[gnu::target("avx2")]] inline keys4 gather_keys(__m128i begin, __m128i size, __m128i head,
                                                 const char* data, bool folds) noexcept {
    const __m256i wide = _mm256_cvtepu32_epi64(size);
    const __m256i is_long = _mm256_cmpgt_epi64(wide, all_of(12));
    const __m256i skip = _mm256_blendv_epi8(all_of(4), _mm256_sub_epi64(wide, all_of(8)), is_long);
    const __m256i at = _mm256_add_epi64(_mm256_cvtepi32_epi64(begin), skip);
    __m256i tail = _mm256_i64gather_epi64(reinterpret_cast<const long long*>(data), at, 1);
    // The tail has min(max(size, 4) - 4, 8) bytes; a shift by 64 leaves none.
    const __m128i bytes =
        _mm_sub_epi32(_mm_min_epu32(_mm_max_epu32(size, _mm_set1_epi32(4)), _mm_set1_epi32(12)),
                      _mm_set1_epi32(4));
    const __m256i shift =
        _mm256_sub_epi64(all_of(64), _mm256_slli_epi64(_mm256_cvtepu32_epi64(bytes), 3));
    tail = _mm256_and_si256(tail, _mm256_srlv_epi64(_mm256_set1_epi64x(-1), shift));
    if (folds) tail = fold(tail);
    const __m256i heads = _mm256_slli_epi64(_mm256_cvtepu32_epi64(head), 32);
    return {_mm256_or_si256(wide, heads), tail};
}

/// Matches four keys to the few from `from` on. Bits 0-3 of the result are the hits, bits 4-7 the
/// maybes; see text_matches.
[[gnu::target("avx2")]] inline unsigned match_few(keys4 rows, const few_keys& few,
                                                  std::size_t from) noexcept {
    __m256i hits = _mm256_setzero_si256(), maybe = _mm256_setzero_si256();
    for (std::size_t i = from; i < few.count; ++i) {
        const __m256i same =
            _mm256_and_si256(_mm256_cmpeq_epi64(rows.first, all_of(few.keys[i].first)),
                             _mm256_cmpeq_epi64(rows.second, all_of(few.keys[i].second)));
        (i < few.whole ? hits : maybe) = _mm256_or_si256(i < few.whole ? hits : maybe, same);
    }
    return lanes_of(hits) | lanes_of(maybe) << 4;
}

/// Returns the bits of 8 rows: hits in the low byte, maybes in the next. Tails are loaded only if
/// size and head of some row are those of a key of more than 4 bytes.
[[gnu::target("avx2")]] inline unsigned match_few_offsets(const std::int32_t* offsets,
                                                          const char* data,
                                                          const few_keys& few) noexcept {
    const __m256i begin = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offsets));
    const __m256i size =
        _mm256_sub_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(offsets + 1)), begin);
    const __m256i bytes = _mm256_min_epu32(size, _mm256_set1_epi32(4));
    const __m256i shift = _mm256_sub_epi32(_mm256_set1_epi32(32), _mm256_slli_epi32(bytes, 3));
    __m256i head = _mm256_i32gather_epi32(reinterpret_cast<const int*>(data), begin, 1);
    head = _mm256_and_si256(head, _mm256_srlv_epi32(_mm256_set1_epi32(-1), shift));
    if (few.fold) head = fold(head);
    __m256i hits = _mm256_setzero_si256(), wanted = _mm256_setzero_si256();
    for (std::size_t i = 0; i < few.count; ++i) {
        const __m256i same = _mm256_and_si256(
            _mm256_cmpeq_epi32(size, _mm256_set1_epi32(static_cast<int>(few.keys[i].first))),
            _mm256_cmpeq_epi32(head, _mm256_set1_epi32(static_cast<int>(few.keys[i].first >> 32))));
        (i < few.heads ? hits : wanted) = _mm256_or_si256(i < few.heads ? hits : wanted, same);
    }
    auto bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(hits)));
    if (_mm256_testz_si256(wanted, wanted) != 0) return bits;
    const unsigned low =
        match_few(gather_keys(_mm256_castsi256_si128(begin), _mm256_castsi256_si128(size),
                              _mm256_castsi256_si128(head), data, few.fold),
                  few, few.heads);
    const unsigned high =
        match_few(gather_keys(_mm256_extracti128_si256(begin, 1), _mm256_extracti128_si256(size, 1),
                              _mm256_extracti128_si256(head, 1), data, few.fold),
                  few, few.heads);
    bits |= (low & 15) | (high & 15) << 4 | (low >> 4) << 8 | (high >> 4) << 12;
    return bits;
}

[[gnu::target("avx2")]] inline void match_offsets(const std::int32_t* offsets, const char* data,
                                                  std::size_t rows, const key_set& set,
                                                  text_matches out) {
    clear(rows, out);
    const std::size_t whole = set.is_few() ? rows / 8 * 8 : 0;
    for (std::size_t row = 0; row < whole; row += 8) {
        const std::uint64_t bits = match_few_offsets(offsets + row, data, set.few());
        out.hits[row / 64] |= (bits & 0xFF) << (row % 64);
        out.maybe[row / 64] |= (bits >> 8) << (row % 64);
    }
    match_offsets_tail(offsets, data, whole, rows, set, out);
}

/// Loads four views as keys, in the order 0, 2, 1, 3: unpacking works in halves of 128 bits. The
/// second word of a long view isn't part of a key; see text_view.
[[gnu::target("avx2")]] inline keys4 load_views(const text_view* views, bool folds) noexcept {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(views));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(views + 2));
    const __m256i first = _mm256_unpacklo_epi64(low, high);
    const __m256i second = _mm256_unpackhi_epi64(low, high);
    if (!folds) return {first, second};
    const __m256i sizes = all_of(0xFFFF'FFFFU);
    return {_mm256_blendv_epi8(fold(first), first, sizes), fold(second)};
}

/// Puts the bits of four lanes 0, 2, 1, 3 in the order of their rows.
[[nodiscard]] constexpr std::uint64_t in_order(unsigned lanes) noexcept {
    return (lanes & 9) | (lanes & 2) << 1 | (lanes & 4) >> 1;
}

[[gnu::target("avx2")]] inline void match_views(const text_view* views, std::size_t rows,
                                                const key_set& set, text_matches out) {
    clear(rows, out);
    const std::size_t whole = set.is_few() ? rows / 4 * 4 : 0;
    const few_keys& few = set.few();
    for (std::size_t row = 0; row < whole; row += 4) {
        const keys4 keys = load_views(views + row, set.fold());
        const unsigned is_long = lanes_of(
            _mm256_cmpgt_epi64(_mm256_and_si256(keys.first, all_of(0xFFFF'FFFFU)), all_of(12)));
        __m256i maybe = _mm256_setzero_si256();
        for (std::size_t i = few.whole; i < few.count; ++i) {
            maybe =
                _mm256_or_si256(maybe, _mm256_cmpeq_epi64(keys.first, all_of(few.keys[i].first)));
        }
        const unsigned hits = match_few(keys, few, 0) & 15 & ~is_long;
        out.hits[row / 64] |= in_order(hits) << (row % 64);
        out.maybe[row / 64] |= in_order(lanes_of(maybe) & is_long) << (row % 64);
    }
    match_views_tail(views, whole, rows, set, out);
}

[[gnu::target("avx2")]] inline bool are_rising(const std::int32_t* offsets, std::size_t rows) {
    __m256i falls = _mm256_setzero_si256();
    std::size_t row = 0;
    for (; row + 8 <= rows; row += 8) {
        const auto* const at = offsets + row;
        falls = _mm256_or_si256(
            falls,
            _mm256_cmpgt_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)),
                               _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 1))));
    }
    return _mm256_testz_si256(falls, falls) != 0 && are_rising_scalar(offsets + row, rows - row);
}

inline constexpr text_kernels table{match_offsets, match_views, are_rising};

}  // namespace sluice::arrow::detail::avx2

#endif

#endif
