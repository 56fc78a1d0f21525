// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_OPENAPI_HPP
#define SLUICE_API_OPENAPI_HPP

#include <vector>

#include <sluice/api/events_query.hpp>
#include <sluice/api/record_schemas.hpp>
#include <sluice/api/tags_query.hpp>
#include <sluice/openapi.hpp>

namespace sluice::api {

namespace detail {

using sluice::detail::json_writer;

inline void write_reference(json_writer& json, std::string_view schema) {
    json.member("$ref", std::string("#/components/schemas/").append(schema));
}

/// A JSON type or a reference to another schema, without what stands around it.
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
    if (field.presence == nullable) {
        json.key("anyOf").begin_array().begin_object();
        write_type(json, field.type);
        json.end_object().begin_object().member("type", "null").end_object().end_array();
    } else {
        write_type(json, field.type);
    }
    json.end_object();
}

inline void write_record(json_writer& json, std::string_view name,
                         const std::vector<field_schema>& fields) {
    json.key(name).begin_object().member("type", "object");
    json.member("additionalProperties", false).key("properties").begin_object();
    for (const field_schema& field : fields) write_field(json, field);
    json.end_object().key("required").begin_array();
    for (const field_schema& field : fields) {
        if (field.presence != optional) json.value(field.name);
    }
    json.end_array().end_object();
}

inline std::vector<field_schema> with_twins(std::span<const field_schema> fields) {
    std::vector<field_schema> all(fields.begin(), fields.end());
    all.insert(all.end(), twin_fields.begin(), twin_fields.end());
    return all;
}

inline void write_schemas(json_writer& json) {
    json.key("schemas").begin_object();
    for (const record_schema& record : object_schemas) {
        write_record(json, record.name, {record.fields.begin(), record.fields.end()});
    }
    for (const record_schema& record : event_schemas) {
        write_record(json, record.name, with_twins(record.fields));
    }
    write_record(json, "ErrorDetail",
                 {{"code", "string"}, {"message", "string"}, {"doc_url", "string"}});
    write_record(json, "Error", {{"error", "ErrorDetail"}});
    json.end_object();
}

inline void write_content(json_writer& json, std::string_view description) {
    json.begin_object().member("description", description);
    json.key("content").begin_object().key("application/json").begin_object();
    json.key("schema").begin_object();
}
inline void end_content(json_writer& json) {
    json.end_object().end_object().end_object().end_object();
}

inline void write_error_responses(json_writer& json) {
    for (const error_code code :
         {error_code::bad_request, error_code::unauthorized, error_code::forbidden,
          error_code::unprocessable_entity, error_code::rate_limit_exceeded,
          error_code::internal_server_error}) {
        json.key(std::to_string(http_status(code)));
        write_content(json, to_string(code));
        write_reference(json, "Error");
        end_content(json);
    }
}

/// An operation whose 200 is an array of any of some records.
template <class Table>
void write_operation(json_writer& json, std::string_view path, std::string_view name,
                     const Table& table, std::span<const std::string_view> records) {
    json.key(path).begin_object().key("get").begin_object().member("operationId", name);
    json.raw_member("parameters", openapi_parameters(table));
    json.key("responses").begin_object().key("200");
    write_content(json, "a page of the list");
    json.member("type", "array").key("items").begin_object().key("anyOf").begin_array();
    for (const std::string_view record : records) {
        json.begin_object();
        write_reference(json, record);
        json.end_object();
    }
    json.end_array().end_object();
    end_content(json);
    write_error_responses(json);
    json.end_object().end_object().end_object();
}

}  // namespace detail

/// The OpenAPI 3.1 document of the reference handler, as JSON. Parameters come from the tables that
/// bind them, so that the document can't say otherwise.
[[nodiscard]] inline std::string openapi_document(std::string_view server_url) {
    std::string text;
    sluice::detail::json_writer json(text);
    json.begin_object().member("openapi", "3.1.0").key("info").begin_object();
    json.member("title", "Link attribution: events and tags").member("version", "0.0.1");
    json.end_object().key("servers").begin_array().begin_object().member("url", server_url);
    json.end_object().end_array().key("security").begin_array().begin_object();
    json.key("bearer").begin_array().end_array().end_object().end_array();
    json.key("paths").begin_object();
    constexpr std::array<std::string_view, 3> events{"ClickEvent", "LeadEvent", "SaleEvent"};
    constexpr std::array<std::string_view, 1> tags{"Tag"};
    detail::write_operation(json, "/events", "listEvents", events_params, events);
    detail::write_operation(json, "/tags", "listTags", tags_params, tags);
    json.end_object().key("components").begin_object();
    json.key("securitySchemes").begin_object().key("bearer").begin_object();
    json.member("type", "http").member("scheme", "bearer").end_object().end_object();
    detail::write_schemas(json);
    json.end_object().end_object();
    return text;
}

}  // namespace sluice::api

#endif
