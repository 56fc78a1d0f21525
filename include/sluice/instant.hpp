// SPDX-License-Identifier: MIT
#ifndef SLUICE_INSTANT_HPP
#define SLUICE_INSTANT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <sluice/detail/time_digits.hpp>
#include <sluice/error.hpp>

namespace sluice {

/// A point in time in whole milliseconds since 1970-01-01T00:00:00Z. Leap seconds are not counted.
using instant = std::chrono::sys_time<std::chrono::milliseconds>;

/// The first instant that can be written: 0000-01-01T00:00:00.000Z.
inline constexpr instant earliest_instant = std::chrono::sys_days{std::chrono::year{0} / 1 / 1};

/// The last instant that can be written: 9999-12-31T23:59:59.999Z.
inline constexpr instant latest_instant =
    instant{std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1}} -
    std::chrono::milliseconds{1};

/// Whether an instant lies in the years 0000 to 9999 of UTC.
[[nodiscard]] constexpr bool is_writable(instant at) noexcept {
    return at >= earliest_instant && at <= latest_instant;
}

namespace detail {

/// Takes the parts of a date and time off the front of a text. The first part that is not there, or
/// that no calendar or clock shows, makes the whole reading invalid.
class time_reader {
public:
    explicit constexpr time_reader(std::string_view text) noexcept : rest_(text) {}

    /// Whether every part was there and nothing is left.
    [[nodiscard]] constexpr bool complete() const noexcept { return valid_ && rest_.empty(); }

    /// `YYYY-MM-DD`, a day that exists.
    constexpr std::chrono::local_days date() noexcept {
        const int year = number(4, 9999);
        expect("-");
        const int month = number(2, 12);
        expect("-");
        const int day = number(2, 31);
        const std::chrono::year_month_day ymd{std::chrono::year{year},
                                              std::chrono::month{static_cast<unsigned>(month)},
                                              std::chrono::day{static_cast<unsigned>(day)}};
        if (!ymd.ok()) valid_ = false;
        return valid_ ? std::chrono::local_days{ymd} : std::chrono::local_days{};
    }

    /// `T`, `t` or a space, between a date and a time of day.
    constexpr void separator() noexcept { expect("Tt "); }

    /// `HH:MM`, the time since midnight.
    constexpr std::chrono::minutes hours_and_minutes() noexcept {
        const std::chrono::hours hours{number(2, 23)};
        expect(":");
        return hours + std::chrono::minutes{number(2, 59)};
    }

    /// `:SS[.fff]`, the time since the minute began; the fraction has 1 to 9 digits and is cut to
    /// milliseconds. Second 60 is a leap second, which reads as the next minute's first.
    constexpr std::chrono::milliseconds seconds() noexcept {
        expect(":");
        const std::chrono::seconds whole{number(2, 60)};
        return take('.') ? whole + fraction() : whole;
    }

    /// Whether seconds come next.
    [[nodiscard]] constexpr bool at_seconds() const noexcept { return rest_.starts_with(':'); }

    /// `Z`, `z`, `+HH:MM` or `-HH:MM`, the time that the local clock is ahead of UTC.
    constexpr std::chrono::minutes offset() noexcept {
        if (take('Z') || take('z')) return std::chrono::minutes{0};
        const bool behind = take('-');
        if (!behind) expect("+");
        const std::chrono::minutes ahead = hours_and_minutes();
        return behind ? -ahead : ahead;
    }

private:
    constexpr bool take(char wanted) noexcept {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    constexpr void expect(std::string_view any_of) noexcept {
        if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) {
            valid_ = false;
        } else {
            rest_.remove_prefix(1);
        }
    }

    constexpr int number(std::size_t digits, int most) noexcept {
        int value = 0;
        for (std::size_t at = 0; at < digits; ++at) value = value * 10 + digit();
        if (value > most) valid_ = false;
        return value;
    }

    constexpr int digit() noexcept {
        const bool there = at_digit();
        const int value = there ? rest_.front() - '0' : 0;
        if (there) rest_.remove_prefix(1);
        valid_ = valid_ && there;
        return value;
    }

    [[nodiscard]] constexpr bool at_digit() const noexcept {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }

    constexpr std::chrono::milliseconds fraction() noexcept {
        int thousandths = 100 * digit();
        int weight = 10;
        for (int more = 0; more < 8 && at_digit(); ++more, weight /= 10) {
            thousandths += weight * digit();
        }
        return std::chrono::milliseconds{thousandths};
    }

    std::string_view rest_;
    bool valid_ = true;
};

}  // namespace detail

/// Reads an RFC 3339 timestamp of the years 0000 to 9999 in UTC.
///
/// ```
/// timestamp = date ( "T" / "t" / " " ) time offset
/// date      = 4DIGIT "-" 2DIGIT "-" 2DIGIT                    ; a day that exists
/// time      = 2DIGIT ":" 2DIGIT ":" 2DIGIT [ "." 1*9DIGIT ]   ; cut to milliseconds
/// offset    = "Z" / "z" / ( "+" / "-" ) 2DIGIT ":" 2DIGIT
/// ```
/// Second 60 reads as the next second. Anything else is rule::time_malformed over the whole text.
///
/// `parse_timestamp("2026-08-21T04:30:15.123+02:00")` is `2026-08-21T02:30:15.123Z`.
[[nodiscard]] constexpr result<instant> parse_timestamp(std::string_view text) noexcept {
    if (!std::is_constant_evaluated()) {
        if (const auto count = detail::read_canonical(text)) {
            return earliest_instant + std::chrono::milliseconds{*count};
        }
    }
    detail::time_reader reader(text);
    const auto day = reader.date();
    reader.separator();
    const auto minutes = reader.hours_and_minutes();
    const auto seconds = reader.seconds();
    const auto offset = reader.offset();
    const instant at{day.time_since_epoch() + minutes + seconds - offset};
    if (reader.complete() && is_writable(at)) return at;
    auto failure = fail(rule::time_malformed, 0, text.size());
    failure.value().accepts = "expected RFC 3339 such as 2026-08-21T02:30:15Z";
    return failure;
}

/// How long a timestamp is when it is written.
inline constexpr std::size_t timestamp_size = 24;

/// Writes an instant as `2026-08-21T02:30:15.123Z`: always timestamp_size characters, from `out`
/// on. An instant outside the years 0000 to 9999 is written as the nearest one inside.
inline void write_timestamp(char* out, instant at) noexcept {
    constexpr std::uint64_t day = 86'400'000;
    if (at < earliest_instant) at = earliest_instant;
    if (at > latest_instant) at = latest_instant;
    const auto count = static_cast<std::uint64_t>((at - earliest_instant).count());
    detail::write_day(out, static_cast<std::uint32_t>(count / day));
    out[10] = 'T';
    const auto since_midnight = static_cast<std::uint32_t>(count % day);
    detail::write_time_of_day(out + 11, std::chrono::milliseconds{since_midnight});
    out[23] = 'Z';
}

/// Appends an instant as `2026-08-21T02:30:15.123Z`; see write_timestamp.
inline void append_timestamp(std::string& out, instant at) {
    const std::size_t before = out.size();
    out.resize(before + timestamp_size);
    write_timestamp(out.data() + before, at);
}

/// An instant as `2026-08-21T02:30:15.123Z`; see write_timestamp.
[[nodiscard]] inline std::string format_timestamp(instant at) {
    std::string text;
    append_timestamp(text, at);
    return text;
}

}  // namespace sluice

#endif
