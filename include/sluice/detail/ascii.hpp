// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_ASCII_HPP
#define SLUICE_DETAIL_ASCII_HPP

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice::detail {

/// ASCII lower case; other bytes stay, whatever the locale.
constexpr char to_lower(char byte) noexcept {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

constexpr bool is_letter(char byte) noexcept {
    const char lower = to_lower(byte);
    return lower >= 'a' && lower <= 'z';
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return to_lower(x) == to_lower(y);
           });
}

inline std::string to_lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return to_lower(c); });
    return lower;
}

}  // namespace sluice::detail

#endif
