// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_RECORD_TABLES_HPP
#define SLUICE_API_RECORDS_RECORD_TABLES_HPP

#include <array>
#include <optional>
#include <span>

#include <sluice/api/limits.hpp>
#include <sluice/api/records/field_reader.hpp>
#include <sluice/api/records/record_fields.hpp>
#include <sluice/api/records/records.hpp>

namespace sluice::api::detail {

// The fields of stored records: each table in the order in which they usually stand.

inline constexpr std::array tag_fields{
    required<&tag::id, read_text>("id"),
    required<&tag::name, read_text>("name"),
    omissible<&tag::color, read_choice<tag_colors>>("color"),
    required<&tag::created_at, read_time>("createdAt"),
    omissible<&tag::workspace_id, read_nullable_text>("workspaceId"),
};

inline constexpr std::array customer_fields{
    required<&customer::id, read_text>("id"),
    required<&customer::external_id, read_text>("externalId"),
    omissible<&customer::name, read_nullable_text>("name"),
    omissible<&customer::email, read_nullable_text>("email"),
    omissible<&customer::avatar, read_nullable_text>("avatar"),
    omissible<&customer::country, read_nullable_text>("country"),
    required<&customer::created_at, read_time>("createdAt"),
    omissible<&customer::workspace_id, read_nullable_text>("workspaceId"),
};

inline constexpr std::array click_fields{
    required<&click::id, read_text>("id"),
    required<&click::timestamp, read_time>("timestamp"),
    required<&click::link_id, read_text>("linkId"),
    required<&click::url, read_text>("url"),
    required<&click::country, read_text>("country"),
    required<&click::region, read_text>("region"),
    required<&click::city, read_text>("city"),
    required<&click::continent, read_text>("continent"),
    required<&click::device, read_text>("device"),
    required<&click::browser, read_text>("browser"),
    required<&click::os, read_text>("os"),
    omissible<&click::trigger, read_choice<click_triggers>>("trigger"),
    required<&click::referer, read_text>("referer"),
    required<&click::referer_url, read_text>("refererUrl"),
    required<&click::qr, read_flag>("qr"),
    required<&click::ip, read_text>("ip"),
    omissible<&click::workspace_id, read_nullable_text>("workspaceId"),
};

inline constexpr std::array lead_fields{
    required<&lead::event_id, read_text>("eventId"),
    required<&lead::event_name, read_text>("eventName"),
    required<&lead::timestamp, read_time>("timestamp"),
    required<&lead::customer_id, read_text>("customerId"),
    required<&lead::click_id, read_text>("clickId"),
    required<&lead::link_id, read_text>("linkId"),
    omissible<&lead::metadata, read_json>("metadata"),
    omissible<&lead::workspace_id, read_nullable_text>("workspaceId"),
};

inline constexpr std::array sale_fields{
    required<&sale::event_id, read_text>("eventId"),
    required<&sale::event_name, read_text>("eventName"),
    required<&sale::timestamp, read_time>("timestamp"),
    required<&sale::customer_id, read_text>("customerId"),
    required<&sale::click_id, read_text>("clickId"),
    required<&sale::link_id, read_text>("linkId"),
    required<&sale::amount, read_integer>("amount"),
    required<&sale::currency, read_text>("currency"),
    omissible<&sale::invoice_id, read_nullable_text>("invoiceId"),
    required<&sale::payment_processor, read_text>("paymentProcessor"),
    omissible<&sale::metadata, read_json>("metadata"),
    omissible<&sale::workspace_id, read_nullable_text>("workspaceId"),
};

// What stands within links.

inline constexpr std::array link_tag_fields{
    required<&tag::id, read_text>("id", "tags.id"),
    required<&tag::name, read_text>("name", "tags.name"),
    omissible<&tag::color, read_choice<tag_colors>>("color", "tags.color"),
};

/// A link's tags; null where it has none.
inline result<std::span<const tag>> read_tags(json_source& in) {
    if (take_null(in)) return std::span<const tag>();
    return read_list(in, in.buffers.tags, "expected an array of tags or null",
                     read_nested<link_tag_fields>);
}

/// IDs of tags of a link's partner; null where it has none.
inline result<std::span<const std::string_view>> read_partner_tag_ids(json_source& in) {
    if (take_null(in)) return std::span<const std::string_view>();
    return read_texts<&record_buffers::partner_tag_ids>(in);
}

inline result<double> read_percentage(json_source& in) {
    double percentage = 0;
    if (in.value.get_double().get(percentage) != simdjson::SUCCESS) {
        return refuse(in, rule::field_type, "expected a number");
    }
    if (check_variant_percentage(percentage)) return percentage;
    return refuse(in, rule::field_value, "expected a number from 10 to 90");
}

inline constexpr std::array test_variant_fields{
    required<&test_variant::url, read_text>("url", "testVariants.url"),
    required<&test_variant::percentage, read_percentage>("percentage", "testVariants.percentage"),
};

/// A link's test variants, which may also be null or not there at all.
inline result<void> read_test_variants(json_source& in, link& record) {
    record.has_test_variants = true;
    record.test_variants = std::nullopt;
    if (take_null(in)) return {};
    const auto variants = read_list(in, in.buffers.test_variants, "expected an array or null",
                                    read_nested<test_variant_fields>);
    if (!variants) return tl::unexpected(variants.error());
    if (!check_test_variants(static_cast<std::int64_t>(variants->size()))) {
        return refuse(in, rule::field_value, "expected 2 to 4 variants");
    }
    record.test_variants = *variants;
    return {};
}

inline constexpr std::array link_fields{
    required<&link::id, read_text>("id"),
    required<&link::domain, read_text>("domain"),
    omissible<&link::key, read_text_or_none>("key"),
    required<&link::url, read_text>("url"),
    omissible<&link::track_conversion, read_flag>("trackConversion"),
    omissible<&link::external_id, read_nullable_text>("externalId"),
    omissible<&link::tenant_id, read_nullable_text>("tenantId"),
    omissible<&link::program_id, read_nullable_text>("programId"),
    omissible<&link::partner_id, read_nullable_text>("partnerId"),
    omissible<&link::group_id, read_nullable_text>("groupId"),
    omissible<&link::partner_tag_ids, read_partner_tag_ids>("partnerTagIds"),
    omissible<&link::archived, read_flag>("archived"),
    omissible<&link::expires_at, read_nullable_time>("expiresAt"),
    omissible<&link::expired_url, read_nullable_text>("expiredUrl"),
    omissible<&link::disabled_at, read_nullable_time>("disabledAt"),
    omissible<&link::password, read_nullable_text>("password"),
    omissible<&link::proxy, read_flag>("proxy"),
    omissible<&link::title, read_nullable_text>("title"),
    omissible<&link::description, read_nullable_text>("description"),
    omissible<&link::image, read_nullable_text>("image"),
    omissible<&link::video, read_nullable_text>("video"),
    omissible<&link::rewrite, read_flag>("rewrite"),
    omissible<&link::do_index, read_flag>("doIndex"),
    omissible<&link::ios, read_nullable_text>("ios"),
    omissible<&link::android, read_nullable_text>("android"),
    omissible<&link::geo, read_text_map>("geo"),
    omissible<&link::public_stats, read_flag>("publicStats"),
    omissible<&link::tags, read_tags>("tags"),
    omissible<&link::folder_id, read_nullable_text>("folderId"),
    omissible<&link::webhook_ids, read_texts<&record_buffers::webhook_ids>>("webhookIds"),
    omissible<&link::comments, read_nullable_text>("comments"),
    omissible<&link::utm_source, read_nullable_text>("utm_source"),
    omissible<&link::utm_medium, read_nullable_text>("utm_medium"),
    omissible<&link::utm_campaign, read_nullable_text>("utm_campaign"),
    omissible<&link::utm_term, read_nullable_text>("utm_term"),
    omissible<&link::utm_content, read_nullable_text>("utm_content"),
    field<link>{"testVariants", "testVariants", false, &read_test_variants},
    omissible<&link::test_started_at, read_nullable_time>("testStartedAt"),
    omissible<&link::test_completed_at, read_nullable_time>("testCompletedAt"),
    omissible<&link::user_id, read_nullable_text>("userId"),
    omissible<&link::workspace_id, read_nullable_text>("workspaceId"),
    omissible<&link::clicks, read_count>("clicks"),
    omissible<&link::leads, read_count>("leads"),
    omissible<&link::conversions, read_count>("conversions"),
    omissible<&link::sales, read_count>("sales"),
    omissible<&link::sale_amount, read_count>("saleAmount"),
    omissible<&link::last_clicked, read_nullable_time>("lastClicked"),
    required<&link::created_at, read_time>("createdAt"),
    required<&link::updated_at, read_time>("updatedAt"),
};

}  // namespace sluice::api::detail

#endif
