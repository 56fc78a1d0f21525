// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_RECORDS_HPP
#define SLUICE_REFERENCE_SAMPLE_RECORDS_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/random.hpp>
#include <sluice/reference/records/record_writer.hpp>
#include <sluice/reference/sample/metadata.hpp>
#include <sluice/reference/sample/model.hpp>
#include <sluice/reference/sample/tables.hpp>
#include <sluice/time/instant.hpp>

/// Writes the records of a sample as JSON, each from its index in the model.
namespace sluice::reference {

/// The id of the customer at an index.
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
    // The stream of metadata is shared: even numbers are leads, odd ones sales.
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

/// The id of a tag of link records.
inline std::string sample_tag_id(std::uint64_t seed, std::size_t index) {
    return sample_id("tag_", sample_key(seed, sample_stream::tags, index));
}

/// Writes a tag. Each creation time is shared by two tags.
inline void write_sample_tag(sluice::detail::json_writer& json, std::uint64_t seed,
                             std::size_t index, instant now) {
    const std::string id = sample_tag_id(seed, index);
    write_stored(
        json, tag{.id = id,
                  .name = sample_tags[index].name,
                  .color = sample_tags[index].color,
                  .created_at = now - std::chrono::hours(10'000) + std::chrono::hours(index / 2)});
}

/// Writes a domain: the first is the primary one, the second was bought, the last is archived.
inline void write_sample_domain(sluice::detail::json_writer& json, std::size_t index, instant now) {
    const std::string id = "dom_" + std::to_string(index);
    const instant created = now - std::chrono::hours(10'000) + std::chrono::hours(index);
    domain record{.id = id,
                  .slug = sample_domain_records[index],
                  .verified = true,
                  .primary = index == 0,
                  .archived = index + 1 == sample_domain_records.size(),
                  .created_at = created,
                  .updated_at = created + std::chrono::hours(36)};
    if (index == 1) {
        record.placeholder = "https://www.acme.example/launch";
        record.not_found_url = "https://www.acme.example/lost?from=\"link\"";
        record.registration = {.id = "reg_1",
                               .created_at = created,
                               .expires_at = created + std::chrono::hours(24 * 365),
                               .renewal_fee = 12.5};
    }
    write_stored(json, record);
}

/// Writes a folder. Each creation time is shared by two folders.
inline void write_sample_folder(sluice::detail::json_writer& json, std::size_t index, instant now) {
    const std::string id = "fold_" + std::to_string(index);
    const instant created = now - std::chrono::hours(9'000) + std::chrono::hours(index / 2);
    constexpr std::array<std::optional<std::string_view>, 3> levels{"write", "read", std::nullopt};
    write_stored(json, folder{.id = id,
                              .name = sample_folders[index],
                              .description = text_or_null(index % 4 == 0 ? "links of a team" : ""),
                              .type = index == 5 ? folder_types[1] : folder_types[0],
                              .access_level = levels[index % levels.size()],
                              .created_at = created,
                              .updated_at = created + std::chrono::hours(36)});
}

/// Builds the record of a link, and owns the texts that it views.
class sample_link_record {
public:
    sample_link_record(std::uint64_t seed, const sample_link& sample, instant now)
        : seed_(seed),
          sample_(sample),
          random_(sample_random(seed, sample_stream::link_details, sample.index)) {
        record_.created_at = now - std::chrono::hours(24 * 60 + random_.below(24 * 300));
        record_.updated_at = record_.created_at + std::chrono::hours(36);
        record_.id = sample.id;
        record_.domain = sample.domain;
        record_.key = sample.key;
        record_.url = sample.url;
        record_.track_conversion = random_.chance(97);
        set_ownership();
        if (sample.index % 6 != 0) record_.user_id = sample_users[sample.index % 6 - 1];
        set_utm(sample.utm ? *sample.utm : sample_utm{});
        set_extras();
    }
    sample_link_record(const sample_link_record&) = delete;
    sample_link_record& operator=(const sample_link_record&) = delete;

    [[nodiscard]] const link& get() const noexcept { return record_; }

private:
    /// Stores a text with a stable address for the lifetime of this object.
    std::string_view store_text(std::string text) { return texts_.emplace_back(std::move(text)); }

    /// An identifier with a number below `limit`, such as `tenant_7`, or null in `null_percent` of
    /// the cases.
    std::optional<std::string_view> short_id(std::string_view prefix, std::uint32_t limit,
                                             std::uint32_t null_percent) {
        const std::uint32_t number = random_.below(limit);
        if (random_.chance(null_percent)) return std::nullopt;
        return store_text(std::string(prefix) + std::to_string(number));
    }

    /// Sets the owner, the external id and descriptive fields.
    void set_ownership() {
        if (random_.chance(35))
            record_.external_id = store_text("sku-" + std::to_string(sample_.index));
        record_.tenant_id = short_id("tenant_", 20, 35);
        set_program();
        record_.archived = random_.chance(3);
        if (random_.chance(4)) record_.expires_at = record_.created_at + std::chrono::days(400);
        if (random_.chance(25)) record_.title = random_.pick(sample_titles);
        if (random_.chance(10)) record_.description = random_.pick(sample_titles);
        set_tags();
        record_.folder_id = short_id("fold_", 12, 45);
        if (random_.chance(5)) record_.comments = random_.pick(sample_labels);
    }
    /// Sets the fields of a partner program: all of them or none.
    void set_program() {
        const std::uint32_t null_percent = random_.chance(30) ? 0 : 100;
        record_.program_id = short_id("prog_", 2, null_percent);
        record_.partner_id = short_id("pn_", 12, null_percent);
        record_.group_id = short_id("grp_", 4, null_percent);
        const std::uint32_t first = random_.below(6);
        const std::uint32_t count = null_percent == 0 ? random_.below(4) : 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            partner_tags_.push_back(store_text("ptag_" + std::to_string((first + i) % 6)));
        }
        record_.partner_tag_ids = partner_tags_;
    }
    /// Sets up to three different tags.
    void set_tags() {
        const std::uint32_t first = random_.below(sample_tags.size());
        const std::uint32_t count = random_.below(4);
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::size_t index = (first + 7 * i) % sample_tags.size();
            tags_.push_back({.id = store_text(sample_tag_id(seed_, index)),
                             .name = sample_tags[index].name,
                             .color = sample_tags[index].color});
        }
        record_.tags = tags_;
    }
    /// Sets the UTM fields, to null for those that the campaign lacks.
    void set_utm(const sample_utm& utm) {
        record_.utm_source = text_or_null(utm.source);
        record_.utm_medium = text_or_null(utm.medium);
        record_.utm_campaign = text_or_null(utm.campaign);
        record_.utm_term = text_or_null(utm.term);
        record_.utm_content = text_or_null(utm.content);
    }
    /// Sets rare fields, which most links leave at their defaults.
    void set_extras() {
        if (random_.chance(3)) record_.disabled_at = record_.created_at + std::chrono::days(40);
        if (random_.chance(3)) {
            record_.password = "pa\"ss\\word";
            record_.public_stats = true;
        }
        if (random_.chance(10)) {
            record_.proxy = true;
            record_.image = "https://cdn.acme.example/og.png";
        }
        if (random_.chance(8)) {
            record_.ios = "https://apps.example/ios";
            record_.geo = store_text(make_geo());
        }
        if (random_.chance(8)) set_test();
        if (random_.chance(20)) record_.webhook_ids = webhooks;
    }
    /// The destinations by country, as JSON.
    [[nodiscard]] std::string make_geo() const {
        std::string text;
        sluice::detail::json_writer json(text);
        json.begin_object().member("FR", sample_.url);
        json.member("JP", "https://www.acme.example/jp").end_object();
        return text;
    }
    /// Sets a completed one-month test of two destinations.
    void set_test() {
        variants_ = {{{.url = sample_.url, .percentage = 60},
                      {.url = "https://www.acme.example/b", .percentage = 40}}};
        record_.has_test_variants = true;
        record_.test_variants = variants_;
        record_.test_started_at = record_.created_at + std::chrono::days(1);
        record_.test_completed_at = record_.created_at + std::chrono::days(31);
    }

    static constexpr std::array<std::string_view, 1> webhooks{"wh_1"};

    std::uint64_t seed_;
    const sample_link& sample_;
    sluice::detail::random_source random_;
    link record_;
    std::deque<std::string> texts_;
    std::vector<std::string_view> partner_tags_;
    std::vector<tag> tags_;
    std::array<test_variant, 2> variants_;
};

/// Writes a link.
inline void write_sample_link(sluice::detail::json_writer& json, std::uint64_t seed,
                              const sample_link& sample, instant now) {
    write_stored(json, sample_link_record(seed, sample, now).get());
}

}  // namespace sluice::reference

#endif
