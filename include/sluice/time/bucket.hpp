// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_BUCKET_HPP
#define SLUICE_TIME_BUCKET_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/zone.hpp>

/// Buckets of time: the hours, days, weeks, months, quarters and years of a zone.
namespace sluice {

/// The length of a time bucket.
enum class time_bucket : std::uint8_t { hour, day, week, month, quarter, year };

/// Names of the time buckets, in the order of the enumeration.
inline constexpr std::array<std::string_view, 6> time_bucket_names{"hour",  "day",     "week",
                                                                   "month", "quarter", "year"};
[[nodiscard]] constexpr std::string_view to_string(time_bucket length) noexcept {
    return time_bucket_names[static_cast<std::size_t>(length)];
}
/// Returns the bucket of a name; nullopt if there is none.
[[nodiscard]] constexpr std::optional<time_bucket> find_time_bucket(
    std::string_view name) noexcept {
    for (std::size_t at = 0; at < time_bucket_names.size(); ++at) {
        if (detail::equal_bytes(time_bucket_names[at], name)) return static_cast<time_bucket>(at);
    }
    return std::nullopt;
}

/// Returns the first day of the bucket that contains a day; weeks begin on Monday. Expects a bucket
/// of days, not an hour.
[[nodiscard]] constexpr calendar_day bucket_start(time_bucket length, calendar_day day) noexcept {
    namespace chrono = std::chrono;
    const chrono::year_month_day date(day);
    const unsigned month = static_cast<unsigned>(date.month());
    switch (length) {
        case time_bucket::hour:
        case time_bucket::day: break;
        case time_bucket::week: return day - (chrono::weekday(day) - chrono::Monday);
        case time_bucket::month: return calendar_day(date.year() / date.month() / 1);
        case time_bucket::quarter:
            return calendar_day(date.year() / chrono::month(month - (month - 1) % 3) / 1);
        case time_bucket::year: return calendar_day(date.year() / 1 / 1);
    }
    return day;
}
/// Returns the first day of the next bucket. Expects the first day of a bucket.
[[nodiscard]] constexpr calendar_day next_bucket(time_bucket length, calendar_day start) noexcept {
    namespace chrono = std::chrono;
    const chrono::year_month_day date(start);
    switch (length) {
        case time_bucket::hour:
        case time_bucket::day: break;
        case time_bucket::week: return start + chrono::days(7);
        case time_bucket::month: return calendar_day(date + chrono::months(1));
        case time_bucket::quarter: return calendar_day(date + chrono::months(3));
        case time_bucket::year: return calendar_day(date + chrono::years(1));
    }
    return start + chrono::days(1);
}

namespace detail {

/// Returns the first instant after `from` at which a zone's offset from UTC is that of `to`.
/// Expects at most one change between them.
[[nodiscard]] inline instant offset_change(const time_zone& zone, instant from,
                                           instant to) noexcept {
    const auto offset_of = [&](instant at) {
        return zone.to_wall(at).time_since_epoch() - at.time_since_epoch();
    };
    const auto wanted = offset_of(to);
    while (to - from > std::chrono::milliseconds(1)) {
        const instant middle = from + (to - from) / 2;
        (offset_of(middle) == wanted ? to : from) = middle;
    }
    return to;
}

}  // namespace detail

/// Returns the first instant of the bucket that contains an instant, in a zone. A bucket lasts
/// until the next one begins. Buckets of days begin at midnight, or at the end of a gap that skips
/// it; an hour that the clocks show twice is two buckets.
///
/// ```
/// Europe/Paris, 2026-10-25, hour     00:30Z  02:30 shown first   ->  00:00Z
///                                    01:30Z  02:30 shown again   ->  01:00Z
///                           day      both                        ->  2026-10-24T22:00Z, 25 hours
/// ```
[[nodiscard]] inline instant bucket_start(time_bucket length, instant at,
                                          const time_zone& zone) noexcept {
    namespace chrono = std::chrono;
    const wall_time shown = zone.to_wall(at);
    if (length == time_bucket::hour) {
        const instant start = at - (shown - chrono::floor<chrono::hours>(shown));
        const bool is_same = zone.to_wall(start) - shown == start - at;
        return is_same ? start : detail::offset_change(zone, start, at);
    }
    // Clocks that are set back over midnight show the day before again.
    calendar_day day = bucket_start(length, chrono::floor<chrono::days>(shown));
    const calendar_day next = next_bucket(length, day);
    if (zone.start_of_day(next) <= at) day = next;
    return zone.start_of_day(day);
}
/// Returns the first instant of the next bucket. Expects the first instant of a bucket.
[[nodiscard]] inline instant next_bucket(time_bucket length, instant start,
                                         const time_zone& zone) noexcept {
    namespace chrono = std::chrono;
    const wall_time shown = zone.to_wall(start);
    if (length == time_bucket::hour) {
        const instant next =
            start + (chrono::floor<chrono::hours>(shown) + chrono::hours(1) - shown);
        const bool is_same = zone.to_wall(next) - shown == next - start;
        return is_same ? next
                       : bucket_start(length, detail::offset_change(zone, start, next), zone);
    }
    // A day that the clocks skip as a whole begins with the day after it.
    calendar_day day = bucket_start(length, chrono::floor<chrono::days>(shown));
    instant next = start;
    while (next <= start) {
        day = next_bucket(length, day);
        next = zone.start_of_day(day);
    }
    return next;
}

namespace detail {

/// Steps from one bucket of a zone to the next. Expects a zone whose offset doesn't change twice
/// within a day: in the time zone database, changes are at least 95 hours apart.
///
/// ```
/// for (bucket_steps at(time_bucket::hour, first, zone); at.start() <= last;) {
///     starts.push_back(at.start());
///     at.advance();
/// }
/// ```
class bucket_steps {
public:
    /// Begins with the bucket that contains an instant.
    bucket_steps(time_bucket length, instant at, const time_zone& zone) noexcept
        : length_(length),
          zone_(zone),
          start_(bucket_start(length, at, zone)),
          shown_(zone.to_wall(start_)),
          steady_until_(start_) {}

    /// Returns the first instant of the bucket.
    [[nodiscard]] instant start() const noexcept { return start_; }
    /// Moves to the next bucket. Asks the zone once a day for hours and days without a change of
    /// clocks.
    void advance() noexcept {
        const bool is_short = length_ == time_bucket::hour || length_ == time_bucket::day;
        const auto step = end_shown() - shown_;
        if (is_short && is_steady_until(start_ + step)) {
            start_ += step;
            shown_ += step;
            return;
        }
        start_ = next_bucket(length_, start_, zone_);
        shown_ = zone_.to_wall(start_);
    }

private:
    /// Returns the time at the end of an hour or day as the clocks at its start show it.
    [[nodiscard]] wall_time end_shown() const noexcept {
        namespace chrono = std::chrono;
        if (length_ == time_bucket::hour)
            return chrono::floor<chrono::hours>(shown_) + chrono::hours(1);
        return chrono::floor<chrono::days>(shown_) + chrono::days(1);
    }
    /// Returns true if the offset stays that of the start until an instant within a day from it.
    [[nodiscard]] bool is_steady_until(instant end) noexcept {
        if (end <= steady_until_) return true;
        constexpr std::chrono::days day(1);
        if (zone_.to_wall(start_ + day) - shown_ != day) return false;
        steady_until_ = start_ + day;
        return true;
    }

    time_bucket length_;
    time_zone zone_;
    instant start_;
    wall_time shown_;       // at start_
    instant steady_until_;  // the offset is known not to change before it
};

}  // namespace detail

}  // namespace sluice

#endif
