// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_INTERVAL_HPP
#define SLUICE_TIME_INTERVAL_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <sluice/base/ascii.hpp>
#include <sluice/base/near_miss.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/time/expression.hpp>

/// Intervals: lengths of windows, such as `6h`, `14d` or `mtd`.
namespace sluice {

/// An interval without a count: the month, quarter or year up to the window's end, or all of time.
enum class interval_word : std::uint8_t { mtd, qtd, ytd, all };

/// The length of a window, counted back from its end: a count of units, or a word. Minutes and
/// hours are exact; the other units keep the wall time, as time_ago does. By default 24 hours.
struct interval {
    std::variant<time_ago, interval_word> form = time_ago{24, time_unit::hour};

    /// Returns true for `all`, which has no start.
    [[nodiscard]] constexpr bool is_all() const noexcept {
        const auto* const word = std::get_if<interval_word>(&form);
        return word != nullptr && *word == interval_word::all;
    }

    friend constexpr bool operator==(const interval&, const interval&) = default;
};

/// Names of the words, in the order of interval_word.
inline constexpr std::array<std::string_view, 4> interval_words{"mtd", "qtd", "ytd", "all"};

/// Intervals that lists often offer. One of them is suggested instead of a misspelt interval.
inline constexpr std::array<std::string_view, 9> common_intervals{"24h", "7d",  "30d", "90d", "1y",
                                                                  "mtd", "qtd", "ytd", "all"};

/// Largest length of a counted interval, in years.
inline constexpr std::int64_t interval_max_years = 1'000;

namespace detail {

/// Suffixes of counts, in the order of time_unit.
inline constexpr std::array<std::string_view, 6> interval_units{"min", "h", "d", "w", "mo", "y"};

/// Most digits of a count, and the pattern of an interval. It also accepts the counts beyond
/// interval_max_years that have so few digits.
inline constexpr std::size_t interval_max_digits = 9;
inline constexpr std::string_view interval_pattern =
    "[1-9][0-9]{0,8}(?:min|h|d|w|mo|y)|mtd|qtd|ytd|all";

inline constexpr std::string_view interval_advice =
    "expected a count of min, h, d, w, mo or y such as 6h, or one of mtd, qtd, ytd and all";

/// Returns the largest count of a unit in an interval: interval_max_years.
constexpr std::int64_t largest_count(time_unit unit) noexcept {
    constexpr std::int64_t years = interval_max_years, days = years * 365;
    switch (unit) {
        case time_unit::minute: return days * 24 * 60;
        case time_unit::hour: return days * 24;
        case time_unit::day: return days;
        case time_unit::week: return years * 52;
        case time_unit::month: return years * 12;
        case time_unit::year: return years;
    }
    return 0;
}

/// Returns a failure at the first bytes of an interval, with advice.
constexpr tl::unexpected<error> fail_interval(rule broken, std::size_t length,
                                              std::string_view accepts) noexcept {
    auto failure = fail(broken, 0, length);
    failure.value().accepts = accepts;
    return failure;
}

/// Returns the index of a text in an array of names; their number if it is none of them.
template <std::size_t Size>
constexpr std::size_t index_of(const std::array<std::string_view, Size>& names,
                               std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < Size && !equal_bytes(names[at], text)) ++at;
    return at;
}

}  // namespace detail

/// Parses an interval, in lower case and without spaces.
///
/// ```
/// interval = count unit / "mtd" / "qtd" / "ytd" / "all"
/// count    = %x31-39 *8DIGIT                   ; from 1, at most 1,000 years
/// unit     = "min" / "h" / "d" / "w" / "mo" / "y"
/// ```
/// Errors: number_too_small or number_too_large, at a count that is 0 or longer than
/// interval_max_years; choice_unknown for any other text, with the interval that was probably
/// meant.
[[nodiscard]] constexpr result<interval> parse_interval(std::string_view text) noexcept {
    std::size_t digits = 0;
    while (digits < text.size() && detail::is_digit(text[digits])) ++digits;
    const std::size_t word =
        digits > 0 ? interval_words.size() : detail::index_of(interval_words, text);
    if (word < interval_words.size()) return interval{static_cast<interval_word>(word)};
    const std::size_t unit = detail::index_of(detail::interval_units, text.substr(digits));
    const bool has_unit = digits > 0 && unit < detail::interval_units.size();
    if (has_unit && text.find_first_not_of('0') == digits) {
        return detail::fail_interval(rule::number_too_small, digits, "expected a count from 1");
    }
    if (!has_unit || text.front() == '0') {
        auto unknown =
            detail::fail_interval(rule::choice_unknown, text.size(), detail::interval_advice);
        unknown.value().suggestion = detail::near_miss(text, common_intervals);
        return unknown;
    }
    const std::int64_t count = *detail::parse_count(text.substr(0, digits));
    const auto counted = static_cast<time_unit>(unit);
    if (count > detail::largest_count(counted)) {
        return detail::fail_interval(rule::number_too_large, digits, "expected at most 1000 years");
    }
    return interval{time_ago{count, counted}};
}

/// Returns the text of an interval, which parses as the same interval: `24h`, `mtd`.
[[nodiscard]] inline std::string to_string(const interval& length) {
    if (const auto* const ago = std::get_if<time_ago>(&length.form)) {
        const auto unit = detail::interval_units[static_cast<std::size_t>(ago->unit)];
        return std::to_string(ago->count).append(unit);
    }
    const auto word = *std::get_if<interval_word>(&length.form);
    return std::string(interval_words[static_cast<std::size_t>(word)]);
}

namespace detail {

/// Returns the start of a window of this length that ends now; nullopt for `all`.
constexpr std::optional<time_expression> start_of(const interval& length) noexcept {
    if (const auto* const ago = std::get_if<time_ago>(&length.form)) return time_expression{*ago};
    switch (*std::get_if<interval_word>(&length.form)) {
        case interval_word::mtd: return time_expression{named_period::this_month};
        case interval_word::qtd: return time_expression{named_period::this_quarter};
        case interval_word::ytd: return time_expression{named_period::this_year};
        case interval_word::all: break;
    }
    return std::nullopt;
}

}  // namespace detail

/// Orders intervals by their texts.
[[nodiscard]] inline std::strong_ordering operator<=>(const interval& a, const interval& b) {
    return to_string(a) <=> to_string(b);
}
template <>
inline constexpr bool is_value<interval> = true;

}  // namespace sluice

#endif
