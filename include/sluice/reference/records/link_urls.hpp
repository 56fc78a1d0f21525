// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_LINK_URLS_HPP
#define SLUICE_REFERENCE_RECORDS_LINK_URLS_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/hex.hpp>

namespace sluice::reference {

/// The key of a domain's root link.
inline constexpr std::string_view root_link_key = "_root";

namespace detail {

/// Returns true if a URL's path may contain the byte unescaped (RFC 3986: pchar or "/").
constexpr bool is_path_byte(char byte) noexcept {
    constexpr std::string_view others = "-._~!$&'()*+,;=:@/";
    return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) ||
           others.find(byte) != std::string_view::npos;
}

/// Appends `path`, percent-encoding bytes as needed.
inline void append_url_path(std::string& out, std::string_view path) {
    for (const char byte : path) {
        if (is_path_byte(byte)) {
            out.push_back(byte);
        } else {
            out.push_back('%');
            sluice::detail::append_hex(out, byte, sluice::detail::upper_hex_digits);
        }
    }
}

}  // namespace detail

/// The URL of a short link: `https://{domain}/{key}`, of a root link `https://{domain}`. Bytes of
/// the key that a URL's path can't hold (space, `%`, `?`, `#`, non-ASCII and the like) are
/// percent-encoded; `/` is not.
[[nodiscard]] inline std::string short_link_url(std::string_view domain, std::string_view key) {
    std::string url("https://");
    url.append(domain);
    if (key == root_link_key) return url;
    url.push_back('/');
    detail::append_url_path(url, key);
    return url;
}

/// The URL of a short link's QR code: the URL of the link with the query `qr=image`. No other link
/// has this URL.
[[nodiscard]] inline std::string qr_code_url(std::string_view domain, std::string_view key) {
    return short_link_url(domain, key).append("?qr=image");
}

/// A slug for a link without a key: seven characters that need no escaping in URLs. Bijective in
/// the low 42 bits of `random`, so that uniform bits give uniform slugs.
///
/// ```
/// const auto slug = make_slug(0);  // AAAAAAA
/// const std::string_view key(slug.data(), slug.size());
/// ```
[[nodiscard]] constexpr std::array<char, 7> make_slug(std::uint64_t random) noexcept {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::array<char, 7> slug{};
    for (char& character : slug) {
        character = alphabet[random & 63];
        random >>= 6;
    }
    return slug;
}

}  // namespace sluice::reference

#endif
