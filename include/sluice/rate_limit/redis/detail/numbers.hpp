// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_DETAIL_NUMBERS_HPP
#define SLUICE_RATE_LIMIT_REDIS_DETAIL_NUMBERS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::detail {

// Numbers as the script takes and returns them: little-endian doubles of 8 bytes.

inline constexpr std::size_t redis_number_size = 8;

inline void append_redis_number(std::string& to, double number) {
    static_assert(sizeof number == redis_number_size);
    const auto bits = std::bit_cast<std::uint64_t>(number);
    std::array<char, redis_number_size> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(bits >> (8 * i) & 0xff);
    }
    to.append(bytes.data(), bytes.size());
}

/// Returns the number at an offset of a text that holds all of it.
[[nodiscard]] inline double redis_number_at(std::string_view text, std::size_t offset) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < redis_number_size; ++i) {
        bits |= std::uint64_t{static_cast<unsigned char>(text[offset + i])} << (8 * i);
    }
    return std::bit_cast<double>(bits);
}

}  // namespace sluice::detail

#endif
