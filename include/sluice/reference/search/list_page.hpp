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

/// Pages of short lists, cut from all matching rows.
namespace sluice::reference {

/// A page of a list: the JSON array of its rows.
struct json_page : page_info {
    std::string body;
};

/// Access to the rows of a short list, all of whose matching rows are in memory: the sort keys of a
/// row, as texts for a cursor; the order of a row relative to a cursor's keys, as if the list were
/// ascending; and the JSON of a row. tag_reader is one.
template <class T>
concept row_reader = requires(const T& reader, const typename T::row& row, const cursor& place) {
    { reader.keys(row) } -> std::convertible_to<std::vector<std::optional<std::string>>>;
    { reader.compare(row, place) } -> std::same_as<std::strong_ordering>;
    { reader.json(row) } -> std::convertible_to<std::string_view>;
};

namespace detail {

/// The rows of a page, as a half-open range of all matching rows.
struct row_span {
    std::size_t begin, end;
};

/// The number of rows that precede a cursor's position: before its keys, or equal to them if the
/// cursor is after its row.
template <row_reader Reader>
std::size_t rows_before(const std::vector<typename Reader::row>& rows, const cursor& place,
                        sort_order direction, const Reader& reader) {
    const bool is_ascending = direction == sort_order::ascending;
    const auto is_before = [&](const typename Reader::row& row) {
        const std::strong_ordering order = reader.compare(row, place);
        return (is_ascending ? order < 0 : order > 0) || (order == 0 && !place.is_before);
    };
    return static_cast<std::size_t>(std::ranges::partition_point(rows, is_before) - rows.begin());
}

/// The cursor of a query with whole keys: cut_long_keys() has shortened long ones, which are read
/// again from the row that its last key, the unique one, identifies.
template <row_reader Reader>
cursor whole_place(const std::vector<typename Reader::row>& rows, const list_query& query,
                   const Reader& reader) {
    const auto ascends = [&](std::size_t at) {
        return query.order[at].direction == sort_order::ascending;
    };
    return with_whole_keys(*query.from, ascends, [&](const std::optional<std::string>& last) {
        std::vector<std::optional<std::string>> keys;
        for (const typename Reader::row& row : rows) {
            keys = reader.keys(row);
            if (keys.back() == last) return keys;
        }
        keys.clear();
        return keys;
    });
}

/// The rows of the page, by the query's cursor or else by its page number.
template <row_reader Reader>
row_span span_of(const std::vector<typename Reader::row>& rows, const list_query& query,
                 const Reader& reader) {
    const auto size = static_cast<std::size_t>(query.wanted.size);
    if (query.from) {
        const cursor from = whole_place(rows, query, reader);
        const std::size_t at = rows_before(rows, from, query.order.front().direction, reader);
        if (query.from->is_before) return {at - std::min(at, size), at};
        return {at, std::min(at + size, rows.size())};
    }
    const auto total = static_cast<std::int64_t>(rows.size());
    const auto begin = static_cast<std::size_t>(std::min(query.wanted.offset(), total));
    return {begin, std::min(begin + size, rows.size())};
}

}  // namespace detail

/// Returns the page that `query` describes. `rows` holds all matching rows, in the query's order.
/// Error: cursor_malformed if a key of its cursor isn't a value of its column.
template <row_reader Reader>
[[nodiscard]] result<json_page> page_of(const std::vector<typename Reader::row>& rows,
                                        const list_query& query, const Reader& reader) {
    if (query.from && !has_keys_of(query.order, *query.from)) {
        return fail_in(rule::cursor_malformed, "cursor");
    }
    const auto [begin, end] = detail::span_of(rows, query, reader);
    json_page page{{end < rows.size(), begin > 0 || query.wanted.number > 1}, "["};
    for (std::size_t at = begin; at < end; ++at) {
        page.body.append(at == begin ? "" : ",").append(reader.json(rows[at]));
    }
    page.body.push_back(']');
    const auto place = [&](std::size_t at, bool is_before) {
        cursor position{is_before, query_mark(query), 0, reader.keys(rows[at])};
        cut_long_keys(position, query.order);
        return position;
    };
    if (page.has_next && end > begin) page.next = place(end - 1, false);
    if (page.has_previous && end > begin) page.previous = place(begin, true);
    if (query.wants_total) page.total = static_cast<std::int64_t>(rows.size());
    return page;
}

}  // namespace sluice::reference

#endif
