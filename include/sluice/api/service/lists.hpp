// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_LISTS_HPP
#define SLUICE_API_SERVICE_LISTS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
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

/// The links to the pages beside one: by their places in the list, so that no row is on two of them
/// or on none whatever is added meanwhile; by their numbers where there is no row to go from.
[[nodiscard]] inline std::string links_of(const std::string& path,
                                          std::span<const name_value> pairs, const json_page& page,
                                          std::int64_t number) {
    const auto text_of = [](const std::optional<cursor>& place) {
        return place ? to_string(*place) : std::nullopt;
    };
    const std::optional<std::string> next = text_of(page.next), previous = text_of(page.previous);
    const auto place_of_page = static_cast<std::uint64_t>(number);  // the last has one after it too
    const std::string after = std::to_string(place_of_page + 1),
                      before = std::to_string(place_of_page - 1);
    page_links beside;
    if (page.has_next) beside.next = next ? name_value{"cursor", *next} : name_value{"page", after};
    if (page.has_previous && previous) beside.previous = {"cursor", *previous};
    if (page.has_previous && !previous && number > 1) beside.previous = {"page", before};
    return link_header(path, pairs, beside);
}

/// The links to other pages of events. They hold the window as instants, so that the pages fit
/// together whenever they are asked for; an empty window, whose instants would be reversed, as
/// asked.
[[nodiscard]] inline std::string event_links(const call& made, std::span<const name_value> asked,
                                             const events_query& query, const json_page& page) {
    const std::string path = made.options.base_url + "/events";
    const time_range& window = query.window;
    if (window.empty()) {
        const auto pairs = without(asked, std::array<std::string_view, 2>{"page", "cursor"});
        return links_of(path, pairs, page, query.page);
    }
    auto pairs = without(
        asked, std::array<std::string_view, 5>{"page", "cursor", "start", "end", "interval"});
    const std::string start = window.start ? format_timestamp(*window.start) : "all";
    const std::string end = format_timestamp(window.end);
    pairs.push_back({window.start ? "start" : "interval", start});
    pairs.push_back({"end", end});
    return links_of(path, pairs, page, query.page);
}

/// The links to other pages of tags.
[[nodiscard]] inline std::string tag_links(const call& made, std::span<const name_value> asked,
                                           const tags_query& query, const json_page& page) {
    const auto pairs = without(asked, std::array<std::string_view, 2>{"page", "cursor"});
    return links_of(made.options.base_url + "/tags", pairs, page, query.page);
}

/// The answer to a client that has the page already.
[[nodiscard]] inline response not_modified(std::string etag) {
    return {304, {{"etag", std::move(etag)}}, {}};
}

/// The answer that holds a page. Tags and links may be empty.
[[nodiscard]] inline response list_response(json_page&& page, std::string etag, std::string links) {
    response answer{200, {}, std::move(page.body)};
    answer.headers.reserve(12);  // as many as the gates may add
    answer.headers.push_back({"content-type", std::string(json_content_type)});
    if (!etag.empty()) answer.headers.push_back({"etag", std::move(etag)});
    if (!links.empty()) answer.headers.push_back({"link", std::move(links)});
    if (page.total) answer.headers.push_back({"x-total-count", std::to_string(*page.total)});
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
    std::string links = detail::event_links(made, pairs.pairs(), *query, *page);
    return detail::list_response(std::move(*page), std::move(etag), std::move(links));
}

/// `GET /tags`: a page of a workspace's tags.
[[nodiscard]] inline result<response> answer_tags(const call& made) {
    const query_string pairs = parse_query_string(made.asked.query());
    const auto query = parse_tags_query(pairs.pairs(), detail::bind_options_of(made));
    if (!query) return tl::unexpected(query.error());
    std::string etag = entity_tag(made, canonical_text(*query));
    if (has_copy(made.asked, etag)) return detail::not_modified(std::move(etag));
    json_page page = list_tags(made.view, *query);
    std::string links = detail::tag_links(made, pairs.pairs(), *query, page);
    return detail::list_response(std::move(page), std::move(etag), std::move(links));
}

}  // namespace sluice::api

#endif
