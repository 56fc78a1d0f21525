// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_RECORDS_HPP
#define SLUICE_REFERENCE_RECORDS_RECORDS_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/reference/records/fields.hpp>

/// Records of the service, and the URLs of its links.
namespace sluice::reference {

/// The key of a domain's root link.
inline constexpr std::string_view root_link_key = "_root";

namespace detail {

/// Returns true if a URL's path may contain the byte unescaped (RFC 3986: pchar or "/").
constexpr bool is_path_byte(char byte) noexcept {
    constexpr std::string_view others = "-._~!$&'()*+,;=:@/";
    return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) ||
           others.find(byte) != std::string_view::npos;
}

/// Appends `path`, percent-encoding bytes as needed.
inline void append_url_path(std::string& out, std::string_view path) {
    for (const char byte : path) {
        if (is_path_byte(byte)) {
            out.push_back(byte);
        } else {
            out.push_back('%');
            sluice::detail::append_hex(out, byte, sluice::detail::upper_hex_digits);
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

/// The URL of a short link's QR code: the URL of the link with the query `qr=image`. No other link
/// has this URL.
[[nodiscard]] inline std::string qr_code_url(std::string_view domain, std::string_view key) {
    return short_link_url(domain, key).append("?qr=image");
}

/// A slug for a link without a key: seven characters that need no escaping in URLs. Bijective in
/// the low 42 bits of `random`, so that uniform bits give uniform slugs.
///
/// ```
/// const auto slug = make_slug(0);  // AAAAAAA
/// const std::string_view key(slug.data(), slug.size());
/// ```
[[nodiscard]] constexpr std::array<char, 7> make_slug(std::uint64_t random) noexcept {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::array<char, 7> slug{};
    for (char& character : slug) {
        character = alphabet[random & 63];
        random >>= 6;
    }
    return slug;
}

// The stored records of the service, one JSON object each. They view a buffer of the caller or of
// the record_reader that parsed them, and are valid only as long as it. Fields are declared in the
// order of writing. `file` is the name of the NDJSON file with such records, one per line.
// `workspaceId` is the workspace of a record; if it is absent, the record belongs to the default
// workspace.

/// The colors of tag records.
inline constexpr std::array<std::string_view, 8> tag_colors{"red",    "yellow", "green", "blue",
                                                            "purple", "brown",  "gray",  "pink"};
/// The types of folders, and what their workspace's members may do with the links inside.
inline constexpr std::array<std::string_view, 2> folder_types{"default", "mega"};
inline constexpr std::array<std::string_view, 2> access_levels{"write", "read"};
/// The causes of clicks.
inline constexpr std::array<std::string_view, 3> click_triggers{"qr", "link", "pageview"};

/// A label of links. Tags nested in links have only the visible fields.
struct tag {
    SLUICE_RECORD(tag);
    static constexpr std::string_view file = "tags.ndjson";
    SLUICE_FIELD(id, text, "id", required, "ID of the tag");
    SLUICE_FIELD(name, text, "name", required, "name of the tag");
    SLUICE_FIELD(color, optional_choice<tag_colors>, "color", none, "color of the tag");
    SLUICE_FIELD(created_at, time, "createdAt", required | hidden, "when it was made");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_RECORD_END;
};

/// A person who followed a link and then signed up or bought.
struct customer {
    SLUICE_RECORD(customer);
    static constexpr std::string_view file = "customers.ndjson";
    SLUICE_FIELD(id, text, "id", required, "ID of the customer");
    SLUICE_FIELD(external_id, text, "externalId", required, "your own ID of the customer");
    SLUICE_FIELD(name, nullable_text, "name", none, "name of the customer");
    SLUICE_FIELD(email, nullable_text, "email", none, "mail address of the customer");
    SLUICE_FIELD(avatar, nullable_text, "avatar", none, "URL of a picture");
    SLUICE_FIELD(country, nullable_text, "country", none, "ISO 3166-1 alpha-2 code");
    SLUICE_FIELD(created_at, time, "createdAt", required, "when the customer was made");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_RECORD_END;
};

/// A group of links.
struct folder {
    SLUICE_RECORD(folder);
    static constexpr std::string_view file = "folders.ndjson";
    SLUICE_FIELD(id, text, "id", required, "ID of the folder");
    SLUICE_FIELD(name, text, "name", required, "name of the folder");
    SLUICE_FIELD(description, nullable_text, "description", none, "what it is for");
    SLUICE_FIELD(type, choice_or_first<folder_types>, "type", none, "kind of folder");
    SLUICE_FIELD(access_level, choice<access_levels>, "accessLevel", none,
                 "what all members may do; null: nothing");
    SLUICE_FIELD(created_at, time, "createdAt", required, "when it was made");
    SLUICE_FIELD(updated_at, time, "updatedAt", required, "when it was changed last");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_RECORD_END;
};

/// The registration of a domain that was bought through the service.
struct registered_domain {
    SLUICE_RECORD(registered_domain);
    SLUICE_FIELD(id, text, "id", required, "ID of the registration");
    SLUICE_FIELD(auto_renewal_disabled_at, nullable_text, "autoRenewalDisabledAt", none,
                 "since when it isn't renewed");
    SLUICE_FIELD(created_at, time, "createdAt", required, "when it was registered");
    SLUICE_FIELD(expires_at, time, "expiresAt", required, "when it expires");
    SLUICE_FIELD(renewal_fee, number, "renewalFee", required, "price of a renewal");
    SLUICE_RECORD_END;
};

namespace kinds {

/// The registration of a domain, or null.
struct registration : kind<std::optional<registered_domain>, presence::nullable> {
    static constexpr std::string_view type = "RegisteredDomain";
};

}  // namespace kinds

/// A domain of short links.
struct domain {
    SLUICE_RECORD(domain);
    static constexpr std::string_view file = "domains.ndjson";
    SLUICE_FIELD(id, text, "id", required, "ID of the domain");
    SLUICE_FIELD(slug, text, "slug", required, "name of the domain");
    SLUICE_FIELD(verified, flag, "verified", none, "whether its DNS records lead here");
    SLUICE_FIELD(primary, flag, "primary", none, "whether new links have it by default");
    SLUICE_FIELD(archived, flag, "archived", none, "whether it is put away");
    SLUICE_FIELD(placeholder, nullable_text, "placeholder", none, "an example of a destination");
    SLUICE_FIELD(expired_url, nullable_text, "expiredUrl", none, "where expired links lead");
    SLUICE_FIELD(not_found_url, nullable_text, "notFoundUrl", none, "where unknown links lead");
    SLUICE_FIELD(logo, nullable_text, "logo", none, "URL of a picture");
    SLUICE_FIELD(created_at, time, "createdAt", required, "when it was added");
    SLUICE_FIELD(updated_at, time, "updatedAt", required, "when it was changed last");
    SLUICE_FIELD(registration, registration, "registeredDomain", none, "its registration");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_RECORD_END;
};

/// A destination of an A/B test and its share of the traffic.
struct test_variant {
    SLUICE_RECORD(test_variant);
    SLUICE_FIELD(url, text, "url", required, "where it leads");
    SLUICE_FIELD(percentage, percentage, "percentage", required, "its share, 10 to 90");
    SLUICE_RECORD_END;
};

namespace kinds {

/// A link's tags; empty if null.
struct tag_list : kind<std::span<const tag>, presence::nullable> {
    static constexpr std::string_view type = "Tag[]";
};

/// The variants of a link's test: a list, null, or left out, as `has_test_variants` says.
struct variant_list : kind<std::optional<std::span<const test_variant>>, presence::optional> {
    static constexpr std::string_view type = "TestVariant[]?";
};

}  // namespace kinds

struct link;

namespace detail {

// Derived fields of links.
[[nodiscard]] inline std::string short_link_of(const link& shown, std::string_view workspace_id);
[[nodiscard]] inline std::string qr_code_of(const link& shown, std::string_view workspace_id);
[[nodiscard]] inline std::string_view workspace_of(const link& shown,
                                                   std::string_view workspace_id) noexcept;
[[nodiscard]] inline std::optional<std::string_view> first_tag_of(
    const link& shown, std::string_view workspace_id) noexcept;

}  // namespace detail

/// A short link.
struct link {
    SLUICE_RECORD(link);
    static constexpr std::string_view file = "links.ndjson";
    SLUICE_FIELD(id, text, "id", required, "ID of the link");
    SLUICE_FIELD(domain, text, "domain", required | indexed, "domain of the short link");
    SLUICE_FIELD(key, text_or_none, "key", indexed, "slug of the short link; see make_slug()");
    SLUICE_FIELD(url, text, "url", required, "where it leads");
    SLUICE_FIELD(track_conversion, flag, "trackConversion", none, "whether leads are tracked");
    SLUICE_FIELD(external_id, nullable_text, "externalId", indexed, "your own ID of the link");
    SLUICE_FIELD(tenant_id, nullable_text, "tenantId", indexed, "ID of the link's tenant");
    SLUICE_FIELD(program_id, nullable_text, "programId", indexed, "ID of the partner program");
    SLUICE_FIELD(partner_id, nullable_text, "partnerId", indexed, "ID of the link's partner");
    SLUICE_FIELD(group_id, nullable_text, "groupId", hidden | indexed, "the partner's group");
    SLUICE_FIELD(partner_tag_ids, text_list_or_none, "partnerTagIds", hidden | indexed,
                 "IDs of tags of the link's partner");
    SLUICE_FIELD(archived, flag, "archived", none, "whether it is put away");
    SLUICE_FIELD(expires_at, optional_time, "expiresAt", none, "when it expires; else empty");
    SLUICE_FIELD(expired_url, nullable_text, "expiredUrl", none, "where it leads from then on");
    SLUICE_FIELD(disabled_at, optional_time, "disabledAt", none,
                 "since when it is off; else empty");
    SLUICE_FIELD(password, nullable_text, "password", none, "password of its visitors");
    SLUICE_FIELD(proxy, flag, "proxy", none, "whether previews show the fields below");
    SLUICE_FIELD(title, nullable_text, "title", none, "title of the preview");
    SLUICE_FIELD(description, nullable_text, "description", none, "text of the preview");
    SLUICE_FIELD(image, nullable_text, "image", none, "URL of the preview's image");
    SLUICE_FIELD(video, nullable_text, "video", none, "URL of the preview's video");
    SLUICE_FIELD(rewrite, flag, "rewrite", none, "whether the address bar keeps the short link");
    SLUICE_FIELD(do_index, flag, "doIndex", none, "whether search engines may list it");
    SLUICE_FIELD(ios, nullable_text, "ios", none, "where it leads on iOS");
    SLUICE_FIELD(android, nullable_text, "android", none, "where it leads on Android");
    SLUICE_FIELD(geo, text_map, "geo", none, "where it leads by country code");
    SLUICE_FIELD(public_stats, flag, "publicStats", none, "whether anyone may see its numbers");
    SLUICE_FIELD(tags, tag_list, "tags", none, "the link's tags");
    SLUICE_FIELD(folder_id, nullable_text, "folderId", indexed, "ID of the link's folder");
    SLUICE_FIELD(webhook_ids, text_list, "webhookIds", none, "IDs of the webhooks it calls");
    SLUICE_FIELD(comments, nullable_text, "comments", none, "notes of its makers");
    SLUICE_DERIVED_FIELD(text, "shortLink", detail::short_link_of, "URL of the short link");
    SLUICE_DERIVED_FIELD(text, "qrCode", detail::qr_code_of, "URL of its QR code");
    SLUICE_FIELD(utm_source, nullable_text, "utm_source", inherited, "UTM source of its clicks");
    SLUICE_FIELD(utm_medium, nullable_text, "utm_medium", inherited, "UTM medium of its clicks");
    SLUICE_FIELD(utm_campaign, nullable_text, "utm_campaign", inherited, "UTM campaign");
    SLUICE_FIELD(utm_term, nullable_text, "utm_term", inherited, "UTM term of its clicks");
    SLUICE_FIELD(utm_content, nullable_text, "utm_content", inherited, "UTM content");
    bool has_test_variants = false;  ///< the record has test_variants, which may be null
    SLUICE_FIELD(test_variants, variant_list, "testVariants", none, "2 to 4 destinations");
    SLUICE_FIELD(test_started_at, optional_time, "testStartedAt", none, "else empty");
    SLUICE_FIELD(test_completed_at, optional_time, "testCompletedAt", none, "else empty");
    SLUICE_FIELD(user_id, nullable_text, "userId", none, "ID of its maker");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_DERIVED_FIELD(text, "workspaceId", detail::workspace_of, "ID of the workspace");
    SLUICE_FIELD(clicks, count, "clicks", none, "how often it was followed");
    SLUICE_FIELD(leads, count, "leads", none, "leads that it brought");
    SLUICE_FIELD(conversions, count, "conversions", none, "leads that became customers");
    SLUICE_FIELD(sales, count, "sales", none, "sales that it brought, recurring ones included");
    SLUICE_FIELD(sale_amount, count, "saleAmount", none, "their value in cents");
    SLUICE_FIELD(last_clicked, optional_time, "lastClicked", none, "else empty");
    SLUICE_FIELD(created_at, time, "createdAt", required, "when it was made");
    SLUICE_FIELD(updated_at, time, "updatedAt", required, "when it was changed last");
    SLUICE_DERIVED_FIELD(nullable_text, "tagId", detail::first_tag_of, "deprecated: tags");
    SLUICE_DERIVED_FIELD(text, "projectId", detail::workspace_of, "deprecated: workspaceId");
    SLUICE_RECORD_END;
};

namespace detail {

inline std::string short_link_of(const link& shown, std::string_view) {
    return short_link_url(shown.domain, shown.key);
}
inline std::string qr_code_of(const link& shown, std::string_view) {
    return qr_code_url(shown.domain, shown.key);
}
inline std::string_view workspace_of(const link&, std::string_view workspace_id) noexcept {
    return workspace_id;
}
inline std::optional<std::string_view> first_tag_of(const link& shown, std::string_view) noexcept {
    return shown.tags.empty() ? std::nullopt : std::optional(shown.tags[0].id);
}

}  // namespace detail

/// A visit of a link. Unknown values are `Unknown`; a missing referer is `(direct)`.
struct click {
    SLUICE_RECORD(click);
    static constexpr std::string_view file = "clicks.ndjson";
    SLUICE_FIELD(id, text, "id", required | distinct, "ID of the click");
    SLUICE_FIELD(timestamp, time, "timestamp", required, "when the link was followed");
    SLUICE_FIELD(link_id, text, "linkId", required | hidden, "ID of the link");
    SLUICE_FIELD(url, text, "url", required | distinct, "where the link led");
    SLUICE_FIELD(country, text, "country", required | repeated, "ISO 3166-1 alpha-2 code");
    SLUICE_FIELD(city, text, "city", required | repeated, "name of the city");
    SLUICE_FIELD(region, text, "region", required | repeated, "ISO 3166-2 code such as US-CA");
    SLUICE_FIELD(continent, text, "continent", required | repeated, "code of the continent");
    SLUICE_FIELD(device, text, "device", required | repeated, "kind of device");
    SLUICE_FIELD(browser, text, "browser", required | repeated, "name of the browser");
    SLUICE_FIELD(os, text, "os", required | repeated, "name of the operating system");
    SLUICE_FIELD(trigger, choice<click_triggers>, "trigger", repeated, "what caused the click");
    SLUICE_FIELD(referer, text, "referer", required | repeated, "host name of the referer");
    SLUICE_FIELD(referer_url, text, "refererUrl", required | recurring, "URL of the referer");
    SLUICE_FIELD(qr, flag, "qr", required | repeated, "whether it came from a QR code");
    SLUICE_FIELD(ip, text, "ip", required | distinct, "IP address of the visitor");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_RECORD_END;
};

/// A sign-up or a similar event that a click led to.
struct lead {
    SLUICE_RECORD(lead);
    static constexpr std::string_view file = "leads.ndjson";
    SLUICE_FIELD(event_id, text, "eventId", required | distinct, "ID of the event");
    SLUICE_FIELD(event_name, text, "eventName", required | repeated, "what happened");
    SLUICE_FIELD(timestamp, time, "timestamp", required, "when it happened");
    SLUICE_FIELD(customer_id, text, "customerId", required | hidden, "ID of the customer");
    SLUICE_FIELD(click_id, text, "clickId", required | hidden, "ID of the click that led to it");
    SLUICE_FIELD(link_id, text, "linkId", required | hidden, "ID of the link");
    SLUICE_FIELD(metadata, json, "metadata", distinct, "any JSON of the sender");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_RECORD_END;
};

/// A payment of a customer.
struct sale {
    SLUICE_RECORD(sale);
    static constexpr std::string_view file = "sales.ndjson";
    SLUICE_FIELD(event_id, text, "eventId", required | distinct, "ID of the event");
    SLUICE_FIELD(event_name, text, "eventName", required | repeated, "what happened");
    SLUICE_FIELD(timestamp, time, "timestamp", required, "when it happened");
    SLUICE_FIELD(customer_id, text, "customerId", required | hidden, "ID of the customer");
    SLUICE_FIELD(click_id, text, "clickId", required | hidden, "ID of the click that led to it");
    SLUICE_FIELD(link_id, text, "linkId", required | hidden, "ID of the link");
    SLUICE_FIELD(amount, integer, "amount", required, "in cents; negative for a refund");
    SLUICE_FIELD(currency, lower_text, "currency", required | repeated, "ISO 4217 code");
    SLUICE_FIELD(invoice_id, nullable_text, "invoiceId", distinct, "ID of the invoice");
    SLUICE_FIELD(payment_processor, text, "paymentProcessor", required | repeated,
                 "who handled the payment");
    SLUICE_FIELD(metadata, json, "metadata", distinct, "any JSON of the sender");
    SLUICE_FIELD(workspace_id, nullable_text, "workspaceId", hidden, "the workspace's ID");
    SLUICE_RECORD_END;
};

}  // namespace sluice::reference

#endif
