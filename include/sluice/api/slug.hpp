// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SLUG_HPP
#define SLUICE_API_SLUG_HPP

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice::api {

/// The slug of a link whose key was not given: seven characters that need no escape in a URL.
/// It is one to one over the low 42 bits of `random`, so uniform bits give uniform slugs.
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

}  // namespace sluice::api

#endif
