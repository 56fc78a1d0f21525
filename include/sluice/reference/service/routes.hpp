// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_ROUTES_HPP
#define SLUICE_REFERENCE_SERVICE_ROUTES_HPP

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <sluice/reference/service/analytics.hpp>
#include <sluice/reference/service/entity_tag.hpp>
#include <sluice/reference/service/error_page.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/reference/service/lists.hpp>
#include <sluice/reference/service/openapi.hpp>
#include <sluice/reference/service/record_lists.hpp>
#include <sluice/reference/service/route.hpp>

/// The table of all routes, and the endpoints that aren't lists.
namespace sluice::reference {

// Defined after the route table, which it describes.
[[nodiscard]] result<response> answer_openapi(const call& context);

/// Answers the route `GET /api-reference/errors`, the target of doc_url in errors.
[[nodiscard]] inline result<response> answer_error_page(const call& context) {
    static const std::string page = error_page();
    static const std::string etag = '"' + to_hex(sha256(page), 16) + '"';
    if (has_copy(context.received, etag)) return detail::not_modified(etag);
    return response{200, {{"content-type", "text/html; charset=utf-8"}, {"etag", etag}}, page};
}

/// Answers `GET /healthz`: the service runs.
[[nodiscard]] inline result<response> answer_health(const call&) {
    return response{200, {{"content-type", std::string(json_content_type)}}, R"({"status":"ok"})"};
}

/// Answers `GET /readyz`: the service can answer requests, including a remote store.
[[nodiscard]] inline result<response> answer_readiness(const call& context) {
    if (const auto run = runner_of(context)) {
        const auto answered = clickhouse::check_health(run);
        if (!answered) return tl::unexpected(answered.error());
    }
    return answer_health(context);
}

/// All routes, by which the handler finds the answer to a path. A route without `counts_against`
/// is open to anyone, without a key.
inline constexpr std::array routes{
    list_route<event_listing>({.path = "/events",
                               .permission = "analytics.read",
                               .counts_against = quota::analytics_per_second,
                               .needs = plan::business,
                               .operation = "listEvents",
                               .summary = "Events of the workspace"}),
    analytics_route,
    list_route<tag_listing>({.path = "/tags",
                             .permission = "tags.read",
                             .counts_against = quota::per_minute,
                             .operation = "listTags",
                             .summary = "Tags of the workspace"}),
    list_route<link_listing>({.path = "/links",
                              .permission = "links.read",
                              .counts_against = quota::per_minute,
                              .operation = "listLinks",
                              .summary = "Links of the workspace"}),
    list_route<links_count_requests>({.path = "/links/count",
                                      .permission = "links.read",
                                      .counts_against = quota::per_minute,
                                      .operation = "countLinks",
                                      .summary = "Number of links, or of links in each group"}),
    list_route<link_requests>({.path = "/links/info",
                               .permission = "links.read",
                               .counts_against = quota::per_minute,
                               .operation = "getLink",
                               .summary = "A link"}),
    list_route<domain_listing>({.path = "/domains",
                                .permission = "domains.read",
                                .counts_against = quota::per_minute,
                                .operation = "listDomains",
                                .summary = "Domains of the workspace"}),
    list_route<customer_listing>({.path = "/customers",
                                  .permission = "customers.read",
                                  .counts_against = quota::per_minute,
                                  .operation = "listCustomers",
                                  .summary = "Customers of the workspace"}),
    list_route<folder_listing>({.path = "/folders",
                                .permission = "folders.read",
                                .counts_against = quota::per_minute,
                                .operation = "listFolders",
                                .summary = "Folders of the workspace"}),
    route{.path = "/openapi.json",
          .operation = "getDocument",
          .summary = "This document",
          .answer = answer_openapi},
    route{.path = error_page_path,
          .operation = "getErrors",
          .summary = "The reference of errors",
          .content = {.content_type = "text/html", .type = "string", .is_tagged = true},
          .answer = answer_error_page},
    route{.path = "/healthz",
          .operation = "getHealth",
          .summary = "That the service runs",
          .answer = answer_health},
    route{.path = "/readyz",
          .operation = "getReadiness",
          .summary = "That the service can answer",
          .answer = answer_readiness}};

/// The route of a path, or null.
[[nodiscard]] constexpr const route* find_route(std::string_view path) noexcept {
    const auto position = std::ranges::find(routes, path, &route::path);
    return position == routes.end() ? nullptr : &*position;
}

/// Returns true if any route has a parameter of this name.
[[nodiscard]] inline bool is_parameter(std::string_view name) {
    return std::ranges::any_of(routes, [&](const route& endpoint) {
        return std::ranges::find(endpoint.parameters.names, name) !=
               endpoint.parameters.names.end();
    });
}

/// The permissions that keys can have: those that routes require, without duplicates.
inline constexpr auto permission_names = [] {
    constexpr auto is_new = [](const route& endpoint) {
        return !endpoint.permission.empty() &&
               &endpoint == &*std::ranges::find(routes, endpoint.permission, &route::permission);
    };
    std::array<std::string_view, std::ranges::count_if(routes, is_new)> names;
    auto next = names.begin();
    for (const route& endpoint : routes) {
        if (is_new(endpoint)) *next++ = endpoint.permission;
    }
    return names;
}();

/// Answers `GET /openapi.json`.
inline result<response> answer_openapi(const call& context) {
    return response{
        200,
        {{"content-type", std::string(json_content_type)}},
        openapi_document(context.options, routes, address_of(context.received, context.options))};
}

}  // namespace sluice::reference

#endif
