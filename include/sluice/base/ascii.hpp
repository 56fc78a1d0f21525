// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_ASCII_HPP
#define SLUICE_BASE_ASCII_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <sluice/base/word.hpp>

/// ASCII, whatever the locale: letter case, white space, comparisons, hexadecimal digits.
namespace sluice::detail {

/// Returns the ASCII lower case of a byte, whatever the locale; other bytes stay.
constexpr char to_lower(char byte) noexcept {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

/// Like to_lower(), for the eight bytes of a word at once. Without its bit 7 a byte is below 128,
/// so bit 7 of its sum with 128 - bound is set if it has reached the bound, and no sum carries into
/// the next byte.
constexpr std::uint64_t to_lower_bytes(std::uint64_t word) noexcept {
    const std::uint64_t low_bits = word & repeated(0x7F);
    const std::uint64_t from_a = low_bits + repeated(0x80 - 'A');
    const std::uint64_t beyond_z = low_bits + repeated(0x80 - 'Z' - 1);
    const std::uint64_t upper = from_a & ~beyond_z & ~word & repeated(0x80);
    return word | (upper >> 2);  // 0x80 to 0x20, the bit by which the cases differ
}

/// Returns true for an ASCII letter, whatever the locale.
constexpr bool is_letter(char byte) noexcept {
    const char lower = to_lower(byte);
    return lower >= 'a' && lower <= 'z';
}

/// The white space of JSON and of metadata expressions.
inline constexpr std::string_view white_space = " \t\r\n";
constexpr bool is_space(char byte) noexcept {
    // Most bytes are above all white space, and cost one comparison.
    return static_cast<unsigned char>(byte) <= ' ' &&
           (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r');
}

constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }

/// Returns true if two texts have the same bytes. Faster than `==` for up to 16 bytes, as most
/// texts are: it calls no function.
constexpr bool equal_bytes(std::string_view a, std::string_view b) noexcept {
    if (std::is_constant_evaluated() || a.size() > 16) return a == b;
    return a.size() == b.size() &&
           same_words(a.data(), b.data(), a.size(), [](std::uint64_t word) { return word; });
}

/// Returns true if two texts are equal after to_lower().
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    if (!std::is_constant_evaluated() && a.size() <= 16) {
        const auto fold = [](std::uint64_t word) { return to_lower_bytes(word); };
        return same_words(a.data(), b.data(), a.size(), fold);
    }
    for (std::size_t at = 0; at < a.size(); ++at) {
        if (to_lower(a[at]) != to_lower(b[at])) return false;
    }
    return true;
}

/// Returns a text with to_lower() of each byte.
inline std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& byte : lower) byte = to_lower(byte);
    return lower;
}

inline constexpr std::string_view lower_hex_digits = "0123456789abcdef";
inline constexpr std::string_view upper_hex_digits = "0123456789ABCDEF";

/// Returns the two hexadecimal digits of a byte.
constexpr std::array<char, 2> hex_of(unsigned char byte,
                                     std::string_view digits = lower_hex_digits) noexcept {
    return {digits[byte >> 4], digits[byte & 15]};
}

/// Appends the two hexadecimal digits of a byte.
inline void append_hex(std::string& out, char byte, std::string_view digits = lower_hex_digits) {
    const auto both = hex_of(static_cast<unsigned char>(byte), digits);
    out.append(both.data(), both.size());
}

/// Returns the value of a hexadecimal digit in any case, or -1.
constexpr int hex_digit(char digit) noexcept {
    if (digit >= '0' && digit <= '9') return digit - '0';
    const char lower = static_cast<char>(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace sluice::detail

#endif
