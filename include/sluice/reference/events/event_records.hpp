// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENT_RECORDS_HPP
#define SLUICE_REFERENCE_EVENTS_EVENT_RECORDS_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/records/record_writer.hpp>

namespace sluice::reference {

/// The content of a field of an event record.
enum class event_part : std::uint8_t {
    kind,      ///< the word for the kind of event
    time,      ///< time of the event
    click,     ///< the click object
    link,      ///< the link object
    customer,  ///< the customer object
    sale,      ///< the sale object
    amount,    ///< amount of the sale, in cents
    column,    ///< the value of a column
    text,      ///< the text of a column, "" if it has none
    number,    ///< a boolean column as 1 or 0
    twins,     ///< the deprecated copies of the link's fields, of which this is the first
    twin,      ///< a further copy, written by the field with `twins`
};

/// A field of an event record.
struct event_field {
    std::string_view name;
    event_part part;
    column from{};            ///< for parts that come from a column
    std::string_view help{};  ///< by default the column's
};

/// The fields of the records in the list of events. Every record ends with event_twins.
inline constexpr std::array click_event_fields{
    event_field{"event", event_part::kind}, event_field{"timestamp", event_part::time},
    event_field{"click", event_part::click}, event_field{"link", event_part::link}};

inline constexpr std::array lead_event_fields{
    event_field{"event", event_part::kind},
    event_field{"timestamp", event_part::time},
    event_field{"eventId", event_part::column, column::event_id},
    event_field{"eventName", event_part::column, column::event_name},
    event_field{"metadata", event_part::column, column::metadata},
    event_field{"click", event_part::click},
    event_field{"link", event_part::link},
    event_field{"customer", event_part::customer}};

/// `saleAmount`, `invoice_id` and `payment_processor` are the deprecated copies of fields of
/// `sale`. `invoice_id` is "" without an invoice, because clients in use reject null.
inline constexpr std::array sale_event_fields{
    event_field{"event", event_part::kind},
    event_field{"timestamp", event_part::time},
    event_field{"eventId", event_part::column, column::event_id},
    event_field{"eventName", event_part::column, column::event_name},
    event_field{"sale", event_part::sale},
    event_field{"metadata", event_part::column, column::metadata},
    event_field{"link", event_part::link},
    event_field{"click", event_part::click},
    event_field{"customer", event_part::customer},
    event_field{"saleAmount", event_part::amount, {}, "deprecated: sale.amount"},
    event_field{"invoice_id", event_part::text, column::invoice_id, "deprecated: sale.invoiceId"},
    event_field{"payment_processor", event_part::column, column::payment_processor,
                "deprecated: sale.paymentProcessor"}};

/// The sale object of a sale event.
inline constexpr std::array sale_fields{
    event_field{"amount", event_part::amount, {}, "value in cents"},
    event_field{"invoiceId", event_part::column, column::invoice_id},
    event_field{"paymentProcessor", event_part::column, column::payment_processor},
    event_field{"currency", event_part::column, column::currency}};

/// The deprecated copies of fields of the click and the link, which end every event record.
inline constexpr std::array event_twins{
    event_field{"click_id", event_part::column, column::click_id, "deprecated: click.id"},
    event_field{"link_id", event_part::twins, {}, "deprecated: link.id"},
    event_field{"domain", event_part::twin, {}, "deprecated: link.domain"},
    event_field{"key", event_part::twin, {}, "deprecated: link.key"},
    event_field{"url", event_part::column, column::url, "deprecated: click.url"},
    event_field{"continent", event_part::column, column_named("click.continent"),
                "deprecated: click.continent"},
    event_field{"country", event_part::column, column_named("click.country"),
                "deprecated: click.country"},
    event_field{"city", event_part::column, column_named("click.city"), "deprecated: click.city"},
    event_field{"device", event_part::column, column_named("click.device"),
                "deprecated: click.device"},
    event_field{"browser", event_part::column, column_named("click.browser"),
                "deprecated: click.browser"},
    event_field{"os", event_part::column, column_named("click.os"), "deprecated: click.os"},
    event_field{"qr", event_part::number, column::qr, "deprecated: click.qr"},
    event_field{"ip", event_part::column, column::ip, "deprecated: click.ip"}};

/// The record of a kind of event in the list.
struct event_record {
    std::string_view schema;  ///< name in the OpenAPI document
    std::string_view word;    ///< value of its field `event`
    std::span<const event_field> fields;
};

/// The event records, in the order of event_kind.
inline constexpr std::array event_records{event_record{"ClickEvent", "click", click_event_fields},
                                          event_record{"LeadEvent", "lead", lead_event_fields},
                                          event_record{"SaleEvent", "sale", sale_event_fields}};

/// The JSON Schema of a field of an event record.
[[nodiscard]] constexpr field_schema schema_of_field(const event_field& field) noexcept {
    const auto of = [&](std::string_view type) {
        return field_schema{.name = field.name, .type = type, .help = field.help};
    };
    switch (field.part) {
        case event_part::click: return of("Click");
        case event_part::link: return of("Link");
        case event_part::customer: return of("Customer");
        case event_part::sale: return of("Sale");
        case event_part::amount: return of("integer");
        case event_part::number: return of("number");
        case event_part::column:
            return {field.name, field.from.info().type, field.from.info().is,
                    field.help.empty() ? field.from.info().help : field.help};
        case event_part::kind:
        case event_part::time:
        case event_part::text:
        case event_part::twins:
        case event_part::twin: return of("string");
    }
    return of("string");
}

}  // namespace sluice::reference

#endif
