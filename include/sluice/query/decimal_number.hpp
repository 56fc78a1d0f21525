// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DECIMAL_NUMBER_HPP
#define SLUICE_QUERY_DECIMAL_NUMBER_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/base/decimal.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/scaled_number.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>

namespace sluice {

class decimal_number;
result<decimal_number> parse_decimal_number(std::string_view text);

/// A JSON number of any length, compared exactly: `10`, `10.0` and `1e1` are equal.
///
/// ```
/// decimal_number(1999, 2)                       // 19.99
/// to_integer(*parse_decimal_number("19.9"), 2)  // 1990
/// ```
class decimal_number {
public:
    /// Zero.
    decimal_number() : text_("0"), small_(scaled_number()) {}
    /// The number `digits` / 10^`scale`, written with `scale` digits after the point.
    explicit decimal_number(std::int64_t digits, int scale = 0)
        : decimal_number(scaled_number{digits, scale}) {}
    /// Expects a scale from 0 to scaled_number::scale_max.
    decimal_number(const scaled_number& number)  // NOLINT(*-explicit-*): the same number
        : text_(std::to_string(number.digits)), small_(number) {
        const std::size_t sign = number.digits < 0 ? 1 : 0;
        const auto scale = static_cast<std::size_t>(number.scale);
        if (scale == 0) return;
        if (text_.size() <= sign + scale) text_.insert(sign, sign + scale + 1 - text_.size(), '0');
        text_.insert(text_.size() - scale, 1, '.');
    }

    /// Returns the text that the number was parsed from.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// Returns the number as an integer and a scale; nullopt if it has too many digits for it.
    [[nodiscard]] const std::optional<scaled_number>& scaled() const noexcept { return small_; }

    friend std::strong_ordering operator<=>(const decimal_number& a,
                                            const decimal_number& b) noexcept {
        if (a.small_ && b.small_) return *a.small_ <=> *b.small_;
        return detail::compare(a.value(), b.value());
    }
    friend bool operator==(const decimal_number& a, const decimal_number& b) noexcept {
        return (a <=> b) == 0;
    }
    friend std::strong_ordering operator<=>(const decimal_number& a,
                                            const scaled_number& b) noexcept {
        return a.small_ ? *a.small_ <=> b : a <=> decimal_number(b);
    }
    friend bool operator==(const decimal_number& a, const scaled_number& b) noexcept {
        return (a <=> b) == 0;
    }

private:
    friend result<decimal_number> parse_decimal_number(std::string_view text);

    decimal_number(std::string_view text, const detail::decimal& number)
        : text_(text), small_(detail::to_scaled(number)) {}

    [[nodiscard]] detail::decimal value() const noexcept {
        return detail::parse_decimal(text_).value_or(detail::decimal{});
    }

    std::string text_;
    std::optional<scaled_number> small_;
};

/// Parses a JSON number, such as `10.50` or `-1e3`. Error: number_malformed.
[[nodiscard]] inline result<decimal_number> parse_decimal_number(std::string_view text) {
    const auto number = detail::parse_decimal(text);
    if (!number) return fail(rule::number_malformed, 0, text.size());
    return decimal_number(text, *number);
}
[[nodiscard]] inline std::string to_string(const decimal_number& number) { return number.text(); }

/// Returns a number times 10^`scale`, such as an amount in cents. Errors: number_not_whole if it
/// has more digits after the point; number_too_small and number_too_large beyond 64 bits.
[[nodiscard]] inline result<std::int64_t> to_integer(const decimal_number& number, int scale = 0) {
    auto shifted = detail::parse_decimal(number.text()).value_or(detail::decimal{});
    if (shifted.digit_count() == 0) return 0;
    shifted.point += scale;
    if (!detail::is_whole(shifted)) {
        error why = make_error(rule::number_not_whole);
        why.accepts = "expected no more digits after the point than the scale";
        return tl::unexpected<error>(why);
    }
    using limits = std::numeric_limits<std::int64_t>;
    if (const auto digits = detail::to_int64(shifted)) return *digits;
    return shifted.negative ? fail_beyond(rule::number_too_small, limits::min())
                            : fail_beyond(rule::number_too_large, limits::max());
}
/// Returns the double nearest to a number; infinite beyond the largest.
[[nodiscard]] inline double to_double(const decimal_number& number) {
    return detail::parse_any_real(number.text()).value_or(0);
}
/// Returns the shortest number that to_double() turns back into a double. Error: number_malformed,
/// for infinity and NaN.
[[nodiscard]] inline result<decimal_number> to_decimal(double number) {
    if (!detail::is_finite(number)) return fail(rule::number_malformed);
    return parse_decimal_number(detail::real_text(number));
}

/// Returns the text that a number is hashed by: its significant digits and the place of its point,
/// which equal numbers share. Places beyond half of decimal_exponent_bound count as one place:
/// exponents are clamped to the bound, so that equal numbers might differ there.
[[nodiscard]] inline std::string hash_text(const decimal_number& number) {
    const auto exact = detail::parse_decimal(number.text()).value_or(detail::decimal{});
    std::string text = exact.negative ? "-" : "";
    text.append(exact.whole).append(exact.fraction);
    constexpr std::int64_t most = detail::decimal_exponent_bound / 2;
    const std::int64_t place = std::clamp(detail::count_whole_digits(exact), -most, most);
    return text.append("e").append(std::to_string(place));
}
template <>
inline constexpr bool is_value<decimal_number> = true;
template <>
inline constexpr bool is_value<scaled_number> = true;

}  // namespace sluice

#endif
