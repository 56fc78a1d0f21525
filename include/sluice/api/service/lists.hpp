// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_LISTS_HPP
#define SLUICE_API_SERVICE_LISTS_HPP

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/api/events/event_page.hpp>
#include <sluice/api/service/call.hpp>
#include <sluice/api/service/entity_tag.hpp>
#include <sluice/api/tags/tag_page.hpp>

namespace sluice::api {

namespace detail {

[[nodiscard]] inline bind_options bind_options_of(const call& made) noexcept {
    return {.zones = &made.zones, .strict = made.options.strict_parameters};
}

/// What ends a search that begins now.
[[nodiscard]] inline store::scan_limits limits_of(const call& made) {
    const handler_options& options = made.options;
    if (options.deadline.count() == 0) return {.stop = made.stop};
    return {options.cpu_time, options.cpu_time() + options.deadline, made.stop};
}

/// The pairs of a request without those of some names.
template <std::size_t Names>
[[nodiscard]] std::vector<name_value> without(std::span<const name_value> pairs,
                                              const std::array<std::string_view, Names>& names) {
    std::vector<name_value> others;
    std::ranges::copy_if(pairs, std::back_inserter(others), [&](const name_value& pair) {
        return std::ranges::find(names, pair.name) == names.end();
    });
    return others;
}

/// The links to other pages of events. They hold the window as instants, so that the pages fit
/// together whenever they are asked for; an empty window, whose instants would be reversed, as
/// asked.
[[nodiscard]] inline std::string event_links(const call& made, std::span<const name_value> asked,
                                             const events_query& query, bool has_next) {
    const std::string path = made.options.base_url + "/events";
    const time_range& window = query.window;
    if (window.empty()) {
        const auto pairs = without(asked, std::array<std::string_view, 1>{"page"});
        return link_header(path, pairs, query.page, has_next);
    }
    auto pairs =
        without(asked, std::array<std::string_view, 4>{"page", "start", "end", "interval"});
    const std::string start = window.start ? format_timestamp(*window.start) : "all";
    const std::string end = format_timestamp(window.end);
    pairs.push_back({window.start ? "start" : "interval", start});
    pairs.push_back({"end", end});
    return link_header(path, pairs, query.page, has_next);
}

/// The links to other pages of tags.
[[nodiscard]] inline std::string tag_links(const call& made, std::span<const name_value> asked,
                                           const tags_query& query, bool has_next) {
    const auto pairs = without(asked, std::array<std::string_view, 1>{"page"});
    return link_header(made.options.base_url + "/tags", pairs, query.page, has_next);
}

/// The answer to a client that has the page already.
[[nodiscard]] inline response not_modified(std::string etag) {
    return {304, {{"etag", std::move(etag)}}, {}};
}

/// The answer that holds a page. Tags and links may be empty.
[[nodiscard]] inline response list_response(std::string body, std::string etag, std::string links) {
    response answer{200, {}, std::move(body)};
    answer.headers.reserve(12);  // as many as the gates may add
    answer.headers.push_back({"content-type", std::string(json_content_type)});
    if (!etag.empty()) answer.headers.push_back({"etag", std::move(etag)});
    if (!links.empty()) answer.headers.push_back({"link", std::move(links)});
    return answer;
}

}  // namespace detail

/// `GET /events`: a page of a workspace's clicks, leads or sales.
[[nodiscard]] inline result<response> answer_events(const call& made) {
    const query_string pairs = parse_query_string(made.asked.query());
    const auto query = parse_events_query(pairs.pairs(), detail::bind_options_of(made), made.now);
    if (!query) return tl::unexpected(query.error());
    std::string etag = entity_tag(made, canonical_text(made.view, *query));
    if (has_copy(made.asked, etag)) return detail::not_modified(std::move(etag));
    auto page = list_events(made.view, *query, {.limits = detail::limits_of(made)});
    if (!page) return tl::unexpected(page.error());
    std::string links = detail::event_links(made, pairs.pairs(), *query, page->has_next);
    return detail::list_response(std::move(page->body), std::move(etag), std::move(links));
}

/// `GET /tags`: a page of a workspace's tags.
[[nodiscard]] inline result<response> answer_tags(const call& made) {
    const query_string pairs = parse_query_string(made.asked.query());
    const auto query = parse_tags_query(pairs.pairs(), detail::bind_options_of(made));
    if (!query) return tl::unexpected(query.error());
    std::string etag = entity_tag(made, canonical_text(*query));
    if (has_copy(made.asked, etag)) return detail::not_modified(std::move(etag));
    json_page page = list_tags(made.view, *query);
    std::string links = detail::tag_links(made, pairs.pairs(), *query, page.has_next);
    return detail::list_response(std::move(page.body), std::move(etag), std::move(links));
}

}  // namespace sluice::api

#endif
