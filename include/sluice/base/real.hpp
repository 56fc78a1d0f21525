// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_REAL_HPP
#define SLUICE_BASE_REAL_HPP

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <sluice/base/decimal.hpp>

namespace sluice::detail {

#if defined(SLUICE_HOST_REALS)  // bindings/wasm, for which libc++ has 120 KB of both
/// Returns the double nearest to a JSON number; infinite beyond the largest.
[[nodiscard]] double host_real(std::string_view text);
/// Writes the text of real_text() into 32 bytes and returns its length.
[[nodiscard]] std::size_t write_host_real(double number, char* text);
#endif

/// Parses a JSON number to the nearest double, infinite beyond the largest. Empty for another text.
[[nodiscard]] inline std::optional<double> parse_any_real(std::string_view text) {
    const auto exact = parse_decimal(text);
    if (!exact) return std::nullopt;
    double number = 0;
#if defined(__cpp_lib_to_chars)
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc::result_out_of_range) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        number = count_whole_digits(*exact) <= 0 ? 0 : infinity;
        if (exact->negative) number = -number;
    }
#else
#if defined(SLUICE_HOST_REALS)
    number = host_real(text);
#else  // libc++ has no from_chars() of doubles before version 20
    number = std::strtod(std::string(text).c_str(), nullptr);
#endif
#endif
    return number;
}
/// Returns true for a number between the infinities.
[[nodiscard]] constexpr bool is_finite(double number) noexcept {
    constexpr double largest = std::numeric_limits<double>::max();
    return number >= -largest && number <= largest;
}
/// Parses a JSON number to the nearest double. Empty for another text, and for a number beyond the
/// largest double.
[[nodiscard]] inline std::optional<double> parse_real(std::string_view text) {
    const auto number = parse_any_real(text);
    return number && is_finite(*number) ? number : std::nullopt;
}

/// Returns the shortest JSON number that parse_any_real() turns back into a double that isn't NaN;
/// zero has no sign, infinity is beyond the largest double.
[[nodiscard]] inline std::string real_text(double number) {
    if (!is_finite(number)) return number < 0 ? "-1e999" : "1e999";
    std::array<char, 32> digits{};
    const double unsigned_zero = number + 0.0;
#if defined(SLUICE_HOST_REALS)
    return {digits.data(), write_host_real(unsigned_zero, digits.data())};
#else
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), unsigned_zero).ptr;
    return {digits.data(), end};
#endif
}

}  // namespace sluice::detail

#endif
