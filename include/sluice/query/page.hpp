// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_PAGE_HPP
#define SLUICE_QUERY_PAGE_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/decimal.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>

namespace sluice {

/// Ascending or descending order of a list and its pages, and their names in a request.
enum class sort_order : std::uint8_t { ascending, descending };
inline constexpr std::array<std::string_view, 2> sort_order_names{"asc", "desc"};

namespace detail {

/// Parses plain digits: up to 18, without a leading zero, as nearly every whole number is written.
/// Empty for any other text.
constexpr std::optional<std::int64_t> parse_plain_number(std::string_view text) noexcept {
    if (text.empty() || text.size() > 18 || (text[0] == '0' && text.size() > 1)) return {};
    std::int64_t number = 0;
    for (const char byte : text) {
        if (byte < '0' || byte > '9') return {};
        number = number * 10 + (byte - '0');
    }
    return number;
}

}  // namespace detail

/// Parses a JSON number with a whole value of 64 bits, such as `2`, `2.0` or `1e2`.
/// Errors: number_malformed, number_not_whole, number_too_small, number_too_large.
[[nodiscard]] constexpr result<std::int64_t> parse_int64(
    std::string_view text, std::int64_t minimum = std::numeric_limits<std::int64_t>::min(),
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) noexcept {
    std::optional<std::int64_t> number = detail::parse_plain_number(text);
    bool is_negative = false;
    if (!number) {
        const auto read = detail::parse_decimal(text);
        if (!read) return fail(rule::number_malformed, 0, text.size());
        if (!is_whole(*read)) return fail(rule::number_not_whole, 0, text.size());
        number = to_int64(*read);
        is_negative = read->negative;
    }
    const bool is_below = number ? *number < minimum : is_negative;
    if (!is_below && number && *number <= maximum) return *number;
    auto beyond = fail_beyond(is_below ? rule::number_too_small : rule::number_too_large,
                              is_below ? minimum : maximum, 0, text.size());
    using limits = std::numeric_limits<std::int64_t>;
    if (!number && (is_below ? minimum == limits::min() : maximum == limits::max())) {
        beyond.value().accepts = "expected a whole number of 64 bits";
    }
    return beyond;
}

/// Like parse_int64(), but if `maximum` is the largest std::int64_t, larger numbers read as it: no
/// page number overflows. Likewise the least one as `minimum`.
[[nodiscard]] constexpr result<std::int64_t> parse_whole_number(
    std::string_view text, std::int64_t minimum,
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) noexcept {
    const auto number = parse_int64(text, minimum, maximum);
    using limits = std::numeric_limits<std::int64_t>;
    const auto is_beyond = [&](rule beyond) { return !number && number.error().broken == beyond; };
    if (maximum == limits::max() && is_beyond(rule::number_too_large)) return maximum;
    if (minimum == limits::min() && is_beyond(rule::number_too_small)) return minimum;
    return number;
}

/// One page of a list.
struct page {
    std::int64_t number = 1;   ///< counted from 1
    std::int64_t size = 100;   ///< rows on a page; 0 for none
    std::int64_t skipped = 0;  ///< rows before page 1; the offset of requests that have one

    /// Returns the number of rows before this page: the largest std::int64_t instead of an
    /// overflow, 0 if a member is invalid.
    [[nodiscard]] constexpr std::int64_t offset() const noexcept {
        if (number < 1 || size < 0 || skipped < 0) return 0;
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        if (size > 0 && number - 1 > most / size) return most;
        const std::int64_t before = (number - 1) * size;
        return before > most - skipped ? most : before + skipped;
    }

    friend auto operator<=>(const page&, const page&) = default;
};

/// Writes a page as `page 2 of 100 rows`, with ` after 7` if rows are skipped.
[[nodiscard]] inline std::string to_string(const page& wanted) {
    std::string text = "page " + std::to_string(wanted.number);
    text.append(" of ").append(std::to_string(wanted.size)).append(" rows");
    if (wanted.skipped != 0) text.append(" after ").append(std::to_string(wanted.skipped));
    return text;
}
template <>
inline constexpr bool is_value<page> = true;

/// Maximum size of a `Link` header, in bytes. Proxies refuse responses whose head is larger than a
/// memory page, and the other headers need room too. It has room for the longest cursor and some
/// 1,700 bytes of other parameters.
inline constexpr std::size_t max_link_header = 2'816;

/// The links from a page to others: for each a pair such as `page=3` or `cursor=…` to add to the
/// other parameters. The first page needs no pair if requests without a place begin there. Borrows
/// its texts.
struct page_links {
    std::optional<name_value> previous{}, next{};
    std::optional<name_value> first = name_value{"page", "1"};
};

/// Returns the value of a `Link` header (RFC 8288) with the relations first, prev and next, if they
/// exist. `path` begins each link; `pairs` are the request's parameters without those that select
/// the page. If it would exceed `max_size` bytes, the first relations are left out: clients need
/// `next` most, and can build `first` themselves.
///
/// ```
/// link_header("/events", pairs, {.next = {{"cursor", "AQ"}}});
/// // </events?limit=9&page=1>; rel="first", </events?limit=9&cursor=AQ>; rel="next"
/// ```
[[nodiscard]] inline std::string link_header(std::string_view path,
                                             std::span<const name_value> pairs,
                                             const page_links& beside,
                                             std::size_t max_size = max_link_header) {
    const std::string rest = to_query_string(pairs);
    const std::array<std::optional<name_value>, 3> places{beside.first, beside.previous,
                                                          beside.next};
    constexpr std::array<std::string_view, 3> relations{"first", "prev", "next"};
    std::size_t size_max = 0;
    for (const auto& place : places) {
        size_max += path.size() + rest.size() + 32;  // more than a link's other bytes
        if (place) size_max += detail::pair_size_max(*place);
    }
    std::array<std::size_t, 3> begins{};
    std::string links;
    detail::append_written(links, size_max, [&](char* at) {
        const char* const start = at;
        const auto put = [&](std::string_view text) { at = std::ranges::copy(text, at).out; };
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto& place = places[i];
            if (i > 0 && !place) continue;
            if (at != start) put(", ");
            begins[i] = static_cast<std::size_t>(at - start);
            put("<");
            put(path);
            if (place || !rest.empty()) put("?");
            put(rest);
            if (place && !rest.empty()) put("&");
            if (place) at = detail::write_pair(at, *place);
            put(">; rel=\"");
            put(relations[i]);
            put("\"");
        }
        return at;
    });
    std::size_t left = 0;
    while (left < begins.size() && links.size() - begins[left] > max_size) ++left;
    return links.erase(0, left < begins.size() ? begins[left] : links.size());
}

/// Like link_header() of page_links, for numbered pages, with the number in the parameter `name`.
///
/// ```
/// link_header("/events", pairs, 2, true);
/// // </events?limit=9&page=1>; rel="first", </events?limit=9&page=1>; rel="prev",
/// // </events?limit=9&page=3>; rel="next"
/// ```
[[nodiscard]] inline std::string link_header(std::string_view path,
                                             std::span<const name_value> pairs, std::int64_t number,
                                             bool has_next, std::size_t max_size = max_link_header,
                                             std::string_view name = "page") {
    const auto place = static_cast<std::uint64_t>(number);  // the largest has a next one too
    const std::string before = std::to_string(place - 1), after = std::to_string(place + 1);
    page_links beside{.first = name_value{name, "1"}};
    if (number > 1) beside.previous = {name, before};
    if (has_next) beside.next = {name, after};
    return link_header(path, pairs, beside, max_size);
}

/// Like link_header() of numbers, for pages that begin after some rows: the parameter `name` has
/// the offset of the page.
///
/// ```
/// offset_link_header("/events", pairs, {.size = 9, .skipped = 9}, true);
/// // </events?limit=9&offset=0>; rel="first", </events?limit=9&offset=0>; rel="prev",
/// // </events?limit=9&offset=18>; rel="next"
/// ```
[[nodiscard]] inline std::string offset_link_header(std::string_view path,
                                                    std::span<const name_value> pairs,
                                                    const page& shown, bool has_next,
                                                    std::size_t max_size = max_link_header,
                                                    std::string_view name = "offset") {
    const std::int64_t at = shown.offset(), size = std::max<std::int64_t>(shown.size, 1);
    const std::string before = std::to_string(std::max<std::int64_t>(at - size, 0));
    page following = shown;
    following.skipped = at;
    following.number = 2;
    const std::string after = std::to_string(following.offset());
    page_links beside{.first = name_value{name, "0"}};
    if (at > 0) beside.previous = {name, before};
    if (has_next && shown.size > 0) beside.next = {name, after};
    return link_header(path, pairs, beside, max_size);
}

}  // namespace sluice

#endif
