// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_HEX_HPP
#define SLUICE_BASE_HEX_HPP

#include <array>
#include <string>
#include <string_view>

namespace sluice::detail {

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
