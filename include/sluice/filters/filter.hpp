// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_FILTER_HPP
#define SLUICE_FILTERS_FILTER_HPP

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/ascii.hpp>
#include <sluice/base/inline_list.hpp>
#include <sluice/base/packed_texts.hpp>
#include <sluice/base/parse_limits.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/filters/collation.hpp>
#include <sluice/filters/values.hpp>

/// Filters: parsing, matching and writing of lists such as `US,CA` or `-US,CA`.
namespace sluice {

namespace detail {

struct filter_reader;

}  // namespace detail

/// A predicate that filters texts.
template <class Accepts>
concept text_predicate = std::predicate<const Accepts&, std::string_view>;

/// A range of texts: the value of a row in a list column.
template <class Range>
concept text_list = requires(const Range& row) {
    { *std::begin(row) } -> std::convertible_to<std::string_view>;
    std::end(row);
};

/// An advanced filter: matches rows whose value is in a list, or all other rows.
///
/// ```
/// filter = [ "-" ] value *( "," value )
/// value  = 1*( char / "\," / "\-" / "\\" )
/// ```
///
/// Empty items are dropped; a filter without values is empty and matches every row. Values may be
/// any UTF-8 text or bytes; nothing is trimmed.
///
/// ```
/// const auto f = sluice::parse_filter("-US,CA");
/// f->matches("FR");  // true
/// f->matches("US");  // false
/// ```
class alignas(std::uint64_t) filter {
public:
    using lends_views = filter_values;

    filter() noexcept {}  // `= default` would zero all bytes
    /// Copies the values, without empty ones. A filter that has none doesn't exclude.
    explicit filter(filter_values values, bool excludes = false)
        : values_(values.size(), total_size(values)) {
        for (const std::string_view value : values) {
            if (!value.empty()) values_.push_back(value);
        }
        excludes_ = excludes && !values_.empty();
    }
    explicit filter(std::initializer_list<std::string_view> values, bool excludes = false)
        : filter(filter_values(values.begin(), values.size()), excludes) {}

    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
    [[nodiscard]] bool excludes() const noexcept { return excludes_; }
    /// Returns the values in the order of the text. They view the filter, which must not move
    /// meanwhile.
    [[nodiscard]] filter_values values() const& noexcept { return values_; }
    filter_values values() const&& = delete;

    /// Returns true if a row with this value passes. A row without a value (std::nullopt) passes if
    /// the filter excludes or is empty. Linear in the number of values; use filter_matcher for many
    /// rows.
    [[nodiscard]] bool matches(std::optional<std::string_view> row,
                               collation how = collation::exact) const noexcept {
        return values_.empty() || (row && matches_any_value(*row, how)) != excludes_;
    }
    /// Like matches(), for a row with a list: true if it shares any value, or none if the filter
    /// excludes.
    template <text_list Range>
    [[nodiscard]] bool matches_any(const Range& row,
                                   collation how = collation::exact) const noexcept {
        return values_.empty() || shares_any_value(row, how) != excludes_;
    }

    friend bool operator==(const filter& a, const filter& b) noexcept {
        return a.excludes_ == b.excludes_ && a.values_ == b.values_;
    }
    /// Orders filters by their values; those that exclude come last.
    friend std::strong_ordering operator<=>(const filter& a, const filter& b) noexcept {
        if (a.excludes_ != b.excludes_) return a.excludes_ <=> b.excludes_;
        const filter_values left = a.values(), right = b.values();
        return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                      right.end());
    }

private:
    friend struct detail::filter_reader;
    friend result<filter> merge(const filter& a, const filter& b);

    /// Returns the size of all values, in bytes.
    static std::size_t total_size(filter_values values) noexcept {
        std::size_t size = 0;
        for (const std::string_view value : values) size += value.size();
        return size;
    }
    /// Returns true if the row equals any value.
    [[nodiscard]] bool matches_any_value(std::string_view row, collation how) const noexcept {
        if (how == collation::exact) return values_.contains(row);
        const collation_record& record = record_of(how);
        if (record.part || !record.ignores_case) return matches_any_key(row, record);
        for (const std::string_view value : values()) {
            if (detail::equal_ignoring_case(row, value)) return true;
        }
        return false;
    }
    /// Like matches_any_value(), for a collation that also compares a part of the row.
    [[nodiscard]] bool matches_any_key(std::string_view row,
                                       const collation_record& record) const noexcept {
        const std::optional<std::string_view> key = record.find_part(row);
        for (const std::string_view value : values()) {
            if (record.equals(row, key, value)) return true;
        }
        return false;
    }

    /// Returns true if any text of a row's list equals any value.
    template <class Range>
    [[nodiscard]] bool shares_any_value(const Range& row, collation how) const noexcept {
        for (const std::string_view value : row) {
            if (matches_any_value(value, how)) return true;
        }
        return false;
    }

    detail::packed_texts values_{};
    bool excludes_ = false;
};

namespace detail {

/// An item of a filter's text, by its offsets there.
struct filter_item {
    std::size_t begin;
    std::size_t end;  ///< offset of the comma after it, or the text's size
    bool is_escaped;  ///< has a backslash

    [[nodiscard]] constexpr std::size_t size() const noexcept { return end - begin; }
};

/// Returns the position of the first comma or backslash from `at` on, or the text's size.
constexpr std::size_t find_filter_mark(std::string_view text, std::size_t at) noexcept {
    if (!std::is_constant_evaluated()) {
        for (; text.size() - at >= 8; at += 8) {
            const std::uint64_t word = load_word<std::uint64_t>(text.data() + at);
            if (has_byte(word, ',') || has_byte(word, '\\')) break;
        }
    }
    while (at < text.size() && text[at] != ',' && text[at] != '\\') ++at;
    return at;
}

/// Returns the item that starts at `begin`, up to the next comma that is not escaped.
constexpr filter_item find_filter_item(std::string_view text, std::size_t begin) noexcept {
    std::size_t at = find_filter_mark(text, begin);
    const bool is_escaped = at < text.size() && text[at] == '\\';
    while (at < text.size() && text[at] == '\\') {
        at = find_filter_mark(text, at + 2 < text.size() ? at + 2 : text.size());
    }
    return {begin, at, is_escaped};
}

/// Returns an empty list with room for the values of a filter's text, as many as filters may have.
/// A short text fits in place however it is split, so its commas aren't counted: bytes and number
/// of values add up to at most its size plus 1.
inline packed_texts filter_room(std::string_view text) {
    if (text.size() < packed_texts::room_size) return {};
    std::size_t commas = 0;
    for (const char byte : text) commas += byte == ',';
    return {commas < filter_max_values ? commas + 1 : filter_max_values + 1, text.size() - commas};
}

/// Parses a text into an empty filter in place. After a failure the filter is unspecified.
struct filter_reader {
    std::string_view text;
    filter& into;
    bool has_dash = true;  ///< a dash before the first value excludes; false: it is part of it

    /// Parses the text; see parse_filter() for the errors.
    template <class Accepts>
    [[nodiscard]] result<void> read(const Accepts& accepts) {
        if (text.size() > filter_max_bytes) {
            return fail(rule::filter_too_long, filter_max_bytes, text.size() - filter_max_bytes);
        }
        into.excludes_ = has_dash && text.starts_with('-');
        into.values_ = filter_room(text);
        for (std::size_t at = into.excludes_ ? 1 : 0; at < text.size(); ++at) {
            const filter_item item = find_filter_item(text, at);
            at = item.end;
            if (auto added = add(item, accepts); !added) return added;
        }
        into.excludes_ = into.excludes_ && !into.values_.empty();
        return {};
    }

private:
    /// Adds the value of an item, unless it is empty.
    template <class Accepts>
    result<void> add(const filter_item& item, const Accepts& accepts) {
        if (item.size() == 0) return {};
        if (has_dash && text[item.begin] == '-') {
            return fail(rule::filter_dash, item.begin, item.size());
        }
        if (item.is_escaped) return add_unescaped(item, accepts);
        return add(item, {text.data() + item.begin, item.size()}, accepts);
    }
    /// Adds the value of an item that has escapes.
    template <class Accepts>
    result<void> add_unescaped(const filter_item& item, const Accepts& accepts) {
        inline_list<char, 256> value;
        for (std::size_t at = item.begin; at < item.end; ++at) {
            if (text[at] == '\\') {
                const std::size_t escape = at++;
                if (at == item.end || (text[at] != ',' && text[at] != '-' && text[at] != '\\')) {
                    return fail(rule::filter_escape, escape, 1);
                }
            }
            value.push_back(text[at]);
        }
        return add(item, std::string_view(value.begin(), value.size()), accepts);
    }
    /// Adds an item's value, without escapes.
    template <class Accepts>
    result<void> add(const filter_item& item, std::string_view value, const Accepts& accepts) {
        if (!accepts(value)) return fail(rule::filter_value, item.begin, item.size());
        if (into.values_.size() == filter_max_values) {
            return fail(rule::filter_too_many, item.begin, text.size() - item.begin);
        }
        into.values_.push_back(value);
        return {};
    }
};

inline constexpr auto any_value = [](std::string_view) noexcept { return true; };

}  // namespace detail

/// Parses a filter; `accepts(value)` returns true for the values that it may have, and sees them
/// without their escapes. Errors, with the bytes of `text` at fault: filter_too_long, filter_dash,
/// filter_escape, filter_value (a value that `accepts` refuses), filter_too_many.
template <text_predicate Accepts>
[[nodiscard]] result<filter> parse_filter(std::string_view text, Accepts accepts) {
    result<filter> parsed(tl::in_place);
    const auto done = detail::filter_reader{text, *parsed}.read(accepts);
    if (!done) parsed = tl::unexpected<error>(done.error());
    return parsed;
}

/// Parses a filter of any values.
[[nodiscard]] inline result<filter> parse_filter(std::string_view text) {
    return parse_filter(text, detail::any_value);
}

/// Returns the canonical text of a filter, which parses back to the same filter.
[[nodiscard]] inline std::string to_string(const filter& written) {
    std::string text = written.excludes() ? "-" : "";
    const std::size_t before = text.size();
    for (const std::string_view value : written.values()) {
        if (text.size() > before) text.push_back(',');
        if (value.front() == '-') text.push_back('\\');
        for (const char byte : value) {
            if (byte == ',' || byte == '\\') text.push_back('\\');
            text.push_back(byte);
        }
    }
    return text;
}

/// Merges the filters of a repeated parameter: all values of `a`, then those of `b`, duplicates
/// included. Errors: filter_exclusion if only one of them excludes; filter_too_many or
/// filter_too_long if they exceed the limits together.
[[nodiscard]] inline result<filter> merge(const filter& a, const filter& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    if (a.excludes() != b.excludes()) return fail(rule::filter_exclusion);
    const std::size_t count = a.values().size() + b.values().size();
    if (count > filter_max_values) return fail(rule::filter_too_many);
    filter merged;
    merged.values_ = {count, a.values_.bytes_used() + b.values_.bytes_used()};
    merged.excludes_ = a.excludes();
    for (const std::string_view value : a.values()) merged.values_.push_back(value);
    for (const std::string_view value : b.values()) merged.values_.push_back(value);
    if (to_string(merged).size() > filter_max_bytes) return fail(rule::filter_too_long);
    return merged;
}

template <>
inline constexpr bool is_value<filter> = true;

}  // namespace sluice

#endif
