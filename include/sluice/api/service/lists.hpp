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

#include <sluice/api/event_page.hpp>
#include <sluice/api/key_ring.hpp>
#include <sluice/api/service/call.hpp>
#include <sluice/api/tag_page.hpp>
#include <sluice/detail/entity_tag.hpp>

namespace sluice::api {

/// The longest `Link` header that is sent, in bytes; a request with more has none.
inline constexpr std::size_t max_link_header = 8'192;

namespace detail {

/// Whether an If-None-Match names the entity tag. Its lines make one list.
inline bool has_copy(const request& asked, std::string_view etag) noexcept {
    return std::ranges::any_of(asked.headers, [&](const name_value& each) {
        return sluice::detail::equal_ignoring_case(each.name, "if-none-match") &&
               sluice::detail::names_entity_tag(each.value, etag);
    });
}

/// A page, or 304 where the client has it already.
[[nodiscard]] inline response respond_with(const request& asked, std::string body,
                                           std::string links) {
    const std::string etag = '"' + to_hex(sha256(body), 16) + '"';
    response answer{200, {{"etag", etag}}, {}};
    if (!links.empty()) answer.headers.push_back({"link", std::move(links)});
    if (has_copy(asked, etag)) {
        answer.status = 304;
        return answer;
    }
    answer.body = std::move(body);
    answer.headers.push_back({"content-type", std::string(json_content_type)});
    return answer;
}

[[nodiscard]] inline bind_options bind_options_of(const call& made) noexcept {
    return {.zones = &made.zones, .strict = made.options.strict_parameters};
}

/// What ends a search that begins now.
[[nodiscard]] inline store::scan_limits limits_of(const call& made) {
    const handler_options& options = made.options;
    if (options.deadline.count() == 0) return {.stop = made.stop};
    return {options.cpu_time, options.cpu_time() + options.deadline, made.stop};
}

/// The links between the pages of a window that `end` pins. They carry the window as instants,
/// so that the pages fit together whenever they are asked for. None where they are so long that
/// clients would refuse the response.
[[nodiscard]] inline std::string links_of(const call& made, std::span<const name_value> asked,
                                          const events_query& query, bool has_next) {
    constexpr std::array<std::string_view, 4> replaced{"page", "start", "end", "interval"};
    std::vector<name_value> pairs;
    std::ranges::copy_if(asked, std::back_inserter(pairs), [&](const name_value& pair) {
        return std::ranges::find(replaced, pair.name) == replaced.end();
    });
    const time_range& window = query.window;
    const std::string start = window.start ? format_timestamp(*window.start) : "all";
    const std::string end = format_timestamp(window.end);
    pairs.push_back({window.start ? "start" : "interval", start});
    pairs.push_back({"end", end});
    std::string links = link_header(made.options.base_url + "/events", pairs, query.page, has_next);
    return links.size() <= max_link_header ? links : std::string();
}

}  // namespace detail

/// `GET /events`: a page of a workspace's clicks, leads or sales.
[[nodiscard]] inline result<response> answer_events(const call& made) {
    const query_string pairs = parse_query_string(made.asked.query());
    const auto query = parse_events_query(pairs.pairs(), detail::bind_options_of(made), made.now);
    if (!query) return tl::unexpected(query.error());
    auto page = list_events(made.view, *query, {.limits = detail::limits_of(made)});
    if (!page) return tl::unexpected(page.error());
    std::string links =
        query->end ? detail::links_of(made, pairs.pairs(), *query, page->has_next) : "";
    return detail::respond_with(made.asked, std::move(page->body), std::move(links));
}

/// `GET /tags`: a page of a workspace's tags.
[[nodiscard]] inline result<response> answer_tags(const call& made) {
    const query_string pairs = parse_query_string(made.asked.query());
    const auto query = parse_tags_query(pairs.pairs(), detail::bind_options_of(made));
    if (!query) return tl::unexpected(query.error());
    return detail::respond_with(made.asked, list_tags(made.view, *query).body, {});
}

}  // namespace sluice::api

#endif
