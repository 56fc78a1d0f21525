// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_BASE64URL_HPP
#define SLUICE_QUERY_DETAIL_BASE64URL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::detail {

inline constexpr std::string_view base64url_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Encodes bytes as URL-safe text (RFC 4648, section 5) without padding.
///
/// ```
/// bytes   |   24 bits    |   16 bits    |   8 bits     |
/// digits  | 6 | 6 | 6 | 6 | 6 | 6 | 4..  | 6 | 2....    |  missing bits are 0
/// ```
[[nodiscard]] inline std::string to_base64url(std::string_view bytes) {
    std::string text((bytes.size() * 4 + 2) / 3, '\0');
    auto next = text.begin();
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char byte : bytes) {
        bits = bits << 8U | static_cast<unsigned char>(byte);
        for (held += 8; held >= 6; held -= 6) {
            *next++ = base64url_digits[bits >> (held - 6) & 63U];
        }
    }
    if (held > 0) *next = base64url_digits[bits << (6 - held) & 63U];
    return text;
}

/// Returns the bytes that to_base64url() encoded; nullopt if it can't have written the text.
[[nodiscard]] inline std::optional<std::string> from_base64url(std::string_view text) {
    std::string bytes;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char digit : text) {
        const std::size_t value = base64url_digits.find(digit);
        if (value == std::string_view::npos) return std::nullopt;
        bits = bits << 6U | static_cast<std::uint32_t>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes.push_back(static_cast<char>(bits >> held & 0xFFU));
    }
    if (to_base64url(bytes) != text) return std::nullopt;
    return bytes;
}

}  // namespace sluice::detail

#endif
