// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_EXPRESSION_HPP
#define SLUICE_TIME_EXPRESSION_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <sluice/base/ascii.hpp>
#include <sluice/base/near_miss.hpp>
#include <sluice/base/value.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/zone.hpp>

/// Time expressions: the forms in which clients write a time, parsed but not yet resolved.
namespace sluice {

/// The time expression `now`.
struct current_time {
    friend constexpr bool operator==(const current_time&, const current_time&) = default;
};

/// The unit of `N … ago`. Minutes and hours are exact; the others keep the wall time.
enum class time_unit : std::uint8_t { minute, hour, day, week, month, year };

/// `N minutes ago` to `N years ago`; `count` is not negative.
struct time_ago {
    std::int64_t count = 0;
    time_unit unit = time_unit::day;

    friend constexpr bool operator==(const time_ago&, const time_ago&) = default;
};

/// A period named by its place relative to now. Weeks begin on Monday.
enum class named_period : std::uint8_t {
    today,
    yesterday,
    tomorrow,
    last_week,
    last_month,
    last_quarter,
    last_year,
    this_week,
    this_month,
    this_quarter,
    this_year,
};

/// A time as a client wrote it, not yet resolved by a time zone and the current time. Trivially
/// copyable. Wall times and days lie in the years 0000 to 9999.
struct time_expression {
    using form_type = std::variant<instant,                  // RFC 3339 or epoch
                                   wall_time,                // YYYY-MM-DDTHH:MM[:SS[.fff]]
                                   std::chrono::local_days,  // YYYY-MM-DD
                                   current_time, time_ago, named_period>;
    form_type form{};
    std::uint32_t length = 0;  ///< size of the text it was parsed from, in bytes; for errors only

    /// Compares the forms; the lengths don't count.
    friend constexpr bool operator==(const time_expression& a, const time_expression& b) noexcept {
        return detail::hold_equal(a.form, b.form);
    }
};

namespace detail {

enum class calendar_unit : std::uint8_t { day, week, month, quarter, year };

/// A named period: its text, and which of the calendar's units it is.
struct period_info {
    std::string_view name;
    calendar_unit unit;
    int offset;  ///< in units from the one that holds the current day: -1 is the last one
};

/// The named periods, in the order of named_period.
inline constexpr std::array<period_info, 11> periods{{
    {"today", calendar_unit::day, 0},
    {"yesterday", calendar_unit::day, -1},
    {"tomorrow", calendar_unit::day, 1},
    {"last week", calendar_unit::week, -1},
    {"last month", calendar_unit::month, -1},
    {"last quarter", calendar_unit::quarter, -1},
    {"last year", calendar_unit::year, -1},
    {"this week", calendar_unit::week, 0},
    {"this month", calendar_unit::month, 0},
    {"this quarter", calendar_unit::quarter, 0},
    {"this year", calendar_unit::year, 0},
}};

/// Names of the units, in the order of time_unit.
inline constexpr std::array<std::string_view, 6> time_unit_names{"minute", "hour",  "day",
                                                                 "week",   "month", "year"};

/// Parses digits; a number above the largest std::int64_t reads as that one.
constexpr std::optional<std::int64_t> parse_count(std::string_view digits) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (digits.empty()) return std::nullopt;
    std::int64_t count = 0;
    for (const char byte : digits) {
        const int digit = byte - '0';
        if (digit < 0 || digit > 9) return std::nullopt;
        count = count > (most - digit) / 10 ? most : count * 10 + digit;
    }
    return count;
}

/// Returns an expression with the size of the text that it was parsed from.
constexpr time_expression read_as(time_expression::form_type form, std::string_view text) noexcept {
    return {form, static_cast<std::uint32_t>(text.size())};
}

/// Returns the index of a unit's name, singular or plural; the number of names if there is none.
constexpr std::size_t find_time_unit(std::string_view word) noexcept {
    if (!word.empty() && to_lower(word.back()) == 's') word.remove_suffix(1);
    std::size_t at = 0;
    while (at < time_unit_names.size() && !equal_ignoring_case(word, time_unit_names[at])) ++at;
    return at;
}

/// Parses `3 days ago`, in any case; nullopt for any other form.
constexpr std::optional<time_expression> parse_time_ago(std::string_view text) noexcept {
    constexpr std::string_view ago = " ago";
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || text.size() - space <= ago.size()) return std::nullopt;
    const std::size_t unit_end = text.size() - ago.size();
    const auto count = parse_count(text.substr(0, space));
    const std::size_t unit = find_time_unit(text.substr(space + 1, unit_end - space - 1));
    if (!count || unit == time_unit_names.size()) return std::nullopt;
    if (!equal_ignoring_case(text.substr(unit_end), ago)) return std::nullopt;
    return read_as(time_ago{*count, static_cast<time_unit>(unit)}, text);
}

/// Parses the name of a period, in any case; nullopt for any other form.
constexpr std::optional<time_expression> parse_named_period(std::string_view text) noexcept {
    for (std::size_t at = 0; at < periods.size(); ++at) {
        if (equal_ignoring_case(text, periods[at].name)) {
            return read_as(static_cast<named_period>(at), text);
        }
    }
    return std::nullopt;
}

/// Parses a time since 1970: 10 digits are seconds, 13 are milliseconds. nullopt for any other
/// form.
constexpr std::optional<time_expression> parse_epoch(std::string_view text) noexcept {
    if (text.size() != 10 && text.size() != 13) return std::nullopt;
    const auto count = parse_count(text);
    if (!count) return std::nullopt;
    const std::chrono::milliseconds since{text.size() == 10 ? *count * 1'000 : *count};
    return read_as(instant{since}, text);
}

/// Returns true if a text begins like a date, with `-` after 4 and 7 bytes. Forms without a date
/// never have them there.
constexpr bool is_dated(std::string_view text) noexcept {
    return text.size() >= date_size && text[4] == '-' && text[7] == '-';
}

/// Parses a text that begins with a date: the day alone, a wall time, or with an offset an instant.
constexpr result<time_expression> parse_dated(std::string_view text) noexcept {
    time_reader reader(text);
    const std::chrono::local_days day = reader.date();
    const bool is_day = reader.complete();
    wall_time shown = day;
    if (!is_day) {
        reader.separator();
        shown += reader.hours_and_minutes();
    }
    const bool has_seconds = reader.at_seconds();
    if (has_seconds) shown += reader.seconds();
    const bool has_offset = !reader.complete();
    if (has_offset && !has_seconds) return fail_time(rule::time_malformed, text);
    const auto ahead = has_offset ? reader.offset() : std::chrono::minutes{0};
    const instant at{shown.time_since_epoch() - ahead};
    if (!reader.reads(at)) return fail_time(reader.broken_rule(), text);
    if (is_day) return read_as(day, text);
    return has_offset ? read_as(at, text) : read_as(shown, text);
}

/// Returns the position of a space that was an offset's `+` before a query string was decoded:
/// `2026-08-21T04:30:15 02:00`. nullopt if the text with `+` in its place isn't a time either.
constexpr std::optional<std::size_t> find_lost_plus(std::string_view text) noexcept {
    std::array<char, 40> bytes{};  // more than the longest time with an offset
    const std::size_t space = text.rfind(' ');
    if (text.size() > bytes.size() || space == std::string_view::npos) return std::nullopt;
    std::copy(text.begin(), text.end(), bytes.begin());
    bytes[space] = '+';
    if (!parse_dated({bytes.data(), text.size()})) return std::nullopt;
    return space;
}

}  // namespace detail

/// Parses a time in any of the forms that list APIs accept.
///
/// ```
/// time     = timestamp                    ; RFC 3339, see parse_timestamp
///          / 10DIGIT / 13DIGIT            ; seconds or milliseconds since the epoch
///          / date                         ; YYYY-MM-DD, the whole day
///          / date sep HH:MM [ :SS [ .1*9DIGIT ] ]
///          / "now" / "today" / "yesterday" / "tomorrow"
///          / 1*DIGIT " " unit [ "s" ] " ago"
///          / ( "last" / "this" ) " " ( "week" / "month" / "quarter" / "year" )
/// sep      = "T" / "t" / " "
/// unit     = "minute" / "hour" / "day" / "week" / "month" / "year"
/// ```
/// Words are in any case, with single spaces. Errors: day_impossible, at the day; time_plus, at an
/// offset's `+` that became a space; at the whole text, time_out_of_range if more digits or an
/// offset lead outside the years 0000 to 9999, otherwise time_malformed, with the period that was
/// probably meant. A count that reaches beyond those years fails in resolve() only.
[[nodiscard]] constexpr result<time_expression> parse_time_expression(
    std::string_view text) noexcept {
    if (detail::is_dated(text)) {
        auto dated = detail::parse_dated(text);
        if (dated) return dated;
        const auto plus = detail::find_lost_plus(text);
        if (plus) return fail(rule::time_plus, *plus, 1);
        return dated;
    }
    if (const auto at = detail::parse_epoch(text)) return *at;
    if (const auto ago = detail::parse_time_ago(text)) return *ago;
    if (const auto named = detail::parse_named_period(text)) return *named;
    if (detail::equal_ignoring_case(text, "now")) return detail::read_as(current_time{}, text);
    const auto parses = [](std::string_view candidate) {
        return detail::parse_dated(candidate).has_value();
    };
    if (detail::is_beyond_years(text, parses)) {
        return detail::fail_time(rule::time_out_of_range, text);
    }
    auto malformed = detail::fail_time(rule::time_malformed, text);
    malformed.value().suggestion =
        detail::near_miss(text, detail::periods, &detail::period_info::name);
    return malformed;
}

namespace detail {

/// Visitor of an expression's form that returns its canonical text.
struct time_expression_writer {
    std::string operator()(instant at) const { return format_timestamp(at); }
    std::string operator()(wall_time at) const {
        const auto day = std::chrono::floor<std::chrono::days>(at);
        std::string text(23, 'T');
        write_date(text.data(), std::chrono::year_month_day{day});
        write_time_of_day(text.data() + 11, at - day);
        return text;
    }
    std::string operator()(std::chrono::local_days day) const {
        std::string text(10, '-');
        write_date(text.data(), std::chrono::year_month_day{day});
        return text;
    }
    std::string operator()(current_time) const { return "now"; }
    std::string operator()(time_ago ago) const {
        std::string text = std::to_string(ago.count);
        text.append(" ").append(time_unit_names[static_cast<std::size_t>(ago.unit)]);
        return text.append(ago.count == 1 ? " ago" : "s ago");
    }
    std::string operator()(named_period period) const {
        return std::string(periods[static_cast<std::size_t>(period)].name);
    }
};

}  // namespace detail

/// Returns the canonical text, which parses as the same expression: `3 days ago`, `2026-08-21`,
/// `2026-08-21T02:30:00.000`, `2026-08-21T02:30:15.123Z`.
[[nodiscard]] inline std::string to_string(const time_expression& expression) {
    return detail::visit_as<std::string>(detail::time_expression_writer{}, expression.form);
}

/// Returns true if an expression doesn't depend on the current time: an instant, a date, or a date
/// and time.
[[nodiscard]] constexpr bool is_absolute(const time_expression& expression) noexcept {
    return std::holds_alternative<instant>(expression.form) ||
           std::holds_alternative<wall_time>(expression.form) ||
           std::holds_alternative<std::chrono::local_days>(expression.form);
}

/// Orders expressions by their texts.
[[nodiscard]] inline std::strong_ordering operator<=>(const time_expression& a,
                                                      const time_expression& b) {
    return to_string(a) <=> to_string(b);
}
template <>
inline constexpr bool is_value<time_expression> = true;

}  // namespace sluice

#endif
