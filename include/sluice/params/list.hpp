// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_LIST_HPP
#define SLUICE_PARAMS_LIST_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/params/text.hpp>
#include <sluice/params/value.hpp>

/// Parameters of lists rather than of rows: windows, pages, cursors, order. Except for a window's,
/// their rows name no column to compare with: param::comparable is 0.
namespace sluice {

/// Members for the parameters of a list's window. A query inherits them; window_params() binds
/// them.
struct list_window {
    sluice::interval interval{};
    std::optional<time_expression> start{}, end{};
    time_zone timezone = time_zone::utc();
    time_range window{};  ///< resolved from the others

    friend bool operator==(const list_window&, const list_window&) = default;
};

/// Members for the parameters of a list's page. A query inherits them; page_params() binds them.
struct list_page {
    std::int64_t page = 1, limit = 100;
    std::optional<sluice::cursor> cursor{};
    bool count = false;

    friend bool operator==(const list_page&, const list_page&) = default;
};

namespace detail {

/// Returns a window as bounds.
[[nodiscard]] inline bounds<instant> bounds_of(const time_range& range) {
    return {.least = range.start, .most = range.end};
}

/// Declares the length of a window, bound to an interval. `info.choices` are the accepted
/// intervals; without them all are.
template <auto Member, class Query = query_of<Member>>
[[nodiscard]] constexpr auto interval_row(param_info info) noexcept {
    static_assert(
        holds<Member, interval>,
        "the length of a window is bound to a sluice::interval: give the member this type");
    const bool is_choice = !info.choices.empty();
    if (!is_choice) {
        info.accepts = interval_advice;
        info.pattern = interval_pattern;
        info.example = "7d";
    }
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options&) -> result<interval> {
        if (row_info.choices.empty()) return parse_interval(text);
        const auto index = parse_choice(text, row_info.choices);
        if (!index) return tl::unexpected<error>(index.error());
        return parse_interval(row_info.choices[*index]);
    };
    auto row = make_row<Member, Query>(info, is_choice ? param_type::choice : param_type::value);
    row.assign = assign<Member, read, Query>;
    return row;
}

}  // namespace detail

/// Declares the rows of a window: `interval`, `start`, `end` and `timezone`, bound to members of
/// the types in list_window. The last row resolves them to `Range`, a time_range, and adds it as a
/// condition on the column of `info`. `info.choices`, with `info.accepts`, are the accepted
/// intervals, by default all; nothing else of `info` is used. Binding needs bind_options::now and
/// ::zones. With `interval=all` and no `end` the window ends as `WithoutEnd` says; a window without
/// bounds adds no condition.
template <auto Interval, auto Start, auto End, auto Zone, auto Range,
          class Query = detail::query_of<Range>, end_of_all WithoutEnd = end_of_all::open>
[[nodiscard]] constexpr auto window_params(const param_info& info) noexcept {
    using query_type = Query;
    constexpr bool is_open = WithoutEnd == end_of_all::open;
    auto last =
        time_zone_param<Zone, Query>({.name = "timezone",
                                      .column = info.column,
                                      .help = "IANA zone in which days and local times are read"});
    last.comparable = set_of(column_type::time);
    last.info.test = test_kind::bounds;
    last.contribute = [](const query_type& query, const param_info&, const column* subject,
                         list_query_draft& draft) {
        const bounds<instant> window = detail::bounds_of(query.*Range);
        constexpr bool is_window = true;
        if (!window.empty()) draft.leaves.push_back({*subject, window, "interval", is_window});
    };
    last.finishes = 4;  // all rows of the group: their values make the window
    last.finish = [](query_type& query, const param_info&,
                     const bind_options& options) -> result<void> {
        if (!options.now) return fail(rule::clock_missing);
        const detail::window_view window{query.*Interval, query.*Start, query.*End, WithoutEnd};
        const auto done = detail::resolve_into(query.*Range, window, query.*Zone, *options.now);
        if (done) return {};
        error why = done.error();
        if (why.param.empty()) why.param = "interval";
        return tl::unexpected<error>(why);
    };
    const param_group<query_type, 4> rows{
        detail::interval_row<Interval, Query>(
            {.name = "interval",
             .help = info.choices.empty() ? "the window, counted back from end, such as 6h, 14d, "
                                            "2w, mtd or all; start wins over it"
                                          : "the window, counted back from end; start wins over it",
             .accepts = info.accepts,
             .choices = info.choices}),
        time_param<Start, Query>(
            {.name = "start", .help = "first moment of the window, inclusive"}),
        time_param<End, Query>(
            {.name = "end",
             .help = is_open ? "last moment of the window, inclusive; without it now, but with "
                               "interval=all none"
                             : "last moment of the window, inclusive",
             .absent = is_open ? "" : "now"}),
        last};
    constexpr needed_options needs{.zones = true, .now = true};
    return needing_rows<param_group<query_type, 4>, needs>{rows};
}

/// Like the overload with members, for a query that inherits list_window.
template <class Query>
[[nodiscard]] constexpr auto window_params(const param_info& info) noexcept {
    static_assert(std::derived_from<Query, list_window>,
                  "a window is bound to members of list_window: let the struct inherit it");
    return window_params<&list_window::interval, &list_window::start, &list_window::end,
                         &list_window::timezone, &list_window::window, Query>(info);
}

/// Declares a parameter that selects one of several lists (list_query::resource), bound to an
/// enumeration whose values count `Choices` from 0.
template <auto Member, const auto& Choices>
[[nodiscard]] constexpr auto resource_param(const param_info& info) noexcept {
    auto row = choice_param<Member, Choices>(info);
    row.comparable = 0;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) {
        draft.query.resource = Choices[static_cast<std::size_t>(query.*Member)];
    };
    return row;
}

namespace detail {

/// Splits a text into its words, which white space separates.
[[nodiscard]] inline std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view spaces = " \t\n\r\f\v";
    std::vector<std::string> words;
    for (std::size_t at = 0;;) {
        const std::size_t begin = text.find_first_not_of(spaces, at);
        if (begin == text.npos) return words;
        at = std::min(text.find_first_of(spaces, begin), text.size());
        words.emplace_back(text.substr(begin, at - begin));
    }
}

/// Adds a search to a draft: a condition that any of the searched columns contains any of the
/// words, or without such columns the text.
inline void search(const std::string& text, const param_info& info, list_query_draft& draft) {
    if (info.searched.empty()) {
        draft.query.search = text;
        draft.query.search_param = info.name;
        return;
    }
    const part_test test{part_place::anywhere, words_of(text)};
    if (test.parts.empty()) return;
    std::vector<where> any;
    for (const std::string_view name : info.searched) {
        any.emplace_back(leaf{*find_column(draft.columns, name), test, info.name});
    }
    draft.trees.push_back(where::any(std::move(any)));
}

}  // namespace detail

/// Declares a text to search for, bound to a `std::optional<std::string>`. The endpoint decides
/// which columns are searched. Empty is absent.
template <auto Member>
[[nodiscard]] constexpr auto search_param(const param_info& info) noexcept {
    auto row = text_param<Member>(info);
    row.comparable = 0;
    row.contribute = [](const auto& query, const param_info& row_info, const column*,
                        list_query_draft& draft) {
        detail::search((query.*Member).value_or(std::string()), row_info, draft);
    };
    return row;
}

/// Like search_param() of a text, for rows of which any of `Columns`, an array of names of text
/// columns with static storage, contains any of its words.
template <auto Member, const auto& Columns>
[[nodiscard]] constexpr auto search_param(param_info info) noexcept {
    info.searched = Columns;
    return search_param<Member>(info);
}

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

/// Declares the number of rows on a page, from 1 to `Maximum`.
template <auto Member, std::int64_t Maximum, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto page_size_param(const param_info& info) noexcept {
    auto row = integer_param<Member, 1, Maximum, Query>(info);
    row.comparable = 0;
    row.info.role = param_role::page_size;
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

/// Declares the rows of pages of at most `Maximum` rows: `page`, `limit`, `cursor` and `count`,
/// bound to a query that inherits list_page.
template <class Query, std::int64_t Maximum>
[[nodiscard]] constexpr auto page_params() noexcept {
    static_assert(std::derived_from<Query, list_page>,
                  "a page is bound to members of list_page: let the struct inherit it");
    static_assert(Maximum >= 1, "a page has at least one row: give a larger maximum");
    return param_group<Query, 4>{
        page_param<&list_page::page, Query>({.name = "page", .help = "page number from 1"}),
        page_size_param<&list_page::limit, Maximum, Query>(
            {.name = "limit", .help = "rows on a page"}),
        cursor_param<&list_page::cursor, Query>(
            {.name = "cursor", .help = "place in the list where the page begins or ends"}),
        total_param<&list_page::count, Query>(
            {.name = "count", .help = "true: the number of all rows is told"})};
}

/// Declares the column to order by, one of `Columns`, bound to an enum that counts their names from
/// 0.
template <auto Member, const auto& Columns>
[[nodiscard]] constexpr auto sort_column_param(const param_info& info) noexcept {
    auto row = choice_param<Member, Columns>(info);
    row.comparable = 0;
    row.info.role = param_role::sort_column;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) {
        const auto at = static_cast<std::size_t>(query.*Member);
        draft.query.order.push_back({*find_column(draft.columns, Columns[at])});
    };
    return row;
}

/// Declares the direction of sort_column_param()'s column, bound to a `sort_order`.
template <auto Member>
[[nodiscard]] constexpr auto sort_order_param(const param_info& info) noexcept {
    auto row = choice_param<Member, sort_order_names>(info);
    row.comparable = 0;
    row.info.role = param_role::sort_order;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) { draft.direction = query.*Member; };
    return row;
}

/// Declares columns to order by, each with its direction, bound to `sort_choices`; see
/// parse_sort(). `info.choices` are the names of the columns.
template <auto Member>
[[nodiscard]] constexpr auto sort_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, sort_choices>,
                  "sort_param is bound to sluice::sort_choices: give the member this type");
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options&) { return parse_sort(text, row_info.choices); };
    auto row = detail::make_row<Member>(info, param_type::sort);
    row.assign = detail::assign<Member, read>;
    row.info.role = param_role::sort_column;
    row.contribute = [](const auto& query, const param_info& row_info, const column*,
                        list_query_draft& draft) {
        for (const sort_choice& key : query.*Member) {
            draft.query.order.push_back(
                {*find_column(draft.columns, row_info.choices[key.column]), key.direction});
        }
    };
    return row;
}

/// Like sort_param() of `info.choices`, for an array of column names with static storage.
template <auto Member, const auto& Columns>
[[nodiscard]] constexpr auto sort_param(param_info info) noexcept {
    info.choices = Columns;
    if (info.accepts.empty()) info.accepts = detail::choices_text<Columns>.view();
    return sort_param<Member>(info);
}

}  // namespace sluice

#endif
