// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_WINDOW_HPP
#define SLUICE_PARAMS_WINDOW_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

#include <sluice/params/group.hpp>
#include <sluice/params/value.hpp>

/// Windows of lists: a condition on a column of times that several parameters set.
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

/// Names of the parameters of a window. An empty one leaves its parameter out.
///
/// ```
/// constexpr sluice::window_names names{.interval = {}, .start = "created_after",
///                                      .end = "created_before", .timezone = {}};
/// sluice::window_params<orders, names>({.column = "created"})
/// ```
struct window_names {
    std::string_view interval = "interval", start = "start", end = "end", timezone = "timezone";

    /// Returns all names, in the order of the rows.
    [[nodiscard]] constexpr std::array<std::string_view, 4> all() const noexcept {
        return {interval, start, end, timezone};
    }
};
inline constexpr window_names default_window_names{};

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

/// Makes all rows of window_params(). The first one is their leader; see lead().
template <auto Interval, auto Start, auto End, auto Zone, auto Range, class Query,
          end_of_all WithoutEnd>
[[nodiscard]] constexpr param_group<Query, 4> rows_of_window(const param_info& info,
                                                             const window_names& names) noexcept {
    constexpr bool is_open = WithoutEnd == end_of_all::open;
    auto first = interval_row<Interval, Query>(
        {.name = names.interval,
         .column = info.column,
         .help = info.choices.empty() ? "the window, counted back from end, such as 6h, 14d, "
                                        "2w, mtd or all; start wins over it"
                                      : "the window, counted back from end; start wins over it",
         .accepts = info.accepts,
         .choices = info.choices,
         .part = "interval"});
    first.comparable = set_of(column_type::time);
    first.info.test = test_kind::bounds;
    first.contribute = [](const Query& query, const param_info& row_info, const column* subject,
                          list_query_draft& draft) {
        const bounds<instant> window = bounds_of(query.*Range);
        constexpr bool is_window = true;
        if (!window.empty()) draft.leaves.push_back({*subject, window, row_info.name, is_window});
    };
    first.finish = [](Query& query, const param_info&,
                      const bind_options& options) -> result<void> {
        if (!options.now) return fail(rule::clock_missing);
        const window_view window{query.*Interval, query.*Start, query.*End, WithoutEnd};
        return resolve_into(query.*Range, window, query.*Zone, *options.now);
    };
    return {
        first,
        time_param<Start, Query>({.name = names.start,
                                  .help = "first moment of the window, inclusive",
                                  .part = "start"}),
        time_param<End, Query>(
            {.name = names.end,
             .help = is_open ? "last moment of the window, inclusive; without it now, but with "
                               "interval=all none"
                             : "last moment of the window, inclusive",
             .absent = is_open ? "" : "now",
             .part = "end"}),
        time_zone_param<Zone, Query>({.name = names.timezone,
                                      .help = "IANA zone in which days and local times are read",
                                      .part = "timezone"})};
}

}  // namespace detail

/// Declares the rows of a window: `interval`, `start`, `end` and `timezone`, or as `Names` calls
/// them, bound to members of the types in list_window. The first row resolves them to `Range`, a
/// time_range, and adds it as a condition on the column of `info`. `info.choices`, with
/// `info.accepts`, are the accepted intervals, by default all; nothing else of `info` is used.
/// Binding needs bind_options::now and, with a time zone, ::zones. With `interval=all` and no `end`
/// the window ends as `WithoutEnd` says; a window without bounds adds no condition.
template <auto Interval, auto Start, auto End, auto Zone, auto Range,
          class Query = detail::query_of<Range>, end_of_all WithoutEnd = end_of_all::open,
          const window_names& Names = default_window_names>
[[nodiscard]] constexpr auto window_params(const param_info& info) noexcept {
    static_assert(detail::count_named(Names.all()) > 0,
                  "a group without names has no parameters: give one of them a name");
    const auto all =
        detail::rows_of_window<Interval, Start, End, Zone, Range, Query, WithoutEnd>(info, Names);
    auto rows = detail::named_rows<detail::count_named(Names.all())>(all);
    detail::lead(rows[0], all[0], rows.size());
    constexpr needed_options needs{.zones = !Names.timezone.empty(), .now = true};
    return needing_rows<decltype(rows), needs>{rows};
}

/// Like the overload with members, for a query that inherits list_window.
template <class Query, const window_names& Names = default_window_names>
[[nodiscard]] constexpr auto window_params(const param_info& info) noexcept {
    static_assert(std::derived_from<Query, list_window>,
                  "a window is bound to members of list_window: let the struct inherit it");
    return window_params<&list_window::interval, &list_window::start, &list_window::end,
                         &list_window::timezone, &list_window::window, Query, end_of_all::open,
                         Names>(info);
}

}  // namespace sluice

#endif
