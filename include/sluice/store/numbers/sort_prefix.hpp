// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_NUMBERS_SORT_PREFIX_HPP
#define SLUICE_STORE_NUMBERS_SORT_PREFIX_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/query/list_query.hpp>
#include <sluice/store/numbers/number_ranges.hpp>

namespace sluice::store::detail {

// A sort prefix is a 64-bit number in the order of its column's values: of two values whose
// prefixes differ by more than prefix_margin(), the one with the smaller prefix comes first; others
// must be compared. The prefix of absent values is 0, the smallest.

/// Returns true if the sort prefixes of a column are approximate.
[[nodiscard]] constexpr bool is_approximated(const column& of) noexcept {
    return of.type == column_type::integer || of.type == column_type::decimal;
}
/// Returns the largest difference of two prefixes that doesn't determine their order. For numbers
/// it exceeds the margin of are_apart(), which is at most 2^15 doubles.
[[nodiscard]] constexpr std::uint64_t prefix_margin(const column& of) noexcept {
    return is_approximated(of) ? std::uint64_t{1} << 16U : 0;
}

/// Returns the prefix of a time in milliseconds. The flipped sign bit puts negative times first.
[[nodiscard]] constexpr std::uint64_t prefix_of_time(std::int64_t milliseconds) noexcept {
    return static_cast<std::uint64_t>(milliseconds) ^ std::uint64_t{1} << 63U;
}
/// Returns the prefix of a number: the bits of its approximation (see approximate()), with those of
/// negative numbers inverted and the sign bit of others set, so that they have the order of
/// doubles.
[[nodiscard]] inline std::uint64_t prefix_of_number(double approximation) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(approximation);
    return bits >> 63U == 0 ? bits | std::uint64_t{1} << 63U : ~bits;
}
/// Returns the prefix of a text: its first 8 bytes, padded with zeros.
[[nodiscard]] constexpr std::uint64_t prefix_of_text(std::string_view text) noexcept {
    std::uint64_t prefix = 0;
    for (std::size_t at = 0; at < 8; ++at) {
        prefix = prefix << 8U | (at < text.size() ? static_cast<unsigned char>(text[at]) : 0U);
    }
    return prefix;
}

/// Returns the prefix of a cursor's key; 0 for nullopt. Expects a key that passes is_key_of().
[[nodiscard]] inline std::uint64_t prefix_of_key(const column& of,
                                                 std::optional<std::string_view> key) {
    if (!key) return 0;
    if (of.is_list) return prefix_of_text(*key);
    switch (of.type) {
        case column_type::integer:
        case column_type::decimal:
            return prefix_of_number(
                approximate(sluice::detail::parse_decimal(*key).value_or(decimal{})));
        case column_type::time: return prefix_of_time(parse_time_key(*key).value_or(0));
        case column_type::text:
        case column_type::boolean:
        case column_type::json: return prefix_of_text(*key);
    }
    return 0;
}

}  // namespace sluice::store::detail

#endif
