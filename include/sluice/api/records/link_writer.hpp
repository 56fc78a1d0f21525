// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_LINK_WRITER_HPP
#define SLUICE_API_RECORDS_LINK_WRITER_HPP

#include <string>
#include <string_view>

#include <sluice/api/records/json_members.hpp>
#include <sluice/api/records/records.hpp>

namespace sluice::api {

namespace detail {

/// Whether a byte stands for itself in the path of a URL (RFC 3986): pchar or "/".
constexpr bool is_path_byte(char byte) noexcept {
    const bool alphanumeric = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                              (byte >= '0' && byte <= '9');
    constexpr std::string_view others = "-._~!$&'()*+,;=:@/";
    return alphanumeric || others.find(byte) != std::string_view::npos;
}

/// Appends `path`, percent-encoded where it has to be, so that it decodes to the same bytes.
inline void append_url_path(std::string& out, std::string_view path) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char byte : path) {
        if (is_path_byte(byte)) {
            out.push_back(byte);
        } else {
            const auto value = static_cast<unsigned char>(byte);
            out.append({'%', digits[value >> 4], digits[value & 15]});
        }
    }
}

}  // namespace detail

/// The URL of a short link: `https://{domain}/{key}`, of a root link `https://{domain}`. Bytes of
/// the key that a URL's path can't hold (space, `%`, `?`, `#`, non-ASCII and the like) are
/// percent-encoded; `/` is not.
[[nodiscard]] inline std::string short_link_url(std::string_view domain, std::string_view key) {
    std::string url("https://");
    url.append(domain);
    if (key == root_link_key) return url;
    url.push_back('/');
    detail::append_url_path(url, key);
    return url;
}

/// The URL of the QR code for a short link: its own with the query `qr=image`, which no other
/// link's URL can be.
[[nodiscard]] inline std::string qr_code_url(std::string_view domain, std::string_view key) {
    return short_link_url(domain, key).append("?qr=image");
}

/// Writes a tag: `id`, `name`, and `color` only where it has one.
inline void write_tag(sluice::detail::json_writer& json, const tag& written) {
    json.begin_object().member("id", written.id).member("name", written.name);
    if (written.color) json.member("color", *written.color);
    json.end_object();
}

namespace detail {

inline void write_texts(json_writer& json, std::string_view name,
                        std::span<const std::string_view> texts) {
    json.key(name).begin_array();
    for (const std::string_view text : texts) json.value(text);
    json.end_array();
}

inline void write_test_variants(json_writer& json, const link& written) {
    if (!written.has_test_variants) return;
    json.key("testVariants");
    if (!written.test_variants) {
        json.value(nullptr);
        return;
    }
    json.begin_array();
    for (const test_variant& variant : *written.test_variants) {
        json.begin_object().member("url", variant.url);
        write_number(json, "percentage", variant.percentage);
        json.end_object();
    }
    json.end_array();
}

// The parts of a link object, in their order.

inline void write_link_identity(json_writer& json, const link& written) {
    json.member("id", written.id).member("domain", written.domain).member("key", written.key);
    json.member("url", written.url).member("trackConversion", written.track_conversion);
    write_nullable(json, "externalId", written.external_id);
    write_nullable(json, "tenantId", written.tenant_id);
    write_nullable(json, "programId", written.program_id);
    write_nullable(json, "partnerId", written.partner_id);
}

inline void write_link_state(json_writer& json, const link& written) {
    json.member("archived", written.archived);
    write_time(json, "expiresAt", written.expires_at);
    write_nullable(json, "expiredUrl", written.expired_url);
    write_time(json, "disabledAt", written.disabled_at);
    write_nullable(json, "password", written.password);
}

inline void write_link_preview(json_writer& json, const link& written) {
    json.member("proxy", written.proxy);
    write_nullable(json, "title", written.title);
    write_nullable(json, "description", written.description);
    write_nullable(json, "image", written.image);
    write_nullable(json, "video", written.video);
}

inline void write_link_target(json_writer& json, const link& written) {
    json.member("rewrite", written.rewrite).member("doIndex", written.do_index);
    write_nullable(json, "ios", written.ios);
    write_nullable(json, "android", written.android);
    json.raw_member("geo", written.geo.value_or("null"));
    json.member("publicStats", written.public_stats);
}

inline void write_link_labels(json_writer& json, const link& written) {
    json.key("tags").begin_array();
    for (const tag& each : written.tags) write_tag(json, each);
    json.end_array();
    write_nullable(json, "folderId", written.folder_id);
    write_texts(json, "webhookIds", written.webhook_ids);
    write_nullable(json, "comments", written.comments);
    json.member("shortLink", short_link_url(written.domain, written.key));
    json.member("qrCode", qr_code_url(written.domain, written.key));
}

inline void write_link_campaign(json_writer& json, const link& written) {
    write_nullable(json, "utm_source", written.utm_source);
    write_nullable(json, "utm_medium", written.utm_medium);
    write_nullable(json, "utm_campaign", written.utm_campaign);
    write_nullable(json, "utm_term", written.utm_term);
    write_nullable(json, "utm_content", written.utm_content);
    write_test_variants(json, written);
    write_time(json, "testStartedAt", written.test_started_at);
    write_time(json, "testCompletedAt", written.test_completed_at);
}

inline void write_link_statistics(json_writer& json, const link& written) {
    json.member("clicks", written.clicks).member("leads", written.leads);
    json.member("conversions", written.conversions).member("sales", written.sales);
    json.member("saleAmount", written.sale_amount);
    write_time(json, "lastClicked", written.last_clicked);
}

}  // namespace detail

/// Writes a link object. `workspace_id` is the workspace that holds it, be it the link's own or
/// inherited. Derived: `shortLink`, `qrCode`, and the deprecated `tagId` (the first tag's id) and
/// `projectId` (the workspace).
inline void write_link(sluice::detail::json_writer& json, const link& written,
                       std::string_view workspace_id) {
    json.begin_object();
    detail::write_link_identity(json, written);
    detail::write_link_state(json, written);
    detail::write_link_preview(json, written);
    detail::write_link_target(json, written);
    detail::write_link_labels(json, written);
    detail::write_link_campaign(json, written);
    detail::write_nullable(json, "userId", written.user_id);
    json.member("workspaceId", workspace_id);
    detail::write_link_statistics(json, written);
    detail::write_time(json, "createdAt", written.created_at);
    detail::write_time(json, "updatedAt", written.updated_at);
    const auto first_tag = written.tags.empty() ? std::nullopt : std::optional(written.tags[0].id);
    detail::write_nullable(json, "tagId", first_tag);
    json.member("projectId", workspace_id).end_object();
}

}  // namespace sluice::api

#endif
