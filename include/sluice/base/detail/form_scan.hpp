// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_DETAIL_FORM_SCAN_HPP
#define SLUICE_BASE_DETAIL_FORM_SCAN_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sluice::detail {

/// The marks of a scan over form data: the bytes that matter to a query string in a block of up to
/// 64. Bit i is byte i.
///
/// ```
/// q=S%C3&page=2
/// ......1......1    ends, the text's own counted
/// .1.........1..    equals
/// ...1..........    encoded
/// ```
struct form_marks {
    std::uint64_t ends = 0;     ///< `&`
    std::uint64_t equals = 0;   ///< `=`
    std::uint64_t encoded = 0;  ///< `%`, `+` and all beyond ASCII: may need decoding
};

/// Returns the marks of 16 bytes, one by one.
[[nodiscard]] inline form_marks mark_one_by_one(const char* at) noexcept {
    form_marks marks;
    for (std::size_t i = 0; i < 16; ++i) {
        const auto byte = static_cast<unsigned char>(at[i]);
        marks.ends |= std::uint64_t{byte == '&'} << i;
        marks.equals |= std::uint64_t{byte == '='} << i;
        marks.encoded |= std::uint64_t{byte == '%' || byte == '+' || byte >= 0x80} << i;
    }
    return marks;
}

/// Like mark_one_by_one(), but all at once with SSE2.
[[nodiscard]] inline form_marks mark_sixteen(const char* at) noexcept {
#if defined(__SSE2__)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto equal_to = [&](char byte) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)); };
    const auto bits = [](__m128i lanes) {
        return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(lanes)));
    };
    const __m128i encoded = _mm_or_si128(_mm_or_si128(equal_to('%'), equal_to('+')), bytes);
    return {bits(equal_to('&')), bits(equal_to('=')), bits(encoded)};
#else
    return mark_one_by_one(at);
#endif
}

/// Returns the marks of the last 1 to 15 bytes of a text.
[[nodiscard]] inline form_marks mark_tail(std::string_view text, std::size_t size) noexcept {
    if (text.size() >= 16) {
        const form_marks last = mark_sixteen(text.data() + text.size() - 16);
        const std::size_t before = 16 - size;
        return {last.ends >> before, last.equals >> before, last.encoded >> before};
    }
    char padded[16] = {};
    std::memcpy(padded, text.data() + text.size() - size, size);
    return mark_sixteen(padded);
}

/// Returns the position of the first mark. Expects marks != 0.
[[nodiscard]] inline std::size_t first_mark(std::uint64_t marks) noexcept {
    return static_cast<std::size_t>(std::countr_zero(marks));
}

/// Returns the marks of the 64 bytes at `begin`, or of those left in the text, followed by an end.
[[nodiscard]] inline form_marks mark_block(std::string_view text, std::size_t begin) noexcept {
    form_marks block;
    const auto add = [&](const form_marks& marks, std::size_t at) {
        block.ends |= marks.ends << at;
        block.equals |= marks.equals << at;
        block.encoded |= marks.encoded << at;
    };
    const char* const bytes = text.data() + begin;
    const std::size_t size = text.size() - begin;
    if (size >= 64) {
        for (std::size_t at = 0; at < 64; at += 16) add(mark_sixteen(bytes + at), at);
        return block;
    }
    std::size_t at = 0;
    for (; size - at >= 16; at += 16) add(mark_sixteen(bytes + at), at);
    if (at < size) add(mark_tail(text, size - at), at);
    block.ends |= std::uint64_t{1} << size;
    return block;
}

}  // namespace sluice::detail

#endif
