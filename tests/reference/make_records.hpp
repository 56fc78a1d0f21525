// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_API_MAKE_RECORDS_HPP
#define SLUICE_TESTS_API_MAKE_RECORDS_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/time/zone.hpp>

// Records with all fields that a test doesn't care about filled in, as views of the arguments, and
// what comes back of them.

using id_list = std::vector<std::string>;

constexpr sluice::instant at_ms(std::int64_t count) {
    return sluice::instant{std::chrono::milliseconds{count}};
}

inline sluice::reference::tag make_tag(std::string_view id, std::string_view name,
                                       std::int64_t created_at = 0) {
    return {.id = id, .name = name, .created_at = at_ms(created_at)};
}

inline sluice::reference::customer make_customer(std::string_view id) {
    return {.id = id, .external_id = id};
}

inline sluice::reference::link make_link(std::string_view id) {
    sluice::reference::link added;
    added.id = id;
    added.domain = "go.example.com";
    added.key = id;
    added.url = "https://example.com/";
    return added;
}

inline sluice::reference::click make_click(std::string_view id, std::string_view link_id,
                                           std::int64_t time) {
    return {.id = id,
            .timestamp = at_ms(time),
            .link_id = link_id,
            .url = "https://example.com/",
            .country = "US",
            .city = "Unknown",
            .region = "US-CA",
            .continent = "NA",
            .device = "Desktop",
            .browser = "Firefox",
            .os = "Linux",
            .referer = "(direct)",
            .referer_url = "(direct)",
            .ip = "192.0.2.1"};
}

inline sluice::reference::lead make_lead(std::string_view id, std::int64_t time,
                                         std::string_view customer_id, std::string_view click_id,
                                         std::string_view link_id) {
    return {.event_id = id,
            .event_name = "Sign up",
            .timestamp = at_ms(time),
            .customer_id = customer_id,
            .click_id = click_id,
            .link_id = link_id};
}

inline sluice::reference::sale make_sale(std::string_view id, std::int64_t time,
                                         std::string_view customer_id, std::string_view click_id,
                                         std::string_view link_id) {
    return {.event_id = id,
            .event_name = "Purchase",
            .timestamp = at_ms(time),
            .customer_id = customer_id,
            .click_id = click_id,
            .link_id = link_id,
            .amount = 100,
            .currency = "usd",
            .payment_processor = "stripe"};
}

/// The query of a request, over all time where it names no window.
inline sluice::reference::events_query events_query_of(const std::string& text) {
    static const sluice::time_zone_database zones({sluice::time_zone::utc()});
    const auto end_of_records = sluice::parse_timestamp("2026-08-21T00:00:00Z").value();
    const bool has_window = text.find("interval=") != std::string::npos;
    const std::string whole = has_window ? text : text + "&interval=all";
    const auto pairs = sluice::parse_query_string(whole);
    auto parsed =
        sluice::reference::parse_events_query(pairs.pairs(), {.zones = &zones}, end_of_records);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return *std::move(parsed);
}

/// The identifiers of a list of records in a response, in its order.
inline id_list ids_in(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::array records;
    REQUIRE(parser.parse(json.data(), json.size()).get(records) == simdjson::SUCCESS);
    id_list ids;
    for (const simdjson::dom::element record : records) {
        std::string_view id;
        const bool has_id = record["eventId"].get(id) == simdjson::SUCCESS ||
                            record["click"]["id"].get(id) == simdjson::SUCCESS ||
                            record["id"].get(id) == simdjson::SUCCESS;
        REQUIRE(has_id);
        ids.emplace_back(id);
    }
    return ids;
}

/// The identifiers of the events that a request lists, oldest first unless it says otherwise. They
/// are as many as are counted.
inline id_list listed(const sluice::reference::workspace_view& view, const std::string& text) {
    const auto query = events_query_of(text + "&sortOrder=asc&limit=1000");
    id_list ids = ids_in(list_events(view, query)->body);
    CHECK(count_events(view, query) == static_cast<std::int64_t>(ids.size()));
    return ids;
}

#endif
