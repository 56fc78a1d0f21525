// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SAMPLE_LINK_RECORDS_HPP
#define SLUICE_API_SAMPLE_LINK_RECORDS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/api/sample/keys.hpp>
#include <sluice/api/sample/links.hpp>
#include <sluice/api/sample/metadata.hpp>
#include <sluice/api/sample/tables.hpp>
#include <sluice/detail/json_writer.hpp>
#include <sluice/detail/random.hpp>
#include <sluice/instant.hpp>

namespace sluice::api {

/// Writes the members that a tag shows in its links too.
inline void write_sample_tag_members(sluice::detail::json_writer& json, std::uint64_t seed,
                                     std::size_t index) {
    const sample_tag& tag = sample_tags[index];
    json.member("id", sample_id("tag_", sample_key(seed, sample_stream::tags, index)));
    json.member("name", tag.name);
    json.member("color", tag.color);
}

/// Writes a tag. Two at a time come into being at once.
inline void write_sample_tag(sluice::detail::json_writer& json, std::uint64_t seed,
                             std::size_t index, instant now) {
    json.begin_object();
    write_sample_tag_members(json, seed, index);
    const instant created = now - std::chrono::hours(10'000) + std::chrono::hours(index / 2);
    json.member("createdAt", format_timestamp(created)).end_object();
}

/// Writes an identifier of a short list, such as `tenant_7`, or null for some.
inline void write_sample_short_id(sluice::detail::json_writer& json, std::string_view name,
                                  std::string_view prefix, std::uint32_t of,
                                  std::uint32_t null_percent,
                                  sluice::detail::random_source& random) {
    const std::uint32_t number = random.below(of);
    const bool none = random.chance(null_percent);
    write_text_or_null(json, name, none ? "" : std::string(prefix) + std::to_string(number));
}

/// Writes the link's place in a partner program: all of it or nothing.
inline void write_sample_program(sluice::detail::json_writer& json,
                                 sluice::detail::random_source& random) {
    const std::uint32_t null_percent = random.chance(30) ? 0 : 100;
    write_sample_short_id(json, "programId", "prog_", 2, null_percent, random);
    write_sample_short_id(json, "partnerId", "pn_", 12, null_percent, random);
    write_sample_short_id(json, "groupId", "grp_", 4, null_percent, random);
    json.key("partnerTagIds").begin_array();
    const std::uint32_t first = random.below(6);
    const std::uint32_t count = null_percent == 0 ? random.below(4) : 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        json.value("ptag_" + std::to_string((first + i) % 6));
    }
    json.end_array();
}

/// Writes up to three different tags.
inline void write_sample_link_tags(sluice::detail::json_writer& json, std::uint64_t seed,
                                   sluice::detail::random_source& random) {
    json.key("tags").begin_array();
    const std::uint32_t first = random.below(sample_tags.size());
    const std::uint32_t count = random.below(4);
    for (std::uint32_t i = 0; i < count; ++i) {
        json.begin_object();
        write_sample_tag_members(json, seed, (first + 7 * i) % sample_tags.size());
        json.end_object();
    }
    json.end_array();
}

/// Writes a test of two destinations that ran for a month.
inline void write_sample_test(sluice::detail::json_writer& json, const sample_link& link,
                              instant created) {
    const auto variant = [&json](std::string_view url, std::int64_t percentage) {
        json.begin_object().member("url", url).member("percentage", percentage).end_object();
    };
    json.key("testVariants").begin_array();
    variant(link.url, 60);
    variant("https://www.acme.example/b", 40);
    json.end_array().member("testStartedAt", format_timestamp(created + std::chrono::days(1)));
    json.member("testCompletedAt", format_timestamp(created + std::chrono::days(31)));
}

/// Writes what most links have only defaults for, and leaves it out for them.
inline void write_sample_extras(sluice::detail::json_writer& json, const sample_link& link,
                                instant created, sluice::detail::random_source& random) {
    const std::string later = format_timestamp(created + std::chrono::days(40));
    if (random.chance(3)) json.member("disabledAt", later);
    if (random.chance(3)) json.member("password", "pa\"ss\\word").member("publicStats", true);
    if (random.chance(10)) {
        json.member("proxy", true).member("image", "https://cdn.acme.example/og.png");
    }
    if (random.chance(8)) {
        json.member("ios", "https://apps.example/ios").key("geo").begin_object();
        json.member("FR", link.url).member("JP", "https://www.acme.example/jp").end_object();
    }
    if (random.chance(8)) write_sample_test(json, link, created);
    if (random.chance(20)) json.key("webhookIds").begin_array().value("wh_1").end_array();
}

/// Writes who a link belongs to and what it says of itself.
inline void write_sample_ownership(sluice::detail::json_writer& json, std::uint64_t seed,
                                   const sample_link& link, instant created,
                                   sluice::detail::random_source& random) {
    const std::string expires = format_timestamp(created + std::chrono::days(400));
    const bool named = random.chance(35);
    write_text_or_null(json, "externalId", named ? "sku-" + std::to_string(link.index) : "");
    write_sample_short_id(json, "tenantId", "tenant_", 20, 35, random);
    write_sample_program(json, random);
    json.member("archived", random.chance(3));
    json.member("expiresAt", random.chance(4) ? expires : "");
    write_text_or_null(json, "title", random.chance(25) ? random.pick(sample_titles) : "");
    write_text_or_null(json, "description", random.chance(10) ? random.pick(sample_titles) : "");
    write_sample_link_tags(json, seed, random);
    write_sample_short_id(json, "folderId", "fold_", 12, 45, random);
    write_text_or_null(json, "comments", random.chance(5) ? random.pick(sample_labels) : "");
}

/// Writes a link as its record is stored: what has a default may be left out.
inline void write_sample_link(sluice::detail::json_writer& json, std::uint64_t seed,
                              const sample_link& link, instant now) {
    auto random = sample_random(seed, sample_stream::link_details, link.index);
    const instant created = now - std::chrono::hours(24 * 60 + random.below(24 * 300));
    json.begin_object().member("id", link.id).member("domain", link.domain);
    json.member("key", link.key).member("url", link.url);
    json.member("trackConversion", random.chance(97));
    write_sample_ownership(json, seed, link, created, random);
    for (const auto& [name, value] : sample_utm_pairs(link.utm ? *link.utm : sample_utm{})) {
        write_text_or_null(json, name, value);
    }
    write_sample_extras(json, link, created, random);
    json.member("createdAt", format_timestamp(created));
    json.member("updatedAt", format_timestamp(created + std::chrono::hours(36))).end_object();
}

}  // namespace sluice::api

#endif
