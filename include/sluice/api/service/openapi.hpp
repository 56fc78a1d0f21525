// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_OPENAPI_HPP
#define SLUICE_API_SERVICE_OPENAPI_HPP

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/api/events/event_records.hpp>
#include <sluice/api/records/record_schemas.hpp>
#include <sluice/api/service/route.hpp>
#include <sluice/detail/json_writer.hpp>

namespace sluice::api {

namespace detail {

using sluice::detail::json_writer;

inline void write_reference(json_writer& json, std::string_view schema) {
    json.member("$ref", std::string("#/components/schemas/").append(schema));
}

/// A JSON type or a reference to another schema, without what is around it.
inline void write_type(json_writer& json, std::string_view type) {
    if (type.ends_with("[]")) {
        json.member("type", "array").key("items").begin_object();
        write_type(json, type.substr(0, type.size() - 2));
        json.end_object();
    } else if (type.front() >= 'A' && type.front() <= 'Z') {
        write_reference(json, type);
    } else if (type != "any") {
        json.member("type", type);
    }
}

inline void write_field(json_writer& json, const field_schema& field) {
    json.key(field.name).begin_object();
    if (!field.help.empty()) json.member("description", field.help);
    if (field.is == presence::nullable) {
        json.key("anyOf").begin_array().begin_object();
        write_type(json, field.type);
        json.end_object().begin_object().member("type", "null").end_object().end_array();
    } else {
        write_type(json, field.type);
    }
    json.end_object();
}

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

/// Writes the schema of an object that event records or their parts are.
inline void write_event_fields(json_writer& json, std::string_view name,
                               std::span<const event_field> fields,
                               std::span<const event_field> twins = {}) {
    std::vector<field_schema> schema;
    for (const auto& some : {fields, twins}) {
        for (const event_field& field : some) schema.push_back(schema_of_field(field));
    }
    write_schema(json, name, schema);
}

inline constexpr std::array error_detail_schema{field_schema{"code", "string"},
                                                field_schema{"message", "string"},
                                                field_schema{"doc_url", "string"}};
inline constexpr std::array error_schema{field_schema{"error", "ErrorDetail"}};

inline void write_schemas(json_writer& json) {
    json.key("schemas").begin_object();
    write_schema(json, "Tag", schema_of<tag>);
    write_schema(json, "Customer", schema_of<customer>);
    write_schema(json, "Click", schema_of<click>);
    write_schema(json, "Link", schema_of<link>);
    write_event_fields(json, "Sale", sale_fields);
    for (const event_record& record : event_records) {
        write_event_fields(json, record.schema, record.fields, event_twins);
    }
    write_schema(json, "ErrorDetail", error_detail_schema);
    write_schema(json, "Error", error_schema);
    json.end_object();
}

inline void write_component(json_writer& json, std::string_view room, std::string_view name) {
    std::string path("#/components/");
    json.begin_object().member("$ref", path.append(room).append("/").append(name)).end_object();
}

/// A header of responses as the document describes it.
struct header_schema {
    std::string_view name, type, description;
};

inline constexpr std::array rate_schemas{
    header_schema{"X-RateLimit-Limit", "integer", "how many requests the key has in a window"},
    header_schema{"X-RateLimit-Remaining", "integer", "how many of them are left"},
    header_schema{"X-RateLimit-Reset", "integer", "when it has them again, in epoch seconds"}};
inline constexpr std::array list_schemas{
    header_schema{"ETag", "string", "strong tag of the page; send it back as If-None-Match"},
    header_schema{"Link", "string", "pages first, prev and next, as in RFC 8288"}};
inline constexpr std::array wait_schemas{
    header_schema{"Retry-After", "integer", "how many seconds to wait"}};
inline constexpr std::array credential_schemas{
    header_schema{"WWW-Authenticate", "string", "Bearer: how to authenticate"}};

using header_schemas = std::span<const header_schema>;
inline constexpr std::array<header_schemas, 4> all_header_schemas{rate_schemas, list_schemas,
                                                                  wait_schemas, credential_schemas};

/// The `headers` of a response, as references; none where there are none.
inline void write_header_references(json_writer& json, std::initializer_list<header_schemas> all) {
    if (all.size() == 0) return;
    json.key("headers").begin_object();
    for (const header_schemas some : all) {
        for (const header_schema& each : some) {
            write_component(json.key(each.name), "headers", each.name);
        }
    }
    json.end_object();
}

inline void write_headers(json_writer& json) {
    json.key("headers").begin_object();
    for (const header_schemas some : all_header_schemas) {
        for (const header_schema& each : some) {
            json.key(each.name).begin_object().member("description", each.description);
            json.key("schema").begin_object().member("type", each.type).end_object().end_object();
        }
    }
    json.end_object();
}

/// Begins a response up to its schema, which end_response() closes.
inline void begin_response(json_writer& json, std::string_view description,
                           std::initializer_list<header_schemas> headers = {},
                           std::string_view content_type = "application/json") {
    json.begin_object().member("description", description);
    write_header_references(json, headers);
    json.key("content").begin_object().key(content_type).begin_object();
    json.key("schema").begin_object();
}
inline void end_response(json_writer& json) {
    json.end_object().end_object().end_object().end_object();
}

/// The codes that a list may be refused with.
inline constexpr std::array list_refusals{
    error_code::bad_request,         error_code::unauthorized,
    error_code::forbidden,           error_code::unprocessable_entity,
    error_code::rate_limit_exceeded, error_code::internal_server_error};

inline void begin_refusal(json_writer& json, error_code code) {
    const std::string_view name = to_string(code);
    if (code == error_code::unauthorized) return begin_response(json, name, {credential_schemas});
    if (code == error_code::rate_limit_exceeded) {
        return begin_response(json, name, {rate_schemas, wait_schemas});
    }
    begin_response(json, name, {rate_schemas});
}

inline void write_refusals(json_writer& json) {
    json.key("responses").begin_object();
    for (const error_code code : list_refusals) {
        begin_refusal(json.key(to_string(code)), code);
        write_reference(json, "Error");
        end_response(json);
    }
    json.end_object();
}

/// The schema of a list of any of some records.
inline void write_list(json_writer& json, std::span<const std::string_view> records) {
    json.member("type", "array").key("items").begin_object().key("anyOf").begin_array();
    for (const std::string_view record : records) write_component(json, "schemas", record);
    json.end_array().end_object();
}

/// What a route is for, and what a key needs for it.
inline std::string summary_of(const route& of) {
    std::string summary(of.summary);
    if (!of.permission.empty()) summary.append("; needs ").append(of.permission);
    return of.is_analytics() ? summary.append(" and the Business plan") : summary;
}

/// The responses of a list.
inline void write_list_responses(json_writer& json, const route_content& content) {
    json.key("responses").begin_object().key("200");
    begin_response(json, "a page of the list", {list_schemas, rate_schemas});
    write_list(json, content.records);
    end_response(json);
    json.key("304").begin_object().member("description", "If-None-Match names the page's ETag");
    write_header_references(json, {std::span(list_schemas).first(1), rate_schemas});
    json.end_object();
    for (const error_code code : list_refusals) {
        write_component(json.key(std::to_string(http_status(code))), "responses", to_string(code));
    }
    json.end_object();
}

/// The response of what anyone may ask for.
inline void write_open_response(json_writer& json, const route& of) {
    json.key("responses").begin_object().key("200");
    begin_response(json, of.summary, {}, of.content.content_type);
    json.member("type", of.content.type);
    end_response(json);
    json.end_object();
}

inline void write_operation(json_writer& json, const route& of) {
    json.key(of.path).begin_object().key("get").begin_object();
    json.member("operationId", of.operation).member("summary", summary_of(of));
    if (of.is_open()) json.key("security").begin_array().end_array();
    if (of.parameters.to_openapi) json.raw_member("parameters", of.parameters.to_openapi());
    of.content.records.empty() ? write_open_response(json, of)
                               : write_list_responses(json, of.content);
    json.end_object().end_object();
}

}  // namespace detail

/// The OpenAPI 3.1 document of the reference handler, as JSON. Endpoints come from the table of
/// routes, and their parameters from the tables that bind them, so that the document can't say
/// otherwise.
[[nodiscard]] inline std::string openapi_document(std::string_view server_url,
                                                  std::span<const route> routes) {
    std::string text;
    sluice::detail::json_writer json(text);
    json.begin_object().member("openapi", "3.1.0").key("info").begin_object();
    json.member("title", "Link attribution: events and tags").member("version", "0.0.1");
    json.member("description", "HEAD answers as GET does, without the body.");
    json.end_object().key("servers").begin_array().begin_object().member("url", server_url);
    json.end_object().end_array().key("security").begin_array().begin_object();
    json.key("bearer").begin_array().end_array().end_object().end_array();
    json.key("paths").begin_object();
    for (const route& each : routes) detail::write_operation(json, each);
    json.end_object();
    json.key("components").begin_object();
    json.key("securitySchemes").begin_object().key("bearer").begin_object();
    json.member("type", "http").member("scheme", "bearer").end_object().end_object();
    detail::write_headers(json);
    detail::write_refusals(json);
    detail::write_schemas(json);
    json.end_object().end_object();
    return text;
}

}  // namespace sluice::api

#endif
