// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_DETAIL_ZONE_RULE_HPP
#define SLUICE_TIME_DETAIL_ZONE_RULE_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/base/ascii.hpp>

/// Rules of time zones for the years after the last change that their files list.
namespace sluice::detail {

/// A day of every year, and a time after its midnight, at which the clocks of a zone change.
struct yearly_change {
    enum class day_form : std::uint8_t {
        weekday_of_month,   ///< `M3.2.0`: the second Sunday of March; week 5 is the last
        day_but_leap_days,  ///< `J60`: 1 March of every year; from 1
        day_of_year,        ///< `59`: the 60th day; from 0
    };
    day_form form = day_form::day_of_year;
    unsigned month = 1, week = 1, day = 0;  ///< `day`: weekday from Sunday = 0, or day of the year
    std::chrono::seconds time = std::chrono::hours{2};  ///< may be negative, or beyond the day

    /// Returns the wall time of the change in one year, in seconds as UTC counts them.
    [[nodiscard]] constexpr std::chrono::sys_seconds in(std::chrono::year year) const noexcept {
        return first_moment(year) + time;
    }

private:
    /// Returns the midnight at which the day of the change begins.
    [[nodiscard]] constexpr std::chrono::sys_days first_moment(
        std::chrono::year year) const noexcept {
        using namespace std::chrono;
        const sys_days new_year = year / January / 1;
        switch (form) {
            case day_form::weekday_of_month: break;
            case day_form::day_but_leap_days:
                return new_year + days{day - 1} + days{year.is_leap() && day >= 60};
            case day_form::day_of_year: return new_year + days{day};
        }
        const year_month in_month = year / std::chrono::month{month};
        const std::chrono::weekday name{day};
        return week == 5 ? sys_days{in_month / name[last]} : sys_days{in_month / name[week]};
    }
};

/// The rule of a zone: one offset for ever, or two and the days of each year at which they change.
struct zone_rule {
    std::chrono::seconds standard{}, summer{};  ///< ahead of UTC; the same without summer time
    yearly_change begin{}, end{};               ///< of summer time

    /// Returns the offset from UTC at an instant.
    [[nodiscard]] constexpr std::chrono::seconds offset_at(
        std::chrono::sys_seconds at) const noexcept {
        return offset_after(at, [&](std::chrono::sys_seconds change, std::chrono::seconds,
                                    std::chrono::seconds) { return change <= at; });
    }

    /// Returns the offset of clocks that show a wall time; if they skip it or show it twice, the
    /// offset before the change.
    [[nodiscard]] constexpr std::chrono::seconds offset_for(
        std::chrono::local_seconds shown) const noexcept {
        const std::chrono::sys_seconds wall{shown.time_since_epoch()};
        return offset_after(wall, [&](std::chrono::sys_seconds change, std::chrono::seconds before,
                                      std::chrono::seconds after) {
            return change + std::max(before, after) <= wall;
        });
    }

private:
    /// Returns the offset after the last change that has happened, of those in the year of `near`
    /// and its neighbours: a change may lie up to a week outside its year.
    /// `happened(change, before, after)` gets the instant of a change and the offsets around it.
    template <class Happened>
    [[nodiscard]] constexpr std::chrono::seconds offset_after(std::chrono::sys_seconds near,
                                                              Happened happened) const noexcept {
        if (standard == summer) return standard;
        const auto day = std::chrono::floor<std::chrono::days>(near);
        const std::chrono::year year = std::chrono::year_month_day{day}.year();
        std::chrono::seconds offset = standard;
        auto latest = std::chrono::sys_seconds::min();
        const auto consider = [&](std::chrono::sys_seconds change, std::chrono::seconds before,
                                  std::chrono::seconds after) {
            if (change < latest || !happened(change, before, after)) return;
            latest = change;
            offset = after;
        };
        for (const int off : {-1, 0, 1}) {
            consider(begin.in(year + std::chrono::years{off}) - standard, standard, summer);
            consider(end.in(year + std::chrono::years{off}) - summer, summer, standard);
        }
        return offset;
    }
};

/// Parses the parts of a zone rule from the front of a text. The first part that is missing or out
/// of range makes the whole text invalid.
class zone_rule_reader {
public:
    explicit constexpr zone_rule_reader(std::string_view text) noexcept : rest_(text) {}

    /// rule = name time [ name [ time ] change change ], see parse_zone_rule()
    constexpr std::optional<zone_rule> read() noexcept {
        zone_rule parsed;
        skip_name();
        parsed.standard = parsed.summer = -time();  // the text has hours behind UTC
        if (!rest_.empty()) {
            skip_name();
            const bool has_offset = !rest_.starts_with(',');
            parsed.summer = has_offset ? -time() : parsed.standard + std::chrono::hours{1};
            parsed.begin = change();
            parsed.end = change();
        }
        return is_valid_ && rest_.empty() ? std::optional(parsed) : std::nullopt;
    }

private:
    /// Skips a name, `EST` or `<+0545>`, which no result has.
    ///
    /// name = 3*ALPHA / "<" 3*( ALPHA / DIGIT / "+" / "-" ) ">"
    constexpr void skip_name() noexcept {
        const bool is_quoted = take('<');
        std::size_t size = 0;
        while (size < rest_.size() && is_in_name(rest_[size], is_quoted)) ++size;
        is_valid_ = is_valid_ && size >= 3;
        rest_.remove_prefix(size);
        if (is_quoted) expect('>');
    }
    static constexpr bool is_in_name(char byte, bool is_quoted) noexcept {
        const char lower = to_lower(byte);
        if (lower >= 'a' && lower <= 'z') return true;
        return is_quoted && ((byte >= '0' && byte <= '9') || byte == '+' || byte == '-');
    }

    /// time = [ "+" / "-" ] 1*3DIGIT [ ":" 2DIGIT [ ":" 2DIGIT ] ], at most 167 hours
    constexpr std::chrono::seconds time() noexcept {
        const bool is_negative = take('-');
        if (!is_negative) take('+');
        std::chrono::seconds sum = std::chrono::hours{number(0, 167)};
        if (take(':')) sum += std::chrono::minutes{number(0, 59)};
        if (take(':')) sum += std::chrono::seconds{number(0, 59)};
        return is_negative ? -sum : sum;
    }

    /// change = "," ( "M" month "." week "." weekday / [ "J" ] day ) [ "/" time ]
    constexpr yearly_change change() noexcept {
        yearly_change parsed;
        expect(',');
        if (take('M')) {
            parsed.form = yearly_change::day_form::weekday_of_month;
            parsed.month = number(1, 12);
            expect('.');
            parsed.week = number(1, 5);
            expect('.');
            parsed.day = number(0, 6);
        } else if (take('J')) {
            parsed.form = yearly_change::day_form::day_but_leap_days;
            parsed.day = number(1, 365);
        } else {
            parsed.day = number(0, 365);
        }
        if (take('/')) parsed.time = time();
        return parsed;
    }

    /// Reads one to three digits. A number outside `least` to `most` makes the text invalid and
    /// reads as the nearest one inside.
    constexpr unsigned number(unsigned least, unsigned most) noexcept {
        unsigned value = 0;
        std::size_t size = 0;
        for (; size < 3 && size < rest_.size() && rest_[size] >= '0' && rest_[size] <= '9';
             ++size) {
            value = value * 10 + static_cast<unsigned>(rest_[size] - '0');
        }
        rest_.remove_prefix(size);
        is_valid_ = is_valid_ && size > 0 && value >= least && value <= most;
        return std::clamp(value, least, most);
    }

    /// Moves over the next byte if it is `wanted`; returns true if it was.
    constexpr bool take(char wanted) noexcept {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    constexpr void expect(char wanted) noexcept { is_valid_ = take(wanted) && is_valid_; }

    std::string_view rest_;  // that has not been read yet
    bool is_valid_ = true;   // no part was missing or out of range so far
};

/// Parses the rule in the last line of a TZif file (RFC 9636), a POSIX TZ string whose times reach
/// from -167 to 167 hours. nullopt if it is malformed, or has summer time without days of change.
///
/// ```
/// EST5EDT,M3.2.0,M11.1.0           five hours behind UTC, four from 02:00 of the second Sunday of
///                                  March to 02:00 of the first Sunday of November
/// <-02>2<-01>,M3.5.0/-1,M10.5.0/0  from an hour before the last Sunday of March
/// <+0545>-5:45                     for ever
/// ```
[[nodiscard]] constexpr std::optional<zone_rule> parse_zone_rule(std::string_view text) noexcept {
    return zone_rule_reader(text).read();
}

}  // namespace sluice::detail

#endif
