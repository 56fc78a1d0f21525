// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_RECORDS_HPP
#define SLUICE_API_RECORDS_RECORDS_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <sluice/instant.hpp>

namespace sluice::api {

// The records of the service as they are stored: one JSON object each. They are views of a buffer
// that belongs to the caller or to the record_reader that read them, and hold only as long as it
// does. A field that is std::optional may be null; fields with an initializer may be left out of a
// stored record. `workspace_id`: the workspace that a record belongs to; absent where it belongs to
// the one that it is loaded into.

/// The colors of tags.
inline constexpr std::array<std::string_view, 8> tag_colors{"red",    "yellow", "green", "blue",
                                                            "purple", "brown",  "gray",  "pink"};
/// What may cause a click.
inline constexpr std::array<std::string_view, 3> click_triggers{"qr", "link", "pageview"};
/// The key of a domain's root link.
inline constexpr std::string_view root_link_key = "_root";

/// A label of links. Within a link only id, name and color are used.
struct tag {
    std::string_view id{};
    std::string_view name{};
    std::optional<std::string_view> color{};  ///< one of tag_colors
    instant created_at{};
    std::optional<std::string_view> workspace_id{};
};

/// Someone who followed a link and then signed up or bought.
struct customer {
    std::string_view id{};
    std::string_view external_id{};
    std::optional<std::string_view> name{};
    std::optional<std::string_view> email{};
    std::optional<std::string_view> avatar{};
    std::optional<std::string_view> country{};
    instant created_at{};
    std::optional<std::string_view> workspace_id{};
};

/// A destination of an A/B test and its share of the traffic, 10 to 90 percent.
struct test_variant {
    std::string_view url{};
    double percentage = 0;
};

/// A short link. Times that are std::optional are written as "" where they are unset.
struct link {
    std::string_view id{};
    std::string_view domain{};
    std::string_view key{};  ///< the slug; empty where none was given: see make_slug()
    std::string_view url{};
    bool track_conversion = false;
    std::optional<std::string_view> external_id{};
    std::optional<std::string_view> tenant_id{};
    std::optional<std::string_view> program_id{};
    std::optional<std::string_view> partner_id{};
    bool archived = false;
    std::optional<instant> expires_at{};
    std::optional<std::string_view> expired_url{};
    std::optional<instant> disabled_at{};
    std::optional<std::string_view> password{};
    bool proxy = false;
    std::optional<std::string_view> title{};
    std::optional<std::string_view> description{};
    std::optional<std::string_view> image{};
    std::optional<std::string_view> video{};
    bool rewrite = false;
    bool do_index = false;
    std::optional<std::string_view> ios{};
    std::optional<std::string_view> android{};
    std::optional<std::string_view> geo{};  ///< a JSON object, minified: country code to URL
    bool public_stats = false;
    std::span<const tag> tags{};
    std::optional<std::string_view> folder_id{};
    std::span<const std::string_view> webhook_ids{};
    std::optional<std::string_view> comments{};
    std::optional<std::string_view> utm_source{};
    std::optional<std::string_view> utm_medium{};
    std::optional<std::string_view> utm_campaign{};
    std::optional<std::string_view> utm_term{};
    std::optional<std::string_view> utm_content{};
    bool has_test_variants = false;  ///< whether the field is there, be it null
    std::optional<std::span<const test_variant>> test_variants{};  ///< 2 to 4
    std::optional<instant> test_started_at{};
    std::optional<instant> test_completed_at{};
    std::optional<std::string_view> user_id{};
    std::optional<std::string_view> workspace_id{};
    std::int64_t clicks = 0;       ///< how often it was followed
    std::int64_t leads = 0;        ///< leads it brought
    std::int64_t conversions = 0;  ///< leads that became paying customers
    std::int64_t sales = 0;        ///< sales it brought, recurring ones included
    std::int64_t sale_amount = 0;  ///< their value in cents
    std::optional<instant> last_clicked{};
    instant created_at{};
    instant updated_at{};
    // For filters only; no record shows them.
    std::optional<std::string_view> group_id{};
    std::span<const std::string_view> partner_tag_ids{};
};

/// A link was followed. What is unknown is `Unknown`; no referer is `(direct)`.
struct click {
    std::string_view id{};
    instant timestamp{};
    std::string_view link_id{};
    std::string_view url{};
    std::string_view country{};  ///< ISO 3166-1 alpha-2
    std::string_view city{};
    std::string_view region{};  ///< ISO 3166-2, such as US-CA
    std::string_view continent{};
    std::string_view device{};
    std::string_view browser{};
    std::string_view os{};
    std::optional<std::string_view> trigger{};  ///< one of click_triggers
    std::string_view referer{};                 ///< its host name
    std::string_view referer_url{};
    bool qr = false;
    std::string_view ip{};
    std::optional<std::string_view> workspace_id{};
};

/// A click led to a sign-up or the like.
struct lead {
    std::string_view event_id{};
    std::string_view event_name{};
    instant timestamp{};
    std::string_view customer_id{};
    std::string_view click_id{};
    std::string_view link_id{};
    std::string_view metadata = "null";  ///< any JSON value, minified
    std::optional<std::string_view> workspace_id{};
};

/// A customer paid.
struct sale {
    std::string_view event_id{};
    std::string_view event_name{};
    instant timestamp{};
    std::string_view customer_id{};
    std::string_view click_id{};
    std::string_view link_id{};
    std::int64_t amount = 0;      ///< in cents; negative for a refund
    std::string_view currency{};  ///< written in lower case
    std::optional<std::string_view> invoice_id{};
    std::string_view payment_processor{};
    std::string_view metadata = "null";  ///< any JSON value, minified
    std::optional<std::string_view> workspace_id{};
};

}  // namespace sluice::api

#endif
