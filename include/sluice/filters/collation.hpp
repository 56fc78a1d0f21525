// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_COLLATION_HPP
#define SLUICE_FILTERS_COLLATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>

#include <sluice/base/ascii.hpp>

/// Collations: when a row's text equals a value of a filter.
namespace sluice {

/// The part of a row's text that a collation also compares, besides the whole text: the bytes
/// before or after the first `mark`.
///
/// ```
/// before '?'    https://a/b?x=1    a text without the mark is its part
///               |---------|
/// after '-'     US-CA              a text without the mark has no part
///                  ||
/// ```
struct text_part {
    enum class side : std::uint8_t { before, after };

    side which;
    char mark;

    /// Returns the part of a row's text, which it views; nullopt if the text has none.
    [[nodiscard]] constexpr std::optional<std::string_view> find(
        std::string_view text) const noexcept {
        const std::size_t place = text.find(mark);
        if (which == side::before) return text.substr(0, place);
        if (place == std::string_view::npos) return std::nullopt;
        return text.substr(place + 1);
    }
    /// Returns true if a value is compared with either the whole text or the part: a URL with `?`
    /// with the whole text, one without `?` with the part. False if it is compared with both.
    [[nodiscard]] constexpr bool splits_values() const noexcept { return which == side::before; }

    friend constexpr bool operator==(const text_part&, const text_part&) = default;
};

/// The meaning of a collation. A filter's value equals a row's text if it equals one of the text's
/// keys: the whole text, or its part. Matchers, indexes, SQL, expressions and bindings derive from
/// this record.
struct collation_record {
    std::string_view name;
    std::string_view help;      ///< the equality, for documentation
    bool ignores_case = false;  ///< of ASCII letters, in keys and values
    std::optional<text_part> part{};

    /// Returns true if values equal the same bytes only.
    [[nodiscard]] constexpr bool is_exact() const noexcept { return !ignores_case && !part; }
    /// Returns true if a value can equal a whole text.
    [[nodiscard]] constexpr bool compares_whole(std::string_view value) const noexcept {
        return !part || !part->splits_values() || has_mark(value);
    }
    /// Returns true if a value can equal a part.
    [[nodiscard]] constexpr bool compares_part(std::string_view value) const noexcept {
        return part && (!part->splits_values() || !has_mark(value));
    }
    /// Returns true if a value equals a row's text. `key` is find_part(row).
    [[nodiscard]] constexpr bool equals(std::string_view row, std::optional<std::string_view> key,
                                        std::string_view value) const noexcept {
        if (!part) return is_same(row, value);
        if (part->splits_values()) return is_same(has_mark(value) ? row : *key, value);
        return is_same(row, value) || (key && is_same(*key, value));
    }
    /// Returns the part of a row's text; nullopt if the text or the collation has none.
    [[nodiscard]] constexpr std::optional<std::string_view> find_part(
        std::string_view row) const noexcept {
        return part ? part->find(row) : std::nullopt;
    }

private:
    [[nodiscard]] constexpr bool has_mark(std::string_view value) const noexcept {
        return value.find(part->mark) != std::string_view::npos;
    }
    [[nodiscard]] constexpr bool is_same(std::string_view a, std::string_view b) const noexcept {
        return ignores_case ? detail::equal_ignoring_case(a, b) : detail::equal_bytes(a, b);
    }
};

/// The records of all collations.
inline constexpr std::array collation_records{
    collation_record{.name = "exact", .help = "the same bytes"},
    collation_record{
        .name = "ignore_case", .help = "the same but for ASCII case", .ignores_case = true},
    collation_record{.name = "subdivision",
                     .help = "ISO 3166-2 without case; 'CA' equals 'US-CA' too",
                     .ignores_case = true,
                     .part = text_part{text_part::side::after, '-'}},
    collation_record{.name = "url",
                     .help = "a value without '?' equals a URL with any query string",
                     .part = text_part{text_part::side::before, '?'}},
};

static_assert(
    [] {
        for (const collation_record& record : collation_records) {
            if (!record.part) continue;
            const char mark = record.part->mark;
            if (mark <= ' ' || mark >= 0x7F || detail::is_letter(mark)) return false;
            if (mark == '\'' || mark == '\\') return false;
        }
        return true;
    }(),
    "a mark is an ASCII byte without case that needs no escape in SQL");

namespace detail {

/// Returns the number of a collation's record. A name without a record doesn't compile.
consteval std::uint8_t collation_number(std::string_view name) {
    std::uint8_t number = 0;
    while (collation_records[number].name != name) ++number;
    return number;
}

}  // namespace detail

/// The comparison of a row's value with a filter's value; see collation_records.
enum class collation : std::uint8_t {
    exact = detail::collation_number("exact"),
    ignore_case = detail::collation_number("ignore_case"),
    subdivision = detail::collation_number("subdivision"),
    url = detail::collation_number("url"),
};

/// All collations, in the order of their records.
inline constexpr auto collations = [] {
    std::array<collation, collation_records.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<collation>(i);
    return all;
}();

/// Names of the collations, in the order of their records.
inline constexpr auto collation_names = [] {
    std::array<std::string_view, collation_records.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = collation_records[i].name;
    return names;
}();

/// Returns the record of a collation. Ends the program for a number without one.
[[nodiscard]] constexpr const collation_record& record_of(collation how) noexcept {
    const auto number = static_cast<std::size_t>(how);
    if (number >= collation_records.size()) std::terminate();
    return collation_records[number];
}

/// Returns true if a row's value equals a value of a filter.
[[nodiscard]] constexpr bool equal(std::string_view row, std::string_view value,
                                   collation how) noexcept {
    const collation_record& record = record_of(how);
    return record.equals(row, record.find_part(row), value);
}

}  // namespace sluice

#endif
