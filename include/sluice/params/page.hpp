// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_PAGE_HPP
#define SLUICE_PARAMS_PAGE_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/params/group.hpp>
#include <sluice/params/value.hpp>

/// Parameters of pages: numbers, offsets, sizes, cursors, totals.
namespace sluice {

/// Members for the parameters of a list's page. A query inherits them; page_params() binds them.
struct list_page {
    std::int64_t page = 1, offset = 0, limit = 100;
    std::optional<sluice::cursor> cursor{};
    bool count = false;

    friend bool operator==(const list_page&, const list_page&) = default;
};

/// Names of the parameters of a page, like window_names. A page begins at a number or at an offset,
/// the number of rows before it: one of the two is left out.
///
/// ```
/// constexpr sluice::page_names names{.page = {}, .offset = "offset", .limit = "page_size"};
/// sluice::page_params<orders, 1'000, names>()
/// ```
struct page_names {
    std::string_view page = "page", offset{}, limit = "limit", cursor = "cursor", count = "count";

    /// Returns all names, in the order of the rows.
    [[nodiscard]] constexpr std::array<std::string_view, 5> all() const noexcept {
        return {page, offset, limit, cursor, count};
    }
};
inline constexpr page_names default_page_names{};

/// Declares the number of a page, from 1. A number above the largest std::int64_t reads as that
/// one: a page past the end isn't an error.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto page_param(const param_info& info) noexcept {
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options&) {
        return parse_whole_number(text, row_info.minimum);
    };
    auto row = integer_param<Member, 1, std::numeric_limits<std::int64_t>::max(), Query>(info);
    row.assign = detail::assign<Member, read, Query>;
    row.comparable = 0;
    row.info.role = param_role::page;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) { draft.query.wanted.number = query.*Member; };
    return row;
}

namespace detail {

/// Reads the number of rows on a page; see page_style.
inline result<void> read_page_size(std::int64_t& size, const param_info& info,
                                   std::string_view text) {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const bool is_plain = info.style == page_style::plain;
    const std::int64_t minimum = info.style == page_style::scim ? least : info.minimum;
    const auto read =
        is_plain ? parse_int64(text, minimum, info.maximum) : parse_whole_number(text, minimum);
    if (!read) return tl::unexpected<error>(read.error());
    const bool is_default = info.style == page_style::aip && *read == 0;
    size = std::clamp<std::int64_t>(is_default ? size : *read, 0, info.maximum);
    return {};
}

}  // namespace detail

/// Declares the number of rows on a page, from 1 to `Maximum`.
template <auto Member, std::int64_t Maximum, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto page_size_param(const param_info& info) noexcept {
    auto row = integer_param<Member, 1, Maximum, Query>(info);
    row.comparable = 0;
    row.info.role = param_role::page_size;
    row.assign = [](Query& query, const param_info& row_info, std::string_view text,
                    const bind_options&) {
        std::int64_t size = query.*Member;
        auto done = detail::read_page_size(size, row_info, text);
        if (done) query.*Member = static_cast<detail::value_of<Member>>(size);
        return done;
    };
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) { draft.query.wanted.size = query.*Member; };
    return row;
}

/// Declares the cursor at which a page begins or ends, bound to a `std::optional<cursor>`.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto cursor_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, std::optional<cursor>>,
                  "cursor_param is bound to a std::optional<sluice::cursor>: give the member this "
                  "type");
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_cursor(text);
    };
    auto row = detail::make_row<Member, Query>(info, param_type::cursor);
    row.assign = detail::assign<Member, read, Query>;
    row.info.role = param_role::cursor;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) { draft.query.from = query.*Member; };
    return row;
}

/// Declares a request for the total number of rows, bound to a `bool`.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto total_param(const param_info& info) noexcept {
    auto row = boolean_param<Member, Query>(info);
    row.comparable = 0;
    row.info.role = param_role::total;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) { draft.query.wants_total = query.*Member; };
    return row;
}

/// Declares the number of rows before the page, from 0, instead of a page number. A number above
/// the largest std::int64_t reads as that one.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto offset_param(const param_info& info) noexcept {
    auto row = integer_param<Member, 0, std::numeric_limits<std::int64_t>::max(), Query>(info);
    row.assign = [](Query& query, const param_info& row_info, std::string_view text,
                    const bind_options&) -> result<void> {
        const bool counts_from_1 = row_info.style == page_style::scim;
        const auto number =
            parse_whole_number(text, counts_from_1 ? std::numeric_limits<std::int64_t>::min() : 0);
        if (!number) return tl::unexpected<error>(number.error());
        query.*Member = counts_from_1 ? std::max<std::int64_t>(*number, 1) - 1 : *number;
        return {};
    };
    constexpr auto text_of = [](const Query& query, const param_info& row_info) {
        const std::int64_t skipped = query.*Member;
        const std::int64_t first = row_info.style == page_style::scim ? 1 : 0;
        return skipped == detail::unbound<Query>().*Member
                   ? std::nullopt
                   : std::optional(std::to_string(skipped + first));
    };
    row.as_text = row.as_canonical_text = text_of;
    row.as_default = [](const param_info& row_info) {
        const std::int64_t first = row_info.style == page_style::scim ? 1 : 0;
        return std::optional(std::to_string(detail::unbound<Query>().*Member + first));
    };
    row.comparable = 0;
    row.info.role = param_role::page;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) { draft.query.wanted.skipped = query.*Member; };
    return row;
}

namespace detail {

/// Sets the style of a row of a page.
constexpr void set_style(param_info& info, page_style style) noexcept {
    info.style = style;
    if (style != page_style::plain && info.role == param_role::page_size) {
        info.minimum = 0;
        info.accepts = "expected a whole number of at least 0";
    }
    if (style != page_style::scim || info.role != param_role::page) return;
    info.minimum = 1;
    info.help = "number of the first row, from 1";
}

/// Makes all rows of page_params(). The first one is their leader; see lead().
template <class Query, std::int64_t Maximum>
[[nodiscard]] constexpr param_group<Query, 5> rows_of_page(const page_names& names) noexcept {
    param_group<Query, 5> rows{
        page_param<&list_page::page, Query>(
            {.name = names.page, .help = "page number from 1", .part = "page"}),
        offset_param<&list_page::offset, Query>(
            {.name = names.offset, .help = "rows before the page", .part = "offset"}),
        page_size_param<&list_page::limit, Maximum, Query>(
            {.name = names.limit, .help = "rows on a page", .part = "limit"}),
        cursor_param<&list_page::cursor, Query>(
            {.name = names.cursor,
             .help = "place in the list where the page begins or ends",
             .part = "cursor"}),
        total_param<&list_page::count, Query>({.name = names.count,
                                               .help = "true: the number of all rows is counted",
                                               .part = "count"})};
    for (param<Query>& row : rows) row.contribute = nullptr;
    rows[0].contribute = [](const Query& query, const param_info& row_info, const column*,
                            list_query_draft& draft) {
        const list_page& wanted = query;
        draft.query.wanted = {wanted.page, wanted.limit, wanted.offset};
        draft.query.from = wanted.cursor;
        draft.query.wants_total =
            wanted.count || (row_info.style == page_style::scim && !wanted.cursor);
    };
    return rows;
}

}  // namespace detail

/// Declares the rows of pages of at most `Maximum` rows: `page`, `limit`, `cursor` and `count`, or
/// as `Names` calls them, bound to a query that inherits list_page, with the rules of a `Style`.
template <class Query, std::int64_t Maximum, const page_names& Names = default_page_names,
          page_style Style = page_style::plain>
[[nodiscard]] constexpr auto page_params() noexcept {
    static_assert(std::derived_from<Query, list_page>,
                  "a page is bound to members of list_page: let the struct inherit it");
    static_assert(Maximum >= 1, "a page has at least one row: give a larger maximum");
    static_assert(detail::count_named(Names.all()) > 0,
                  "a group without names has no parameters: give one of them a name");
    static_assert(Names.page.empty() || Names.offset.empty(),
                  "a page begins at a number or at an offset: leave the name of one out");
    const auto all = detail::rows_of_page<Query, Maximum>(Names);
    auto rows = detail::named_rows<detail::count_named(Names.all())>(all);
    detail::lead(rows[0], all[0], rows.size());
    for (param<Query>& row : rows) detail::set_style(row.info, Style);
    return rows;
}

}  // namespace sluice

#endif
