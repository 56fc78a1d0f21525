// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_LINKS_COUNT_HPP
#define SLUICE_REFERENCE_LISTS_LINKS_COUNT_HPP

#include <sluice/reference/lists/link_filters.hpp>
#include <sluice/reference/lists/record_search.hpp>

/// The number of links, and of those in each group.
namespace sluice::reference {

/// The parameters of `GET /links/count`.
struct links_count_query : link_filters {
    std::optional<link_group> group_by{};

    static void settle(auto& bound) { bound.query().settle_tags(); }
};

/// The table of these parameters.
inline constexpr param_table links_count_params{
    links_schema, link_filter_params<links_count_query>(),
    choice_param<&links_count_query::group_by, link_group_names>(
        {.name = "groupBy", .help = "count the links of each of its values"})};

/// Counts links: a number, or an array of groups, the largest first. See record_search::groups().
[[nodiscard]] inline result<std::string> count_links(const listed_rows& all,
                                                     const links_count_query& query,
                                                     const store::scan_limits& limits) {
    aggregate_query wanted{.limit = aggregate_limit_max};
    const auto group = static_cast<std::size_t>(query.group_by.value_or(link_group::domain));
    if (query.group_by) {
        wanted.group_by.push_back({.by = *links_schema.find(link_group_columns[group])});
        wanted.order.push_back({.is_measure = true, .direction = sort_order::descending});
    }
    record_search<link> search(all, to_list_query(links_count_params, query), limits);
    return search.groups(std::move(wanted)).map([&](const aggregate_result& rows) {
        std::string text;
        sluice::detail::json_writer json(text);
        const auto count = [](const auto& row) {
            return std::get<std::int64_t>(row.measures.front());
        };
        if (!query.group_by) return std::to_string(count(rows.front()));
        json.begin_array();
        for (const aggregate_row& row : rows) {
            const auto* const name = std::get_if<std::string>(&row.groups.front());
            json.begin_object().key(link_group_names[group]);
            name != nullptr ? json.value(*name) : json.value(nullptr);
            json.member("_count", count(row)).end_object();
        }
        json.end_array();
        return text;
    });
}

}  // namespace sluice::reference

#endif
