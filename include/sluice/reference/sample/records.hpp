// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_RECORDS_HPP
#define SLUICE_REFERENCE_SAMPLE_RECORDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/random.hpp>
#include <sluice/reference/records/record_writer.hpp>
#include <sluice/reference/sample/keys.hpp>
#include <sluice/reference/sample/links.hpp>
#include <sluice/reference/sample/metadata.hpp>
#include <sluice/reference/sample/model.hpp>
#include <sluice/reference/sample/tables.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::reference {

inline std::string sample_customer_id(std::uint64_t seed, std::uint64_t index) {
    return sample_id("cus_", sample_key(seed, sample_stream::customers, index));
}

/// The IP address of sample records, with its last part zeroed; one in sixteen is IPv6.
[[nodiscard]] inline std::string sample_address(std::uint64_t bits) {
    if (bits >> 60 == 0) return sample_id("2001:db8:", bits).substr(0, 13) + "::";
    std::string text;
    for (int shift = 16; shift >= 0; shift -= 8) {
        text += std::to_string((bits >> shift) & 255) + ".";
    }
    return text + "0";
}

/// Writes a customer, with the country of the click that led to the sign-up.
inline void write_sample_customer(sluice::detail::json_writer& json, const sample_model& model,
                                  std::uint64_t index) {
    const std::uint64_t key = sample_key(model.seed(), sample_stream::customers, index);
    sluice::detail::random_source random(key);
    const sample_conversion first = model.lead(sample_model::sign_up(index));
    const std::string number = std::to_string(index + 1);
    const std::string id = sample_id("cus_", key), external_id = "user-" + number;
    const std::string_view name = random.chance(3) ? "" : random.pick(sample_names);
    const std::string email = random.chance(5) ? "" : "user" + number + "@mail.example";
    const std::string avatar =
        random.chance(80) ? "" : "https://cdn.acme.example/u/" + number + ".png";
    const std::string_view country = first.click.place->country;
    write_stored(json, customer{.id = id,
                                .external_id = external_id,
                                .name = text_or_null(name),
                                .email = text_or_null(email),
                                .avatar = text_or_null(avatar),
                                .country = text_or_null(country == "Unknown" ? "" : country),
                                .created_at = first.at});
}

/// Writes a click.
inline void write_sample_click(sluice::detail::json_writer& json, const sample_click& event) {
    const std::string id = sample_id("click_", event.key);
    const std::string url(event.advert ? sample_tagged_url(event.link->url, *event.advert)
                                       : event.link->url);
    const std::string address = sample_address(event.address);
    write_stored(json, click{.id = id,
                             .timestamp = event.at,
                             .link_id = event.link->id,
                             .url = url,
                             .country = event.place->country,
                             .city = event.place->city,
                             .region = event.place->region,
                             .continent = event.place->continent,
                             .device = event.client->device,
                             .browser = event.client->browser,
                             .os = event.client->os,
                             .trigger = text_or_null(event.trigger),
                             .referer = event.referer->host,
                             .referer_url = event.referer->url,
                             .qr = event.trigger == "qr",
                             .ip = address});
}

/// The ids that leads and sales refer to.
struct sample_references {
    std::string customer_id, click_id;

    sample_references(const sample_model& model, const sample_conversion& event)
        : customer_id(sample_customer_id(model.seed(), event.customer)),
          click_id(sample_id("click_", event.click.key)) {}
};

/// Writes a lead; a customer's first one is the sign-up.
inline void write_sample_lead(sluice::detail::json_writer& json, const sample_model& model,
                              std::uint64_t index) {
    constexpr std::array<std::string_view, 3> later_names{"Demo booked", "Trial, extended",
                                                          "Read the \"guide\""};
    auto random = sample_random(model.seed(), sample_stream::metadata, 2 * index);
    const sample_conversion event = model.lead(index);
    const bool first = sample_model::sign_up(event.customer) == index;
    const std::string id =
        sample_id("lead_", sample_key(model.seed(), sample_stream::leads, index));
    const sample_references references(model, event);
    const std::string_view name = first ? "Sign up" : random.pick(later_names);
    std::string metadata;
    sluice::detail::json_writer metadata_json(metadata);
    write_lead_metadata(metadata_json, random);
    write_stored(json, lead{.event_id = id,
                            .event_name = name,
                            .timestamp = event.at,
                            .customer_id = references.customer_id,
                            .click_id = references.click_id,
                            .link_id = event.click.link->id,
                            .metadata = metadata});
}

/// Writes a sale.
inline void write_sample_sale(sluice::detail::json_writer& json, const sample_model& model,
                              std::uint64_t index) {
    auto random = sample_random(model.seed(), sample_stream::metadata, 2 * index + 1);
    const sample_conversion event = model.sale(index);
    const std::uint64_t key = sample_key(model.seed(), sample_stream::sales, index);
    const std::string id = sample_id("sale_", key), invoice = sample_id("inv_", key);
    const sample_references references(model, event);
    const std::int64_t quantity = 1 + random.below(1 + random.below(9));
    sale record{.event_id = id,
                .event_name = random.chance(60) ? "Invoice paid" : "Purchase",
                .timestamp = event.at,
                .customer_id = references.customer_id,
                .click_id = references.click_id,
                .link_id = event.click.link->id,
                .amount = quantity * random.pick(sample_prices),
                .currency = random.chance(80) ? "usd" : random.pick(sample_currencies),
                .invoice_id = text_or_null(random.chance(8) ? std::string_view() : invoice),
                .payment_processor = random.pick(sample_processors)};
    std::string metadata;
    sluice::detail::json_writer metadata_json(metadata);
    write_sale_metadata(metadata_json, random, quantity);
    record.metadata = metadata;
    write_stored(json, record);
}

}  // namespace sluice::reference

#endif
