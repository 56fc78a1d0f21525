// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_WIDE_INTEGER_HPP
#define SLUICE_ARROW_DETAIL_WIDE_INTEGER_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>

/// Wide integers: the decimals of Arrow in whole units.
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
    /// Converts from limbs of 128 or 256 bits, the lowest first.
    template <std::size_t Limbs>
    explicit constexpr wide_integer(const std::array<std::uint64_t, Limbs>& limbs) noexcept {
        limbs_.fill(limbs.back() >> 63 != 0 ? ~std::uint64_t{0} : 0);
        std::ranges::copy(limbs, limbs_.begin());
    }

    /// The least and the greatest of all.
    [[nodiscard]] static constexpr wide_integer least() noexcept {
        return wide_integer(std::array<std::uint64_t, 4>{0, 0, 0, std::uint64_t{1} << 63});
    }
    [[nodiscard]] static constexpr wide_integer most() noexcept {
        wide_integer number = least();
        for (std::uint64_t& limb : number.limbs_) limb = ~limb;
        return number;
    }
    /// Returns the lowest limbs.
    template <std::size_t Limbs>
    [[nodiscard]] constexpr std::array<std::uint64_t, Limbs> low_limbs() const noexcept {
        std::array<std::uint64_t, Limbs> limbs{};
        std::copy_n(limbs_.begin(), Limbs, limbs.begin());
        return limbs;
    }

    /// Multiplies by ten and adds a digit. Expects a number that isn't negative.
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
    constexpr void subtract_one() noexcept {
        for (std::uint64_t& limb : limbs_) {
            if (limb-- != 0) return;
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

}  // namespace sluice::arrow::detail

#endif
