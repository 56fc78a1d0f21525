// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTER_HPP
#define SLUICE_FILTER_HPP

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/detail/ascii.hpp>
#include <sluice/error.hpp>

namespace sluice {

inline constexpr std::size_t filter_max_values = 1'000;
inline constexpr std::size_t filter_max_bytes = 10'000;

/// How a row's value is compared with a filter's value.
enum class collation : std::uint8_t {
    exact,        ///< the same bytes
    ignore_case,  ///< the same but for ASCII case
    subdivision,  ///< ISO 3166-2, ignoring case: `US-CA` itself, or `CA` of any country
    url,          ///< a value with `?` is the whole URL, one without is the part before `?`
};

/// The names of the collations, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> collation_names{"exact", "ignore_case",
                                                                 "subdivision", "url"};

namespace detail {

/// `CA` of `US-CA`; nothing where there is no subdivision.
constexpr std::string_view bare_subdivision(std::string_view region) noexcept {
    const std::size_t dash = region.find('-');
    return dash == std::string_view::npos ? std::string_view{} : region.substr(dash + 1);
}

constexpr std::string_view before_query(std::string_view url) noexcept {
    return url.substr(0, url.find('?'));
}

}  // namespace detail

/// Whether a row's value equals one value of a filter.
[[nodiscard]] constexpr bool equal(std::string_view row, std::string_view value,
                                   collation how) noexcept {
    switch (how) {
        case collation::exact: return row == value;
        case collation::ignore_case: return detail::equal_ignoring_case(row, value);
        case collation::subdivision:
            return detail::equal_ignoring_case(row, value) ||
                   (!value.empty() &&
                    detail::equal_ignoring_case(detail::bare_subdivision(row), value));
        case collation::url:
            return value.find('?') == std::string_view::npos ? detail::before_query(row) == value
                                                             : row == value;
    }
    return false;
}

/// An advanced filter: rows whose value is one of a list, or all others.
///
/// ```
/// filter = [ "-" ] value *( "," value )
/// value  = 1*( char / "\," / "\-" / "\\" )
/// ```
///
/// Empty items are dropped; with none left the filter is empty and every row passes. Any UTF-8 text
/// or bytes may stand in a value; nothing is trimmed.
///
/// ```
/// const auto f = sluice::parse_filter("-US,CA");
/// f->matches("FR");  // true
/// f->matches("US");  // false
/// ```
class filter {
public:
    filter() = default;
    /// A filter of these values; empty ones are dropped.
    explicit filter(std::vector<std::string> values, bool excludes = false)
        : values_(std::move(values)) {
        std::erase_if(values_, [](const std::string& value) { return value.empty(); });
        excludes_ = excludes && !values_.empty();
    }

    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
    [[nodiscard]] bool excludes() const noexcept { return excludes_; }
    [[nodiscard]] std::span<const std::string> values() const noexcept { return values_; }

    /// Whether a row with this value passes; of rows without one (std::nullopt) those that an
    /// exclusion or an empty filter keeps. Linear in the number of values: see filter_matcher for
    /// many rows.
    [[nodiscard]] bool matches(std::optional<std::string_view> row,
                               collation how = collation::exact) const noexcept {
        return values_.empty() || (row && names(*row, how)) != excludes_;
    }
    /// The same for a row with a list: shares any value, or none if the filter excludes.
    template <class Range>
    [[nodiscard]] bool matches_any(const Range& row,
                                   collation how = collation::exact) const noexcept {
        const auto named = [&](std::string_view value) { return names(value, how); };
        return values_.empty() || std::ranges::any_of(row, named) != excludes_;
    }

    friend bool operator==(const filter&, const filter&) = default;

private:
    [[nodiscard]] bool names(std::string_view row, collation how) const noexcept {
        return std::ranges::any_of(values_, [&](std::string_view v) { return equal(row, v, how); });
    }

    std::vector<std::string> values_;
    bool excludes_ = false;
};

namespace detail {

struct filter_item {
    std::string value;
    std::size_t end;  ///< where the item's text ends: at a comma or the end
};

/// The end of the item that starts at `begin`: the next comma that is not escaped.
constexpr std::size_t filter_item_end(std::string_view text, std::size_t begin) noexcept {
    std::size_t at = begin;
    while (at < text.size() && text[at] != ',') at += text[at] == '\\' ? 2 : 1;
    return std::min(at, text.size());
}

inline result<filter_item> parse_filter_item(std::string_view text, std::size_t begin) {
    const std::size_t end = filter_item_end(text, begin);
    if (begin < end && text[begin] == '-') return fail(rule::filter_dash, begin, end - begin);
    filter_item item{{}, end};
    for (std::size_t at = begin; at < end; ++at) {
        if (text[at] == '\\') {
            const std::size_t escape = at++;
            if (at == end || std::string_view(",-\\").find(text[at]) == std::string_view::npos) {
                return fail(rule::filter_escape, escape, 1);
            }
        }
        item.value.push_back(text[at]);
    }
    return item;
}

inline constexpr auto any_value = [](std::string_view) noexcept { return true; };

}  // namespace detail

/// Parses a filter whose values `accepts` takes: a predicate over a decoded value.
/// Errors: filter_too_long, filter_dash, filter_escape, filter_value, filter_too_many; each with
/// the bytes of `text` at fault.
template <class Accepts>
[[nodiscard]] result<filter> parse_filter(std::string_view text, Accepts accepts) {
    if (text.size() > filter_max_bytes) {
        return fail(rule::filter_too_long, filter_max_bytes, text.size() - filter_max_bytes);
    }
    const bool excludes = text.starts_with('-');
    std::vector<std::string> values;
    for (std::size_t at = excludes ? 1 : 0; at < text.size(); ++at) {
        auto item = detail::parse_filter_item(text, at);
        if (!item) return tl::unexpected(item.error());
        const std::size_t begin = std::exchange(at, (*item).end);
        if ((*item).value.empty()) continue;
        if (!accepts((*item).value)) return fail(rule::filter_value, begin, at - begin);
        if (values.size() == filter_max_values) {
            return fail(rule::filter_too_many, begin, text.size() - begin);
        }
        values.push_back(std::move((*item).value));
    }
    return filter(std::move(values), excludes);
}

/// Parses a filter of any values.
[[nodiscard]] inline result<filter> parse_filter(std::string_view text) {
    return parse_filter(text, detail::any_value);
}

/// The canonical text of a filter: it parses back to the same filter.
[[nodiscard]] inline std::string to_string(const filter& f) {
    std::string text = f.excludes() ? "-" : "";
    for (const std::string& value : f.values()) {
        if (&value != f.values().data()) text.push_back(',');
        if (value.front() == '-') text.push_back('\\');
        for (const char byte : value) {
            if (byte == ',' || byte == '\\') text.push_back('\\');
            text.push_back(byte);
        }
    }
    return text;
}

/// Unites the filters of a repeated parameter. They must agree on exclusion (filter_exclusion) and
/// stay within the limits together (filter_too_many, filter_too_long).
[[nodiscard]] inline result<filter> unite(const filter& a, const filter& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    if (a.excludes() != b.excludes()) return fail(rule::filter_exclusion);
    std::vector<std::string> values(a.values().begin(), a.values().end());
    values.insert(values.end(), b.values().begin(), b.values().end());
    if (values.size() > filter_max_values) return fail(rule::filter_too_many);
    filter united(std::move(values), a.excludes());
    if (to_string(united).size() > filter_max_bytes) return fail(rule::filter_too_long);
    return united;
}

}  // namespace sluice

#endif
