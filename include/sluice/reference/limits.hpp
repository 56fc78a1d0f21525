// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LIMITS_HPP
#define SLUICE_REFERENCE_LIMITS_HPP

#include <cstdint>

#include <sluice/errors/error.hpp>
#include <sluice/metadata/query.hpp>

/// Limits of list APIs that have no header of their own, with their checks. The limits of filters,
/// expressions and lists are in the headers of their parsers.
namespace sluice::reference {

inline constexpr std::int64_t bulk_max_items = 100;        ///< items of one bulk creation
inline constexpr std::int64_t page_size_max = 100;         ///< `pageSize`
inline constexpr std::int64_t page_size_default = 100;     ///< `pageSize` when absent
inline constexpr std::int64_t page_size_short = 50;        ///< of domains and folders: both
inline constexpr std::int64_t events_limit_max = 1'000;    ///< `limit` of a list of events
inline constexpr std::int64_t events_limit_default = 100;  ///< `limit` when absent
inline constexpr std::int64_t test_variants_min = 2;       ///< variants of an A/B test
inline constexpr std::int64_t test_variants_max = 4;
inline constexpr std::int64_t variant_percentage_min = 10;  ///< traffic share of one variant
inline constexpr std::int64_t variant_percentage_max = 90;

namespace detail {

/// Returns a value from `minimum` to `maximum`. Errors: `small` with the minimum, also for NaN;
/// `large` with the maximum.
template <class T>
constexpr result<T> check_between(T value, T minimum, T maximum, rule small, rule large) noexcept {
    if (!(value >= minimum)) return fail_beyond(small, static_cast<std::int64_t>(minimum));
    if (value > maximum) return fail_beyond(large, static_cast<std::int64_t>(maximum));
    return value;
}

}  // namespace detail

/// Checks the limits of a bulk creation: 1 to 100 items. Errors: list_too_short, list_too_long.
[[nodiscard]] constexpr result<std::int64_t> check_bulk_size(std::int64_t items) noexcept {
    return detail::check_between<std::int64_t>(items, 1, bulk_max_items, rule::list_too_short,
                                               rule::list_too_long);
}

/// Checks that a page size is 1 to 100. Errors: number_too_small, number_too_large.
[[nodiscard]] constexpr result<std::int64_t> check_page_size(std::int64_t size) noexcept {
    return detail::check_between<std::int64_t>(size, 1, page_size_max, rule::number_too_small,
                                               rule::number_too_large);
}

/// Checks that a limit is 1 to 1,000. Errors: number_too_small, number_too_large.
[[nodiscard]] constexpr result<std::int64_t> check_events_limit(std::int64_t limit) noexcept {
    return detail::check_between<std::int64_t>(limit, 1, events_limit_max, rule::number_too_small,
                                               rule::number_too_large);
}

/// Checks that a test has 2 to 4 variants. Errors: list_too_short, list_too_long.
[[nodiscard]] constexpr result<std::int64_t> check_test_variants(std::int64_t variants) noexcept {
    return detail::check_between(variants, test_variants_min, test_variants_max,
                                 rule::list_too_short, rule::list_too_long);
}

/// Checks that a percentage is 10 to 90 and not NaN. Errors: number_too_small, number_too_large.
[[nodiscard]] constexpr result<double> check_variant_percentage(double percentage) noexcept {
    return detail::check_between<double>(percentage, variant_percentage_min, variant_percentage_max,
                                         rule::number_too_small, rule::number_too_large);
}

/// Checks that the text of a metadata query has at most 10,000 UTF-16 code units, and returns how
/// many. Error: query_too_long.
[[nodiscard]] constexpr result<std::size_t> check_query_length(std::string_view query) noexcept {
    const std::size_t length = sluice::detail::utf16_length(query);
    if (length > metadata_query_max_length) return fail(rule::query_too_long);
    return length;
}

}  // namespace sluice::reference

#endif
