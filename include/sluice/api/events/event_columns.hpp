// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENT_COLUMNS_HPP
#define SLUICE_API_EVENTS_EVENT_COLUMNS_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/api/events/events_query.hpp>
#include <sluice/store/metadata/columns.hpp>

namespace sluice::api {

/// The code columns of the event tables. Leads have the columns of clicks and more, sales those of
/// leads and more:
///
/// ```
/// link ... ip qr | event_id ... metadata | invoice_id ... sale_type
/// <-- clicks --->
/// <-------------- leads ---------------->
/// <---------------------------- sales ---------------------------->
/// ```
///
/// Behind their own columns leads and sales have those of their metadata; see
/// store::metadata_columns:
///
/// ```
/// own columns | whether it is unshredded | path 0 | path 1 | ... | path 31
/// ```
enum class column : std::uint8_t {
    link,
    click_id,
    country,
    continent,
    region,
    city,
    device,
    browser,
    os,
    trigger,
    referer,
    referer_url,
    url,
    utm_source,
    utm_medium,
    utm_campaign,
    utm_term,
    utm_content,
    ip,
    qr,
    event_id,
    event_name,
    customer,
    metadata,
    invoice_id,
    payment_processor,
    currency,
    sale_type,
};
inline constexpr std::size_t column_count = 28;

/// The names of the columns, in the order of the enumeration.
inline constexpr std::array<std::string_view, column_count> column_names{
    "link",       "click_id",
    "country",    "continent",
    "region",     "city",
    "device",     "browser",
    "os",         "trigger",
    "referer",    "referer_url",
    "url",        "utm_source",
    "utm_medium", "utm_campaign",
    "utm_term",   "utm_content",
    "ip",         "qr",
    "event_id",   "event_name",
    "customer",   "metadata",
    "invoice_id", "payment_processor",
    "currency",   "sale_type"};

/// The integer columns, beside each table's time: leads have the first, sales both.
enum class integer_column : std::uint8_t { click_timestamp, amount };

[[nodiscard]] constexpr std::size_t index_of(column c) noexcept {
    return static_cast<std::size_t>(c);
}
[[nodiscard]] constexpr std::size_t index_of(integer_column c) noexcept {
    return static_cast<std::size_t>(c);
}

/// How many code columns the table of a kind of event has of its own.
[[nodiscard]] constexpr std::size_t own_columns_of(event_kind kind) noexcept {
    switch (kind) {
        case event_kind::clicks: return index_of(column::event_id);
        case event_kind::leads: return index_of(column::invoice_id);
        case event_kind::sales: return column_count;
    }
    return column_count;
}

/// How many code columns the table of a kind of event has.
[[nodiscard]] constexpr std::size_t code_columns_of(event_kind kind) noexcept {
    const bool has_metadata = kind != event_kind::clicks;
    return own_columns_of(kind) + (has_metadata ? 1 + store::metadata_paths_max : 0);
}

/// How many integer columns the table of a kind of event has.
[[nodiscard]] constexpr std::size_t integer_columns_of(event_kind kind) noexcept {
    return static_cast<std::size_t>(kind);
}

/// The column that identifies an event of a kind.
[[nodiscard]] constexpr column id_column_of(event_kind kind) noexcept {
    return kind == event_kind::clicks ? column::click_id : column::event_id;
}

/// Whether rows near each other mostly have texts in a column that others had before them.
[[nodiscard]] constexpr bool repeats_texts(column c) noexcept {
    return c != column::click_id && c != column::url && c != column::ip && c != column::event_id &&
           c != column::metadata && c != column::invoice_id;
}

inline constexpr std::array<column, 5> utm_columns{column::utm_source, column::utm_medium,
                                                   column::utm_campaign, column::utm_term,
                                                   column::utm_content};
inline constexpr std::array<std::string_view, 5> utm_names{
    "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"};

/// The column that a parameter table calls by this name; none for columns of links and customers.
[[nodiscard]] constexpr std::optional<column> event_column(std::string_view name) noexcept {
    constexpr std::array<std::pair<std::string_view, column>, 16> names{{
        {"click.country", column::country},
        {"click.continent", column::continent},
        {"click.region", column::region},
        {"click.city", column::city},
        {"click.device", column::device},
        {"click.browser", column::browser},
        {"click.os", column::os},
        {"click.trigger", column::trigger},
        {"click.referer", column::referer},
        {"click.refererUrl", column::referer_url},
        {"click.url", column::url},
        {"utm_source", column::utm_source},
        {"utm_medium", column::utm_medium},
        {"utm_campaign", column::utm_campaign},
        {"utm_term", column::utm_term},
        {"utm_content", column::utm_content},
    }};
    for (const auto& [known, where] : names) {
        if (known == name) return where;
    }
    return std::nullopt;
}

}  // namespace sluice::api

#endif
