// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_TAGS_TAG_PAGE_HPP
#define SLUICE_API_TAGS_TAG_PAGE_HPP

#include <sluice/api/events/event_page.hpp>
#include <sluice/api/tags/tags_query.hpp>
#include <sluice/filter_matcher.hpp>

namespace sluice::api {

namespace detail {

/// The tags that a query takes, in its order. Names are compared by code point, ties by id.
inline std::vector<const stored_tag*> find_tags(const workspace_view& view,
                                                const tags_query& query) {
    const filter_matcher ids(query.ids, collation::exact, view.source->seed());
    const std::string part = sluice::detail::fold_case(query.search.value_or(""));
    std::vector<const stored_tag*> found;
    for (std::size_t i = 0; i < view.tags; ++i) {
        const stored_tag& tag = view.source->tag_at(i);
        if (!query.ids.empty() && !ids.contains(tag.id)) continue;
        if (tag.folded_name.find(part) != std::string::npos) found.push_back(&tag);
    }
    std::ranges::sort(found, [&](const stored_tag* a, const stored_tag* b) {
        if (query.sort_order == sort_order::descending) std::swap(a, b);
        return query.sort_by == tag_sort::name
                   ? std::tie(a->name, a->id) < std::tie(b->name, b->id)
                   : std::tie(a->created_at, a->id) < std::tie(b->created_at, b->id);
    });
    return found;
}

}  // namespace detail

/// The page of tags that a query asks for.
[[nodiscard]] inline json_page list_tags(const workspace_view& view, const tags_query& query) {
    const auto found = detail::find_tags(view, query);
    const page wanted{query.page, query.page_size};
    const auto total = static_cast<std::int64_t>(found.size());
    const std::int64_t begin = std::min(wanted.offset(), total);
    const std::int64_t end = std::min(begin + wanted.size, total);
    json_page page{{}, end < total};
    sluice::detail::json_writer json(page.body);
    json.begin_array();
    for (std::int64_t i = begin; i < end; ++i) json.raw(found[static_cast<std::size_t>(i)]->json);
    json.end_array();
    return page;
}

}  // namespace sluice::api

#endif
