// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_NUMBER_RANGES_HPP
#define SLUICE_STORE_NUMBER_RANGES_HPP

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <sluice/detail/decimal.hpp>
#include <sluice/store/code_table.hpp>

namespace sluice::store {

using sluice::detail::decimal;

/// A number's value to within a relative error of 1e-14. Numbers beyond its range, of more than 290
/// digits before the point or 260 zeros after it, all become one value that is in order with the
/// others.
///
/// ```
/// -1e291  -> -1e300 | -1e290 ... -1e-260 | -> 0 <- | 1e-260 ... 1e290 | 1e300 <- 1e291
/// ```
[[nodiscard]] inline double approximate(const decimal& number) noexcept {
    constexpr std::size_t most_digits = 17;
    const std::size_t digits = std::min(number.digit_count(), most_digits);
    const std::int64_t whole = sluice::detail::whole_digits(number);
    if (digits == 0 || whole < -260) return 0;
    std::int64_t leading = 0;
    for (std::size_t at = 0; at < digits; ++at) leading = leading * 10 + number.digit(at);
    const auto places = static_cast<double>(whole - static_cast<std::int64_t>(digits));
    const double size = whole > 290 ? 1e300 : static_cast<double>(leading) * std::pow(10.0, places);
    return number.negative ? -size : size;
}

/// Whether two approximations tell the order of their numbers.
[[nodiscard]] inline bool are_apart(double a, double b) noexcept {
    constexpr double margin = 4e-12;
    return std::abs(a - b) > margin * std::abs(b);
}

/// The numbers that the codes of a column stand for.
struct code_numbers {
    std::span<const double> approximations{};   ///< by code; NaN where one isn't a number
    std::function<decimal(code of)> exactly{};  ///< of a code that has an approximation
};

/// A set of a column's codes by the numbers they stand for: those in some ranges. It takes as much
/// memory as its bounds, however many codes there are.
///
/// ```
/// > 5 and <= 9, or > 12      in:   (5      9]       (12
///                            cuts: after 5, after 9, after 12; each goes in or out
/// ```
class number_ranges {
public:
    /// The numbers on one side of a bound. It views the bound's text.
    ///
    /// ```
    /// >  bound    is_after, takes_above       <= bound    is_after
    /// >= bound    takes_above                 <  bound    neither
    /// ```
    number_ranges(code_numbers numbers, const decimal& bound, bool is_after, bool takes_above)
        : numbers_(std::move(numbers)), cuts_{cut(bound, is_after)}, starts_in_(!takes_above) {}

    [[nodiscard]] bool contains(code c) const {
        const auto known = numbers_.approximations;
        if (c >= known.size() || std::isnan(known[c])) return takes_others_;
        const auto is_past = [&](const cut& each) { return each.is_before(c, numbers_); };
        const auto passed = std::ranges::partition_point(cuts_, is_past) - cuts_.begin();
        return (passed % 2 != 0) != starts_in_;
    }

    /// Makes it the set of all other codes, those included that are no numbers.
    void flip() noexcept {
        starts_in_ = !starts_in_;
        takes_others_ = !takes_others_;
    }
    /// Keeps what another set of the same column has too, or adds what it has.
    void intersect(const number_ranges& other) { combine(other, true); }
    void unite(const number_ranges& other) { combine(other, false); }

    /// How many bounds there are.
    [[nodiscard]] std::size_t bounds() const noexcept { return cuts_.size(); }

private:
    /// A place just before or just after a number.
    class cut {
    public:
        cut(const decimal& bound, bool is_after)
            : bound_(bound), is_after_(is_after), near_(approximate(bound)) {}

        /// Whether the number of a code lies after the range.
        [[nodiscard]] bool is_before(code c, const code_numbers& of) const {
            const double number = of.approximations[c];
            if (are_apart(number, near_)) return number > near_;
            const auto order = sluice::detail::compare(of.exactly(c), bound_);
            return is_after_ ? order > 0 : order >= 0;
        }
        friend std::strong_ordering operator<=>(const cut& a, const cut& b) noexcept {
            const auto order = sluice::detail::compare(a.bound_, b.bound_);
            return order != 0 ? order : a.is_after_ <=> b.is_after_;
        }

    private:
        decimal bound_;
        bool is_after_;
        double near_;
    };

    /// Walks over the cuts of both in order and keeps those at which the outcome changes.
    void combine(const number_ranges& other, bool needs_both) {
        bool in = starts_in_, other_in = other.starts_in_;
        const auto outcome = [&](bool a, bool b) { return needs_both ? a && b : a || b; };
        std::vector<cut> kept;
        bool is_in = outcome(in, other_in);
        starts_in_ = is_in;
        auto at = cuts_.begin();
        auto other_at = other.cuts_.begin();
        while (at != cuts_.end() || other_at != other.cuts_.end()) {
            const bool is_own =
                other_at == other.cuts_.end() || (at != cuts_.end() && *at <= *other_at);
            const cut& next = is_own ? *at : *other_at;
            const bool is_shared = is_own && other_at != other.cuts_.end() && !(*at < *other_at);
            if (is_own) ++at, in = !in;
            if (!is_own || is_shared) ++other_at, other_in = !other_in;
            if (outcome(in, other_in) != is_in) kept.push_back(next);
            is_in = outcome(in, other_in);
        }
        cuts_ = std::move(kept);
        takes_others_ = outcome(takes_others_, other.takes_others_);
    }

    code_numbers numbers_;
    std::vector<cut> cuts_;  // ascending; each changes whether numbers are in
    bool starts_in_;         // whether those before the first cut are
    bool takes_others_ = false;
};

}  // namespace sluice::store

#endif
