// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_NUMBERS_NUMBER_RANGES_HPP
#define SLUICE_STORE_NUMBERS_NUMBER_RANGES_HPP

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/word.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/store/numbers/number_list.hpp>
#include <sluice/store/texts/code_table.hpp>
#include <sluice/time/day.hpp>

/// Numbers in order: their approximations, ranges of codes, and sort prefixes.
namespace sluice::store {

/// The relative difference of results of approximate() beyond which they have the order of their
/// numbers: far more than the error of both, 2e-14.
inline constexpr double apart_margin = 4e-12;

/// Returns true if two results of approximate() differ enough to have the order of their numbers;
/// otherwise the numbers must be compared exactly.
[[nodiscard]] inline bool are_apart(double a, double b) noexcept {
    return std::abs(a - b) > apart_margin * std::abs(b);
}

/// The numbers of a column's codes: either keys in their order (see number_list), 0 at `absent`, or
/// approximations.
struct code_numbers {
    std::span<const double> approximations{};   ///< by code; NaN if it isn't a number
    std::function<decimal(code of)> exactly{};  ///< for a code with an approximation
    std::span<const std::int64_t> keys{};       ///< by code
};

/// A range of keys with both ends; none if `least` is greater than `most`.
struct key_range {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    /// Returns true if the range contains a key. Compares once, modulo 2^64; expects any keys.
    [[nodiscard]] constexpr bool contains(std::int64_t key) const noexcept {
        const auto first = static_cast<std::uint64_t>(least);
        return static_cast<std::uint64_t>(key) - first <= static_cast<std::uint64_t>(most) - first;
    }
    friend bool operator==(const key_range&, const key_range&) = default;
};

/// A set of a column's codes: those whose number is in some ranges. Its size depends on the number
/// of bounds, not of codes.
///
/// ```
/// > 5 and <= 9, or > 12      in:   (5      9]       (12
///                            cuts: after 5, after 9, after 12; each goes in or out
/// ```
class number_ranges {
public:
    /// Makes the set of the numbers on one side of a bound. Views the bound's text.
    ///
    /// ```
    /// >  bound    is_after, takes_above       <= bound    is_after
    /// >= bound    takes_above                 <  bound    neither
    /// ```
    number_ranges(code_numbers numbers, const decimal& bound, bool is_after, bool takes_above)
        : numbers_(std::move(numbers)), cuts_{cut(bound, is_after)}, starts_in_(!takes_above) {}
    /// Like the other constructor, but keeps the bound.
    number_ranges(code_numbers numbers, decimal_number bound, bool is_after, bool takes_above)
        : numbers_(std::move(numbers)),
          cuts_{cut(std::make_shared<const decimal_number>(std::move(bound)), is_after)},
          starts_in_(!takes_above) {}

    /// Makes the set of the keys in a range.
    number_ranges(std::span<const std::int64_t> keys, const key_range& of)
        : numbers_{.keys = keys},
          starts_in_(of.least <= of.most && of.least == std::numeric_limits<std::int64_t>::min()) {
        if (of.least > of.most) return;
        if (!starts_in_) cuts_.push_back(cut(of.least));
        if (of.most < std::numeric_limits<std::int64_t>::max()) cuts_.push_back(cut(of.most + 1));
    }

    /// Returns true if a code is in the set. A number is if it has an odd number of cuts before it,
    /// or an even one if `starts_in_`.
    [[nodiscard]] bool contains(code c) const {
        if (!is_number(c)) return takes_others_;
        const auto is_past = [&](const cut& boundary) { return boundary.is_before(c, numbers_); };
        const auto passed = std::ranges::partition_point(cuts_, is_past) - cuts_.begin();
        return (passed % 2 != 0) != starts_in_;
    }

    /// Sets the bits of codes in the set: bit i % 64 of word i / 64 is that of `code_at(i)`.
    /// Expects clear bits. Most numbers are apart from the bounds, and compared without a branch.
    template <std::invocable<std::size_t> CodeAt>
    void match(std::size_t codes, CodeAt code_at, std::uint64_t* bits) const {
        if (!numbers_.keys.empty()) return match_keys(codes, code_at, bits);
        const window range = as_window();
        const std::span<const double> known = numbers_.approximations;
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        for (std::size_t first = 0; first < codes; first += 64) {
            const std::size_t count = std::min<std::size_t>(64, codes - first);
            std::uint64_t in = 0, near = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const auto c = static_cast<std::size_t>(code_at(first + i));
                const double number = c < known.size() ? known[c] : none;
                const bool is_in = (number > range.in_above) & (number < range.in_below);
                const bool is_out = !((number >= range.out_below) & (number <= range.out_above));
                in |= std::uint64_t{is_in != range.is_outside} << i;
                near |= std::uint64_t{is_in == is_out} << i;
            }
            in &= ~near;
            for (; near != 0; near &= near - 1) {
                const auto i = static_cast<std::size_t>(std::countr_zero(near));
                in |= std::uint64_t{contains(code_at(first + i))} << i;
            }
            bits[first / 64] |= in;
        }
    }

    /// Returns true if codes that aren't numbers are in the set.
    [[nodiscard]] bool takes_others() const noexcept { return takes_others_; }
    /// Returns the ranges of the set's numbers as integers, ascending: keys, or decimals times
    /// 10^`scale`. If takes_others(), those of the numbers that aren't in the set.
    [[nodiscard]] std::vector<key_range> key_ranges(unsigned scale) const {
        constexpr key_range all{};
        std::vector<key_range> ranges;
        bool is_in = starts_in_ != takes_others_;
        std::int64_t least = all.least;
        for (const cut& boundary : cuts_) {
            const auto first = boundary.first_after(scale);
            if (!first) break;
            if (is_in && *first > least) ranges.push_back({least, *first - 1});
            least = *first;
            is_in = !is_in;
        }
        if (is_in) ranges.push_back({least, all.most});
        return ranges;
    }

    /// Replaces the set by its complement, which includes codes that aren't numbers.
    void flip() noexcept {
        starts_in_ = !starts_in_;
        takes_others_ = !takes_others_;
    }
    /// Intersects this with another set of the same column; merge() adds one.
    void intersect(const number_ranges& other) { combine(other, true); }
    void merge(const number_ranges& other) { combine(other, false); }

    /// Returns the number of bounds.
    [[nodiscard]] std::size_t bounds() const noexcept { return cuts_.size(); }

private:
    /// A boundary just before or just after a number.
    class cut {
    public:
        cut(const decimal& bound, bool is_after)
            : bound_(bound), is_after_(is_after), near_(approximate(bound)) {}
        /// Makes the boundary before a key.
        explicit cut(std::int64_t first) : is_after_(false), near_(0), first_(first) {}
        cut(std::shared_ptr<const decimal_number> bound, bool is_after)
            : cut(*sluice::detail::parse_decimal(bound->text()), is_after) {
            kept_ = std::move(bound);
        }

        /// The numbers that are surely before this boundary are below the first result, and those
        /// surely after it are above the second; see are_apart().
        [[nodiscard]] std::pair<double, double> near() const noexcept {
            const double margin = apart_margin * std::abs(near_);
            return {near_ - margin, near_ + margin};
        }
        /// Returns the first key after this boundary, or the first integer n for which n /
        /// 10^`scale` is; nullopt without one of 64 bits.
        [[nodiscard]] std::optional<std::int64_t> first_after(unsigned scale) const {
            if (first_) return first_;
            decimal bound = bound_;
            bound.point += scale;
            constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
            const auto towards_zero = sluice::detail::to_int64(bound);
            if (!towards_zero) return bound.negative ? std::optional(-most - 1) : std::nullopt;
            const bool is_whole = sluice::detail::is_whole(bound);
            const bool is_next = is_whole ? is_after_ : !bound.negative;
            if (is_next && *towards_zero == most) return std::nullopt;
            return *towards_zero + (is_next ? 1 : 0);
        }
        /// Returns true if this boundary lies before the number of a code.
        [[nodiscard]] bool is_before(code c, const code_numbers& of) const {
            if (first_) return of.keys[c] >= *first_;
            const double number = of.approximations[c];
            if (are_apart(number, near_)) return number > near_;
            const auto order = sluice::detail::compare(of.exactly(c), bound_);
            return is_after_ ? order > 0 : order >= 0;
        }
        friend std::strong_ordering operator<=>(const cut& a, const cut& b) noexcept {
            if (a.first_ && b.first_) return *a.first_ <=> *b.first_;
            const auto order = sluice::detail::compare(a.bound_, b.bound_);
            return order != 0 ? order : a.is_after_ <=> b.is_after_;
        }

    private:
        std::shared_ptr<const decimal_number> kept_{};  // has the text of bound_, or null
        decimal bound_{};
        bool is_after_;
        double near_;
        std::optional<std::int64_t> first_{};  // of keys; then the members above aren't used
    };

    [[nodiscard]] bool is_number(code c) const noexcept {
        if (!numbers_.keys.empty()) return c != absent && c < numbers_.keys.size();
        return c < numbers_.approximations.size() && !std::isnan(numbers_.approximations[c]);
    }
    /// Like match(), by keys.
    template <std::invocable<std::size_t> CodeAt>
    void match_keys(std::size_t codes, CodeAt code_at, std::uint64_t* bits) const {
        const std::vector<key_range> ranges = key_ranges(0);
        const std::span<const std::int64_t> known = numbers_.keys;
        for (std::size_t at = 0; at < codes; ++at) {
            const auto c = static_cast<std::size_t>(code_at(at));
            bool is_in = false;
            if (c != absent && c < known.size()) {
                for (const key_range& range : ranges) is_in |= range.contains(known[c]);
            }
            bits[at / 64] |= std::uint64_t{is_in != takes_others_} << (at % 64);
        }
    }

    /// Numbers that are surely within one range, and those that surely aren't. All others have to
    /// be compared exactly: by default all.
    struct window {
        double in_above = std::numeric_limits<double>::infinity();
        double in_below = -std::numeric_limits<double>::infinity();
        double out_below = -std::numeric_limits<double>::infinity();
        double out_above = std::numeric_limits<double>::infinity();
        bool is_outside = false;  ///< the set is the codes outside the range
    };
    /// Returns the window of a set of one range or of all but one.
    [[nodiscard]] window as_window() const noexcept {
        window range{.is_outside = takes_others_};
        const bool starts_in = starts_in_ != takes_others_;  // of the range
        if (cuts_.empty() || cuts_.size() > 2 || (cuts_.size() == 2 && starts_in)) return range;
        range.in_above = -range.in_above;
        range.in_below = -range.in_below;
        if (!starts_in) std::tie(range.out_below, range.in_above) = cuts_.front().near();
        if (starts_in || cuts_.size() == 2) {
            std::tie(range.in_below, range.out_above) = cuts_.back().near();
        }
        return range;
    }

    /// Merges the cuts of both sets, keeping those where the combined result changes. The result
    /// has the numbers in both sets if `needs_both`, else those in either.
    void combine(const number_ranges& other, bool needs_both) {
        bool in = starts_in_, other_in = other.starts_in_;
        const auto outcome = [&](bool a, bool b) { return needs_both ? a && b : a || b; };
        std::vector<cut> kept;
        bool is_in = outcome(in, other_in);
        starts_in_ = is_in;
        auto at = cuts_.begin();
        auto other_at = other.cuts_.begin();
        while (at != cuts_.end() || other_at != other.cuts_.end()) {
            const bool is_first =
                other_at == other.cuts_.end() || (at != cuts_.end() && *at <= *other_at);
            const cut& next = is_first ? *at : *other_at;
            const bool is_shared = is_first && other_at != other.cuts_.end() && !(*at < *other_at);
            if (is_first) ++at, in = !in;
            if (!is_first || is_shared) ++other_at, other_in = !other_in;
            if (outcome(in, other_in) != is_in) kept.push_back(next);
            is_in = outcome(in, other_in);
        }
        cuts_ = std::move(kept);
        takes_others_ = outcome(takes_others_, other.takes_others_);
    }

    code_numbers numbers_;
    std::vector<cut> cuts_;  // ascending; each toggles membership
    bool starts_in_;         // numbers before the first cut are in
    bool takes_others_ = false;
};

}  // namespace sluice::store

namespace sluice::store::detail {

// A sort prefix is a 64-bit number in the order of its column's values: of two values whose
// prefixes differ by more than prefix_margin(), the one with the smaller prefix comes first; others
// must be compared. The prefix of absent values is 0, the smallest.

/// Returns the largest difference of two prefixes that doesn't determine their order. For decimals,
/// whose prefixes are approximate, it exceeds the margin of are_apart(), which is at most 2^15
/// doubles.
[[nodiscard]] constexpr std::uint64_t prefix_margin(const column& of) noexcept {
    return of.type == column_type::decimal && !of.is_list ? std::uint64_t{1} << 16U : 0;
}

/// Returns the prefix of a key, see number_list. The flipped sign bit puts negative keys first.
[[nodiscard]] constexpr std::uint64_t prefix_of_number(std::int64_t key) noexcept {
    return static_cast<std::uint64_t>(key) ^ std::uint64_t{1} << 63U;
}
/// Returns the prefix of a decimal's approximation; see approximate().
[[nodiscard]] constexpr std::uint64_t prefix_of_number(double approximation) noexcept {
    return prefix_of_number(key_of_real(approximation));
}
/// Returns the prefix of a text: its first 8 bytes, padded with zeros.
[[nodiscard]] inline std::uint64_t prefix_of_text(std::string_view text) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
        if (text.size() >= 8)
            return __builtin_bswap64(sluice::detail::load_word<std::uint64_t>(text.data()));
    }
    std::uint64_t prefix = 0;
    for (std::size_t at = 0; at < 8; ++at) {
        prefix = prefix << 8U | (at < text.size() ? static_cast<unsigned char>(text[at]) : 0U);
    }
    return prefix;
}

/// Returns the key of a number's text in a cursor; see number_list. Expects a text that passes
/// is_key_of(), and no decimal.
[[nodiscard]] inline std::int64_t number_of_key(const column& of, std::string_view text) {
    if (of.type == column_type::integer) return parse_int64(text).value_or(0);
    if (of.type == column_type::time) return parse_time_key(text).value_or(0);
    if (of.type == column_type::real)
        return key_of_real(sluice::detail::parse_any_real(text).value_or(0));
    return parse_day(text).value_or(earliest_day).time_since_epoch().count();
}

/// Returns the prefix of a cursor's key; 0 for nullopt. Expects a key that passes is_key_of().
[[nodiscard]] inline std::uint64_t prefix_of_key(const column& of,
                                                 std::optional<std::string_view> key) {
    if (!key) return 0;
    if (of.is_list) return prefix_of_text(*key);
    switch (of.type) {
        case column_type::decimal:
            return prefix_of_number(
                approximate(sluice::detail::parse_decimal(*key).value_or(decimal{})));
        case column_type::integer:
        case column_type::real:
        case column_type::time:
        case column_type::date: return prefix_of_number(number_of_key(of, *key));
        case column_type::choice: return place_of_choice(of, *key) + 1;
        case column_type::uuid: return prefix_of_text(sluice::detail::to_lower(*key));
        case column_type::text:
        case column_type::boolean:
        case column_type::json:
        case column_type::records: return prefix_of_text(*key);
    }
    return 0;
}

}  // namespace sluice::store::detail

#endif
