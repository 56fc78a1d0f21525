// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_API_RECORDS_WRITE_EVENTS_HPP
#define SLUICE_TESTS_API_RECORDS_WRITE_EVENTS_HPP

#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/reference/records/records.hpp>

// Event records written field by field, by hand: what pages of events are compared with.

namespace by_hand {

using sluice::instant;
using sluice::detail::json_writer;
using sluice::reference::click;
using sluice::reference::lead;
using sluice::reference::sale;

/// A text, or null.
inline void write_nullable(json_writer& json, std::string_view name,
                           const std::optional<std::string_view>& text) {
    json.key(name);
    text ? json.value(*text) : json.value(nullptr);
}

/// A time, as all records write times: `2026-08-21T02:30:15.123Z`.
inline void write_time(json_writer& json, std::string_view name, instant at) {
    json.member(name, sluice::format_timestamp(at));
}

/// The link's part of an event record. All members are views; `json` is the whole link: it is
/// rendered once and pasted into all of its events.
struct link_part {
    std::string_view id{};
    std::string_view domain{};
    std::string_view key{};
    std::string_view json{};
};

/// Writes a click object; `trigger` is null where it is unknown.
inline void write_click(json_writer& json, const click& written) {
    json.begin_object().member("id", written.id);
    write_time(json, "timestamp", written.timestamp);
    json.member("url", written.url).member("country", written.country);
    json.member("city", written.city).member("region", written.region);
    json.member("continent", written.continent).member("device", written.device);
    json.member("browser", written.browser).member("os", written.os);
    write_nullable(json, "trigger", written.trigger);
    json.member("referer", written.referer).member("refererUrl", written.referer_url);
    json.member("qr", written.qr).member("ip", written.ip).end_object();
}

/// The deprecated twins of the click's and link's fields, which end every event record.
inline void write_twins(json_writer& json, const click& clicked, const link_part& link) {
    json.member("click_id", clicked.id).member("link_id", link.id);
    json.member("domain", link.domain).member("key", link.key).member("url", clicked.url);
    json.member("continent", clicked.continent).member("country", clicked.country);
    json.member("city", clicked.city).member("device", clicked.device);
    json.member("browser", clicked.browser).member("os", clicked.os);
    json.member("qr", std::int64_t{clicked.qr}).member("ip", clicked.ip);
}

/// The first members of a lead and a sale event.
template <class Outcome>
void write_outcome_head(json_writer& json, std::string_view event, const Outcome& written) {
    json.member("event", event);
    write_time(json, "timestamp", written.timestamp);
    json.member("eventId", written.event_id).member("eventName", written.event_name);
}

inline void write_sale_part(json_writer& json, const sale& written) {
    json.key("sale").begin_object().member("amount", written.amount);
    write_nullable(json, "invoiceId", written.invoice_id);
    json.member("paymentProcessor", written.payment_processor);
    json.member("currency", sluice::detail::to_lower(written.currency)).end_object();
}

/// Writes a click event.
inline void write_click_event(json_writer& json, const click& written, const link_part& link) {
    json.begin_object().member("event", "click");
    write_time(json, "timestamp", written.timestamp);
    json.key("click");
    write_click(json, written);
    json.raw_member("link", link.json);
    write_twins(json, written, link);
    json.end_object();
}

/// Writes a lead event. `clicked` is the click that it names, `customer_json` its
/// customer's.
inline void write_lead_event(json_writer& json, const lead& written, const click& clicked,
                             const link_part& link, std::string_view customer_json) {
    json.begin_object();
    write_outcome_head(json, "lead", written);
    json.raw_member("metadata", written.metadata).key("click");
    write_click(json, clicked);
    json.raw_member("link", link.json).raw_member("customer", customer_json);
    write_twins(json, clicked, link);
    json.end_object();
}

/// Writes a sale event; see write_lead_event(). `saleAmount`, `invoice_id` and `payment_processor`
/// are the deprecated twins of `sale`; published clients take no null for `invoice_id`, so that it
/// is "" where there is no invoice.
inline void write_sale_event(json_writer& json, const sale& written, const click& clicked,
                             const link_part& link, std::string_view customer_json) {
    json.begin_object();
    write_outcome_head(json, "sale", written);
    write_sale_part(json, written);
    json.raw_member("metadata", written.metadata).raw_member("link", link.json).key("click");
    write_click(json, clicked);
    json.raw_member("customer", customer_json).member("saleAmount", written.amount);
    json.member("invoice_id", written.invoice_id.value_or(""));
    json.member("payment_processor", written.payment_processor);
    write_twins(json, clicked, link);
    json.end_object();
}

}  // namespace by_hand

#endif
