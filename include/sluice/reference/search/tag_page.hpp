// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_TAG_PAGE_HPP
#define SLUICE_REFERENCE_SEARCH_TAG_PAGE_HPP

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sluice/filters/matcher.hpp>
#include <sluice/reference/search/list_page.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/reference/tags/tags_query.hpp>
#include <sluice/store/search/part_sorter.hpp>

/// Pages of tags in memory.
namespace sluice::reference {

namespace detail {

/// Filters and sorts tags: by name in the order of code points, or by time; ties by id. A tag
/// passes if its ID is one of the query's, unless that has none, and its name contains the searched
/// text in any case. Errors: query_too_costly, request_cancelled.
inline result<std::vector<const stored_tag*>> find_tags(std::vector<const stored_tag*> tags,
                                                        const tags_query& query,
                                                        const store::scan_limits& limits,
                                                        hash_seed seed) {
    store::scan_budget budget(limits);
    const filter_matcher ids(query.ids, collation::exact, seed);
    const std::string part = sluice::detail::fold_case(query.search.value_or(""));
    // Once the budget is spent, the rest is dropped unread, and the result is an error.
    std::erase_if(tags, [&](const stored_tag* tag) {
        return !budget.charge(store::scan_budget::row) ||
               (!query.ids.empty() && !ids.contains(tag->id)) ||
               tag->folded_name.find(part) == std::string::npos;
    });
    const auto before = [&](const stored_tag* a, const stored_tag* b) {
        if (query.sort_order == sort_order::descending) std::swap(a, b);
        return query.sort_by == tag_sort::name
                   ? std::tie(a->name, a->id) < std::tie(b->name, b->id)
                   : std::tie(a->created_at, a->id) < std::tie(b->created_at, b->id);
    };
    const bool is_done = store::part_sorter(std::span(tags), before, budget).sort(0, tags.size());
    if (budget.is_spent() || !is_done) return tl::unexpected(store::spent_error(budget, {}));
    return tags;
}

/// The keys, order and JSON of listed tags, for page_of().
struct tag_reader {
    using row = const stored_tag*;
    tag_sort by;

    [[nodiscard]] std::vector<std::optional<std::string>> keys(row tag) const {
        return {by == tag_sort::name ? tag->name
                                     : to_time_key(tag->created_at.time_since_epoch().count()),
                tag->id};
    }
    [[nodiscard]] std::strong_ordering compare(row tag, const cursor& place) const {
        const std::string key(place.key(0)), id(place.key(1));
        if (by == tag_sort::name) return std::tie(tag->name, tag->id) <=> std::tie(key, id);
        const instant at{std::chrono::milliseconds(*parse_time_key(key))};
        return std::tie(tag->created_at, tag->id) <=> std::tie(at, id);
    }
    [[nodiscard]] std::string_view json(row tag) const noexcept { return tag->json; }
};

}  // namespace detail

/// Returns a page of the tags in `all`. `seed` is the seed of the hash table that the query's IDs
/// are looked up in. Errors: query_too_costly or request_cancelled if `limits` end the search;
/// cursor_malformed.
[[nodiscard]] inline result<json_page> list_tags(std::vector<const stored_tag*> all,
                                                 const tags_query& query,
                                                 const store::scan_limits& limits = {},
                                                 hash_seed seed = hash_seed::of_process()) {
    const auto matches = detail::find_tags(std::move(all), query, limits, seed);
    if (!matches) return tl::unexpected(matches.error());
    return page_of(*matches, to_list_query(tags_params, query), detail::tag_reader{query.sort_by});
}
/// Returns a page of the tags that a workspace had when it was viewed. Errors: as above.
[[nodiscard]] inline result<json_page> list_tags(const workspace_view& view,
                                                 const tags_query& query,
                                                 const store::scan_limits& limits = {}) {
    std::vector<const stored_tag*> all;
    for (std::size_t i = 0; i < view.tags; ++i) all.push_back(&view.source->tag_at(i));
    return list_tags(std::move(all), query, limits, view.source->seed());
}

}  // namespace sluice::reference

#endif
