// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_DAY_HPP
#define SLUICE_TIME_DAY_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/errors/error.hpp>
#include <sluice/time/detail/time_digits.hpp>
#include <sluice/time/instant.hpp>

namespace sluice {

/// A day of the calendar, without a time and a zone.
using calendar_day = std::chrono::local_days;

/// The first and the last day that can be written: 0000-01-01 and 9999-12-31.
inline constexpr calendar_day earliest_day{std::chrono::year{0} / 1 / 1};
inline constexpr calendar_day latest_day{std::chrono::year{9999} / 12 / 31};

/// Parses `YYYY-MM-DD`, a day of the years 0000 to 9999. Errors, at the whole text: day_impossible;
/// time_out_of_range for a year of more digits; time_malformed.
[[nodiscard]] constexpr result<calendar_day> parse_day(std::string_view text) noexcept {
    detail::time_reader reader(text);
    const calendar_day day = reader.date();
    if (reader.reads(instant{day.time_since_epoch()})) return day;
    rule broken = reader.broken_rule();
    const auto parses = [](std::string_view candidate) {
        detail::time_reader years(candidate);
        const calendar_day read = years.date();
        return years.reads(instant{read.time_since_epoch()});
    };
    if (detail::is_beyond_years(text, parses)) broken = rule::time_out_of_range;
    auto failure = detail::fail_time(broken, text);
    if (broken == rule::time_malformed)
        failure.value().accepts = "expected a day such as 2026-08-21";
    return failure;
}

/// Formats a day as `2026-08-21`. A day outside the years 0000 to 9999 is written as the nearest
/// one inside.
[[nodiscard]] inline std::string format_day(calendar_day day) {
    if (day < earliest_day) day = earliest_day;
    if (day > latest_day) day = latest_day;
    std::string text(detail::date_size, '0');
    detail::write_day(text.data(), static_cast<std::uint32_t>((day - earliest_day).count()));
    return text;
}

}  // namespace sluice

#endif
