// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_TAGS_TAGS_QUERY_HPP
#define SLUICE_REFERENCE_TAGS_TAGS_QUERY_HPP

#include <sluice/params/bind.hpp>
#include <sluice/reference/limits.hpp>
#include <sluice/reference/lists/record_columns.hpp>
#include <sluice/reference/request_options.hpp>

/// Requests for `GET /tags`: their parameters, and the query that these are parsed into.
namespace sluice::reference {

/// The column that a list of tags is ordered by; ties are ordered by id.
enum class tag_sort : std::uint8_t { name, created_at };
inline constexpr std::array<std::string_view, 2> tag_sort_names{"name", "createdAt"};

/// The parsed and validated parameters of `GET /tags`.
struct tags_query {
    tag_sort sort_by = tag_sort::name;
    sluice::sort_order sort_order = sluice::sort_order::ascending;
    std::optional<std::string> search{};  ///< substring, ignoring case; absent: all tags
    std::vector<std::string> ids{};       ///< empty: all tags
    std::int64_t page = 1;
    std::int64_t page_size = page_size_default;
    std::optional<sluice::cursor> cursor{};  ///< begin or end of the page
    bool count = false;                      ///< return the total too

    friend bool operator==(const tags_query&, const tags_query&) = default;
};

/// The parameters of `GET /tags`.
inline constexpr param_table tags_params{
    tags_schema,
    sort_column_param<&tags_query::sort_by, tag_sort_names>(
        {.name = "sortBy", .help = "field that the list is ordered by"}),
    sort_order_param<&tags_query::sort_order>({.name = "sortOrder", .help = "order of the list"}),
    search_param<&tags_query::search>(
        {.name = "search", .help = "part of the tag's name, in any case", .example = "promo"}),
    list_param<&tags_query::ids>(
        {.name = "ids", .column = "id", .help = "IDs of the tags", .example = "tag_1,tag_2"}),
    page_param<&tags_query::page>({.name = "page", .help = "page number from 1", .example = "1"}),
    page_size_param<&tags_query::page_size, page_size_max>(
        {.name = "pageSize", .help = "tags on a page", .example = "50"}),
    cursor_param<&tags_query::cursor>(
        {.name = "cursor", .help = "place in the list where the page begins or ends"}),
    total_param<&tags_query::count>(
        {.name = "count", .help = "true: X-Total-Count has the number of all tags"}),
};

/// Parses the parameters of `GET /tags`. Returns the query, or all errors in table order.
[[nodiscard]] inline tl::expected<tags_query, errors> parse_tags_query_all(
    std::span<const name_value> pairs, const request_options& options = {}) {
    return bind_all(tags_params, pairs, {.zones = options.zones, .strict = options.strict});
}

/// Parses the parameters of `GET /tags`. Returns the query, or the first error in table order.
[[nodiscard]] inline result<tags_query> parse_tags_query(std::span<const name_value> pairs,
                                                         const request_options& options = {}) {
    return bind(tags_params, pairs, {.zones = options.zones, .strict = options.strict});
}

}  // namespace sluice::reference

#endif
