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

/// Where a page of tags begins and ends among all that were found.
struct tag_span {
    std::size_t begin, end;
};

/// What a cursor holds of a tag.
inline cursor place_of(const stored_tag& tag, const list_query& asked, bool is_before) {
    const bool by_name = asked.order.front().by.name == "name";
    const std::string key =
        by_name ? tag.name : std::to_string(tag.created_at.time_since_epoch().count());
    return {is_before, query_mark(asked), 0, {key, tag.id}};
}

/// How a tag is ordered against a cursor's keys, ascending.
inline std::strong_ordering compare(const stored_tag& tag, const cursor& place, tag_sort by) {
    const std::string key(place.key(0)), id(place.key(1));
    if (by == tag_sort::name) return std::tie(tag.name, tag.id) <=> std::tie(key, id);
    const auto time = parse_whole_number(key, store::least_time);
    const instant at{std::chrono::milliseconds(time.value_or(0))};
    return std::tie(tag.created_at, tag.id) <=> std::tie(at, id);
}

/// How many of the tags found come before a cursor's place.
inline std::size_t tags_before(const std::vector<const stored_tag*>& found, const cursor& place,
                               const tags_query& query) {
    const bool is_ascending = query.sort_order == sort_order::ascending;
    const auto is_before = [&](const stored_tag* tag) {
        const std::strong_ordering order = compare(*tag, place, query.sort_by);
        return (is_ascending ? order < 0 : order > 0) || (order == 0 && !place.is_before);
    };
    return static_cast<std::size_t>(std::ranges::partition_point(found, is_before) - found.begin());
}

inline tag_span span_of(const std::vector<const stored_tag*>& found, const tags_query& query) {
    const auto size = static_cast<std::size_t>(query.page_size);
    if (query.cursor) {
        const std::size_t at = tags_before(found, *query.cursor, query);
        if (query.cursor->is_before) return {at - std::min(at, size), at};
        return {at, std::min(at + size, found.size())};
    }
    const auto total = static_cast<std::int64_t>(found.size());
    const auto begin =
        static_cast<std::size_t>(std::min(page{query.page, query.page_size}.offset(), total));
    return {begin, std::min(begin + size, found.size())};
}

}  // namespace detail

/// The page of tags that a query asks for.
[[nodiscard]] inline json_page list_tags(const workspace_view& view, const tags_query& query) {
    const auto found = detail::find_tags(view, query);
    const auto [begin, end] = detail::span_of(found, query);
    const list_query asked = to_list_query(tags_params, query);
    json_page page{{}, end < found.size(), begin > 0 || query.page > 1};
    sluice::detail::json_writer json(page.body);
    json.begin_array();
    for (std::size_t i = begin; i < end; ++i) json.raw(found[i]->json);
    json.end_array();
    if (page.has_next && end > begin) page.next = detail::place_of(*found[end - 1], asked, false);
    if (page.has_previous && end > begin)
        page.previous = detail::place_of(*found[begin], asked, true);
    if (query.count) page.total = static_cast<std::int64_t>(found.size());
    return page;
}

}  // namespace sluice::api

#endif
