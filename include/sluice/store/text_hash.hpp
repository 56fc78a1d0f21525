// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXT_HASH_HPP
#define SLUICE_STORE_TEXT_HASH_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice::store {

namespace detail {

__extension__ using wide = unsigned __int128;

/// All bits of a product, folded.
inline std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) noexcept {
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t load(const char* bytes) noexcept {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

}  // namespace detail

/// A hash of a text: 16 bytes a step, the last ones read once more where they overlap. It differs
/// between machines, as they order bytes differently.
[[nodiscard]] inline std::uint64_t text_hash(std::string_view text) noexcept {
    using detail::load;
    using detail::multiply_fold;
    constexpr std::uint64_t a = 0x9E37'79B9'7F4A'7C15, b = 0xD1B5'4A32'D192'ED03;
    const char* const bytes = text.data();
    const std::size_t size = text.size();
    std::uint64_t hash = size * a;
    if (size > 16) {
        for (std::size_t at = 0; at + 16 < size; at += 16) {
            hash = multiply_fold(load<std::uint64_t>(bytes + at) ^ a ^ hash,
                                 load<std::uint64_t>(bytes + at + 8) ^ b);
        }
        return multiply_fold(load<std::uint64_t>(bytes + size - 16) ^ a ^ hash,
                             load<std::uint64_t>(bytes + size - 8) ^ b);
    }
    std::uint64_t first = 0, last = 0;
    if (size >= 8) {
        first = load<std::uint64_t>(bytes);
        last = load<std::uint64_t>(bytes + size - 8);
    } else if (size >= 4) {
        first = load<std::uint32_t>(bytes);
        last = load<std::uint32_t>(bytes + size - 4);
    } else if (size > 0) {
        first = load<std::uint8_t>(bytes) << 16 | load<std::uint8_t>(bytes + size / 2) << 8 |
                load<std::uint8_t>(bytes + size - 1);
    }
    return multiply_fold(first ^ a ^ hash, last ^ b);
}

}  // namespace sluice::store

#endif
