// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_RECORD_SCHEMAS_HPP
#define SLUICE_API_RECORDS_RECORD_SCHEMAS_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <sluice/detail/json_writer.hpp>

namespace sluice::api {

/// A field of a record as its JSON Schema says it.
struct field_schema {
    std::string_view name;
    std::string_view type;  ///< a JSON type, or the name of another schema; `any` for any JSON
    enum class presence : std::uint8_t {
        required,
        nullable,
        optional
    } presence = presence::required;
};

/// A record: its fields in the order in which they are written, and no others.
struct record_schema {
    std::string_view name;
    std::span<const field_schema> fields;
};

namespace detail {

inline constexpr auto nullable = field_schema::presence::nullable;
inline constexpr auto optional = field_schema::presence::optional;

inline constexpr std::array tag_schema{field_schema{"id", "string"}, field_schema{"name", "string"},
                                       field_schema{"color", "string", optional}};

inline constexpr std::array customer_schema{
    field_schema{"id", "string"},
    field_schema{"externalId", "string"},
    field_schema{"name", "string", nullable},
    field_schema{"email", "string", nullable},
    field_schema{"avatar", "string", nullable},
    field_schema{"country", "string", nullable},
    field_schema{"createdAt", "string"},
};

inline constexpr std::array click_schema{
    field_schema{"id", "string"},
    field_schema{"timestamp", "string"},
    field_schema{"url", "string"},
    field_schema{"country", "string"},
    field_schema{"city", "string"},
    field_schema{"region", "string"},
    field_schema{"continent", "string"},
    field_schema{"device", "string"},
    field_schema{"browser", "string"},
    field_schema{"os", "string"},
    field_schema{"trigger", "string", nullable},
    field_schema{"referer", "string"},
    field_schema{"refererUrl", "string"},
    field_schema{"qr", "boolean"},
    field_schema{"ip", "string"},
};

inline constexpr std::array link_schema{
    field_schema{"id", "string"},
    field_schema{"domain", "string"},
    field_schema{"key", "string"},
    field_schema{"url", "string"},
    field_schema{"trackConversion", "boolean"},
    field_schema{"externalId", "string", nullable},
    field_schema{"tenantId", "string", nullable},
    field_schema{"programId", "string", nullable},
    field_schema{"partnerId", "string", nullable},
    field_schema{"archived", "boolean"},
    field_schema{"expiresAt", "string"},
    field_schema{"expiredUrl", "string", nullable},
    field_schema{"disabledAt", "string"},
    field_schema{"password", "string", nullable},
    field_schema{"proxy", "boolean"},
    field_schema{"title", "string", nullable},
    field_schema{"description", "string", nullable},
    field_schema{"image", "string", nullable},
    field_schema{"video", "string", nullable},
    field_schema{"rewrite", "boolean"},
    field_schema{"doIndex", "boolean"},
    field_schema{"ios", "string", nullable},
    field_schema{"android", "string", nullable},
    field_schema{"geo", "object", nullable},
    field_schema{"publicStats", "boolean"},
    field_schema{"tags", "Tag[]", nullable},
    field_schema{"folderId", "string", nullable},
    field_schema{"webhookIds", "string[]"},
    field_schema{"comments", "string", nullable},
    field_schema{"shortLink", "string"},
    field_schema{"qrCode", "string"},
    field_schema{"utm_source", "string", nullable},
    field_schema{"utm_medium", "string", nullable},
    field_schema{"utm_campaign", "string", nullable},
    field_schema{"utm_term", "string", nullable},
    field_schema{"utm_content", "string", nullable},
    field_schema{"testVariants", "any", optional},
    field_schema{"testStartedAt", "string"},
    field_schema{"testCompletedAt", "string"},
    field_schema{"userId", "string", nullable},
    field_schema{"workspaceId", "string"},
    field_schema{"clicks", "integer"},
    field_schema{"leads", "integer"},
    field_schema{"conversions", "integer"},
    field_schema{"sales", "integer"},
    field_schema{"saleAmount", "integer"},
    field_schema{"lastClicked", "string"},
    field_schema{"createdAt", "string"},
    field_schema{"updatedAt", "string"},
    field_schema{"tagId", "string", nullable},
    field_schema{"projectId", "string"},
};

inline constexpr std::array sale_part_schema{
    field_schema{"amount", "integer"}, field_schema{"invoiceId", "string", nullable},
    field_schema{"paymentProcessor", "string"}, field_schema{"currency", "string"}};

/// The deprecated twins that end every event record.
inline constexpr std::array twin_schema{
    field_schema{"click_id", "string"}, field_schema{"link_id", "string"},
    field_schema{"domain", "string"},   field_schema{"key", "string"},
    field_schema{"url", "string"},      field_schema{"continent", "string"},
    field_schema{"country", "string"},  field_schema{"city", "string"},
    field_schema{"device", "string"},   field_schema{"browser", "string"},
    field_schema{"os", "string"},       field_schema{"qr", "number"},
    field_schema{"ip", "string"},
};

/// The fields of an event record, without its twins.
inline constexpr std::array click_event_schema{
    field_schema{"event", "string"}, field_schema{"timestamp", "string"},
    field_schema{"click", "Click"}, field_schema{"link", "Link"}};
inline constexpr std::array lead_event_schema{
    field_schema{"event", "string"},   field_schema{"timestamp", "string"},
    field_schema{"eventId", "string"}, field_schema{"eventName", "string"},
    field_schema{"metadata", "any"},   field_schema{"click", "Click"},
    field_schema{"link", "Link"},      field_schema{"customer", "Customer"}};
inline constexpr std::array sale_event_schema{
    field_schema{"event", "string"},      field_schema{"timestamp", "string"},
    field_schema{"eventId", "string"},    field_schema{"eventName", "string"},
    field_schema{"sale", "Sale"},         field_schema{"metadata", "any"},
    field_schema{"link", "Link"},         field_schema{"click", "Click"},
    field_schema{"customer", "Customer"}, field_schema{"saleAmount", "integer"},
    field_schema{"invoice_id", "string"}, field_schema{"payment_processor", "string"}};

}  // namespace detail

/// The objects that records are made of.
inline constexpr std::array object_schemas{
    record_schema{"Tag", detail::tag_schema}, record_schema{"Customer", detail::customer_schema},
    record_schema{"Click", detail::click_schema}, record_schema{"Link", detail::link_schema},
    record_schema{"Sale", detail::sale_part_schema}};

/// The records of the events list; each ends with twin_fields.
inline constexpr std::array event_schemas{record_schema{"ClickEvent", detail::click_event_schema},
                                          record_schema{"LeadEvent", detail::lead_event_schema},
                                          record_schema{"SaleEvent", detail::sale_event_schema}};
inline constexpr std::span<const field_schema> twin_fields = detail::twin_schema;

}  // namespace sluice::api

#endif
