// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_OPENAPI_HPP
#define SLUICE_REFERENCE_SERVICE_OPENAPI_HPP

#include <span>
#include <string>
#include <string_view>

#include <sluice/reference/service/detail/openapi_responses.hpp>
#include <sluice/reference/service/route.hpp>

/// The OpenAPI document of the service, written from its routes and tables.
namespace sluice::reference {

namespace detail {

/// The tags of operations, by which tools group them.
inline constexpr std::string_view list_tag = "lists";
inline constexpr std::string_view service_tag = "service";

/// Writes the OpenAPI schema of a record that has any of these schemas.
inline void write_record_schema(json_writer& json, std::span<const std::string_view> records) {
    if (records.size() == 1) return write_reference(json, "schemas", records.front());
    json.key("anyOf").begin_array();
    for (const std::string_view record : records) {
        json.begin_object();
        write_reference(json, "schemas", record);
        json.end_object();
    }
    json.end_array();
}
/// Writes the OpenAPI schema of a list of records.
inline void write_list(json_writer& json, std::span<const std::string_view> records) {
    json.member("type", "array").key("items").begin_object();
    write_record_schema(json, records);
    json.end_object();
}
/// Writes the OpenAPI schema of an answer with records; see route_content.
inline void write_content(json_writer& json, const route_content& content) {
    if (content.is_page()) return write_list(json, content.records);
    if (content.may_be_missing()) return write_record_schema(json, content.records);
    json.key("anyOf").begin_array().begin_object();
    content.object.empty() ? static_cast<void>(json.member("type", content.type))
                           : write_reference(json, "schemas", content.object);
    json.end_object().begin_object();
    write_list(json, content.records);
    json.end_object().end_array();
}

/// The summary of a route, with the permission and plan that it requires.
inline std::string summary_of(const route& endpoint) {
    std::string summary(endpoint.summary);
    if (!endpoint.permission.empty()) summary.append("; needs ").append(endpoint.permission);
    if (endpoint.needs == plan::free) return summary;
    std::string name(to_string(endpoint.needs));
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    return summary.append(" and the ").append(name).append(" plan");
}

/// The rules for combining the parameters of a route.
inline std::string description_of(const route& endpoint, const handler_options& options) {
    if (endpoint.is_open()) return "Needs no key.";
    std::string description =
        "Rows meet the conditions of all parameters. A repeated name is refused, except for "
        "filters and lists, whose values are merged. ";
    return description.append(options.strict_parameters ? "An unknown name is refused."
                                                        : "Unknown names are ignored.");
}

/// Writes references to the refusals that a route may answer, by status.
inline void write_refusal_references(json_writer& json, const route& endpoint) {
    for (const refusal_schema& refusal : refusals) {
        if (refusal.needs_key && endpoint.is_open()) continue;
        if (refusal.status == 404 && !endpoint.content.may_be_missing()) continue;
        json.key(std::to_string(refusal.status)).begin_object();
        write_reference(json, "responses", refusal.name);
        json.end_object();
    }
}

/// Writes the 304 response.
inline void write_not_modified(json_writer& json, const header_groups& headers) {
    json.key("304").begin_object().member("description", "If-None-Match names the page's ETag.");
    write_header_references(json, headers);
    json.end_object();
}

/// Writes the responses of a list, or of a route that answers a record.
inline void write_list_responses(json_writer& json, const route& endpoint,
                                 const handler_options& options) {
    json.key("responses").begin_object();
    const bool is_page = endpoint.content.is_page();
    begin_response(json.key("200"), is_page ? "A page of the list." : endpoint.summary,
                   {.options = options, .is_counted = true, .is_page = is_page, .is_tagged = true});
    write_content(json, endpoint.content);
    end_response(json);
    write_not_modified(json, {.options = options, .is_counted = true, .is_tagged = true});
    write_refusal_references(json, endpoint);
    json.end_object();
}

/// Writes the responses of routes that need no key.
inline void write_open_responses(json_writer& json, const route& endpoint,
                                 const handler_options& options) {
    json.key("responses").begin_object().key("200");
    const header_groups headers{.options = options, .is_tagged = endpoint.content.is_tagged};
    begin_response(json, endpoint.summary, headers, endpoint.content.content_type);
    json.member("type", endpoint.content.type);
    end_response(json);
    if (endpoint.content.is_tagged) write_not_modified(json, headers);
    write_refusal_references(json, endpoint);
    json.end_object();
}

/// Writes the request header for conditional requests.
inline void write_tag_headers(json_writer& json) {
    json.key("parameters").begin_array().begin_object();
    json.member("name", "If-None-Match").member("in", "header").member("required", false);
    json.member("description", "the ETag of a page that the client has; 304 where it is the same");
    json.key("schema").begin_object().member("type", "string").end_object();
    json.end_object().end_array();
}

/// Writes a path of the document with its GET operation.
inline void write_operation(json_writer& json, const route& endpoint,
                            const handler_options& options) {
    const bool is_list = !endpoint.content.records.empty();
    json.key(endpoint.path).begin_object();
    if (is_list || endpoint.content.is_tagged) write_tag_headers(json);
    json.key("get").begin_object();
    json.member("operationId", endpoint.operation).member("summary", summary_of(endpoint));
    json.member("description", description_of(endpoint, options));
    json.key("tags").begin_array().value(is_list ? list_tag : service_tag).end_array();
    if (endpoint.is_open()) json.key("security").begin_array().end_array();
    if (endpoint.parameters.to_openapi)
        json.raw_member("parameters", endpoint.parameters.to_openapi());
    is_list ? write_list_responses(json, endpoint, options)
            : write_open_responses(json, endpoint, options);
    json.end_object().end_object();
}

/// Writes an entry of the document's `tags`.
inline void write_tag(json_writer& json, std::string_view name, std::string_view description) {
    json.begin_object().member("name", name).member("description", description).end_object();
}

/// Writes the members before `paths`: version, info, servers, tags and security.
inline void write_head(json_writer& json, std::string_view server_url) {
    json.member("openapi", "3.1.0").key("info").begin_object();
    json.member("title", "Link attribution: events and tags").member("version", "0.0.1");
    json.member("description",
                "HEAD answers as GET does, without the body; another method is answered 404 with "
                "Allow.");
    json.key("contact").begin_object().member("name", "The sluice authors").end_object();
    json.key("license").begin_object().member("name", "MIT").member("identifier", "MIT");
    json.end_object().end_object();
    json.key("servers").begin_array().begin_object().member("url", server_url);
    json.end_object().end_array().key("tags").begin_array();
    write_tag(json, list_tag, "Lists of the workspace that the key belongs to.");
    write_tag(json, service_tag, "The service itself.");
    json.end_array().key("security").begin_array().begin_object();
    json.key("bearer").begin_array().end_array().end_object().end_array();
}

/// Writes the parts that operations refer to.
inline void write_components(json_writer& json, const handler_options& options) {
    json.key("components").begin_object();
    json.key("securitySchemes").begin_object().key("bearer").begin_object();
    json.member("type", "http").member("scheme", "bearer");
    json.member("description", "A key of the workspace.").end_object().end_object();
    write_headers(json, options);
    write_refusals(json, options);
    write_schemas(json);
    json.end_object();
}

}  // namespace detail

/// The OpenAPI 3.1 document of the reference handler, as JSON. It is generated from the route
/// table, the parameter tables and the handler's options, so that it can't differ from the handler.
/// `address` is the server's URL; empty for `/`.
[[nodiscard]] inline std::string openapi_document(const handler_options& options,
                                                  std::span<const route> routes,
                                                  std::string_view address) {
    std::string text;
    sluice::detail::json_writer json(text);
    json.begin_object();
    detail::write_head(json, address.empty() ? "/" : address);
    json.key("paths").begin_object();
    for (const route& endpoint : routes) detail::write_operation(json, endpoint, options);
    json.end_object();
    detail::write_components(json, options);
    json.end_object();
    return text;
}

/// The document with the server URL of the options.
[[nodiscard]] inline std::string openapi_document(const handler_options& options,
                                                  std::span<const route> routes) {
    return openapi_document(options, routes, options.base_url);
}

}  // namespace sluice::reference

#endif
