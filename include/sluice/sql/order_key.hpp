// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_ORDER_KEY_HPP
#define SLUICE_SQL_ORDER_KEY_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/detail/decimal.hpp>

namespace sluice::sql {

namespace detail {

using sluice::detail::decimal;

/// Exponents with this many digits or fewer are added up as numbers.
inline constexpr std::size_t plain_exponent_digits = 17;

/// The exponent of 0.d1d2… * 10^e.
struct exponent_text {
    bool negative = false;
    std::string digits{};  ///< of its absolute value, without leading zeros; "0" for 0
};

/// Digits of a number that is larger than any `addend`, with that added.
inline std::string add_to_digits(std::string digits, std::int64_t addend) {
    for (std::size_t at = digits.size(); at-- > 0 && addend != 0;) {
        const std::int64_t sum = digits[at] - '0' + addend;
        const std::int64_t digit = (sum % 10 + 10) % 10;
        digits[at] = static_cast<char>('0' + digit);
        addend = (sum - digit) / 10;
    }
    if (addend > 0) digits.insert(0, std::to_string(addend));
    return digits.substr(digits.find_first_not_of('0'));
}

inline exponent_text exponent_of(const decimal& number) {
    std::string_view written = number.exponent;
    while (written.starts_with('0')) written.remove_prefix(1);
    if (written.size() > plain_exponent_digits) {
        const std::int64_t addend = number.exponent_negative ? -number.point : number.point;
        return {number.exponent_negative, add_to_digits(std::string(written), addend)};
    }
    const std::int64_t exponent = whole_digits(number);
    return {exponent < 0, std::to_string(exponent < 0 ? -exponent : exponent)};
}

/// How many digits follow, so that more of them come later, and none is read as one of those.
///
/// ```
/// count = %x30-38 / "9" count digits       ; up to 8; else how many digits the count has, and they
/// ```
inline std::string count_text(std::size_t count) {
    const std::string digits = std::to_string(count);
    return count < 9 ? digits : "9" + count_text(digits.size()) + digits;
}

/// The nine's complement of each digit.
inline std::string complement(std::string digits) {
    for (char& digit : digits) digit = static_cast<char>('0' + '9' - digit);
    return digits;
}

inline std::string key_of_exponent(const exponent_text& exponent) {
    const std::string counted = count_text(exponent.digits.size()) + exponent.digits;
    return exponent.negative ? "0" + complement(counted) : "1" + counted;
}

/// The digits that count, the first and the last of which are not 0.
inline std::string digits_of(const decimal& number) {
    std::string digits;
    for (std::size_t at = 0; at < number.digit_count(); ++at) {
        digits.push_back(static_cast<char>('0' + number.digit(at)));
    }
    return digits;
}

inline std::string order_key_of(const decimal& number) {
    if (number.digit_count() == 0) return "1";
    const std::string magnitude = key_of_exponent(exponent_of(number)) + digits_of(number);
    return number.negative ? "0" + complement(magnitude) + "~" : "2" + magnitude;
}

}  // namespace detail

/// A text for a JSON number, such that keys are ordered by their bytes as the numbers are by value,
/// and equal where those are, whatever their digits and exponents. Any database compares such texts
/// exactly, where it would round the numbers. Nothing for a text that is no JSON number.
///
/// ```
/// key       = "1" / positive / negative           ; zero, or 0.d1d2… * 10^e with d1 != 0
/// positive  = "2" exponent digits                 ; no zeros at the end
/// negative  = "0" complement(exponent digits) "~" ; each digit's difference from 9
/// exponent  = "1" count digits                    ; e >= 0, after how many digits it has
///           / "0" complement(count digits)        ; e < 0, of its absolute value
/// ```
///
/// ```
/// order_key("10.50"), order_key("1050e-2")  // 2112105
/// order_key("-0.001")                       // 09128~
/// ```
[[nodiscard]] inline std::optional<std::string> order_key(std::string_view number) {
    const auto read = sluice::detail::parse_decimal(number);
    if (!read) return std::nullopt;
    return detail::order_key_of(*read);
}

}  // namespace sluice::sql

#endif
