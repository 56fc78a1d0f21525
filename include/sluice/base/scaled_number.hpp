// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SCALED_NUMBER_HPP
#define SLUICE_BASE_SCALED_NUMBER_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <sluice/base/decimal.hpp>

/// Scaled numbers: decimals as an integer and a scale, which compare faster than their texts.
namespace sluice {

namespace detail {

/// The powers of ten of 64 bits, from 10^0 on.
inline constexpr auto powers_of_ten = [] {
    std::array<std::int64_t, 19> powers{1};
    for (std::size_t at = 1; at < powers.size(); ++at) powers[at] = powers[at - 1] * 10;
    return powers;
}();
/// By power of ten: the largest number that can be multiplied by it without an overflow. From 10^1
/// on the smallest such number is its negative, as 2^63 isn't a multiple of 10.
inline constexpr auto most_raised = [] {
    auto most = powers_of_ten;
    for (std::int64_t& number : most) number = std::numeric_limits<std::int64_t>::max() / number;
    return most;
}();

}  // namespace detail

/// A decimal number as an integer and a scale: 1999 of scale 2 is 19.99. Compared by value.
struct scaled_number {
    /// The largest scale.
    static constexpr int scale_max = 18;

    std::int64_t digits = 0;
    int scale = 0;  ///< number of digits after the point, from 0 to scale_max

    friend constexpr std::strong_ordering operator<=>(const scaled_number& a,
                                                      const scaled_number& b) noexcept {
        if (a.scale == b.scale) return a.digits <=> b.digits;
        if (a.scale > b.scale) return 0 <=> (b <=> a);
        const auto raised_by = static_cast<std::size_t>(b.scale - a.scale);
        const std::int64_t most = detail::most_raised[raised_by];
        if (a.digits > most) return std::strong_ordering::greater;
        if (a.digits < -most) return std::strong_ordering::less;
        return a.digits * detail::powers_of_ten[raised_by] <=> b.digits;
    }
    friend constexpr bool operator==(const scaled_number& a, const scaled_number& b) noexcept {
        return (a <=> b) == 0;
    }
};

namespace detail {

/// Returns a number of at most 18 digits, before and after the point, with the least scale; nullopt
/// for a longer one.
[[nodiscard]] constexpr std::optional<scaled_number> to_scaled(const decimal& number) noexcept {
    constexpr std::int64_t most = scaled_number::scale_max;
    const auto digits = static_cast<std::int64_t>(number.digit_count());
    if (digits == 0) return scaled_number();
    const std::int64_t whole = count_whole_digits(number);
    const std::int64_t scale = std::max<std::int64_t>(digits - whole, 0);
    if (digits > most || whole > most || scale > most) return std::nullopt;
    std::int64_t all = 0;
    for (std::int64_t at = 0; at < std::max(digits, whole); ++at) {
        all = all * 10 + number.digit(static_cast<std::size_t>(at));
    }
    return scaled_number{number.negative ? -all : all, static_cast<int>(scale)};
}

}  // namespace detail

}  // namespace sluice

#endif
