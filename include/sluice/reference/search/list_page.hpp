// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_LIST_PAGE_HPP
#define SLUICE_REFERENCE_SEARCH_LIST_PAGE_HPP

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/query/list_query.hpp>

namespace sluice::reference {

/// A page of a list: the JSON array of its rows, and the cursors of the next and the previous page
/// if these exist and the page has rows.
struct json_page {
    std::string body;
    bool has_next = false;                ///< more rows follow
    bool has_previous = false;            ///< rows precede it
    std::optional<cursor> next{};         ///< position after its last row
    std::optional<cursor> previous{};     ///< position before its first row
    std::optional<std::int64_t> total{};  ///< rows on all pages, if the query wants them counted
};

/// Access to the rows of a short list, whose pages are slices of all matching rows.
template <class T>
concept row_reader = requires(const T& of, const typename T::row& row, const cursor& place) {
    { of.keys(row) } -> std::convertible_to<std::vector<std::optional<std::string>>>;
    { of.compare(row, place) } -> std::same_as<std::strong_ordering>;  // ascending
    { of.json(row) } -> std::convertible_to<std::string_view>;
};

namespace detail {

/// The rows of a page, as a half-open range of all matching rows.
struct row_span {
    std::size_t begin, end;
};

/// The number of rows that precede a cursor's position.
template <row_reader Reader>
std::size_t rows_before(const std::vector<typename Reader::row>& found, const cursor& place,
                        sort_order direction, const Reader& of) {
    const bool is_ascending = direction == sort_order::ascending;
    const auto is_before = [&](const typename Reader::row& row) {
        const std::strong_ordering order = of.compare(row, place);
        return (is_ascending ? order < 0 : order > 0) || (order == 0 && !place.is_before);
    };
    return static_cast<std::size_t>(std::ranges::partition_point(found, is_before) - found.begin());
}

/// The position of a query's cursor, with keys that were cut restored to their full length.
template <row_reader Reader>
cursor whole_place(const std::vector<typename Reader::row>& found, const list_query& asked,
                   const Reader& of) {
    const auto ascends = [&](std::size_t at) {
        return asked.order[at].direction == sort_order::ascending;
    };
    return with_whole_keys(*asked.from, ascends, [&](const std::optional<std::string>& last) {
        std::vector<std::optional<std::string>> keys;
        for (const typename Reader::row& row : found) {
            keys = of.keys(row);
            if (keys.back() == last) return keys;
        }
        keys.clear();
        return keys;
    });
}

template <row_reader Reader>
row_span span_of(const std::vector<typename Reader::row>& found, const list_query& asked,
                 const Reader& of) {
    const auto size = static_cast<std::size_t>(asked.wanted.size);
    if (asked.from) {
        const cursor from = whole_place(found, asked, of);
        const std::size_t at = rows_before(found, from, asked.order.front().direction, of);
        if (asked.from->is_before) return {at - std::min(at, size), at};
        return {at, std::min(at + size, found.size())};
    }
    const auto total = static_cast<std::int64_t>(found.size());
    const auto begin = static_cast<std::size_t>(std::min(asked.wanted.offset(), total));
    return {begin, std::min(begin + size, found.size())};
}

}  // namespace detail

/// Returns the page that `asked` describes. `found` holds all matching rows, in the query's order.
/// Error: cursor_malformed if a key of its cursor isn't a value of its column.
template <row_reader Reader>
[[nodiscard]] result<json_page> page_of(const std::vector<typename Reader::row>& found,
                                        const list_query& asked, const Reader& of) {
    if (asked.from && !has_keys_of(asked.order, *asked.from)) {
        return fail_in(rule::cursor_malformed, "cursor");
    }
    const auto [begin, end] = detail::span_of(found, asked, of);
    json_page page{"[", end < found.size(), begin > 0 || asked.wanted.number > 1};
    for (std::size_t at = begin; at < end; ++at) {
        page.body.append(at == begin ? "" : ",").append(of.json(found[at]));
    }
    page.body.push_back(']');
    const auto place = [&](std::size_t at, bool is_before) {
        cursor made{is_before, query_mark(asked), 0, of.keys(found[at])};
        cut_long_keys(made, asked.order);
        return made;
    };
    if (page.has_next && end > begin) page.next = place(end - 1, false);
    if (page.has_previous && end > begin) page.previous = place(begin, true);
    if (asked.wants_total) page.total = static_cast<std::int64_t>(found.size());
    return page;
}

}  // namespace sluice::reference

#endif
