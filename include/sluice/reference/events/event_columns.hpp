// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENT_COLUMNS_HPP
#define SLUICE_REFERENCE_EVENTS_EVENT_COLUMNS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <sluice/base/static_text.hpp>
#include <sluice/reference/events/column_info.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/store/documents/columns.hpp>

namespace sluice::reference {

/// The code columns of the event tables. Leads have the columns of clicks and more, sales those of
/// leads and more:
///
/// ```
/// link.id, click.… utm_… | eventId … customer.id | sale.… sale.type
/// <------ clicks ------->
/// <----------------- leads ---------------------->
/// <----------------------------- sales ----------------------------->
/// ```
///
/// The fixed columns of leads and sales are followed by the columns of their metadata; see
/// store::metadata_columns:
///
/// ```
/// fixed columns | whether it is unshredded | path 0 | path 1 | ... | path 31
/// ```
///
/// Shredding splits metadata into the columns of its paths. Metadata that can't be split, such as
/// deeply nested one, is unshredded: searches read its JSON. See store::metadata_shredder.
inline constexpr auto event_columns =
    detail::join(detail::click_columns, detail::lead_columns, detail::sale_columns);
inline constexpr std::size_t column_count = event_columns.size();

/// An event column, by its index. Columns with special handling have a constant here;
/// column_named() finds the others.
struct column {
    std::uint8_t index = 0;

    static const column link, click_id, url, ip, qr, utm;
    static const column event_id, event_name, metadata, customer;
    static const column invoice_id, currency, payment_processor, sale_type;

    [[nodiscard]] constexpr const column_info& info() const noexcept {
        return event_columns[index];
    }
    friend bool operator==(const column&, const column&) = default;
};

namespace detail {

/// The column of this name among the first ones of event_columns; nullopt if there is none.
constexpr std::optional<column> find_column(std::span<const column_info> columns,
                                            std::string_view name) noexcept {
    const auto position = std::ranges::find(columns, name, &column_info::name);
    if (position == columns.end()) return std::nullopt;
    return column{static_cast<std::uint8_t>(position - columns.begin())};
}

}  // namespace detail

/// The column of all events with this name in parameter tables; nullopt for columns of links,
/// customers and sales.
[[nodiscard]] constexpr std::optional<column> event_column(std::string_view name) noexcept {
    return detail::find_column(detail::click_columns, name);
}

/// The column of this name; an unknown name doesn't compile.
[[nodiscard]] consteval column column_named(std::string_view name) {
    return *detail::find_column(event_columns, name);
}

inline constexpr column column::link = column_named("link.id");
inline constexpr column column::click_id = column_named("click.id");
inline constexpr column column::url = column_named("click.url");
inline constexpr column column::ip = column_named("click.ip");
inline constexpr column column::qr = column_named("click.qr");
inline constexpr column column::utm = column_named("utm_source");  // the first of the UTM columns
inline constexpr column column::event_id = column_named("eventId");
inline constexpr column column::event_name = column_named("eventName");
inline constexpr column column::metadata = column_named("metadata");
inline constexpr column column::customer = column_named("customer.id");
inline constexpr column column::invoice_id = column_named("sale.invoiceId");
inline constexpr column column::currency = column_named("sale.currency");
inline constexpr column column::payment_processor = column_named("sale.paymentProcessor");
inline constexpr column column::sale_type = column_named("sale.type");

/// The integer columns besides each table's time: leads have the first, sales have both.
enum class integer_column : std::uint8_t { click_timestamp, amount };

[[nodiscard]] constexpr std::size_t index_of(column wanted) noexcept { return wanted.index; }
[[nodiscard]] constexpr std::size_t index_of(integer_column wanted) noexcept {
    return static_cast<std::size_t>(wanted);
}

/// The number of code columns of a kind of event, without those of metadata.
[[nodiscard]] constexpr std::size_t fixed_columns_of(event_kind kind) noexcept {
    switch (kind) {
        case event_kind::clicks: return detail::click_columns.size();
        case event_kind::leads: return detail::click_columns.size() + detail::lead_columns.size();
        case event_kind::sales: return column_count;
    }
    return column_count;
}

/// The number of code columns of a kind of event, including those of metadata.
[[nodiscard]] constexpr std::size_t code_columns_of(event_kind kind) noexcept {
    const bool has_metadata = kind != event_kind::clicks;
    return fixed_columns_of(kind) + (has_metadata ? 1 + store::metadata_paths_max : 0);
}

/// The number of integer columns of a kind of event.
[[nodiscard]] constexpr std::size_t integer_columns_of(event_kind kind) noexcept {
    // Clicks have none, leads one and sales two: see integer_column.
    return static_cast<std::size_t>(kind);
}

/// The column with the ids of a kind of event.
[[nodiscard]] constexpr column id_column_of(event_kind kind) noexcept {
    return kind == event_kind::clicks ? column::click_id : column::event_id;
}

/// All columns, in order.
inline constexpr auto all_columns = [] {
    std::array<column, column_count> all;
    for (std::size_t i = 0; i < column_count; ++i) all[i].index = static_cast<std::uint8_t>(i);
    return all;
}();

/// Returns true if event records show the column under a single name; sale records show the columns
/// of sales under two.
[[nodiscard]] constexpr bool is_keyed(column wanted) noexcept {
    return index_of(wanted) < fixed_columns_of(event_kind::leads);
}

/// Returns true if a column has any of the uses.
[[nodiscard]] constexpr bool has_use(column wanted, field_use any) noexcept {
    return (static_cast<unsigned>(wanted.info().uses) & static_cast<unsigned>(any)) != 0;
}

/// The number of UTM fields of a click. A click inherits those of its link that its URL lacks.
inline constexpr std::size_t utm_count =
    detail::columns_of<"", link, field_use::inherited>().size();

/// The column of the UTM field with this number.
[[nodiscard]] constexpr column utm_column(std::size_t number) noexcept {
    return {static_cast<std::uint8_t>(column::utm.index + number)};
}

namespace detail {

template <class Record, class Visit, std::size_t Row, sluice::detail::text_literal Prefix>
constexpr void visit_column(Visit& visit) {
    constexpr auto row = std::get<Row>(rows<Record>);
    if constexpr (row.has(column_uses)) {
        constexpr auto where = column_named(column_name<Prefix, Record, Row>.view());
        visit.template operator()<where>(row);
    }
}

}  // namespace detail

/// Calls `visit.template operator()<column>(row)` for each field of clicks that has a column.
template <class Visit>
constexpr void for_each_click_column(Visit visit) {
    [&]<std::size_t... Row>(std::index_sequence<Row...>) {
        (detail::visit_column<click, Visit, Row, "click.">(visit), ...);
    }(std::make_index_sequence<detail::row_lines<click>.size()>());
}

}  // namespace sluice::reference

#endif
