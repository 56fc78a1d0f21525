// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_COLUMN_INFO_HPP
#define SLUICE_REFERENCE_EVENTS_COLUMN_INFO_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sluice/base/static_text.hpp>
#include <sluice/reference/records/records.hpp>

namespace sluice::reference {

/// A code column of the event tables, as described by the record that it comes from. A code column
/// stores the numbers (codes) of its texts in a dictionary.
struct column_info {
    std::string_view name;    ///< name in parameter tables: `click.country`
    std::string_view member;  ///< name in records: `country`
    field_use uses = field_use::distinct;
    std::string_view type = "string";  ///< the JSON type of its values
    presence is = presence::required;  ///< required, or nullable in records
    std::string_view help{};
};

namespace detail {

/// The field uses that make a field a column of the events table.
inline constexpr field_use column_uses =
    field_use::repeated | field_use::recurring | field_use::distinct;

/// The name of a record's field in parameter tables: `click.` and `country` are `click.country`.
template <sluice::detail::text_literal Prefix, class Record, std::size_t Row>
inline constexpr auto column_name = [] {
    constexpr std::string_view name = std::get<Row>(rows<Record>).name;
    sluice::detail::static_text<Prefix.view().size() + name.size()> text;
    return text.add(Prefix.view()).add(name);
}();

/// Describes the column of a record's field.
template <sluice::detail::text_literal Prefix, class Record, std::size_t Row>
constexpr column_info info_of() noexcept {
    constexpr auto row = std::get<Row>(rows<Record>);
    using kind = typename decltype(row)::kind;
    return {column_name<Prefix, Record, Row>.view(),
            row.name,
            row.uses,
            kind::type,
            kind::is,
            row.help};
}

/// The columns of a record's fields with any of the uses in `Uses`, except for fields of `Other`.
template <sluice::detail::text_literal Prefix, class Record, field_use Uses, class Other,
          std::size_t... Row>
consteval auto columns_of_rows(std::index_sequence<Row...>) noexcept {
    constexpr auto is_wanted = [](const auto& row) {
        bool is_new = true;
        if constexpr (!std::is_void_v<Other>) {
            for_each_row<Other>([&](const auto& other) { is_new &= other.name != row.name; });
        }
        return row.has(Uses) && is_new;
    };
    constexpr std::array wanted{is_wanted(std::get<Row>(rows<Record>))...};
    std::array<column_info, std::ranges::count(wanted, true)> columns;
    auto next = columns.begin();
    ((wanted[Row] ? static_cast<void>(*next++ = info_of<Prefix, Record, Row>()) : void()), ...);
    return columns;
}
/// Like columns_of_rows(), for all rows of the record.
template <sluice::detail::text_literal Prefix, class Record, field_use Uses = column_uses,
          class Other = void>
consteval auto columns_of() noexcept {
    return columns_of_rows<Prefix, Record, Uses, Other>(
        std::make_index_sequence<row_lines<Record>.size()>());
}

/// Concatenates arrays of columns.
template <std::size_t... Size>
consteval auto join(const std::array<column_info, Size>&... some) noexcept {
    std::array<column_info, (Size + ...)> all;
    auto next = all.begin();
    ((next = std::ranges::copy(some, next).out), ...);
    return all;
}

// The columns of clicks, those that leads add to them, and those that sales add to leads': the
// parts of event_columns. Three columns don't come from fields: the references to links and
// customers, whose ID fields are hidden, and the type of a sale, which the store computes.
inline constexpr auto click_columns =
    join(std::array{column_info{"link.id", "linkId"}}, columns_of<"click.", click>(),
         columns_of<"", link, field_use::inherited>());
inline constexpr auto lead_columns =
    join(columns_of<"", lead>(), std::array{column_info{"customer.id", "customerId"}});
inline constexpr auto sale_columns =
    join(columns_of<"sale.", sale, column_uses, lead>(),
         std::array{column_info{"sale.type", "saleType", field_use::recurring}});

}  // namespace detail

}  // namespace sluice::reference

#endif
