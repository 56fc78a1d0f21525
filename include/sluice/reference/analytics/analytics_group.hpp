// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_ANALYTICS_ANALYTICS_GROUP_HPP
#define SLUICE_REFERENCE_ANALYTICS_ANALYTICS_GROUP_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <sluice/base/static_text.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/records/record_writer.hpp>

/// Groups of `GET /analytics`: their columns, and the fields of their rows.
namespace sluice::reference {

/// A value of groupBy.
enum class analytics_group : std::uint8_t {
    count,
    timeseries,
    continents,
    countries,
    regions,
    cities,
    devices,
    browsers,
    os,
    trigger,
    triggers,
    referers,
    referer_urls,
    top_links,
    top_urls,
    top_base_urls,
    top_domains,
    top_folders,
    top_link_tags,
    top_partners,
    top_groups,
    top_partner_tags,
    utm_sources,
    utm_mediums,
    utm_campaigns,
    utm_terms,
    utm_contents,
};

/// The content of a field of a row.
enum class analytics_part : std::uint8_t {
    group,   ///< a text of the row's group
    bucket,  ///< the first instant of the row's bucket
    any,     ///< `*`: the row is of all places below its group
    id,      ///< the group of a row of links: the link's ID
    link,    ///< the field of this name of the group's link
    object,  ///< the record whose ID is the group; null if there is none
};

/// A field of a row.
struct analytics_field {
    std::string_view name;
    analytics_part part = analytics_part::group;
    std::size_t column = 0;  ///< of a group's text: the place of its column
    std::string_view type = "string";
    std::string_view help{};
};

/// The names of columns that the schema of events lacks: the part of click.url before `?`, and the
/// amount of a sale.
inline constexpr std::string_view base_url_name = "click.baseUrl";
inline constexpr sluice::column sale_amount_column{.name = "sale.amount",
                                                   .type = column_type::integer};

/// A value of groupBy: what its rows are groups of, and their fields beside the measures.
struct analytics_record {
    std::string_view name;
    std::string_view schema;  ///< of a row, in the OpenAPI document
    std::span<const analytics_field> fields{};
    std::span<const std::string_view> columns{};  ///< whose values are a group
    std::span<const std::string_view> only{};     ///< the groups that have rows; empty: all
};

namespace detail {

template <sluice::detail::text_literal Name>
inline constexpr std::array text_field{analytics_field{Name.view()}};
template <sluice::detail::text_literal Name>
inline constexpr std::array text_column{Name.view()};

inline constexpr std::array time_fields{
    analytics_field{.name = "start",
                    .part = analytics_part::bucket,
                    .help = "first instant of the hour, day or month"}};
inline constexpr std::array place_columns{std::string_view("click.country"),
                                          std::string_view("click.region"),
                                          std::string_view("click.city")};
inline constexpr std::array country_fields{analytics_field{"country"},
                                           analytics_field{"region", analytics_part::any},
                                           analytics_field{"city", analytics_part::any}};
inline constexpr std::array region_fields{analytics_field{"country"},
                                          analytics_field{"region", analytics_part::group, 1},
                                          analytics_field{"city", analytics_part::any}};
inline constexpr std::array city_fields{analytics_field{"country"},
                                        analytics_field{"region", analytics_part::group, 1},
                                        analytics_field{"city", analytics_part::group, 2}};
inline constexpr std::array link_fields{
    analytics_field{.name = "link", .part = analytics_part::id, .help = "ID of the link"},
    analytics_field{.name = "id", .part = analytics_part::id, .help = "ID of the link"},
    analytics_field{.name = "domain", .part = analytics_part::link},
    analytics_field{.name = "key", .part = analytics_part::link},
    analytics_field{.name = "shortLink", .part = analytics_part::link},
    analytics_field{.name = "url", .part = analytics_part::link},
    analytics_field{.name = "createdAt", .part = analytics_part::link},
    analytics_field{.name = "title", .part = analytics_part::link, .type = "string?"},
    analytics_field{.name = "comments", .part = analytics_part::link, .type = "string?"},
    analytics_field{.name = "folderId", .part = analytics_part::link, .type = "string?"},
    analytics_field{.name = "partnerId", .part = analytics_part::link, .type = "string?"}};

template <sluice::detail::text_literal Id, sluice::detail::text_literal Name,
          sluice::detail::text_literal Type>
inline constexpr std::array object_fields{
    analytics_field{Id.view()},
    analytics_field{.name = Name.view(), .part = analytics_part::object, .type = Type.view()}};

/// The continents that rows may have.
inline constexpr std::span known_continents(continent_names.data(), continent_names.size() - 1);
static_assert(known_continents.back() == "SA" && continent_names.back() == "Unknown");

}  // namespace detail

/// The values of groupBy, in the order of analytics_group.
inline constexpr std::array analytics_records{
    analytics_record{"count", "AnalyticsCount"},
    analytics_record{"timeseries", "AnalyticsTimeseries", detail::time_fields},
    analytics_record{"continents", "AnalyticsContinents", detail::text_field<"continent">,
                     detail::text_column<"click.continent">, detail::known_continents},
    analytics_record{"countries", "AnalyticsCountries", detail::country_fields,
                     std::span(detail::place_columns).first(1)},
    analytics_record{"regions", "AnalyticsRegions", detail::region_fields,
                     std::span(detail::place_columns).first(2)},
    analytics_record{"cities", "AnalyticsCities", detail::city_fields, detail::place_columns},
    analytics_record{"devices", "AnalyticsDevices", detail::text_field<"device">,
                     detail::text_column<"click.device">},
    analytics_record{"browsers", "AnalyticsBrowsers", detail::text_field<"browser">,
                     detail::text_column<"click.browser">},
    analytics_record{"os", "AnalyticsOs", detail::text_field<"os">,
                     detail::text_column<"click.os">},
    analytics_record{"trigger", "AnalyticsTriggers", detail::text_field<"trigger">,
                     detail::text_column<"click.trigger">},
    analytics_record{"triggers", "AnalyticsTriggers", detail::text_field<"trigger">,
                     detail::text_column<"click.trigger">},
    analytics_record{"referers", "AnalyticsReferers", detail::text_field<"referer">,
                     detail::text_column<"click.referer">},
    analytics_record{"referer_urls", "AnalyticsRefererUrls", detail::text_field<"refererUrl">,
                     detail::text_column<"click.refererUrl">},
    analytics_record{"top_links", "AnalyticsTopLinks", detail::link_fields,
                     detail::text_column<"link.id">},
    analytics_record{"top_urls", "AnalyticsTopUrls", detail::text_field<"url">,
                     detail::text_column<"click.url">},
    analytics_record{"top_base_urls", "AnalyticsTopUrls", detail::text_field<"url">,
                     std::span(&base_url_name, 1)},
    analytics_record{"top_domains", "AnalyticsTopDomains", detail::text_field<"domain">,
                     detail::text_column<"link.domain">},
    analytics_record{"top_folders", "AnalyticsTopFolders",
                     detail::object_fields<"folderId", "folder", "AnalyticsFolder?">,
                     detail::text_column<"link.folderId">},
    analytics_record{"top_link_tags", "AnalyticsTopLinkTags",
                     detail::object_fields<"tagId", "tag", "Tag?">,
                     detail::text_column<"link.tagIds">},
    analytics_record{"top_partners", "AnalyticsTopPartners",
                     detail::object_fields<"partnerId", "partner", "AnalyticsPartner?">,
                     detail::text_column<"link.partnerId">},
    analytics_record{"top_groups", "AnalyticsTopGroups",
                     detail::object_fields<"groupId", "group", "AnalyticsGroup?">,
                     detail::text_column<"link.groupId">},
    analytics_record{"top_partner_tags", "AnalyticsTopPartnerTags",
                     detail::object_fields<"partnerTagId", "partnerTag", "AnalyticsPartnerTag?">,
                     detail::text_column<"link.partnerTagIds">},
    analytics_record{"utm_sources", "AnalyticsUtmSources", detail::text_field<"utm_source">,
                     detail::text_column<"utm_source">},
    analytics_record{"utm_mediums", "AnalyticsUtmMediums", detail::text_field<"utm_medium">,
                     detail::text_column<"utm_medium">},
    analytics_record{"utm_campaigns", "AnalyticsUtmCampaigns", detail::text_field<"utm_campaign">,
                     detail::text_column<"utm_campaign">},
    analytics_record{"utm_terms", "AnalyticsUtmTerms", detail::text_field<"utm_term">,
                     detail::text_column<"utm_term">},
    analytics_record{"utm_contents", "AnalyticsUtmContents", detail::text_field<"utm_content">,
                     detail::text_column<"utm_content">},
};
static_assert(analytics_records.size() == 27);
static_assert(analytics_records.front().name == "count" &&
              analytics_records.back().name == "utm_contents" &&
              static_cast<std::size_t>(analytics_group::utm_contents) == 26);

/// The names of the values of groupBy, in the order of analytics_group.
inline constexpr auto analytics_group_names = [] {
    std::array<std::string_view, analytics_records.size()> names;
    std::ranges::transform(analytics_records, names.begin(), &analytics_record::name);
    return names;
}();

/// Returns the record of a value of groupBy.
[[nodiscard]] constexpr const analytics_record& record_of(analytics_group group) noexcept {
    return analytics_records[static_cast<std::size_t>(group)];
}

/// Returns true if groups name records of lists: tags or folders.
[[nodiscard]] constexpr bool names_listed_records(analytics_group group) noexcept {
    return group == analytics_group::top_link_tags || group == analytics_group::top_folders;
}

/// The measures of every row, and of the object of `count`, in their order.
inline constexpr std::array<std::string_view, 4> analytics_measures{"clicks", "leads", "sales",
                                                                    "saleAmount"};

namespace detail {

/// The records that rows name by an ID, as far as no list shows them.
inline constexpr std::array folder_schema{field_schema{"id", "string"},
                                          field_schema{"name", "string"}};
inline constexpr std::array partner_schema{
    field_schema{"id", "string"}, field_schema{"name", "string"},
    field_schema{"image", "string", presence::nullable},
    field_schema{"payoutsEnabledAt", "string", presence::nullable},
    field_schema{"country", "string", presence::nullable}};
inline constexpr std::array partner_group_schema{
    field_schema{"id", "string"}, field_schema{"name", "string"}, field_schema{"slug", "string"},
    field_schema{"color", "string", presence::nullable}};

}  // namespace detail

}  // namespace sluice::reference

#endif
