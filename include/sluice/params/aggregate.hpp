// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_AGGREGATE_HPP
#define SLUICE_PARAMS_AGGREGATE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/params/bind.hpp>
#include <sluice/params/list.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/time/bucket.hpp>

/// Parameters of aggregates: groups, measures, their order and number, facets.
///
/// ```
/// constexpr std::array groups{sluice::group_choice{.name = "country"},
///                             sluice::group_choice{.name = "day", .column = "created",
///                                                  .bucket = sluice::time_bucket::day}};
/// constexpr std::array measures{sluice::measure_choice{.name = "count"},
///                               sluice::measure_choice{.name = "revenue", .column = "total",
///                                                      .kind = sluice::measure_kind::sum}};
/// constexpr std::array<std::string_view, 1> counted{"country"};
///
/// struct report {
///     sluice::sort_choices groups, measures{{0}}, order, facets;
///     std::int64_t top = 10;
/// };
/// constexpr sluice::param_table report_params{
///     columns, sluice::group_by_param<&report::groups, groups>({.name = "groupBy"}),
///     sluice::measures_param<&report::measures, measures>({.name = "measures"}),
///     sluice::group_order_param<&report::order, groups, measures>({.name = "order"}),
///     sluice::group_limit_param<&report::top>({.name = "top"}),
///     sluice::facets_param<&report::facets, counted>({.name = "facets"})};
/// // groupBy=country,day&measures=revenue,count&order=-revenue&top=5&facets=country
/// const auto groups = sluice::to_aggregate_query(report_params, *query);
/// ```
namespace sluice {

/// Values that requests group by: of a column, a path of a JSON column, or buckets of a time.
struct group_choice {
    std::string_view name{};    ///< in requests and answers
    std::string_view column{};  ///< empty: that of the name
    std::optional<time_bucket> bucket{};
    std::span<const std::string_view> path{};  ///< of a JSON column
};
/// A measure that requests name.
struct measure_choice {
    std::string_view name{};    ///< in requests and answers
    std::string_view column{};  ///< none for a count of rows
    measure_kind kind = measure_kind::count;
};

/// The groups and measures of a request, to which the rows of a table contribute.
struct aggregate_draft {
    std::vector<group_key> group_by{};
    std::vector<measure> measures{};
    std::vector<std::pair<std::string_view, sort_order>> order{};  ///< by the names of both
    std::int64_t limit = aggregate_limit_default;
    std::vector<column> facets{};
};

namespace detail {

[[nodiscard]] constexpr std::string_view column_of(const group_choice& choice) noexcept {
    return choice.column.empty() ? choice.name : choice.column;
}
[[nodiscard]] constexpr std::string_view column_of(const measure_choice& choice) noexcept {
    return choice.column;
}

/// Returns the columns of choices.
template <std::size_t Size, class Choice>
[[nodiscard]] constexpr auto columns_of(const std::array<Choice, Size>& choices) noexcept {
    std::array<std::string_view, Size> columns{};
    std::ranges::transform(choices, columns.begin(),
                           [](const Choice& choice) { return column_of(choice); });
    return columns;
}

/// The names of choices, and their columns.
template <const auto& Choices>
inline constexpr auto choice_names = names_of(Choices);
template <const auto& Choices>
inline constexpr auto choice_columns = columns_of(Choices);

/// Joins two arrays of names.
template <std::size_t First, std::size_t Second>
[[nodiscard]] constexpr auto joined_names(const std::array<std::string_view, First>& first,
                                          const std::array<std::string_view, Second>& second) {
    std::array<std::string_view, First + Second> names{};
    std::ranges::copy(second, std::ranges::copy(first, names.begin()).out);
    return names;
}

/// The names of groups, then those of measures.
template <const auto& Groups, const auto& Measures>
inline constexpr auto ordered_names = joined_names(choice_names<Groups>, choice_names<Measures>);

/// Makes a row of names in a form, which yields no order of rows. `Add(draft, choice, columns)`
/// adds a choice to an aggregate.
template <auto Member, const auto& Names, const auto& Choices, auto Add>
[[nodiscard]] constexpr auto row_of_names(const param_info& info, sort_form form) noexcept {
    auto row = sort_param<Member, Names>(info);
    row.info.sorts = form;
    row.info.role = param_role::condition;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) {
        if (draft.aggregate == nullptr) return;
        for (const sort_choice& key : query.*Member) {
            Add(*draft.aggregate, Choices[key.column], key.direction, draft.columns);
        }
    };
    return row;
}

inline constexpr auto add_group = [](aggregate_draft& draft, const group_choice& choice, sort_order,
                                     columns_view columns) {
    draft.group_by.push_back({.by = *find_column(columns, column_of(choice)),
                              .path = {choice.path.begin(), choice.path.end()},
                              .bucket = choice.bucket,
                              .name = std::string(choice.name)});
};
inline constexpr auto add_measure = [](aggregate_draft& draft, const measure_choice& choice,
                                       sort_order, columns_view columns) {
    const column* const of = find_column(columns, choice.column);
    draft.measures.push_back(
        {choice.kind, of == nullptr ? column{} : *of, std::string(choice.name)});
};
inline constexpr auto add_order = [](aggregate_draft& draft, std::string_view name,
                                     sort_order direction,
                                     columns_view) { draft.order.emplace_back(name, direction); };
inline constexpr auto add_facet = [](aggregate_draft& draft, std::string_view name, sort_order,
                                     columns_view columns) {
    draft.facets.push_back(*find_column(columns, name));
};

}  // namespace detail

/// Declares the groups of a request: names of `Groups`, an array of group_choice with static
/// storage, separated by commas; bound to `sort_choices`.
template <auto Member, const auto& Groups>
[[nodiscard]] constexpr auto group_by_param(const param_info& info) noexcept {
    auto row =
        detail::row_of_names<Member, detail::choice_names<Groups>, Groups, detail::add_group>(
            info, sort_form::bare);
    row.info.grouped = detail::choice_columns<Groups>;
    return row;
}
/// Declares the measures of a request: names of `Measures`, an array of measure_choice with static
/// storage, separated by commas; bound to `sort_choices`.
template <auto Member, const auto& Measures>
[[nodiscard]] constexpr auto measures_param(const param_info& info) noexcept {
    auto row =
        detail::row_of_names<Member, detail::choice_names<Measures>, Measures, detail::add_measure>(
            info, sort_form::bare);
    row.info.grouped = detail::choice_columns<Measures>;
    return row;
}
/// Declares the order of groups: names of groups and measures of the request, descending after `-`;
/// bound to `sort_choices`.
template <auto Member, const auto& Groups, const auto& Measures>
[[nodiscard]] constexpr auto group_order_param(const param_info& info) noexcept {
    constexpr auto& names = detail::ordered_names<Groups, Measures>;
    return detail::row_of_names<Member, names, names, detail::add_order>(info, info.sorts);
}
/// Declares the number of groups, from 1 to aggregate_limit_max.
template <auto Member>
[[nodiscard]] constexpr auto group_limit_param(const param_info& info) noexcept {
    auto row = integer_param<Member, 1, aggregate_limit_max>(info);
    row.comparable = 0;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) {
        if (draft.aggregate != nullptr) draft.aggregate->limit = query.*Member;
    };
    return row;
}
/// Declares the facets of a request: names of `Columns`, an array of names with static storage,
/// separated by commas; bound to `sort_choices`.
template <auto Member, const auto& Columns>
[[nodiscard]] constexpr auto facets_param(const param_info& info) noexcept {
    auto row =
        detail::row_of_names<Member, Columns, Columns, detail::add_facet>(info, sort_form::bare);
    row.info.grouped = Columns;
    return row;
}

/// Converts a bound query to an aggregate query, with the conditions of to_list_query(). Without
/// measures it counts rows. Errors: those of check(); field_value for an order by a group or
/// measure that isn't in the request, with `order` as param. Buckets of time are those of `zone`.
template <parameter_table Table>
[[nodiscard]] result<aggregate_query> to_aggregate_query(
    const Table& table, const typename Table::value_type::query_type& query,
    const time_zone& zone = time_zone::utc()) {
    aggregate_draft draft;
    list_query list = to_list_query(table, query, &draft);
    aggregate_query groups{.resource = list.resource,
                           .rows = std::move(list.rows),
                           .group_by = std::move(draft.group_by),
                           .limit = draft.limit};
    for (group_key& group : groups.group_by) group.zone = zone;
    if (!draft.measures.empty()) groups.measures = std::move(draft.measures);
    for (const auto& [name, direction] : draft.order) {
        const auto group = std::ranges::find(groups.group_by, name, &group_key::name);
        const auto of = std::ranges::find(groups.measures, name,
                                          [](const measure& one) { return name_of(one); });
        const bool is_measure = group == groups.group_by.end();
        const auto at = is_measure ? of - groups.measures.begin() : group - groups.group_by.begin();
        groups.order.push_back({is_measure, static_cast<std::size_t>(at), direction});
    }
    if (auto checked = check(groups); !checked) return tl::unexpected(checked.error());
    return groups;
}

/// Returns the columns of a bound query's facets.
template <parameter_table Table>
[[nodiscard]] std::vector<column> to_facets(const Table& table,
                                            const typename Table::value_type::query_type& query) {
    aggregate_draft draft;
    (void)to_list_query(table, query, &draft);
    return std::move(draft.facets);
}

}  // namespace sluice

#endif
