// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_EXACT_SUM_HPP
#define SLUICE_BASE_EXACT_SUM_HPP

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sluice/base/decimal.hpp>

/// Sums without rounding errors, whatever the order of the numbers.
namespace sluice::detail {

/// A signed integer of 128 bits: the sum of up to 2^63 integers of 64 bits.
class wide_integer {
public:
    // Implicit, so that a sum can begin with 0 and add integers.
    constexpr wide_integer(std::int64_t value = 0) noexcept
        : low_(static_cast<std::uint64_t>(value)), high_(value < 0 ? ~std::uint64_t{0} : 0) {}

    [[nodiscard]] static constexpr wide_integer product(std::int64_t a, std::int64_t b) noexcept {
        constexpr std::uint64_t half = 0xFFFF'FFFF;
        const std::uint64_t x = size_of(a), y = size_of(b);
        const std::uint64_t least = (x & half) * (y & half);
        const std::uint64_t inner = (x >> 32) * (y & half) + (least >> 32);
        const std::uint64_t outer = (x & half) * (y >> 32) + (inner & half);
        wide_integer result;
        result.low_ = outer << 32 | (least & half);
        result.high_ = (x >> 32) * (y >> 32) + (inner >> 32) + (outer >> 32);
        if ((a < 0) != (b < 0)) result.negate();
        return result;
    }
    constexpr wide_integer& operator+=(wide_integer added) noexcept {
        low_ += added.low_;
        high_ += added.high_ + (low_ < added.low_ ? 1 : 0);
        return *this;
    }
    /// Returns the value as 64 bits; nullopt if it doesn't fit.
    [[nodiscard]] constexpr std::optional<std::int64_t> as_int64() const noexcept {
        const auto value = static_cast<std::int64_t>(low_);
        return wide_integer(value) == *this ? std::optional(value) : std::nullopt;
    }
    /// Returns a number that isn't larger for a smaller value: one of its own for each value of 64
    /// bits.
    [[nodiscard]] constexpr std::uint64_t prefix() const noexcept {
        constexpr std::uint64_t sign = std::uint64_t{1} << 63;
        if (const auto value = as_int64()) return static_cast<std::uint64_t>(*value) ^ sign;
        return high_ >> 63 != 0 ? 0 : ~std::uint64_t{0};
    }
    /// Returns the digits, after a `-` if it is negative.
    [[nodiscard]] std::string text() const {
        wide_integer rest = *this;
        const bool is_negative = high_ >> 63 != 0;
        if (is_negative) rest.negate();
        std::string digits;
        do {
            digits.push_back(static_cast<char>('0' + rest.divide_by_ten()));
        } while (rest != wide_integer());
        if (is_negative) digits.push_back('-');
        std::reverse(digits.begin(), digits.end());
        return digits;
    }

    friend constexpr bool operator==(const wide_integer&, const wide_integer&) = default;
    friend constexpr std::strong_ordering operator<=>(const wide_integer& a,
                                                      const wide_integer& b) noexcept {
        const auto signed_high = [](const wide_integer& of) {
            return static_cast<std::int64_t>(of.high_);
        };
        const auto order = signed_high(a) <=> signed_high(b);
        return order != 0 ? order : a.low_ <=> b.low_;
    }

private:
    static constexpr std::uint64_t size_of(std::int64_t value) noexcept {
        const auto bits = static_cast<std::uint64_t>(value);
        return value < 0 ? ~bits + 1 : bits;
    }
    constexpr void negate() noexcept {
        low_ = ~low_ + 1;
        high_ = ~high_ + (low_ == 0 ? 1 : 0);
    }
    /// Divides a number that isn't negative, in digits of 32 bits, and returns the remainder.
    constexpr int divide_by_ten() noexcept {
        std::uint64_t remainder = 0;
        for (std::uint64_t* const word : {&high_, &low_}) {
            const std::uint64_t upper = remainder << 32 | *word >> 32;
            const std::uint64_t lower = upper % 10 << 32 | (*word & 0xFFFF'FFFF);
            *word = upper / 10 << 32 | lower / 10;
            remainder = lower % 10;
        }
        return static_cast<int>(remainder);
    }

    std::uint64_t low_;
    std::uint64_t high_;  // in two's complement
};

/// Returns the canonical text of a decimal, the same for equal ones: without an exponent if it has
/// at most 40 digits before and after the point. Decimals beyond decimal_exponent_bound keep their
/// text.
[[nodiscard]] inline std::string canonical_decimal(const decimal& number) {
    if (number.digit_count() == 0) return "0";
    std::string digits;
    for (std::size_t at = 0; at < number.digit_count(); ++at) {
        digits.push_back(static_cast<char>('0' + number.digit(at)));
    }
    digits.erase(digits.find_last_not_of('0') + 1);
    const std::int64_t whole = count_whole_digits(number);
    const auto size = static_cast<std::int64_t>(digits.size());
    std::string text = number.negative ? "-" : "";
    if (whole >= decimal_exponent_bound || whole <= -decimal_exponent_bound) {
        text.append(number.whole.empty() ? "0" : number.whole);
        if (!number.fraction.empty()) text.append(".").append(number.fraction);
        return text.append(number.exponent_negative ? "e-" : "e").append(number.exponent);
    }
    if (whole > 40 || whole - size < -40) {
        text.append(digits, 0, 1);
        if (size > 1) text.append(".").append(digits, 1);
        return text.append("e").append(std::to_string(whole - 1));
    }
    if (whole <= 0) {
        return text.append("0.").append(static_cast<std::size_t>(-whole), '0').append(digits);
    }
    if (whole >= size) {
        return text.append(digits).append(static_cast<std::size_t>(whole - size), '0');
    }
    const auto point = static_cast<std::size_t>(whole);
    return text.append(digits, 0, point).append(".").append(digits, point);
}

/// The exact sum of decimals: limbs of nine digits, in which digits are added without carries.
///
/// ```
/// 12 345678901.5    limb    1         0         -1
///                          12 345678901  500000000
/// ```
///
/// It holds at most 9 * 10^9 numbers.
class decimal_sum {
public:
    /// The largest number of digits before and after the point.
    static constexpr std::int64_t places_max = 10'000;

    /// Adds a number. Returns false if it has a digit beyond places_max.
    [[nodiscard]] bool add(const decimal& number) {
        const auto digits = static_cast<std::int64_t>(number.digit_count());
        if (digits == 0) return true;
        const std::int64_t whole = count_whole_digits(number);
        if (whole > places_max || whole - digits < -places_max) return false;
        std::int64_t part = 0, weight = 1;
        for (std::int64_t at = digits; at-- > 0;) {
            // Places are counted from the first digit of the lowest limb.
            const std::int64_t place = whole - 1 - at + lowest_place;
            if (at == digits - 1) weight = power_of_ten(place % limb_digits);
            part += weight * number.digit(static_cast<std::size_t>(at));
            weight *= 10;
            if (weight < limb_base && at > 0) continue;
            limb(place / limb_digits) += number.negative ? -part : part;
            part = 0;
            weight = 1;
        }
        return true;
    }
    /// Adds an integer of 128 bits divided by 10^`scale`, which is at most places_max.
    void add(wide_integer number, unsigned scale) {
        const std::string text = number.text();
        const auto digits = decimal_reader(text).read().value_or(decimal{});
        decimal scaled = digits;
        scaled.point -= scale;
        static_cast<void>(add(scaled));
    }
    void add(const decimal_sum& other) {
        for (std::size_t at = 0; at < other.limbs_.size(); ++at) {
            limb(other.first_ + static_cast<std::int64_t>(at)) += other.limbs_[at];
        }
    }

    /// Returns the sum as a JSON number without an exponent.
    [[nodiscard]] std::string text() const {
        std::vector<std::int64_t> limbs = limbs_;
        bool is_negative = carry(limbs) < 0;
        if (is_negative) {
            limbs = limbs_;
            for (std::int64_t& part : limbs) part = -part;
            static_cast<void>(carry(limbs));
        }
        std::string digits;  // from the last place
        for (std::int64_t part : limbs) {
            for (std::int64_t at = 0; at < limb_digits; ++at, part /= 10) {
                digits.push_back(static_cast<char>('0' + part % 10));
            }
        }
        // The places of the digits after the point.
        const std::int64_t after = lowest_place - first_ * limb_digits;
        if (after < 0) digits.insert(0, static_cast<std::size_t>(-after), '0');
        const auto point = static_cast<std::size_t>(std::max<std::int64_t>(after, 0));
        if (digits.size() <= point) digits.append(point + 1 - digits.size(), '0');
        std::string fraction = digits.substr(0, point), whole = digits.substr(point);
        fraction.erase(0, std::min(fraction.find_first_not_of('0'), fraction.size()));
        whole.erase(std::max<std::size_t>(whole.find_last_not_of('0') + 1, 1));
        std::reverse(whole.begin(), whole.end());
        std::reverse(fraction.begin(), fraction.end());
        is_negative = is_negative && !(whole == "0" && fraction.empty());
        return (is_negative ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction);
    }

private:
    static constexpr std::int64_t limb_digits = 9, limb_base = 1'000'000'000;
    // A multiple of limb_digits beyond places_max, so that no place is negative.
    static constexpr std::int64_t lowest_place = 10'008;
    static_assert(lowest_place % limb_digits == 0 && lowest_place > places_max);

    static constexpr std::int64_t power_of_ten(std::int64_t exponent) noexcept {
        std::int64_t power = 1;
        for (; exponent > 0; --exponent) power *= 10;
        return power;
    }
    /// Returns the limb at an index, adding it and those between.
    std::int64_t& limb(std::int64_t index) {
        if (limbs_.empty()) first_ = index;
        if (index < first_) {
            limbs_.insert(limbs_.begin(), static_cast<std::size_t>(first_ - index), 0);
            first_ = index;
        }
        const auto at = static_cast<std::size_t>(index - first_);
        if (at >= limbs_.size()) limbs_.resize(at + 1);
        return limbs_[at];
    }
    /// Makes each limb a number of nine digits, adding limbs at the end. Returns -1 if the sum is
    /// negative, else 0; the limbs of a negative one have no meaning.
    static std::int64_t carry(std::vector<std::int64_t>& limbs) {
        std::int64_t carried = 0;
        const auto pass = [&](std::int64_t& part) {
            part += carried;
            carried = part / limb_base - (part % limb_base < 0 ? 1 : 0);
            part -= carried * limb_base;
        };
        for (std::int64_t& part : limbs) pass(part);
        while (carried > 0) {
            limbs.push_back(0);
            pass(limbs.back());
        }
        return carried < 0 ? -1 : 0;
    }

    std::vector<std::int64_t> limbs_{};  // ascending, from the limb first_
    std::int64_t first_ = 0;
};

/// The sum of doubles, rounded once: the double nearest to the exact sum. It keeps parts that don't
/// overlap, by Shewchuk's algorithm. Infinite if an intermediate sum is beyond the largest double.
class real_sum {
public:
    void add(double number) {
        if (!std::isfinite(number)) {
            special_ += number;
            return;
        }
        std::size_t kept = 0;
        for (std::size_t at = 0; at < parts_.size(); ++at) {
            double part = parts_[at];
            if (std::abs(number) < std::abs(part)) std::swap(number, part);
            const double high = number + part;
            const double low = part - (high - number);
            if (low != 0) parts_[kept++] = low;
            number = high;
        }
        if (!std::isfinite(number)) {
            special_ += number;
            kept = 0;
            number = 0;
        }
        parts_.resize(kept);
        parts_.push_back(number);
    }
    void add(const real_sum& other) {
        special_ += other.special_;
        for (const double part : other.parts_) add(part);
    }

    [[nodiscard]] double value() const noexcept {
        if (special_ != 0) return special_;
        std::size_t at = parts_.size();
        if (at == 0) return 0;
        double sum = parts_[--at], low = 0;
        while (at > 0) {
            const double before = sum, part = parts_[--at];
            sum = before + part;
            low = part - (sum - before);
            if (low != 0) break;
        }
        // Halfway between two doubles, the parts below decide.
        if (at > 0 && ((low < 0 && parts_[at - 1] < 0) || (low > 0 && parts_[at - 1] > 0))) {
            const double twice = low * 2, rounded = sum + twice;
            if (twice == rounded - sum) sum = rounded;
        }
        return sum + 0.0;
    }

private:
    std::vector<double> parts_{};
    double special_ = 0;  // the sum of infinities and NaN
};

}  // namespace sluice::detail

#endif
