// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_WORD_HPP
#define SLUICE_BASE_WORD_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// Texts read, compared and copied by words of 1 to 8 bytes, which avoids calls for short ones.
namespace sluice::detail {

/// Reads the sizeof(Word) bytes at `at`, in any alignment, as a number in the machine's byte order.
template <class Word>
[[nodiscard]] inline std::uint64_t load_word(const char* at) noexcept {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// Like load_word(), but in little-endian order on every machine.
template <class Word>
[[nodiscard]] inline std::uint64_t load_little(const char* at) noexcept {
    const std::uint64_t word = load_word<Word>(at);
    if constexpr (std::endian::native == std::endian::little) return word;
    return __builtin_bswap64(word) >> 8 * (sizeof(std::uint64_t) - sizeof(Word));
}

/// Returns a word of eight times the same byte.
[[nodiscard]] constexpr std::uint64_t repeated(std::uint8_t byte) noexcept {
    return ~std::uint64_t{0} / 0xFF * byte;
}

/// Returns true if any byte of a word is `byte`: only a zero byte borrows when 1 is subtracted.
[[nodiscard]] constexpr bool has_byte(std::uint64_t word, char byte) noexcept {
    const std::uint64_t zeroed = word ^ repeated(static_cast<std::uint8_t>(byte));
    return ((zeroed - repeated(1)) & ~zeroed & repeated(0x80)) != 0;
}

/// Returns true if a text has a byte. Texts of 8 to 64 bytes are read by words, without a call.
[[nodiscard]] inline bool has_byte(std::string_view text, char byte) noexcept {
    if (text.size() < 8 || text.size() > 64) return text.find(byte) != std::string_view::npos;
    const char* const last = text.data() + text.size() - 8;
    for (const char* at = text.data(); at < last; at += 8) {
        if (has_byte(load_word<std::uint64_t>(at), byte)) return true;
    }
    return has_byte(load_word<std::uint64_t>(last), byte);
}

/// Returns true if two texts have the same words, after `map`, at all offsets in `places`.
template <class Word, class Map, class... Place>
[[nodiscard]] inline bool same_at(const char* a, const char* b, Map map, Place... places) noexcept {
    const auto differing = [&](std::size_t at) {
        return map(load_word<Word>(a + at)) ^ map(load_word<Word>(b + at));
    };
    return (differing(places) | ...) == 0;
}

/// Returns true if two texts of up to 16 bytes are the same once `map` has been applied to their
/// words, which has to map each byte by itself. Overlapping words cover all sizes in three
/// branches, so that sizes which vary, as those of names do, are rarely mispredicted:
///
/// ```
/// size 10   [ d  e  v  i ] c  e  _  n  a  m
///             d  e  v [ i  c  e  _ ] n  a  m
///             d  e  v  i  c  e [ _  n  a  m ]
/// ```
template <class Map>
[[nodiscard]] inline bool same_words(const char* a, const char* b, std::size_t size,
                                     Map map) noexcept {
    if (size > 12) return same_at<std::uint64_t>(a, b, map, std::size_t{0}, size - 8);
    if (size >= 4) {
        return same_at<std::uint32_t>(a, b, map, std::size_t{0}, size / 2 - 2, size - 4);
    }
    return size == 0 || same_at<std::uint8_t>(a, b, map, std::size_t{0}, size / 2, size - 1);
}

/// Copies a text of one to two words: its first word and its last, which may overlap.
template <class Word>
inline void copy_ends(char* output, const char* input, std::size_t size) noexcept {
    Word first;
    Word last;
    std::memcpy(&first, input, sizeof first);
    std::memcpy(&last, input + size - sizeof last, sizeof last);
    std::memcpy(output, &first, sizeof first);
    std::memcpy(output + size - sizeof last, &last, sizeof last);
}

#if defined(__GNUC__) && !defined(__clang__)  // g++ 12 warns of branches for longer texts
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

/// Copies a text to memory that doesn't overlap it. Faster than std::memcpy for up to 16 bytes: it
/// calls no function.
inline void copy_words(char* output, const char* input, std::size_t size) noexcept {
    if (size > 16) {
        std::memcpy(output, input, size);
    } else if (size >= 8) {
        copy_ends<std::uint64_t>(output, input, size);
    } else if (size >= 4) {
        copy_ends<std::uint32_t>(output, input, size);
    } else if (size >= 2) {
        copy_ends<std::uint16_t>(output, input, size);
    } else if (size == 1) {
        *output = *input;
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace sluice::detail

#endif
