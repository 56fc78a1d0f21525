// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_WINDOW_HPP
#define SLUICE_TIME_WINDOW_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <sluice/base/value.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/interval.hpp>
#include <sluice/time/zone.hpp>

/// Windows of time: a request's interval, start and end, resolved to instants.
namespace sluice {

/// The side of a window: a day or a period is its first moment as a start, its last as an end.
enum class edge : std::uint8_t { start, end };

namespace detail {

/// Returns the same day of the month `count` months earlier, or that month's last day: a month
/// before 31 March is 28 February.
constexpr std::chrono::local_days months_before(std::chrono::local_days day,
                                                std::chrono::months count) noexcept {
    const std::chrono::year_month_day date{day};
    const std::chrono::year_month month = date.year() / date.month() - count;
    const std::chrono::year_month_day_last last = month / std::chrono::last;
    return std::chrono::local_days{month / std::min(date.day(), last.day())};
}

/// Returns the first day of the unit that lies `offset` units after the one that holds `day`;
/// before it if `offset` is negative.
constexpr std::chrono::local_days first_day(std::chrono::local_days day, calendar_unit unit,
                                            int offset) noexcept {
    using namespace std::chrono;
    const year_month_day date{day};
    const int quarter = (static_cast<int>(static_cast<unsigned>(date.month())) - 1) / 3;
    switch (unit) {
        case calendar_unit::day: return day + days{offset};
        case calendar_unit::week: return day - (weekday{day} - Monday) + days{7 * offset};
        case calendar_unit::month:
            return local_days{(date.year() / date.month() + months{offset}) / 1};
        case calendar_unit::quarter:
            return local_days{(date.year() / January + months{3 * (quarter + offset)}) / 1};
        case calendar_unit::year: return local_days{(date.year() + years{offset}) / January / 1};
    }
    return day;
}

/// Returns a number of units that spans more than the years 0000 to 9999.
constexpr std::int64_t count_limit(time_unit unit) noexcept {
    constexpr std::int64_t years = 10'000;
    switch (unit) {
        case time_unit::minute: return years * 366 * 24 * 60;
        case time_unit::hour: return years * 366 * 24;
        case time_unit::day: return years * 366;
        case time_unit::week: return years * 53;
        case time_unit::month: return years * 12;
        case time_unit::year: return years;
    }
    return 0;
}

/// Returns the day that lies `ago`, less than count_limit(unit), before `day`.
constexpr std::chrono::local_days days_before(std::chrono::local_days day, time_ago ago) noexcept {
    const auto count = static_cast<int>(ago.count);
    if (ago.unit == time_unit::month) return months_before(day, std::chrono::months{count});
    if (ago.unit == time_unit::year) return months_before(day, std::chrono::months{12 * count});
    return day - std::chrono::days{ago.unit == time_unit::week ? 7 * count : count};
}

/// Visitor of an expression's form that returns its instant. Expects `now` in the years 0000 to
/// 9999. The result may lie outside them.
struct time_resolver {
    /// The result for a time that lies too far back for the arithmetic of calendars.
    static constexpr instant nowhere = latest_instant + std::chrono::milliseconds{1};

    edge which;  ///< of a day or period
    const time_zone& zone;
    instant now;

    instant operator()(instant at) const noexcept { return at; }
    instant operator()(wall_time at) const noexcept { return zone.to_instant(at); }
    instant operator()(std::chrono::local_days day) const noexcept {
        return period_edge(day, day + std::chrono::days{1});
    }
    instant operator()(current_time) const noexcept { return now; }

    instant operator()(time_ago ago) const noexcept {
        if (ago.count < 0 || ago.count >= count_limit(ago.unit)) return nowhere;
        if (ago.unit == time_unit::minute) return now - std::chrono::minutes{ago.count};
        if (ago.unit == time_unit::hour) return now - std::chrono::hours{ago.count};
        // The way by the wall time would turn the second of two equal ones into the first.
        if (ago.count == 0) return now;
        const wall_time shown = zone.to_wall(now);
        const auto day = std::chrono::floor<std::chrono::days>(shown);
        return zone.to_instant(days_before(day, ago) + (shown - day));
    }

    instant operator()(named_period named) const noexcept {
        const period_info& period = periods[static_cast<std::size_t>(named)];
        const auto today = std::chrono::floor<std::chrono::days>(zone.to_wall(now));
        return period_edge(first_day(today, period.unit, period.offset),
                           first_day(today, period.unit, period.offset + 1));
    }

private:
    /// Returns the first moment of the days from `first` to before `next`, or the last millisecond.
    [[nodiscard]] instant period_edge(std::chrono::local_days first,
                                      std::chrono::local_days next) const noexcept {
        return which == edge::start ? zone.start_of_day(first)
                                    : zone.start_of_day(next) - std::chrono::milliseconds{1};
    }
};

}  // namespace detail

/// Returns the instant of an expression in `zone`, with `now` as the current time. A day or a named
/// period is its first moment as a start and its last millisecond as an end; any other form is one
/// instant. A wall time that the clocks skip moves on by the gap; one that comes twice is the
/// first. Error: time_out_of_range, if `now` or the instant lies outside the years 0000 to 9999.
[[nodiscard]] inline result<instant> resolve(const time_expression& expression, edge which,
                                             const time_zone& zone, instant now) noexcept {
    if (is_writable(now)) {
        const instant at =
            detail::visit_as<instant>(detail::time_resolver{which, zone, now}, expression.form);
        if (is_writable(at)) return at;
    }
    return fail(rule::time_out_of_range, 0, expression.length);
}

/// A window of time, both ends inclusive; without a start or an end it is open on that side. An
/// empty one starts a millisecond after its end.
struct time_range {
    std::optional<instant> start{}, end{};

    /// Returns true if no instant lies in the window.
    [[nodiscard]] constexpr bool empty() const noexcept { return start && end && *start > *end; }
    [[nodiscard]] constexpr bool contains(instant at) const noexcept {
        return (!start || at >= *start) && (!end || at <= *end);
    }

    friend constexpr auto operator<=>(const time_range&, const time_range&) = default;
};

/// Writes a window as an interval of ISO 8601, such as
/// `2026-08-21T00:00:00.000Z/2026-08-21T23:59:59.999Z`; an open side is `..`.
[[nodiscard]] inline std::string to_string(const time_range& window) {
    const auto side = [](const std::optional<instant>& at) {
        return at ? format_timestamp(*at) : std::string("..");
    };
    return side(window.start) + "/" + side(window.end);
}
template <>
inline constexpr bool is_value<time_range> = true;

/// The end of a window with interval_word::all in a request without an end.
enum class end_of_all : std::uint8_t { open, now };

/// A window as a client requested it.
struct window_request {
    interval length{};                       ///< used if there is no start
    std::optional<time_expression> start{};  ///< takes precedence over the length
    std::optional<time_expression> end{};    ///< if absent: the current time, or the end of `all`
    end_of_all without_end = end_of_all::open;

    friend constexpr bool operator==(const window_request&, const window_request&) = default;
};

namespace detail {

/// The end of a window whose request has none.
inline constexpr time_expression present{current_time{}};

/// Returns an error of `param`, at the whole text of its expression. If the request has no such
/// expression, the error names no parameter.
constexpr tl::unexpected<error> fail_in(std::string_view param,
                                        const std::optional<time_expression>& expression,
                                        rule broken) noexcept {
    auto failure = fail(broken, 0, expression ? expression->length : 0);
    if (expression) failure.value().param = param;
    return failure;
}

/// The start or end of a window, and how far the clocks moved it because they skip its wall time.
struct window_edge {
    instant at;
    wall_time written;                ///< as the expression says, if clocks skipped nothing
    std::chrono::milliseconds moved;  ///< the wall time of `at` minus `written`
};

/// Returns true if an expression means the same instant in all zones.
constexpr bool is_exact(const time_expression& expression) noexcept {
    const auto* const ago = std::get_if<time_ago>(&expression.form);
    if (ago != nullptr) return ago->unit == time_unit::minute || ago->unit == time_unit::hour;
    return std::holds_alternative<instant>(expression.form) ||
           std::holds_alternative<current_time>(expression.form);
}

/// Returns the start or end of a window whose expression resolved to `at`. To get the wall time as
/// written it resolves the expression in UTC, too, whose clocks skip nothing.
inline window_edge make_edge(const time_expression& expression, edge which, const time_zone& zone,
                             instant now, instant at) noexcept {
    const wall_time shown = zone.to_wall(at);
    if (is_exact(expression)) return {at, shown, std::chrono::milliseconds{0}};
    const instant now_shown{zone.to_wall(now).time_since_epoch()};
    const instant in_utc =
        visit_as<instant>(time_resolver{which, time_zone::utc(), now_shown}, expression.form);
    const wall_time written{in_utc.time_since_epoch()};
    return {at, written, shown - written};
}

/// Returns true if the clocks skipped the first part of a window or all of it, so that its start
/// moved past its end, or both moved on together:
///
/// ```
/// written    02:10 .. 02:50     02:30 .. 03:10     the day 2011-12-30
/// clocks     01:59 | 03:00      01:59 | 03:00      29th 23:59 | 31st 00:00
/// resolved   03:10 .. 03:50     03:30 .. 03:10     31st 00:00 .. 29th 23:59
/// window     empty              03:00 .. 03:10     empty
/// ```
constexpr bool is_skipped(const window_edge& start, const window_edge& end) noexcept {
    if (start.written > end.written) return false;
    const bool is_moved = start.moved.count() != 0;
    if (start.at > end.at) return is_moved || start.moved != end.moved;
    return is_moved && start.moved == end.moved && start.written < end.written;
}

/// A window_request that borrows its times. Copying times that were just written, by wider loads
/// than their stores, would wait for the CPU's store buffer.
struct window_view {
    const interval& length;
    const std::optional<time_expression>& start;
    const std::optional<time_expression>& end;
    end_of_all without_end;

    /// Returns true if the window has no end.
    [[nodiscard]] constexpr bool is_open() const noexcept {
        return !end && length.is_all() && without_end == end_of_all::open;
    }
    /// Returns the end of the request, or the current time.
    [[nodiscard]] constexpr const time_expression& last() const noexcept {
        return end ? *end : present;
    }
};

/// Sets a window to `start` and `end`, which its request resolved to. A time in a gap of the clocks
/// has moved past the gap; if that spoils the window (see is_skipped()), keeps the part after the
/// gap, or makes the window empty if there is none. Error: window_reversed, if the start comes
/// after the end although the clocks skip nothing.
inline result<void> set_window(time_range& window, const window_view& request,
                               const time_zone& zone, instant now, instant start,
                               instant end) noexcept {
    constexpr std::chrono::hours longest_gap{24};  // a day that was skipped at the date line
    if (end - start < longest_gap) {
        const window_edge first = make_edge(*request.start, edge::start, zone, now, start);
        if (is_skipped(first, make_edge(request.last(), edge::end, zone, now, end))) {
            constexpr std::chrono::milliseconds step{1};
            // A start that moved past the end begins where the gap ends instead; nothing is left if
            // the end lies in the gap, too. Otherwise both moved on together: nothing is left.
            const bool is_past_end = start > end;
            if (is_past_end) start = zone.first_from(first.written);
            end = is_past_end ? std::max(end, start - step) : start - step;
        } else if (start > end) {
            return fail_in("start", request.start, rule::window_reversed);
        }
    }
    window.start = start;
    window.end = end;
    return {};
}

/// Sets a window to the one requested; see resolve_window(). A failure leaves it unchanged.
inline result<void> resolve_into(time_range& window, const window_view& request,
                                 const time_zone& zone, instant now) noexcept {
    const auto end = resolve(request.last(), edge::end, zone, now);
    if (request.start) {
        const auto start = resolve(*request.start, edge::start, zone, now);
        if (!start) return fail_in("start", request.start, rule::time_out_of_range);
        if (!end) return fail_in("end", request.end, rule::time_out_of_range);
        if (!request.is_open()) return set_window(window, request, zone, now, *start, *end);
        window.start = *start;
    } else if (!end) {
        return fail_in("end", request.end, rule::time_out_of_range);
    } else if (const auto first = start_of(request.length)) {
        const auto start = resolve(*first, edge::start, zone, *end);
        if (!start) return fail_in("end", request.end, rule::time_out_of_range);
        window.start = *start;
    } else {
        window.start = std::nullopt;
    }
    window.end = request.is_open() ? std::nullopt : std::optional(*end);
    return {};
}

}  // namespace detail

/// Returns the window of a request in `zone`, with `now` as the current time.
///
/// ```
/// start   end     window
/// -       -       the interval, counted back from now
/// -       given   the interval, counted back from the end
/// given   -       from the start to now
/// given   given   from the start to the end
/// ```
/// With interval_word::all only a given end bounds the window above, unless `without_end` is now.
/// The window is empty if the clocks of the zone skipped all of it. Errors: window_reversed, if it
/// starts after its end; time_out_of_range, if one of its ends lies outside the years 0000 to 9999.
/// `param` is `start` or `end` if one of them is at fault.
[[nodiscard]] inline result<time_range> resolve_window(const window_request& request,
                                                       const time_zone& zone,
                                                       instant now) noexcept {
    result<time_range> window(tl::in_place);
    const detail::window_view view{request.length, request.start, request.end, request.without_end};
    const auto done = detail::resolve_into(*window, view, zone, now);
    if (!done) window = tl::unexpected<error>(done.error());
    return window;
}

}  // namespace sluice

#endif
