// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_LISTS_HPP
#define SLUICE_REFERENCE_SERVICE_LISTS_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/params/bind.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/reference/clickhouse/queries.hpp>
#include <sluice/reference/events/event_records.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/search/list_page.hpp>
#include <sluice/reference/service/entity_tag.hpp>
#include <sluice/reference/service/error_page.hpp>
#include <sluice/reference/service/route.hpp>

/// The lists of the service, with their pages, links and conditional requests; the list of events.
namespace sluice::reference {

namespace detail {

/// The options for parsing the parameters of a call.
[[nodiscard]] inline bind_options bind_options_of(const call& context) noexcept {
    return {
        .zones = &context.zones, .strict = context.options.strict_parameters, .now = context.now};
}

/// The limits of a search that starts now: its CPU time and the call's stop token. Call it on the
/// thread that searches, whose CPU time counts.
[[nodiscard]] inline store::scan_limits limits_of(const call& context) {
    const handler_options& options = context.options;
    if (options.deadline.count() == 0) return {.stop = context.stop};
    return {options.cpu_time, options.cpu_time() + options.deadline, context.stop};
}

/// The parameters of a request, except those with the given names.
template <std::size_t Names>
[[nodiscard]] std::vector<name_value> without(std::span<const name_value> pairs,
                                              const std::array<std::string_view, Names>& names) {
    std::vector<name_value> others;
    std::ranges::copy_if(pairs, std::back_inserter(others), [&](const name_value& pair) {
        return std::ranges::find(names, pair.name) == names.end();
    });
    return others;
}

/// The encoded cursors of the previous and the next page.
struct cursor_texts {
    std::optional<std::string> previous{}, next{};
};

/// Encodes the cursors of a page. Error: cursor_key_too_long.
template <class Table, class Query>
[[nodiscard]] result<cursor_texts> texts_of(const json_page& page, const Table& table,
                                            const Query& query) {
    cursor_texts texts;
    // to_string() fails if the keys are too long; cursor_text() then returns the error.
    const auto write = [&](const std::optional<cursor>& place,
                           std::optional<std::string>& text) -> result<void> {
        if (place) text = to_string(*place);
        if (!place || text) return {};
        return cursor_text(*place, to_list_query(table, query).order).map([](auto&&) {});
    };
    return write(page.previous, texts.previous)
        .and_then([&] { return write(page.next, texts.next); })
        .map([&] { return std::move(texts); });
}

/// The Link header of page `number`. Its links use cursors, so that no row is repeated or skipped
/// when rows are added meanwhile. A page past the end has no cursor and links back by its number.
[[nodiscard]] inline std::string links_of(const std::string& path,
                                          std::span<const name_value> pairs, const json_page& page,
                                          const cursor_texts& texts, std::int64_t number) {
    const std::string before = std::to_string(number - 1);
    page_links beside;
    if (texts.next) beside.next = {"cursor", *texts.next};
    if (texts.previous) beside.previous = {"cursor", *texts.previous};
    if (page.has_previous && !texts.previous && number > 1) beside.previous = {"page", before};
    return link_header(path, pairs, beside);
}

/// The Link header of a list. A relative time window, such as `interval=24h`, becomes the `start`
/// and `end` of this request, so that all pages show the same window; an empty window, whose end
/// would precede its start, is kept as requested.
template <class Query>
[[nodiscard]] std::string links_to_pages(const call& context, std::span<const name_value> pairs,
                                         const Query& query, const json_page& page,
                                         const cursor_texts& texts) {
    std::string path(address_of(context.received, context.options));
    path.append(context.received.path());
    if constexpr (requires { query.window; }) {
        if (!query.window.empty()) {
            const auto& [first, last] = query.window;
            auto others = without(pairs, std::array<std::string_view, 5>{"page", "cursor", "start",
                                                                         "end", "interval"});
            const std::string start = first ? format_timestamp(*first) : "";
            const std::string end = last ? format_timestamp(*last) : "";
            // Without it the default interval, 24h, would close the open side.
            if (!first || !last) others.push_back({"interval", "all"});
            if (first) others.push_back({"start", start});
            if (last) others.push_back({"end", end});
            return links_of(path, others, page, texts, query.page);
        }
    }
    const auto others = without(
        pairs, std::array<std::string_view, 4>{"page", "cursor", "startingAfter", "endingBefore"});
    return links_of(path, others, page, texts, query.page);
}

/// The 304 response: the client's copy of the answer is current.
[[nodiscard]] inline response not_modified(std::string etag) {
    return {304, {{"etag", std::move(etag)}}, {}};
}

/// The response with a page. `etag` and `links` may be empty.
[[nodiscard]] inline response list_response(json_page&& page, std::string etag, std::string links) {
    response answer{200, {}, std::move(page.body)};
    answer.headers.reserve(12);  // enough for all headers that the handler adds
    answer.headers.push_back({"content-type", std::string(json_content_type)});
    if (!etag.empty()) answer.headers.push_back({"etag", std::move(etag)});
    if (!links.empty()) answer.headers.push_back({"link", std::move(links)});
    if (page.total) answer.headers.push_back({"x-total-count", std::to_string(*page.total)});
    return answer;
}

}  // namespace detail

/// A list endpoint: its parameters, the schemas of its records, its parser, its canonical text, its
/// pages, from memory or a ClickHouse server, and the largest number of records that it searches.
/// `type` is the type of the JSON answer, as in route_content: an `array` has pages; for another
/// type, list() returns the whole answer. `listing_of` defines most of it.
template <class T>
concept listing = requires(std::span<const name_value> pairs, const bind_options& options,
                           const call& context, const typename T::query_type& query) {
    { T::params.size() } -> std::convertible_to<std::size_t>;
    { std::span<const std::string_view>(T::records) };
    { T::parse(pairs, options) } -> std::same_as<result<typename T::query_type>>;
    { T::canonical_text(context, query) } -> std::same_as<result<std::string>>;
    { T::list(context, query) } -> std::same_as<result<json_page>>;
    { T::type } -> std::convertible_to<std::string_view>;
    { T::searched(context) } -> std::convertible_to<std::size_t>;
};

/// The defaults of a list whose parameter table is complete. Derived types add `records`, `list`
/// and `searched`.
template <const auto& Params>
struct listing_of {
    using query_type = typename std::remove_cvref_t<decltype(Params)>::value_type::query_type;
    static constexpr const auto& params = Params;
    static constexpr std::string_view type = "array";

    static result<query_type> parse(std::span<const name_value> pairs,
                                    const bind_options& options) {
        return bind(Params, pairs,
                    {.zones = options.zones, .strict = options.strict, .now = options.now});
    }
    static result<std::string> canonical_text(const call&, const query_type& query) {
        return canonical_query_string(Params, query);
    }
};

/// The list of a workspace's clicks, leads or sales: from ClickHouse if the call has a statement
/// runner, else from memory.
struct event_listing : listing_of<events_params> {
    static constexpr std::array records{event_records[0].schema, event_records[1].schema,
                                        event_records[2].schema};

    static result<events_query> parse(std::span<const name_value> pairs,
                                      const bind_options& options) {
        return parse_events_query(pairs, {.zones = options.zones, .strict = options.strict},
                                  *options.now);
    }
    static result<std::string> canonical_text(const call& context, const events_query& query) {
        const auto run = runner_of(context);
        if (run) return clickhouse::canonical_text(run, context.workspace_id, query);
        return reference::canonical_text(context.view, query);
    }
    static result<json_page> list(const call& context, const events_query& query) {
        const auto run = runner_of(context);
        if (run) return clickhouse::list_events(run, context.workspace_id, query);
        return list_events(context.view, query, {.limits = detail::limits_of(context)});
    }
    static std::size_t searched(const call& context) {
        constexpr std::chrono::milliseconds planning{1};  // of processor time
        const query_string pairs = parse_query_string(context.received.query());
        const auto query = parse(pairs.pairs(), detail::bind_options_of(context));
        if (!query) return 0;  // it is refused
        const auto& cpu_time = context.options.cpu_time;
        return planned_records(context.view, *query, {.limits = {cpu_time, cpu_time() + planning}});
    }
};

/// Answers with the response of `answer(pairs, query, etag)` for the parsed parameters, or with 304
/// if the client has it already, or with the error of a parameter.
template <class Endpoint, class Answer>
[[nodiscard]] result<response> answer_query(const call& context, Answer answer) {
    const query_string pairs = parse_query_string(context.received.query());
    const auto query = Endpoint::parse(pairs.pairs(), detail::bind_options_of(context));
    if (!query) {
        return error_response(query.error(), documentation_url(context.received, context.options),
                              text_at_fault(pairs.pairs(), query.error()));
    }
    std::string etag;
    if (context.options.start_number) {  // without it, no entity tags are sent
        const auto canonical = Endpoint::canonical_text(context, *query);
        if (!canonical) return tl::unexpected(canonical.error());
        etag = entity_tag(context, *canonical);
    }
    if (has_copy(context.received, etag)) return detail::not_modified(std::move(etag));
    return answer(pairs.pairs(), *query, std::move(etag));
}

/// Answers with a page of a list; see answer_query().
template <listing List>
[[nodiscard]] result<response> answer_list(const call& context) {
    const auto answer = [&](std::span<const name_value> pairs,
                            const typename List::query_type& query,
                            std::string etag) -> result<response> {
        auto page = List::list(context, query);
        if (!page) return tl::unexpected(page.error());
        std::string links;
        if constexpr (List::type == "array") {
            const auto texts = detail::texts_of(*page, List::params, query);
            if (!texts) return tl::unexpected(texts.error());
            links = detail::links_to_pages(context, pairs, query, *page, *texts);
        }
        return detail::list_response(std::move(*page), std::move(etag), std::move(links));
    };
    return answer_query<List>(context, answer);
}

/// The names of an endpoint's parameters.
template <class Endpoint>
inline constexpr auto parameter_names = [] {
    std::array<std::string_view, Endpoint::params.size()> names;
    std::ranges::transform(Endpoint::params, names.begin(),
                           [](const auto& row) { return row.info.name; });
    return names;
}();

/// The route of a list: `row`, completed by the properties of the list.
template <listing List>
[[nodiscard]] constexpr route list_route(route row) noexcept {
    row.content = {.type = List::type, .records = List::records};
    row.searched = List::searched;
    row.answer = answer_list<List>;
    row.parameters = {parameter_names<List>, [] { return openapi_parameters(List::params); }};
    return row;
}

}  // namespace sluice::reference

#endif
