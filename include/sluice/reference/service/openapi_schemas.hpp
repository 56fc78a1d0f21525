// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_OPENAPI_SCHEMAS_HPP
#define SLUICE_REFERENCE_SERVICE_OPENAPI_SCHEMAS_HPP

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/reference/events/event_records.hpp>
#include <sluice/reference/records/record_schemas.hpp>

namespace sluice::reference::detail {

using sluice::detail::json_writer;

inline void write_reference(json_writer& json, std::string_view room, std::string_view name) {
    std::string path("#/components/");
    json.member("$ref", path.append(room).append("/").append(name));
}

/// Writes the schema of a type as in `kinds`, without the enclosing object.
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

inline void write_field(json_writer& json, const field_schema& field) {
    json.key(field.name).begin_object();
    if (!field.help.empty()) json.member("description", field.help);
    const bool is_nullable = field.is == presence::nullable;
    write_type(json, std::string(field.type).append(is_nullable ? "?" : ""), field.choices);
    if (field.is_deprecated()) json.member("deprecated", true);
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

/// Writes the schema of an object with these fields.
inline void write_fields(json_writer& json, std::string_view name,
                         std::span<const event_field> fields) {
    std::vector<field_schema> schema;
    for (const event_field& field : fields) schema.push_back(schema_of_field(field));
    write_schema(json, name, schema);
}
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

inline constexpr std::array error_detail_schema{
    field_schema{.name = "code",
                 .type = "string",
                 .choices = sluice::detail::error_code_names<sluice::error_code>},
    field_schema{.name = "message", .type = "string"},
    field_schema{.name = "doc_url", .type = "string"}};
inline constexpr std::array error_schema{field_schema{"error", "ErrorDetail"}};

inline void write_schemas(json_writer& json) {
    json.key("schemas").begin_object();
    write_schema(json, "Tag", schema_of<tag>);
    write_schema(json, "Customer", schema_of<customer>);
    write_schema(json, "Click", schema_of<click>);
    write_schema(json, "TestVariant", schema_of<test_variant>);
    write_schema(json, "Link", schema_of<link>);
    write_fields(json, "Sale", sale_fields);
    for (const event_record& record : event_records) write_event(json, record);
    write_schema(json, "ErrorDetail", error_detail_schema);
    write_schema(json, "Error", error_schema);
    json.end_object();
}

}  // namespace sluice::reference::detail

#endif
