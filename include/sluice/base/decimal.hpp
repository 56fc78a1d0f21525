// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_DECIMAL_HPP
#define SLUICE_BASE_DECIMAL_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace sluice::detail {

/// A decimal number of JSON as a view of its text, which must outlive it. No digit is ever rounded:
///
/// ```
///            +- negative      value = 0.12034 * 10^(point + exponent)
///            | whole  fraction   exponent
/// text       -  12  .  034  00  e  +7       zeros that carry no value are left out
///               ^^ point = 2
/// ```
///
/// Zero has no digits, no sign and no exponent.
struct decimal {
    bool negative = false;
    bool exponent_negative = false;
    std::string_view whole{};     ///< digits before the point; the first is not 0
    std::string_view fraction{};  ///< digits after the point; the last is not 0
    std::string_view exponent{};  ///< digits of the exponent, as many as were written
    std::int64_t point = 0;       ///< position of the point, counted from the first digit

    [[nodiscard]] constexpr std::size_t digit_count() const noexcept {
        return whole.size() + fraction.size();
    }

    /// Returns digit `at`, counted from the first; 0 past the last.
    [[nodiscard]] constexpr int digit(std::size_t at) const noexcept {
        if (at < whole.size()) return whole[at] - '0';
        at -= whole.size();
        return at < fraction.size() ? fraction[at] - '0' : 0;
    }
};

/// Parses one number of RFC 8259, section 6. The parts return nullopt if they are malformed.
class decimal_reader {
public:
    explicit constexpr decimal_reader(std::string_view text) noexcept : text_(text) {}

    /// number = [ "-" ] int [ frac ] [ exp ]
    [[nodiscard]] constexpr std::optional<decimal> read() noexcept {
        decimal number;
        number.negative = take('-');
        const auto whole = read_whole();
        if (!whole) return std::nullopt;
        const auto fraction = read_fraction();
        if (!fraction) return std::nullopt;
        if (take('e') || take('E')) {
            number.exponent_negative = take('-');
            if (!number.exponent_negative) take('+');
            number.exponent = take_digits();
            if (number.exponent.empty()) return std::nullopt;
        }
        if (!text_.empty()) return std::nullopt;
        number.whole = *whole;
        number.fraction = *fraction;
        return without_zeros(number);
    }

private:
    /// int = "0" / ( digit1-9 *DIGIT )
    constexpr std::optional<std::string_view> read_whole() noexcept {
        const std::string_view digits = take_digits();
        if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
        return digits;
    }

    /// frac = "." 1*DIGIT, or nothing
    constexpr std::optional<std::string_view> read_fraction() noexcept {
        if (!take('.')) return std::string_view();
        const std::string_view digits = take_digits();
        if (digits.empty()) return std::nullopt;
        return digits;
    }

    /// Moves over the next byte if it is `expected`; returns true if it did.
    constexpr bool take(char expected) noexcept {
        if (text_.empty() || text_[0] != expected) return false;
        text_.remove_prefix(1);
        return true;
    }

    constexpr std::string_view take_digits() noexcept {
        std::size_t count = 0;
        while (count < text_.size() && text_[count] >= '0' && text_[count] <= '9') ++count;
        const std::string_view digits = text_.substr(0, count);
        text_.remove_prefix(count);
        return digits;
    }

    /// Drops the zeros before the first and after the last significant digit.
    static constexpr decimal without_zeros(decimal number) noexcept {
        if (number.whole == "0") number.whole = {};
        number.point = static_cast<std::int64_t>(number.whole.size());
        while (number.fraction.ends_with('0')) number.fraction.remove_suffix(1);
        if (number.fraction.empty()) {
            while (number.whole.ends_with('0')) number.whole.remove_suffix(1);
        }
        if (number.digit_count() == 0) return {};
        while (number.whole.empty() && number.fraction.starts_with('0')) {
            number.fraction.remove_prefix(1);
            --number.point;
        }
        return number;
    }

    std::string_view text_;  // that has not been read yet
};

/// Parses a text that is exactly one JSON number: no `+`, no leading zero, no white space.
///
/// ```
/// parse_decimal("-0.5e3")  // a value
/// parse_decimal("+1")      // nullopt; so are "01", "1.", ".5", " 1", "1e", "NaN" and ""
/// ```
[[nodiscard]] constexpr std::optional<decimal> parse_decimal(std::string_view text) noexcept {
    return decimal_reader(text).read();
}

/// The largest difference of exponents; larger ones are clamped to it. It exceeds the number of
/// digits of any text, so that a clamped difference decides a comparison, too, whatever the digits.
/// Ten times the bound still fits into 64 bits.
inline constexpr std::int64_t decimal_exponent_bound = 400'000'000'000'000'000;

/// Returns the digit of the exponent at 10^place, with the exponent's sign.
[[nodiscard]] constexpr int exponent_digit(const decimal& number, std::size_t place) noexcept {
    if (place >= number.exponent.size()) return 0;
    const int digit = number.exponent[number.exponent.size() - 1 - place] - '0';
    return number.exponent_negative ? -digit : digit;
}

/// Returns `a`'s exponent minus `b`'s, for exponents of any length. It goes from the highest place
/// down, so once the difference has passed the bound, lower places can't bring it back.
[[nodiscard]] constexpr std::int64_t exponent_difference(const decimal& a,
                                                         const decimal& b) noexcept {
    std::int64_t difference = 0;
    for (std::size_t place = std::max(a.exponent.size(), b.exponent.size()); place-- > 0;) {
        difference = difference * 10 + exponent_digit(a, place) - exponent_digit(b, place);
        difference = std::clamp(difference, -decimal_exponent_bound, decimal_exponent_bound);
    }
    return difference;
}

/// Compares absolute values: first by the place of the leading digit, then digit by digit.
[[nodiscard]] constexpr std::strong_ordering compare_magnitude(const decimal& a,
                                                               const decimal& b) noexcept {
    if (a.digit_count() == 0 || b.digit_count() == 0) return a.digit_count() <=> b.digit_count();
    const std::int64_t places = a.point - b.point + exponent_difference(a, b);
    if (places != 0) return places <=> 0;
    const std::size_t digits = std::max(a.digit_count(), b.digit_count());
    for (std::size_t at = 0; at < digits; ++at) {
        if (a.digit(at) != b.digit(at)) return a.digit(at) <=> b.digit(at);
    }
    return std::strong_ordering::equal;
}

/// Compares two values exactly, whatever their digits and exponents: `10`, `10.0` and `1e1` are
/// equal, so are `-0` and `0`; 9007199254740993 is greater than 9007199254740992.
/// Takes time linear in the length of the texts.
[[nodiscard]] constexpr std::strong_ordering compare(const decimal& a, const decimal& b) noexcept {
    if (a.negative != b.negative) {
        return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    return a.negative ? compare_magnitude(b, a) : compare_magnitude(a, b);
}

/// Returns the number of digits before the point once the exponent is applied; if it is 0, minus
/// the number of zeros after the point: 3 for `1.2e2`, 0 for `0.12`, -1 for `0.01`. The exponent is
/// clamped to decimal_exponent_bound.
[[nodiscard]] constexpr std::int64_t count_whole_digits(const decimal& number) noexcept {
    return number.point + exponent_difference(number, {});
}

/// Returns true if the value has no fraction: `2`, `2.0`, `1e2` and `0e-5`, but not `2.5` or
/// `1e-2`.
[[nodiscard]] constexpr bool is_whole(const decimal& number) noexcept {
    return number.digit_count() == 0 ||
           count_whole_digits(number) >= static_cast<std::int64_t>(number.digit_count());
}

/// Returns the value without its fraction; nullopt if it doesn't fit into 64 bits.
[[nodiscard]] constexpr std::optional<std::int64_t> to_int64(const decimal& number) noexcept {
    using limits = std::numeric_limits<std::int64_t>;
    const std::int64_t digits = number.digit_count() == 0 ? 0 : count_whole_digits(number);
    if (digits > limits::digits10 + 1) return std::nullopt;
    std::uint64_t magnitude = 0;
    for (std::int64_t at = 0; at < digits; ++at) {
        magnitude =
            magnitude * 10 + static_cast<unsigned>(number.digit(static_cast<std::size_t>(at)));
    }
    const auto largest = static_cast<std::uint64_t>(limits::max());
    if (magnitude > largest + (number.negative ? 1 : 0)) return std::nullopt;
    return static_cast<std::int64_t>(number.negative ? 0 - magnitude : magnitude);
}

/// Like to_int64(), but returns INT64_MAX or INT64_MIN for a value beyond them.
[[nodiscard]] constexpr std::int64_t to_int64_saturated(const decimal& number) noexcept {
    using limits = std::numeric_limits<std::int64_t>;
    return to_int64(number).value_or(number.negative ? limits::min() : limits::max());
}

}  // namespace sluice::detail

#endif
