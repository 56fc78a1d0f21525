// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_UNICODE_HPP
#define SLUICE_BASE_UNICODE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <sluice/base/word.hpp>

/// UTF-8: decoding, encoding and validation, and lengths in UTF-16.
namespace sluice::detail {

/// Unicode's replacement for bytes that are not UTF-8: U+FFFD REPLACEMENT CHARACTER.
inline constexpr char32_t replacement_character = 0xFFFD;

/// Treatment of half a surrogate pair in the escapes of a text. No text in UTF-8 has it.
enum class lone_surrogates : std::uint8_t {
    replaced,  ///< by U+FFFD, as in the documents of rows, which have to be kept
    refused,   ///< as in conditions, which would mean another text
};

/// One step of a UTF-8 decoder. Ill-formed bytes give U+FFFD, which a text may also contain: only
/// `is_well_formed` distinguishes the two.
struct decoded_utf8 {
    char32_t code_point = replacement_character;
    std::size_t size = 1;         ///< bytes consumed, 1 to 4
    bool is_well_formed = false;  ///< false: the bytes begin no code point, or only a part of one

    friend constexpr bool operator==(const decoded_utf8&, const decoded_utf8&) = default;
};

/// The form of a sequence with a certain first byte. Only the second byte's range depends on the
/// first (to exclude overlong forms, surrogates and values above U+10FFFF); all later ones are
/// 80..BF:
///
/// ```
/// C2..DF  80..BF
/// E0      A0..BF  80..BF            ED  80..9F  80..BF
/// E1..EF  80..BF  80..BF            (all others)
/// F0      90..BF  80..BF  80..BF    F4  80..8F  80..BF  80..BF
/// F1..F3  80..BF  80..BF  80..BF
/// ```
struct utf8_sequence {
    std::size_t size = 0;  ///< bytes in all; 0 if no sequence starts with this byte
    unsigned char lowest_second = 0x80;
    unsigned char highest_second = 0xBF;
};

/// Returns the form of the sequences that start with a byte.
[[nodiscard]] constexpr utf8_sequence utf8_sequence_of(unsigned char first) noexcept {
    if (first < 0x80) return {1};
    if (first < 0xC2) return {};
    if (first < 0xE0) return {2};
    if (first == 0xE0) return {3, 0xA0, 0xBF};
    if (first == 0xED) return {3, 0x80, 0x9F};
    if (first < 0xF0) return {3};
    if (first == 0xF0) return {4, 0x90, 0xBF};
    if (first < 0xF4) return {4};
    if (first == 0xF4) return {4, 0x80, 0x8F};
    return {};
}

/// Decodes the code point at `offset`, which is less than `text.size()`. Ill-formed bytes are
/// consumed as in the Unicode Standard (3.9, "U+FFFD substitution of maximal subparts") and the
/// WHATWG decoder: as many as could have started a code point, at least one.
[[nodiscard]] constexpr decoded_utf8 decode_utf8(std::string_view text,
                                                 std::size_t offset) noexcept {
    const auto first = static_cast<unsigned char>(text[offset]);
    if (first < 0x80) return {first, 1, true};
    const utf8_sequence sequence = utf8_sequence_of(first);
    if (sequence.size == 0) return {};
    unsigned char lowest = sequence.lowest_second;
    unsigned char highest = sequence.highest_second;
    char32_t code_point = first & (0x7FU >> sequence.size);
    for (std::size_t i = 1; i < sequence.size; ++i) {
        if (offset + i == text.size()) return {replacement_character, i, false};
        const auto next = static_cast<unsigned char>(text[offset + i]);
        if (next < lowest || next > highest) return {replacement_character, i, false};
        code_point = (code_point << 6) | (next & 0x3FU);
        lowest = 0x80;
        highest = 0xBF;
    }
    return {code_point, sequence.size, true};
}

/// Returns true if the first eight bytes of a text are ASCII; false if it has fewer.
[[nodiscard]] inline bool begins_with_ascii_word(std::string_view text) noexcept {
    return text.size() >= sizeof(std::uint64_t) &&
           (load_word<std::uint64_t>(text.data()) & repeated(0x80)) == 0;
}

/// Returns the number of bytes at the start of `text` that are well-formed UTF-8.
[[nodiscard]] constexpr std::size_t valid_utf8_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        if (!std::is_constant_evaluated() && begins_with_ascii_word(text.substr(at))) {
            at += sizeof(std::uint64_t);
            continue;
        }
        if (static_cast<unsigned char>(text[at]) < 0x80) {  // most texts have no others
            ++at;
            continue;
        }
        const decoded_utf8 step = decode_utf8(text, at);
        if (!step.is_well_formed) break;
        at += step.size;
    }
    return at;
}

[[nodiscard]] constexpr bool is_valid_utf8(std::string_view text) noexcept {
    return valid_utf8_prefix(text) == text.size();
}

/// Appends a code point; one that UTF-8 can't hold (a surrogate, above U+10FFFF) becomes U+FFFD.
constexpr void append_utf8(std::string& out, char32_t code_point) {
    const auto push = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    const auto push_tail = [&](int shift) { push(0x80 | ((code_point >> shift) & 0x3F)); };
    const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (is_surrogate || code_point > 0x10FFFF) code_point = replacement_character;
    if (code_point < 0x80) return push(code_point);
    if (code_point < 0x800) {
        push(0xC0 | (code_point >> 6));
    } else if (code_point < 0x10000) {
        push(0xE0 | (code_point >> 12));
        push_tail(6);
    } else {
        push(0xF0 | (code_point >> 18));
        push_tail(12);
        push_tail(6);
    }
    push_tail(0);
}

/// Returns `text` with each ill-formed part replaced by one U+FFFD, like WHATWG's "UTF-8 decode
/// without BOM"; a byte order mark is text like any other.
[[nodiscard]] constexpr std::string to_valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (true) {
        const std::size_t good = valid_utf8_prefix(text);
        valid.append(text.substr(0, good));
        if (good == text.size()) return valid;
        append_utf8(valid, replacement_character);
        text.remove_prefix(good + decode_utf8(text, good).size);
    }
}

/// Returns the number of UTF-16 code units of `text` once decoded, its length in JavaScript. Each
/// ill-formed part counts as the one U+FFFD that replaces it.
[[nodiscard]] constexpr std::size_t utf16_length(std::string_view text) noexcept {
    std::size_t units = 0;
    for (std::size_t at = 0; at < text.size();) {
        const decoded_utf8 step = decode_utf8(text, at);
        units += step.code_point < 0x10000 ? 1 : 2;
        at += step.size;
    }
    return units;
}

}  // namespace sluice::detail

#endif
