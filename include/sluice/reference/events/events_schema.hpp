// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENTS_SCHEMA_HPP
#define SLUICE_REFERENCE_EVENTS_EVENTS_SCHEMA_HPP

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <sluice/query/schema.hpp>
#include <sluice/reference/events/column_info.hpp>

/// The schema of events: their columns, with types and collations.
namespace sluice::reference {

namespace detail {

/// The columns of an event other than those of its click.
inline constexpr std::array other_columns{
    sluice::column{.name = "id"},
    sluice::column{.name = "timestamp", .type = column_type::time},
    sluice::column{.name = "link.domain", .how = collation::ignore_case},
    sluice::column{.name = "link.key"},
    sluice::column{.name = "link.externalId", .is_nullable = true},
    sluice::column{.name = "link.tenantId", .is_nullable = true},
    sluice::column{.name = "link.tagIds", .is_list = true},
    sluice::column{.name = "link.folderId", .is_nullable = true},
    sluice::column{.name = "link.partnerTagIds", .is_list = true},
    sluice::column{.name = "link.groupId", .is_nullable = true},
    sluice::column{.name = "link.partnerId", .is_nullable = true},
    sluice::column{.name = "link.programId", .is_nullable = true},
    sluice::column{.name = "customer.id", .is_list = true},
    sluice::column{.name = "sale.type", .is_nullable = true},
    sluice::column{.name = "metadata", .type = column_type::json, .is_nullable = true},
};

/// The collation of a column of clicks.
constexpr collation collation_of(std::string_view name) noexcept {
    constexpr std::array<std::pair<std::string_view, collation>, 8> named{{
        {"click.country", collation::ignore_case},
        {"click.continent", collation::ignore_case},
        {"click.region", collation::subdivision},
        {"click.device", collation::ignore_case},
        {"click.browser", collation::ignore_case},
        {"click.os", collation::ignore_case},
        {"click.refererUrl", collation::url},
        {"click.url", collation::url},
    }};
    const auto position =
        std::ranges::find(named, name, &std::pair<std::string_view, collation>::first);
    return position == named.end() ? collation::exact : position->second;
}

/// The type of a column of clicks: integers are compared as numbers, everything else as text.
constexpr column_type type_of(const column_info& info) noexcept {
    return info.type == "integer" ? column_type::integer : column_type::text;
}

/// All columns of events, with those of clicks taken from their record.
consteval auto make_events_columns() noexcept {
    std::array<sluice::column, click_columns.size() + other_columns.size()> all{};
    auto next = std::ranges::copy(other_columns, all.begin()).out;
    for (const column_info& info : click_columns) {
        *next++ = {.name = info.name,
                   .type = type_of(info),
                   .is_nullable = info.is == presence::nullable,
                   .how = collation_of(info.name)};
    }
    return all;
}

}  // namespace detail

/// The columns of events: those of the event itself, of its click (such as `click.country`) and its
/// link (`link.domain`). Columns of leads and sales are null for clicks, except for `customer.id`:
/// a click has the customers of the leads and sales that refer to it.
inline constexpr schema events_schema(detail::make_events_columns());

}  // namespace sluice::reference

#endif
