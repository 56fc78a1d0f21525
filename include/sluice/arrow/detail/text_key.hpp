// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_TEXT_KEY_HPP
#define SLUICE_ARROW_DETAIL_TEXT_KEY_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <sluice/base/ascii.hpp>

namespace sluice::arrow::detail {

/// Maximum size of a text that a key holds whole.
inline constexpr std::size_t key_whole_max = 12;

/// Two words that represent a text; texts of up to 12 bytes are equal if their keys are.
///
/// ```
/// first   | length, 32 bits | bytes 0-3                |
/// second  | bytes 4-11, or of a longer text its last 8 |
/// ```
/// Missing bytes are 0. It is the layout of an Arrow view, except for the second word of long
/// texts.
struct text_key {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    friend constexpr bool operator==(const text_key&, const text_key&) = default;
};

/// Loads up to 8 bytes as a little-endian number.
[[nodiscard]] inline std::uint64_t load_bytes(const char* at, std::size_t count) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, std::min<std::size_t>(count, 8));
    return word;
}

[[nodiscard]] constexpr text_key make_key(std::size_t size, std::uint64_t head, std::uint64_t tail,
                                          bool fold) noexcept {
    if (fold) head = sluice::detail::to_lower_bytes(head);
    if (fold) tail = sluice::detail::to_lower_bytes(tail);
    return {static_cast<std::uint32_t>(size) | head << 32, tail};
}

/// Returns the key of a text or, with `fold`, of its ASCII lower case. It reads the text and
/// nothing beside it.
[[nodiscard]] inline text_key key_of(std::string_view text, bool fold) noexcept {
    const std::size_t size = text.size();
    if (size > key_whole_max) {
        const std::uint64_t last = load_bytes(text.data() + size - 8, 8);
        return make_key(size, load_bytes(text.data(), 4), last, fold);
    }
    if (size >= 8) {
        const std::uint64_t head = load_bytes(text.data(), 8);
        // The last 8 bytes hold bytes 4 to 11 and the few before them, which the
        // shift drops.
        const std::uint64_t last = load_bytes(text.data() + size - 8, 8);
        return make_key(size, head & 0xFFFF'FFFFU, last >> (8 * (key_whole_max - size)), fold);
    }
    // Two halves of 4 bytes that overlap, or up to 3 bytes.
    if (size >= 4) {
        const std::uint64_t last = load_bytes(text.data() + size - 4, 4);
        return make_key(size, load_bytes(text.data(), 4), last >> (8 * (8 - size)), fold);
    }
    const std::uint64_t few = size == 0 ? 0 : load_bytes(text.data(), size);
    return make_key(size, few, 0, fold);
}

/// Like key_of(), but faster, if the 12 bytes from the start of the text can be read.
[[nodiscard]] inline text_key key_within(const char* at, std::uint32_t size, bool fold) noexcept {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t head_bytes = std::min<std::uint64_t>(size, 4);
    const std::uint64_t tail_bytes = size <= 4 ? 0 : std::min<std::uint64_t>(size - 4, 8);
    const std::uint64_t head = load_bytes(at, 4) & ((std::uint64_t{1} << (8 * head_bytes)) - 1);
    const std::uint64_t tail = load_bytes(at + (size > key_whole_max ? size - 8 : 4), 8);
    const std::uint64_t kept = tail_bytes == 0 ? 0 : all >> (8 * (8 - tail_bytes));
    return make_key(size, head, tail & kept, fold);
}

}  // namespace sluice::arrow::detail

#endif
