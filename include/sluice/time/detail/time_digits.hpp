// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_DETAIL_TIME_DIGITS_HPP
#define SLUICE_TIME_DETAIL_TIME_DIGITS_HPP

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

/// Digits of dates and times: writing, and fast parsing of the form that is written.
namespace sluice::detail {

constexpr std::array<char, 200> make_digit_pairs() noexcept {
    std::array<char, 200> pairs{};
    for (std::size_t value = 0; value < 100; ++value) {
        pairs[2 * value] = static_cast<char>('0' + value / 10);
        pairs[2 * value + 1] = static_cast<char>('0' + value % 10);
    }
    return pairs;
}

/// The digits of `00` to `99`.
inline constexpr std::array<char, 200> digit_pairs = make_digit_pairs();

/// Writes a number below 100 as two digits.
inline void write_pair(char* out, std::uint32_t value) noexcept {
    std::memcpy(out, digit_pairs.data() + 2 * std::size_t{value}, 2);
}

/// Writes `YYYY-MM-DD` from numbers below 10,000 and 100.
inline void write_date(char* out, std::uint32_t year, std::uint32_t month,
                       std::uint32_t day) noexcept {
    write_pair(out, year / 100);
    write_pair(out + 2, year % 100);
    out[4] = '-';
    write_pair(out + 5, month);
    out[7] = '-';
    write_pair(out + 8, day);
}

/// Writes `YYYY-MM-DD` for a day of the years 0000 to 9999.
inline void write_date(char* out, std::chrono::year_month_day day) noexcept {
    write_date(out, static_cast<std::uint32_t>(static_cast<int>(day.year())),
               static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

/// Writes `YYYY-MM-DD` for the day with a number: 0000-01-01 is 0, 9999-12-31 the last.
///
/// Years run from March here, so that the leap day is their last, and are counted from -400, so
/// that no number is negative. On average a century has 36,524.25 days, 4 of them 146,097; a year
/// 365.25, 4 of them 1,461; a month 153 / 5. Every division is by a constant, which makes it a
/// multiplication. https://howardhinnant.github.io/date_algorithms.html derives such formulas.
inline void write_day(char* out, std::uint32_t number) noexcept {
    // From 1 March -400 to 0000-01-01: 400 years less January and February of the year 0.
    constexpr std::uint32_t days_before = 146'097 - 60;
    const std::uint32_t quarters = 4 * (number + days_before) + 3;
    const std::uint32_t century = quarters / 146'097;
    const std::uint32_t in_century = quarters % 146'097 / 4;
    const std::uint32_t year_of_century = (4 * in_century + 3) / 1'461;
    const std::uint32_t in_year = (4 * in_century + 3) % 1'461 / 4;
    const std::uint32_t from_march = (5 * in_year + 2) / 153;
    const bool is_next_year = from_march >= 10;
    const std::uint32_t year = 100 * century + year_of_century + (is_next_year ? 1 : 0) - 400;
    const std::uint32_t day = in_year - (153 * from_march + 2) / 5 + 1;
    write_date(out, year, is_next_year ? from_march - 9 : from_march + 3, day);
}

/// Writes `HH:MM:SS.mmm` for a time since midnight of less than a day.
inline void write_time_of_day(char* out, std::chrono::milliseconds since_midnight) noexcept {
    const auto count = static_cast<std::uint32_t>(since_midnight.count());
    const std::uint32_t seconds = count / 1'000;
    const std::uint32_t thousandths = count % 1'000;
    write_pair(out, seconds / 3'600);
    out[2] = ':';
    write_pair(out + 3, seconds / 60 % 60);
    out[5] = ':';
    write_pair(out + 6, seconds % 60);
    out[8] = '.';
    out[9] = static_cast<char>('0' + thousandths / 100);
    write_pair(out + 10, thousandths % 100);
}

/// The 24 characters of a timestamp in three words, its first in the lowest byte.
struct timestamp_digits {
    std::array<std::uint64_t, 3> words{};  ///< digits as their values, other characters as 0
    bool is_valid = false;                 ///< false: the text has another form
};

/// Returns the digits of a timestamp in the form of format_timestamp(); invalid for any other text.
///
/// ```
/// YYYY-MM-   DDTHH:MM   :SS.mmmZ      the text XOR the form leaves 0 to 9 in the place of a digit
/// 0000-00-   00T00:00   :00.000Z      and 0 elsewhere
/// ```
/// Adding 0x76 sets bit 7 of a byte above 9, adding 0x7F that of a byte above 0.
inline timestamp_digits canonical_digits(std::string_view text) noexcept {
    constexpr std::array<std::uint64_t, 3> form{0x2D30'302D'3030'3030, 0x3030'3A30'3054'3030,
                                                0x5A30'3030'2E30'303A};
    constexpr std::array<std::uint64_t, 3> excess{0x7F76'767F'7676'7676, 0x7676'7F76'767F'7676,
                                                  0x7F76'7676'7F76'767F};
    if (std::endian::native != std::endian::little || text.size() != 24) return {};
    std::array<std::uint64_t, 3> words;
    std::memcpy(words.data(), text.data(), sizeof(words));
    std::uint64_t beyond = 0;
    for (std::size_t at = 0; at < 3; ++at) {
        words[at] ^= form[at];
        beyond |= words[at] | (words[at] + excess[at]);
    }
    return {words, (beyond & 0x8080'8080'8080'8080) == 0};
}

/// Returns the number of two digits of a word, the first in byte `at`.
constexpr std::uint32_t digits_at(std::uint64_t word, unsigned at) noexcept {
    const auto pair = static_cast<std::uint32_t>(word >> 8 * at);
    return (pair & 0xFF) * 10 + (pair >> 8 & 0xFF);
}

/// Returns the number of days of a month, 1 to 12. Of odd months up to July, and of even ones from
/// August on, it is 31.
constexpr std::uint32_t days_in_month(std::uint32_t year, std::uint32_t month) noexcept {
    if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return 30 + ((month ^ month >> 3) & 1);
}

/// Returns the number of days from 0000-01-01 to a day of a year from 0 on; see write_day().
constexpr std::int64_t day_number(std::uint32_t year, std::uint32_t month,
                                  std::uint32_t day) noexcept {
    const std::uint32_t from_march = month > 2 ? month - 3 : month + 9;
    const std::uint32_t ends = 400 + year - (month > 2 ? 0 : 1);  // leap days of years from March
    const std::uint32_t days = 365 * ends + ends / 4 - ends / 100 + ends / 400;
    return std::int64_t{days + (153 * from_march + 2) / 5 + day - 1} - (146'097 - 60);
}

/// Parses a timestamp in exactly the form that format_timestamp() writes, of a day and time that
/// exist, as milliseconds since 0000-01-01. nullopt for any other text: parse_any_timestamp() says
/// if that is a timestamp.
inline std::optional<std::int64_t> read_canonical(std::string_view text) noexcept {
    const auto digits = canonical_digits(text);
    if (!digits.is_valid) return std::nullopt;
    const auto [date, middle, rest] = digits.words;
    const std::uint32_t year = digits_at(date, 0) * 100 + digits_at(date, 2);
    const std::uint32_t month = digits_at(date, 5);
    const std::uint32_t day = digits_at(middle, 0);
    const std::uint32_t hours = digits_at(middle, 3);
    const std::uint32_t minutes = digits_at(middle, 6);
    const std::uint32_t seconds = digits_at(rest, 1);
    if (month - 1 > 11 || day - 1 >= days_in_month(year, month)) return std::nullopt;
    if (hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
    const std::uint32_t thousandths =
        digits_at(rest, 4) * 10 + static_cast<std::uint32_t>(rest >> 48 & 0xFF);
    const std::int64_t since_midnight =
        ((hours * 60 + minutes) * 60 + seconds) * std::int64_t{1'000} + thousandths;
    return day_number(year, month, day) * 86'400'000 + since_midnight;
}

}  // namespace sluice::detail

#endif
