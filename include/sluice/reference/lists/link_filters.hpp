// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_LINK_FILTERS_HPP
#define SLUICE_REFERENCE_LISTS_LINK_FILTERS_HPP

#include <sluice/reference/lists/record_columns.hpp>
#include <sluice/reference/lists/record_query.hpp>

/// Filters that lists and counts of links share.
namespace sluice::reference {

/// Members for filters of links. A query inherits them; link_filter_params() binds them.
struct link_filters {
    std::optional<std::string> domain{}, tag_id{}, folder_id{}, search{}, user_id{}, tenant_id{};
    std::vector<std::string> tag_ids{}, tag_names{};
    bool show_archived = false, with_tags = false;

    /// Reads the deprecated `tagId` as `tagIds`, which wins over it.
    void settle_tags() {
        if (tag_ids.empty() && tag_id) tag_ids.push_back(*tag_id);
        tag_id.reset();
    }
};

/// Returns the column of the ids of tags, for flag_param().
inline constexpr auto tags_column = [](columns_view columns) {
    return *find_column(columns, "tags.id");
};

/// Declares the filters of links.
template <class Query>
[[nodiscard]] constexpr param_group<Query, 10> link_filter_params() noexcept {
    using q = link_filters;
    return {
        text_param<&q::domain, Query>(
            {.name = "domain", .column = "domain", .help = "domain of the link"}),
        list_param<&q::tag_ids, Query>(
            {.name = "tagIds", .column = "tags.id", .help = "IDs of tags: links with any of them"}),
        text_param<&q::tag_id, Query>({.name = "tagId",
                                       .help = "use tagIds, which wins over it",
                                       .deprecated = true,
                                       .replaced_by = "tagIds"}),
        list_param<&q::tag_names, Query>(
            {.name = "tagNames", .column = "tags.name", .help = "names of tags, in any case"}),
        text_param<&q::folder_id, Query>(
            {.name = "folderId", .column = "folderId", .help = "ID of the link's folder"}),
        search_param<&q::search, Query>(
            {.name = "search", .help = "part of the key or URL, in any case"}),
        text_param<&q::user_id, Query>(
            {.name = "userId", .column = "userId", .help = "ID of the link's maker"}),
        text_param<&q::tenant_id, Query>(
            {.name = "tenantId", .column = "tenantId", .help = "ID of the link's tenant"}),
        flag_param<&q::show_archived, false, archived_column, boolean_test{false}, Query>(
            {.name = "showArchived", .help = "true: archived links too"}),
        flag_param<&q::with_tags, true, tags_column, null_test{false}, Query>(
            {.name = "withTags", .help = "true: only links with tags"})};
}

}  // namespace sluice::reference

#endif
