// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_WIDE_INTEGER_HPP
#define SLUICE_ARROW_DETAIL_WIDE_INTEGER_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <sluice/base/decimal.hpp>

namespace sluice::arrow::detail {

/// An integer of 256 bits in two's complement, which holds any decimal of Arrow: they have at most
/// 76 digits.
///
/// ```
/// limbs[3] | limbs[2] | limbs[1] | limbs[0]     64 bits each, the sign in the highest
/// ```
class wide_integer {
public:
    constexpr wide_integer() = default;
    template <std::integral T>
    explicit constexpr wide_integer(T value) noexcept : limbs_{static_cast<std::uint64_t>(value)} {
        if (value < T{0}) limbs_[1] = limbs_[2] = limbs_[3] = ~std::uint64_t{0};
    }
    /// The limbs of 128 or 256 bits, the lowest first.
    template <std::size_t Limbs>
    explicit constexpr wide_integer(const std::array<std::uint64_t, Limbs>& limbs) noexcept {
        limbs_.fill(limbs.back() >> 63 != 0 ? ~std::uint64_t{0} : 0);
        std::ranges::copy(limbs, limbs_.begin());
    }

    /// Multiplies by ten and adds a digit.
    constexpr void push_digit(int digit) noexcept {
        auto carry = static_cast<std::uint64_t>(digit);
        for (std::uint64_t& limb : limbs_) {
            const std::uint64_t low = (limb & low_half) * 10 + carry;
            const std::uint64_t high = (limb >> 32) * 10 + (low >> 32);
            limb = high << 32 | (low & low_half);
            carry = high >> 32;
        }
    }
    constexpr void add_one() noexcept {
        for (std::uint64_t& limb : limbs_) {
            if (++limb != 0) return;
        }
    }
    constexpr void negate() noexcept {
        for (std::uint64_t& limb : limbs_) limb = ~limb;
        add_one();
    }

    friend constexpr std::strong_ordering operator<=>(const wide_integer& a,
                                                      const wide_integer& b) noexcept {
        const auto sign_of = [](const wide_integer& n) { return n.limbs_[3] >> 63; };
        if (sign_of(a) != sign_of(b)) return sign_of(b) <=> sign_of(a);
        return std::lexicographical_compare_three_way(a.limbs_.rbegin(), a.limbs_.rend(),
                                                      b.limbs_.rbegin(), b.limbs_.rend());
    }
    friend constexpr bool operator==(const wide_integer&, const wide_integer&) = default;

private:
    static constexpr std::uint64_t low_half = 0xFFFF'FFFF;

    std::array<std::uint64_t, 4> limbs_{};
};

/// A number in whole units of 10^-scale, rounded down and up. One with more digits than any column
/// holds becomes 10^76, which is more than its columns hold.
struct decimal_units {
    wide_integer floor, ceiling;

    constexpr decimal_units(const sluice::detail::decimal& number, std::int64_t scale) noexcept {
        constexpr std::int64_t most_digits = 76, far = 1'000;
        const bool is_zero = number.digit_count() == 0;
        const std::int64_t point = std::clamp(sluice::detail::whole_digits(number), -far, far);
        const std::int64_t digits = is_zero ? 0 : point + scale;
        const bool is_beyond = digits > most_digits;
        if (is_beyond) floor = wide_integer(1);
        for (std::int64_t at = 0; at < std::min(digits, most_digits); ++at) {
            floor.push_digit(is_beyond ? 0 : number.digit(static_cast<std::size_t>(at)));
        }
        const bool has_rest =
            !is_zero && !is_beyond && digits < static_cast<std::int64_t>(number.digit_count());
        ceiling = floor;
        if (has_rest) ceiling.add_one();
        if (!number.negative) return;
        std::swap(floor, ceiling);
        floor.negate();
        ceiling.negate();
    }
};

}  // namespace sluice::arrow::detail

#endif
