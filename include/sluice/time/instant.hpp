// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_INSTANT_HPP
#define SLUICE_TIME_INSTANT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <sluice/errors/error.hpp>
#include <sluice/time/detail/time_digits.hpp>

namespace sluice {

/// A point in time in whole milliseconds since 1970-01-01T00:00:00Z. Leap seconds are not counted.
using instant = std::chrono::sys_time<std::chrono::milliseconds>;

/// The first instant that can be written: 0000-01-01T00:00:00.000Z.
inline constexpr instant earliest_instant = std::chrono::sys_days{std::chrono::year{0} / 1 / 1};

/// The last instant that can be written: 9999-12-31T23:59:59.999Z.
inline constexpr instant latest_instant =
    instant{std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1}} -
    std::chrono::milliseconds{1};

/// Returns true if an instant lies in the years 0000 to 9999 of UTC.
[[nodiscard]] constexpr bool is_writable(instant at) noexcept {
    return at >= earliest_instant && at <= latest_instant;
}

namespace detail {

/// Parses the parts of a date and time from the front of a text, in the order of the calls. The
/// first part that is missing or out of range makes the whole text invalid; what the other calls
/// return then has no meaning.
///
/// ```
/// time_reader reader(text);
/// const auto day = reader.date();                    // then separator(), seconds(), offset() ...
/// if (!reader.reads(at)) return fail_time(reader.broken_rule(), text);
/// ```
class time_reader {
public:
    explicit constexpr time_reader(std::string_view text) noexcept : rest_(text) {}

    /// Returns true if every part was present and nothing is left.
    [[nodiscard]] constexpr bool complete() const noexcept { return is_valid_ && rest_.empty(); }

    /// Returns true if the text was a valid time: complete, with a day that exists, and `at`, which
    /// its parts add up to, in the years 0000 to 9999.
    [[nodiscard]] constexpr bool reads(instant at) const noexcept {
        return complete() && is_real_day_ && is_writable(at);
    }
    /// Returns the rule that the text breaks, if it isn't a valid time.
    [[nodiscard]] constexpr rule broken_rule() const noexcept {
        if (!complete()) return rule::time_malformed;
        return is_real_day_ ? rule::time_out_of_range : rule::day_impossible;
    }

    /// Reads `YYYY-MM-DD`. Returns 1970-01-01 if the calendar has no such day.
    constexpr std::chrono::local_days date() noexcept {
        const int year = number(4, 9999);
        expect("-");
        const int month = number(2, 99);
        expect("-");
        const int day = number(2, 99);
        const std::chrono::year_month_day ymd{std::chrono::year{year},
                                              std::chrono::month{static_cast<unsigned>(month)},
                                              std::chrono::day{static_cast<unsigned>(day)}};
        is_real_day_ = ymd.ok();
        return is_real_day_ ? std::chrono::local_days{ymd} : std::chrono::local_days{};
    }

    /// Reads `T`, `t` or a space, between a date and a time of day.
    constexpr void separator() noexcept { expect("Tt "); }

    /// Reads `HH:MM`, the time since midnight.
    constexpr std::chrono::minutes hours_and_minutes() noexcept {
        const std::chrono::hours hours{number(2, 23)};
        expect(":");
        return hours + std::chrono::minutes{number(2, 59)};
    }

    /// Reads `:SS[.fff]`, the time since the minute began. The fraction has 1 to 9 digits and is
    /// cut to milliseconds. Second 60, a leap second, reads as the next minute's first.
    constexpr std::chrono::milliseconds seconds() noexcept {
        expect(":");
        const std::chrono::seconds whole{number(2, 60)};
        return take('.') ? whole + fraction() : whole;
    }

    /// Returns true if seconds come next.
    [[nodiscard]] constexpr bool at_seconds() const noexcept { return rest_.starts_with(':'); }

    /// Reads `Z`, `z`, `+HH:MM` or `-HH:MM`, the time by which the local clock is ahead of UTC.
    constexpr std::chrono::minutes offset() noexcept {
        if (take('Z') || take('z')) return std::chrono::minutes{0};
        const bool is_west = take('-');
        if (!is_west) expect("+");
        const std::chrono::minutes ahead = hours_and_minutes();
        return is_west ? -ahead : ahead;
    }

private:
    /// Moves over the next byte if it is `wanted`; returns true if it was.
    constexpr bool take(char wanted) noexcept {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// Moves over the next byte, which has to be one of `any_of`.
    constexpr void expect(std::string_view any_of) noexcept {
        if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) {
            is_valid_ = false;
        } else {
            rest_.remove_prefix(1);
        }
    }

    /// Reads exactly `digits` digits, a number of up to `most`.
    constexpr int number(std::size_t digits, int most) noexcept {
        int value = 0;
        for (std::size_t at = 0; at < digits; ++at) value = value * 10 + digit();
        if (value > most) is_valid_ = false;
        return value;
    }

    /// Reads one digit.
    constexpr int digit() noexcept {
        const bool is_there = at_digit();
        const int value = is_there ? rest_.front() - '0' : 0;
        if (is_there) rest_.remove_prefix(1);
        is_valid_ = is_valid_ && is_there;
        return value;
    }

    [[nodiscard]] constexpr bool at_digit() const noexcept {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }

    /// Reads 1 to 9 digits after a point; those after the third count for nothing.
    constexpr std::chrono::milliseconds fraction() noexcept {
        int thousandths = 100 * digit();
        int weight = 10;
        for (int more = 0; more < 8 && at_digit(); ++more, weight /= 10) {
            thousandths += weight * digit();
        }
        return std::chrono::milliseconds{thousandths};
    }

    std::string_view rest_;    // that has not been read yet
    bool is_valid_ = true;     // no part was missing or out of range so far
    bool is_real_day_ = true;  // the calendar has the day
};

/// The size of `YYYY-MM-DD`.
inline constexpr std::size_t date_size = 10;

/// Returns the failure of a text that breaks a rule of times: at the date if the day is impossible,
/// otherwise at the whole text.
constexpr tl::unexpected<error> fail_time(rule broken, std::string_view text) noexcept {
    return fail(broken, 0, broken == rule::day_impossible ? date_size : text.size());
}

/// Returns true if a text would be a time but for its year, outside 0000 to 9999: `10000-01-01`,
/// `-0001-01-01T00:00:00Z`. `parses` returns true for a text that is a time; it gets the text with
/// the last four digits of the year.
constexpr bool is_beyond_years(std::string_view text, bool (*parses)(std::string_view)) noexcept {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t size = text.find_first_not_of("0123456789");
    if (size == std::string_view::npos || size < 4) return false;
    const std::size_t digits = size - text.find_first_not_of('0');  // without leading zeros
    return (is_negative ? digits > 0 : digits > 4) && parses(text.substr(size - 4));
}

/// Parses any timestamp of the grammar of parse_timestamp(). Outlined for its large stack frame,
/// since nearly all timestamps take the fast path.
[[nodiscard, gnu::noinline]] constexpr result<instant> parse_any_timestamp(
    std::string_view text) noexcept {
    time_reader reader(text);
    const auto day = reader.date();
    reader.separator();
    const auto minutes = reader.hours_and_minutes();
    const auto seconds = reader.seconds();
    const auto offset = reader.offset();
    // In milliseconds from the start: days and minutes have 32 bits in WebAssembly.
    const instant at{day.time_since_epoch() + seconds + minutes - offset};
    if (reader.reads(at)) return at;
    rule broken = reader.broken_rule();
    const auto parses = [](std::string_view candidate) {
        return parse_any_timestamp(candidate).has_value();
    };
    if (is_beyond_years(text, parses)) broken = rule::time_out_of_range;
    auto failure = fail_time(broken, text);
    if (broken == rule::time_malformed) {
        failure.value().accepts = "expected RFC 3339 such as 2026-08-21T02:30:15Z";
    }
    return failure;
}

}  // namespace detail

/// Parses an RFC 3339 timestamp of the years 0000 to 9999 in UTC.
///
/// ```
/// timestamp = date ( "T" / "t" / " " ) time offset
/// date      = 4DIGIT "-" 2DIGIT "-" 2DIGIT                    ; a day that exists
/// time      = 2DIGIT ":" 2DIGIT ":" 2DIGIT [ "." 1*9DIGIT ]   ; cut to milliseconds
/// offset    = "Z" / "z" / ( "+" / "-" ) 2DIGIT ":" 2DIGIT
/// ```
/// Second 60 reads as the next second. Errors: day_impossible, at the date; at the whole text,
/// time_out_of_range if the offset or more digits put it outside the years 0000 to 9999, otherwise
/// time_malformed.
///
/// `parse_timestamp("2026-08-21T04:30:15.123+02:00")` is `2026-08-21T02:30:15.123Z`.
[[nodiscard]] constexpr result<instant> parse_timestamp(std::string_view text) noexcept {
    if (!std::is_constant_evaluated()) {
        if (const auto count = detail::read_canonical(text)) {
            return earliest_instant + std::chrono::milliseconds{*count};
        }
    }
    return detail::parse_any_timestamp(text);
}

namespace detail {

/// A day of UTC and the time since its midnight.
struct day_and_time {
    std::uint32_t day;  ///< number of the day; 0000-01-01 is 0, as for write_day()
    std::chrono::milliseconds since_midnight;
};
/// Returns the day and the time of an instant; of one outside the years 0000 to 9999, those of the
/// nearest one inside.
inline day_and_time split_at_midnight(instant at) noexcept {
    constexpr std::uint64_t day = 86'400'000;
    if (at < earliest_instant) at = earliest_instant;
    if (at > latest_instant) at = latest_instant;
    const auto count = static_cast<std::uint64_t>((at - earliest_instant).count());
    return {static_cast<std::uint32_t>(count / day), std::chrono::milliseconds{count % day}};
}

/// Writes `THH:MM:SS.mmmZ`, the 14 characters after the date.
inline void write_rest_of_timestamp(char* out, std::chrono::milliseconds since_midnight) noexcept {
    out[0] = 'T';
    write_time_of_day(out + 1, since_midnight);
    out[13] = 'Z';
}

}  // namespace detail

/// Size of a written timestamp, in characters.
inline constexpr std::size_t timestamp_size = 24;

/// Writes an instant as `2026-08-21T02:30:15.123Z`: always timestamp_size characters, from `out`
/// on. An instant outside the years 0000 to 9999 is written as the nearest one inside.
inline void write_timestamp(char* out, instant at) noexcept {
    const auto [day, since_midnight] = detail::split_at_midnight(at);
    detail::write_day(out, day);
    detail::write_rest_of_timestamp(out + 10, since_midnight);
}

/// Appends an instant as `2026-08-21T02:30:15.123Z`; see write_timestamp.
inline void append_timestamp(std::string& out, instant at) {
    const std::size_t before = out.size();
    out.resize(before + timestamp_size);
    write_timestamp(out.data() + before, at);
}

/// Formats an instant as `2026-08-21T02:30:15.123Z`; see write_timestamp.
[[nodiscard]] inline std::string format_timestamp(instant at) {
    std::string text;
    append_timestamp(text, at);
    return text;
}

}  // namespace sluice

#endif
