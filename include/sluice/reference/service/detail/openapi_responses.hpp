// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_DETAIL_OPENAPI_RESPONSES_HPP
#define SLUICE_REFERENCE_SERVICE_DETAIL_OPENAPI_RESPONSES_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/reference/analytics/analytics_group.hpp>
#include <sluice/reference/events/event_records.hpp>
#include <sluice/reference/lists/record_columns.hpp>
#include <sluice/reference/records/record_writer.hpp>
#include <sluice/reference/service/handler_options.hpp>

/// Responses of the OpenAPI document, and the schemas of their records.
namespace sluice::reference::detail {

using sluice::detail::json_writer;

/// Writes a reference to a component of a kind, such as `schemas`:
/// `"$ref":"#/components/schemas/Tag"`.
inline void write_reference(json_writer& json, std::string_view kind, std::string_view name) {
    std::string path("#/components/");
    json.member("$ref", path.append(kind).append("/").append(name));
}

/// Writes the OpenAPI schema of a type, such as `string[]`, without the enclosing object. See
/// `kinds` for the notation.
inline void write_type(json_writer& json, std::string_view type,
                       std::span<const std::string_view> choices = {}) {
    if (type.ends_with("?")) {
        json.key("anyOf").begin_array().begin_object();
        write_type(json, type.substr(0, type.size() - 1), choices);
        json.end_object().begin_object().member("type", "null").end_object().end_array();
    } else if (type.ends_with("[]") || type.ends_with("{}")) {
        const bool is_list = type.ends_with("[]");
        json.member("type", is_list ? "array" : "object");
        json.key(is_list ? "items" : "additionalProperties").begin_object();
        write_type(json, type.substr(0, type.size() - 2), choices);
        json.end_object();
    } else if (type.front() >= 'A' && type.front() <= 'Z') {
        write_reference(json, "schemas", type);
    } else if (type != "any") {
        json.member("type", type);
    }
    if (choices.empty() || type.ends_with("?")) return;
    json.key("enum").begin_array();
    for (const std::string_view choice : choices) json.value(choice);
    json.end_array();
}

/// Writes a property of an object's schema.
inline void write_field(json_writer& json, const field_schema& field) {
    json.key(field.name).begin_object();
    if (!field.help.empty()) json.member("description", field.help);
    const bool is_nullable = field.is == presence::nullable;
    write_type(json, std::string(field.type).append(is_nullable ? "?" : ""), field.choices);
    if (field.is_deprecated()) json.member("deprecated", true);
    json.end_object();
}

/// Writes the schema of an object under its name among the components.
inline void write_schema(json_writer& json, std::string_view name,
                         std::span<const field_schema> fields) {
    json.key(name).begin_object().member("type", "object");
    json.member("additionalProperties", false).key("properties").begin_object();
    for (const field_schema& field : fields) write_field(json, field);
    json.end_object().key("required").begin_array();
    for (const field_schema& field : fields) {
        if (field.is != presence::optional) json.value(field.name);
    }
    json.end_array().end_object();
}

/// Writes the schema of an object with these fields.
inline void write_fields(json_writer& json, std::string_view name,
                         std::span<const event_field> fields) {
    std::vector<field_schema> schema;
    for (const event_field& field : fields) schema.push_back(schema_of_field(field));
    write_schema(json, name, schema);
}
/// Writes the schema of a kind of event; its field `event` has one value, such as `click`.
inline void write_event(json_writer& json, const event_record& record) {
    std::vector<field_schema> schema;
    for (const auto& some : {record.fields, std::span<const event_field>(event_twins)}) {
        for (const event_field& field : some) {
            schema.push_back(schema_of_field(field));
            if (field.part == event_part::kind) schema.back().choices = std::span(&record.word, 1);
        }
    }
    write_schema(json, record.schema, schema);
}

/// Writes the schemas of the rows of `GET /analytics`, and of the records that they show.
inline void write_analytics(json_writer& json) {
    write_schema(json, "AnalyticsFolder", folder_schema);
    write_schema(json, "AnalyticsPartner", partner_schema);
    write_schema(json, "AnalyticsGroup", partner_group_schema);
    write_schema(json, "AnalyticsPartnerTag", folder_schema);
    static constexpr std::string_view all_places = "*";
    std::string_view written;  // equal schemas stand side by side
    for (const analytics_record& record : analytics_records) {
        if (std::exchange(written, record.schema) == record.schema) continue;
        std::vector<field_schema> schema;
        for (const analytics_field& field : record.fields) {
            schema.push_back({.name = field.name, .type = field.type, .help = field.help});
            if (field.part == analytics_part::any) schema.back().choices = {&all_places, 1};
            if (field.part == analytics_part::group) schema.back().choices = record.only;
        }
        for (const std::string_view measure : analytics_measures)
            schema.push_back({.name = measure, .type = "integer"});
        write_schema(json, record.schema, schema);
    }
}

/// The fields of a group of links: the value that its links share, and their number.
inline constexpr auto link_group_schema = [] {
    std::array<field_schema, link_group_names.size() + 1> fields;
    for (std::size_t at = 0; at < link_group_names.size(); ++at) {
        fields[at] = {link_group_names[at], "string?", presence::optional, "value of the links"};
    }
    fields.back() = {.name = "_count", .type = "integer", .help = "number of links"};
    return fields;
}();

inline constexpr std::array error_detail_schema{
    field_schema{.name = "code", .type = "string", .choices = sluice::detail::error_code_names},
    field_schema{.name = "message", .type = "string"},
    field_schema{.name = "doc_url", .type = "string"}};
inline constexpr std::array error_schema{field_schema{"error", "ErrorDetail"}};

/// Writes the document's `schemas`: records, then errors.
inline void write_schemas(json_writer& json) {
    json.key("schemas").begin_object();
    write_schema(json, "Tag", schema_of<tag>);
    write_schema(json, "Customer", schema_of<customer>);
    write_schema(json, "Click", schema_of<click>);
    write_schema(json, "TestVariant", schema_of<test_variant>);
    write_schema(json, "Link", schema_of<link>);
    write_schema(json, "LinkGroup", link_group_schema);
    write_schema(json, "RegisteredDomain", schema_of<registered_domain>);
    write_schema(json, "Domain", schema_of<domain>);
    write_schema(json, "Folder", schema_of<folder>);
    write_fields(json, "Sale", sale_fields);
    for (const event_record& record : event_records) write_event(json, record);
    write_analytics(json);
    write_schema(json, "ErrorDetail", error_detail_schema);
    write_schema(json, "Error", error_schema);
    json.end_object();
}

/// The description of a response header.
struct header_schema {
    std::string_view name, type, description;
};
using header_schemas = std::span<const header_schema>;

inline constexpr std::array common_schemas{
    header_schema{"Cache-Control", "string", "private: no proxy may keep the answer"},
    header_schema{"Vary", "string", "which headers of the request the answer depends on"},
    header_schema{"X-Request-Id", "string", "the request's id in the log of the server"}};
inline constexpr std::array tag_schemas{
    header_schema{"ETag", "string", "strong tag of the page; send it back as If-None-Match"}};
inline constexpr std::array page_schemas{
    header_schema{"Link", "string", "pages first, prev and next, as in RFC 8288"},
    header_schema{"X-Total-Count", "integer", "how many rows all pages have; with count=true"}};
inline constexpr std::array rate_schemas{
    header_schema{"X-RateLimit-Limit", "integer", "how many requests the key has in a window"},
    header_schema{"X-RateLimit-Remaining", "integer", "how many of them are left"},
    header_schema{"X-RateLimit-Reset", "integer", "when it has them again, in epoch seconds"}};
inline constexpr std::array rate_field_schemas{
    header_schema{"RateLimit", "string", "what is left of the key's quota, and until when"},
    header_schema{"RateLimit-Policy", "string", "the key's quota and its window"}};
inline constexpr std::array wait_schemas{
    header_schema{"Retry-After", "integer", "how many seconds to wait"}};
inline constexpr std::array credential_schemas{
    header_schema{"WWW-Authenticate", "string", "Bearer: how to authenticate"}};
inline constexpr std::array cors_schemas{
    header_schema{"Access-Control-Allow-Origin", "string", "the page's origin, if it may read"},
    header_schema{"Access-Control-Expose-Headers", "string", "which headers the page may read"}};

/// The groups of headers that a response may have.
struct header_groups {
    const handler_options& options;
    bool is_counted = false;    ///< may have been charged to a key's limit: X-RateLimit headers
    bool asks_to_wait = false;  ///< has Retry-After
    bool asks_for_key = false;  ///< has WWW-Authenticate
    bool is_page = false;       ///< has Link and X-Total-Count
    bool is_tagged = false;     ///< has an ETag

    /// The headers of all groups that apply.
    [[nodiscard]] std::vector<header_schema> all() const {
        std::vector<header_schema> headers;
        const auto add = [&](bool is_there, header_schemas some) {
            if (is_there) headers.insert(headers.end(), some.begin(), some.end());
        };
        add(true, common_schemas);
        add(is_tagged, tag_schemas);
        add(is_page, page_schemas);
        add(is_counted, rate_schemas);
        add(is_counted && options.ratelimit_fields, rate_field_schemas);
        add(asks_to_wait, wait_schemas);
        add(asks_for_key, credential_schemas);
        add(!options.cors_origins.empty(), cors_schemas);
        return headers;
    }
};

/// Writes the `headers` of a response as references.
inline void write_header_references(json_writer& json, const header_groups& groups) {
    json.key("headers").begin_object();
    for (const header_schema& schema : groups.all()) {
        json.key(schema.name).begin_object();
        write_reference(json, "headers", schema.name);
        json.end_object();
    }
    json.end_object();
}

/// Writes the document's `headers`, which responses refer to.
inline void write_headers(json_writer& json, const handler_options& options) {
    json.key("headers").begin_object();
    for (const header_schema& schema : header_groups{options, true, true, true, true, true}.all()) {
        json.key(schema.name).begin_object().member("description", schema.description);
        json.key("schema").begin_object().member("type", schema.type);
        if (schema.type == "integer") json.member("minimum", std::int64_t{0});
        json.end_object().end_object();
    }
    json.end_object();
}

/// Begins a response up to its schema; end_response() closes it.
inline void begin_response(json_writer& json, std::string_view description,
                           const header_groups& headers,
                           std::string_view content_type = "application/json") {
    json.begin_object().member("description", description);
    write_header_references(json, headers);
    json.key("content").begin_object().key(content_type).begin_object();
    json.key("schema").begin_object();
}
inline void end_response(json_writer& json) {
    json.end_object().end_object().end_object().end_object();
}

/// A status of refused requests.
struct refusal_schema {
    int status;
    error_code code;
    std::string_view name;  ///< name among the document's responses
    std::string_view description;
    bool needs_key = false;  ///< only for routes that need a key
    bool is_counted = true;  ///< may have been counted against a key's limit
};

/// Statuses of refused requests, in ascending order. Only routes of one record have 404, which also
/// answers paths and methods that aren't in the document.
inline constexpr std::array refusals{
    refusal_schema{
        .status = 400,
        .code = error_code::bad_request,
        .name = "BadRequest",
        .description =
            "The request is malformed: bad syntax, a wrong datatype, something missing."},
    refusal_schema{.status = 401,
                   .code = error_code::unauthorized,
                   .name = "Unauthorized",
                   .description = "The key is missing or unknown.",
                   .needs_key = true,
                   .is_counted = false},
    refusal_schema{
        .status = 403,
        .code = error_code::forbidden,
        .name = "Forbidden",
        .description =
            "The request came over plain HTTP, or the key lacks the plan or permission."},
    refusal_schema{.status = 404,
                   .code = error_code::not_found,
                   .name = "NotFound",
                   .description = "The workspace has no such record.",
                   .needs_key = true},
    refusal_schema{.status = 413,
                   .code = error_code::bad_request,
                   .name = "BodyTooLarge",
                   .description = "The body is larger than the server reads and drops.",
                   .is_counted = false},
    refusal_schema{.status = 414,
                   .code = error_code::bad_request,
                   .name = "TargetTooLong",
                   .description = "The path and query are longer than the server takes.",
                   .is_counted = false},
    refusal_schema{.status = 422,
                   .code = error_code::unprocessable_entity,
                   .name = "UnprocessableEntity",
                   .description = "A parameter's value is well-formed but not accepted.",
                   .needs_key = true},
    refusal_schema{
        .status = 429,
        .code = error_code::rate_limit_exceeded,
        .name = "RateLimitExceeded",
        .description =
            "The key has no request left for now, or the server has too many at a time."},
    refusal_schema{.status = 431,
                   .code = error_code::bad_request,
                   .name = "HeadersTooLarge",
                   .description = "The headers are more or larger than the server takes.",
                   .is_counted = false},
    refusal_schema{.status = 500,
                   .code = error_code::internal_server_error,
                   .name = "InternalServerError",
                   .description = "Something failed that the request isn't to blame for."}};

/// The headers of a refusal. A 500 has Retry-After if the store is on another server.
[[nodiscard]] inline header_groups headers_of(const refusal_schema& refusal,
                                              const handler_options& options) {
    return {
        .options = options,
        .is_counted = refusal.is_counted,
        .asks_to_wait = refusal.status == 429 || (refusal.status == 500 && options.run_statement),
        .asks_for_key = refusal.status == 401};
}

/// Writes the document's `responses`: the refusals, with an example body.
inline void write_refusals(json_writer& json, const handler_options& options) {
    json.key("responses").begin_object();
    for (const refusal_schema& refusal : refusals) {
        begin_response(json.key(refusal.name), refusal.description, headers_of(refusal, options));
        write_reference(json, "schemas", "Error");
        json.end_object().raw_member(
            "example", error_body(refusal.code, refusal.description, "https://api.example.com"));
        json.end_object().end_object().end_object();
    }
    json.end_object();
}

}  // namespace sluice::reference::detail

#endif
