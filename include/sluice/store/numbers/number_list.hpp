// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_NUMBERS_NUMBER_LIST_HPP
#define SLUICE_STORE_NUMBERS_NUMBER_LIST_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include <sluice/base/decimal.hpp>
#include <sluice/base/scaled_number.hpp>
#include <sluice/query/cell.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/store/texts/archive.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/code_table.hpp>

/// Numbers as integers: those of a column by code.
namespace sluice::store {

using sluice::detail::decimal;

/// Approximates a number with a relative error of at most 1e-14. Numbers with more than 290 digits
/// before the point, or over 260 zeros after it, share one value each that keeps them in order.
///
/// ```
/// -1e291  -> -1e300 | -1e290 ... -1e-260 | -> 0 <- | 1e-260 ... 1e290 | 1e300 <- 1e291
/// ```
[[nodiscard]] inline double approximate(const decimal& number) noexcept {
    constexpr std::size_t most_digits = 17;
    const std::size_t digits = std::min(number.digit_count(), most_digits);
    const std::int64_t whole = sluice::detail::count_whole_digits(number);
    if (digits == 0 || whole < -260) return 0;
    std::int64_t leading = 0;
    for (std::size_t at = 0; at < digits; ++at) leading = leading * 10 + number.digit(at);
    const auto places = static_cast<double>(whole - static_cast<std::int64_t>(digits));
    const double size = whole > 290 ? 1e300 : static_cast<double>(leading) * std::pow(10.0, places);
    return number.negative ? -size : size;
}

/// Returns the bits of a double as an integer, in the order of doubles. Both zeros are 0.
[[nodiscard]] constexpr std::int64_t key_of_real(double number) noexcept {
    const auto bits = std::bit_cast<std::int64_t>(number + 0.0);
    return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}

/// Returns the double of a key_of_real().
[[nodiscard]] constexpr double real_of_key(std::int64_t key) noexcept {
    return std::bit_cast<double>(key < 0 ? key ^ std::numeric_limits<std::int64_t>::max() : key);
}

/// A decimal number of few digits: `digits` / 10^`scale`.
///
/// ```
/// "19.90"  199 / 10^1         "1e3"  1000 / 10^0
/// ```
class scaled_decimal {
public:
    /// The largest scale.
    static constexpr unsigned scale_max = scaled_number::scale_max;

    /// Returns a number; nullopt if it needs more than 17 digits or a larger scale.
    [[nodiscard]] static constexpr std::optional<scaled_decimal> of(
        const decimal& number) noexcept {
        const auto scaled = sluice::detail::to_scaled(number);
        if (!scaled || scaled->digits > digits_max || scaled->digits < -digits_max) {
            return std::nullopt;
        }
        return scaled_decimal(scaled->digits, static_cast<unsigned>(scaled->scale));
    }
    /// Returns the number of a packed integer; nullopt for `unpackable`.
    [[nodiscard]] static constexpr std::optional<scaled_decimal> unpack(std::int64_t of) noexcept {
        const auto scale = static_cast<unsigned>(of & scale_mask);
        if (scale > scale_max) return std::nullopt;
        return scaled_decimal(of >> scale_bits, scale);
    }
    /// Returns the number as one integer.
    [[nodiscard]] constexpr std::int64_t pack() const noexcept {
        return digits_ * (scale_mask + 1) + scale_;
    }
    static constexpr std::int64_t unpackable = 31;

    [[nodiscard]] constexpr std::int64_t digits() const noexcept { return digits_; }
    [[nodiscard]] constexpr unsigned scale() const noexcept { return scale_; }
    /// Returns the number times 10^`scale`; nullopt if it isn't an integer of 64 bits.
    [[nodiscard]] constexpr std::optional<std::int64_t> at_scale(unsigned scale) const noexcept {
        std::int64_t scaled = digits_;
        if (scale < scale_) return std::nullopt;
        for (unsigned at = scale_; at < scale; ++at) {
            if (scaled > most / 10 || scaled < -most / 10) return std::nullopt;
            scaled *= 10;
        }
        return scaled;
    }

private:
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t digits_max = 99'999'999'999'999'999;  // 10^17 < 2^58
    static constexpr unsigned scale_bits = 5;
    static constexpr std::int64_t scale_mask = 31;

    constexpr scaled_decimal(std::int64_t digits, unsigned scale) noexcept
        : digits_(digits), scale_(scale) {}

    std::int64_t digits_;
    unsigned scale_;
};

/// The numbers of a column by code, as integers: `keys`, in the order of the numbers for all types
/// but decimals. One thread adds; any number read those that they have seen.
///
/// ```
/// integer   the number            real      see key_of_real()
/// time      ms since 1970         decimal   a packed scaled_decimal, or scaled_decimal::unpackable
/// date      days since 1970
/// ```
class number_list {
public:
    /// Returns true if rows have a single number in a column of a type.
    [[nodiscard]] static constexpr bool holds(const column& of) noexcept {
        constexpr column_types numbers =
            set_of(column_type::integer, column_type::decimal, column_type::real, column_type::time,
                   column_type::date);
        return !of.is_list && (numbers & set_of(of.type)) != 0;
    }

    explicit number_list(const column& of) : type_(of.type) {
        keys_.push_back(0);  // of `absent`
        if (is_decimal()) approximations_.push_back(std::numeric_limits<double>::quiet_NaN());
    }

    [[nodiscard]] bool is_decimal() const noexcept { return type_ == column_type::decimal; }
    /// Returns the number of codes, `absent` included.
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
    /// Returns the keys by code; 0 for `absent`.
    [[nodiscard]] std::span<const std::int64_t> keys() const noexcept {
        const std::size_t size = keys_.size();  // before data(), as others may add
        return {keys_.data(), size};
    }
    /// Returns the decimals by code, as approximate() returns them; NaN for `absent`.
    [[nodiscard]] std::span<const double> approximations() const noexcept {
        const std::size_t size = keys_.size();
        return {approximations_.data(), size};
    }

    /// Allocates memory for the next number, if needed.
    void reserve_next() {
        keys_.reserve_next();
        if (is_decimal()) approximations_.reserve_next();
    }
    /// Adds the number of a cell with a known text. Expects a cell that isn't missing.
    void push_back(const cell& value, std::string_view text) {
        if (is_decimal()) return add_decimal(text);
        if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
            const bool is_real = type_ == column_type::real;
            keys_.push_back(is_real ? key_of_real(static_cast<double>(*whole)) : *whole);
        }
        if (const auto* const real = std::get_if<double>(&value))
            keys_.push_back(key_of_real(*real));
        if (const auto* const at = std::get_if<instant>(&value))
            keys_.push_back(at->time_since_epoch().count());
        if (const auto* const day = std::get_if<calendar_day>(&value))
            keys_.push_back(day->time_since_epoch().count());
    }

    /// Writes the numbers of the first `size` codes; others may be added meanwhile. Any thread.
    void save(archive_writer& archive, std::size_t size) const {
        archive.array(keys().first(size));
    }
    /// Reads the numbers of `size` codes, whose texts are known. Expects no numbers yet.
    template <class Texts>
    void open(archive_reader& archive, const Texts& texts) {
        const auto keys = archive.view<std::int64_t>(texts.size());
        for (code c = 1; c < keys.size(); ++c) {
            if (is_decimal()) {
                add_decimal(texts.text(c));
            } else {
                keys_.push_back(keys[c]);
            }
        }
    }
    /// Returns the memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return keys_.bytes() + approximations_.bytes();
    }

private:
    void add_decimal(std::string_view text) {
        const decimal number = sluice::detail::parse_decimal(text).value_or(decimal{});
        const auto scaled = scaled_decimal::of(number);
        approximations_.push_back(approximate(number));
        keys_.push_back(scaled ? scaled->pack() : scaled_decimal::unpackable);
    }

    column_type type_;
    flat_list<std::int64_t> keys_;
    flat_list<double> approximations_;  // of decimals
};

}  // namespace sluice::store

#endif
