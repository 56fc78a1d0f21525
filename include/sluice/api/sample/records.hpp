// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SAMPLE_RECORDS_HPP
#define SLUICE_API_SAMPLE_RECORDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/api/sample/keys.hpp>
#include <sluice/api/sample/links.hpp>
#include <sluice/api/sample/metadata.hpp>
#include <sluice/api/sample/model.hpp>
#include <sluice/api/sample/tables.hpp>
#include <sluice/detail/json_writer.hpp>
#include <sluice/detail/random.hpp>
#include <sluice/instant.hpp>

namespace sluice::api {

inline std::string sample_customer_id(std::uint64_t seed, std::uint64_t index) {
    return sample_id("cus_", sample_key(seed, sample_stream::customers, index));
}

/// An address with its last part zeroed; one in sixteen is IPv6.
[[nodiscard]] inline std::string sample_address(std::uint64_t bits) {
    if (bits >> 60 == 0) return sample_id("2001:db8:", bits).substr(0, 13) + "::";
    std::string text;
    for (int shift = 16; shift >= 0; shift -= 8) {
        text += std::to_string((bits >> shift) & 255) + ".";
    }
    return text + "0";
}

/// Writes a customer, who has the country of the click that they signed up after.
inline void write_sample_customer(sluice::detail::json_writer& json, const sample_model& model,
                                  std::uint64_t index) {
    const std::uint64_t key = sample_key(model.seed(), sample_stream::customers, index);
    sluice::detail::random_source random(key);
    const sample_conversion first = model.lead(sample_model::sign_up(index));
    const std::string number = std::to_string(index + 1);
    const std::string_view country = first.click.place->country;
    json.begin_object().member("id", sample_id("cus_", key)).member("externalId", "user-" + number);
    write_text_or_null(json, "name", random.chance(3) ? "" : random.pick(sample_names));
    write_text_or_null(json, "email", random.chance(5) ? "" : "user" + number + "@mail.example");
    write_text_or_null(json, "avatar",
                       random.chance(80) ? "" : "https://cdn.acme.example/u/" + number + ".png");
    write_text_or_null(json, "country", country == "Unknown" ? "" : country);
    json.member("createdAt", format_timestamp(first.at)).end_object();
}

/// Writes a click.
inline void write_sample_click(sluice::detail::json_writer& json, const sample_click& click) {
    const sample_link& link = *click.link;
    json.begin_object().member("id", sample_id("click_", click.key));
    json.member("timestamp", format_timestamp(click.at)).member("linkId", link.id);
    json.member("url", click.advert ? sample_tagged_url(link.url, *click.advert) : link.url);
    json.member("country", click.place->country).member("region", click.place->region);
    json.member("city", click.place->city).member("continent", click.place->continent);
    json.member("device", click.client->device).member("browser", click.client->browser);
    json.member("os", click.client->os);
    write_text_or_null(json, "trigger", click.trigger);
    json.member("referer", click.referer->host).member("refererUrl", click.referer->url);
    json.member("qr", click.trigger == "qr").member("ip", sample_address(click.address));
    json.end_object();
}

/// Writes the members that leads and sales begin with.
inline void write_sample_conversion(sluice::detail::json_writer& json, const sample_model& model,
                                    std::string_view id, std::string_view name,
                                    const sample_conversion& event) {
    json.member("eventId", id).member("eventName", name);
    json.member("timestamp", format_timestamp(event.at));
    json.member("customerId", sample_customer_id(model.seed(), event.customer));
    json.member("clickId", sample_id("click_", event.click.key));
    json.member("linkId", event.click.link->id);
}

/// Writes a lead; a customer's first is their sign-up.
inline void write_sample_lead(sluice::detail::json_writer& json, const sample_model& model,
                              std::uint64_t index) {
    constexpr std::array<std::string_view, 3> later_names{"Demo booked", "Trial, extended",
                                                          "Read the \"guide\""};
    auto random = sample_random(model.seed(), sample_stream::metadata, 2 * index);
    const sample_conversion lead = model.lead(index);
    const bool first = sample_model::sign_up(lead.customer) == index;
    const std::uint64_t key = sample_key(model.seed(), sample_stream::leads, index);
    json.begin_object();
    write_sample_conversion(json, model, sample_id("lead_", key),
                            first ? "Sign up" : random.pick(later_names), lead);
    json.key("metadata");
    write_lead_metadata(json, random);
    json.end_object();
}

/// Writes a sale.
inline void write_sample_sale(sluice::detail::json_writer& json, const sample_model& model,
                              std::uint64_t index) {
    auto random = sample_random(model.seed(), sample_stream::metadata, 2 * index + 1);
    const sample_conversion sale = model.sale(index);
    const std::uint64_t key = sample_key(model.seed(), sample_stream::sales, index);
    const std::int64_t quantity = 1 + random.below(1 + random.below(9));
    json.begin_object();
    write_sample_conversion(json, model, sample_id("sale_", key),
                            random.chance(60) ? "Invoice paid" : "Purchase", sale);
    json.member("amount", quantity * random.pick(sample_prices));
    json.member("currency", random.chance(80) ? "usd" : random.pick(sample_currencies));
    const std::string invoice = sample_id("inv_", key);
    write_text_or_null(json, "invoiceId", random.chance(8) ? "" : invoice);
    json.member("paymentProcessor", random.pick(sample_processors)).key("metadata");
    write_sale_metadata(json, random, quantity);
    json.end_object();
}

}  // namespace sluice::api

#endif
