// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENT_FRAGMENTS_HPP
#define SLUICE_REFERENCE_EVENTS_EVENT_FRAGMENTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/records/record_writer.hpp>
#include <sluice/store/json/json_fragments.hpp>

namespace sluice::reference {

namespace detail {

/// The columns whose values are stored as prepared JSON (fragments): see store::json_fragments.
inline constexpr auto fragment_columns = [] {
    constexpr auto is_prepared = [](column wanted) { return has_use(wanted, field_use::repeated); };
    std::array<column, std::ranges::count_if(all_columns, is_prepared)> columns;
    std::ranges::copy_if(all_columns, columns.begin(), is_prepared);
    return columns;
}();

/// The index of a column within fragment_columns, or their number if it isn't one of them.
constexpr std::size_t fragment_number(column wanted) noexcept {
    return static_cast<std::size_t>(std::ranges::find(fragment_columns, wanted) -
                                    fragment_columns.begin());
}

/// `,"name":`
inline std::string member_key(std::string_view name) {
    return std::string(",\"").append(name).append("\":");
}

/// The empty list of a column's fragments, with the JSON around each value and the JSON of an
/// absent one.
inline store::json_fragments make_fragments(column wanted) {
    const column_info& info = wanted.info();
    const std::string key = is_keyed(wanted) ? member_key(info.member) : std::string();
    const std::string quote = info.type == "string" ? "\"" : "";
    return {key + quote, quote, key + (info.type == "boolean" ? "false" : "null")};
}

template <std::size_t... Number>
std::array<store::json_fragments, sizeof...(Number)> make_all_fragments(
    std::index_sequence<Number...>) {
    return {make_fragments(fragment_columns[Number])...};
}

/// The JSON that `write(json)` writes.
template <class Write>
std::string json_of(Write write) {
    std::string text;
    sluice::detail::json_writer json(text);
    write(json);
    return text;
}

}  // namespace detail

/// Prepared JSON (fragments) of links, customers and the columns with repeated values, by code, so
/// that listing an event copies it:
///
/// ```
/// of_column(wanted)[code]   ,"country":"US"
/// links()[code]        ,"link":{"id":"link_1",...}
/// link_twins()[code]   ,"link_id":"link_1","domain":"acme.example","key":"spring"
/// customers()[code]    ,"customer":{"id":"cus_1",...}
/// qr_numbers()[code]   ,"qr":1
/// ```
///
/// Twins are the deprecated copies of a link's fields that each event has (see event_twins).
/// Extended as records are added. One thread adds; any thread reads.
class event_fragments {
public:
    event_fragments() {
        // Code 1 is true; absent is false.
        of_column(column::qr).append_json("true");
        qr_numbers_.append_json("1");
    }

    /// Adds the texts of a column's dictionary up to `code`, if the column has fragments.
    template <column Column>
    void extend(store::code code, const store::dictionary& texts) {
        if constexpr (has_use(Column, field_use::repeated)) {
            store::json_fragments& fragments = columns_[detail::fragment_number(Column)];
            while (code >= fragments.size()) {
                const auto next = static_cast<store::code>(fragments.size());
                append<Column>(fragments, texts.text(next));
            }
        }
    }

    /// Adds the next link of the workspace.
    void add_link(const link& added, std::string_view workspace_id) {
        links_.append_json(
            detail::json_of([&](auto& json) { write_record(json, added, workspace_id); }));
        const std::string twins = detail::json_of([&](auto& json) {
            json.begin_object().member("link_id", added.id);
            json.member("domain", added.domain).member("key", added.key);
        });
        link_twins_.append_json(std::string_view(twins).substr(1));  // without its {
    }
    /// Adds the next customer of the workspace.
    void add_customer(const customer& added) {
        customers_.append_json(detail::json_of([&](auto& json) { write_record(json, added); }));
    }

    /// Removes the last links and customers, from these codes on.
    void shrink(std::size_t links, std::size_t customers) noexcept {
        links_.shrink(links);
        link_twins_.shrink(links);
        customers_.shrink(customers);
    }

    /// Writes the current fragments of columns, and those of links and customers below these codes.
    /// Records may be added meanwhile. Safe on any thread.
    void save(store::archive_writer& archive, std::size_t links, std::size_t customers) const {
        for (const store::json_fragments& fragments : columns_)
            fragments.save(archive, fragments.size());
        qr_numbers_.save(archive, qr_numbers_.size());
        links_.save(archive, links);
        link_twins_.save(archive, links);
        customers_.save(archive, customers);
    }
    /// Reads the fragments of an archive into this empty object.
    void open(store::archive_reader& archive) {
        for (store::json_fragments& fragments : columns_) fragments.open(archive);
        for (auto* const fragments : {&qr_numbers_, &links_, &link_twins_, &customers_}) {
            fragments->open(archive);
        }
    }
    /// The number of bytes mapped from an archive.
    [[nodiscard]] std::size_t mapped_bytes() const noexcept {
        std::size_t all = 0;
        for (const store::json_fragments& fragments : columns_) all += fragments.mapped_bytes();
        for (const auto* const fragments : {&qr_numbers_, &links_, &link_twins_, &customers_}) {
            all += fragments->mapped_bytes();
        }
        return all;
    }

    /// The fragments of a column with field_use::repeated.
    [[nodiscard]] const store::json_fragments& of_column(column wanted) const noexcept {
        return columns_[detail::fragment_number(wanted)];
    }
    [[nodiscard]] const store::json_fragments& qr_numbers() const noexcept { return qr_numbers_; }
    [[nodiscard]] const store::json_fragments& links() const noexcept { return links_; }
    [[nodiscard]] const store::json_fragments& link_twins() const noexcept { return link_twins_; }
    [[nodiscard]] const store::json_fragments& customers() const noexcept { return customers_; }

    /// Memory use of a column's fragments, in bytes.
    [[nodiscard]] std::size_t bytes(column wanted) const noexcept {
        if (wanted == column::link) return links_.bytes() + link_twins_.bytes();
        if (wanted == column::customer) return customers_.bytes();
        if (!has_use(wanted, field_use::repeated)) return 0;
        return of_column(wanted).bytes() + (wanted == column::qr ? qr_numbers_.bytes() : 0);
    }

private:
    store::json_fragments& of_column(column wanted) noexcept {
        return columns_[detail::fragment_number(wanted)];
    }

    template <column Column>
    static void append(store::json_fragments& fragments, std::string_view text) {
        if constexpr (Column.info().type != "string") {
            fragments.append_json(text);
        } else if constexpr (Column == column::currency) {
            fragments.append_text(sluice::detail::to_lower(text));
        } else {
            fragments.append_text(text);
        }
    }

    std::array<store::json_fragments, detail::fragment_columns.size()> columns_ =
        detail::make_all_fragments(std::make_index_sequence<detail::fragment_columns.size()>());
    store::json_fragments qr_numbers_{",\"qr\":", {}, ",\"qr\":0"};
    store::json_fragments links_{",\"link\":", {}, {}};
    store::json_fragments link_twins_{",", {}, {}};
    store::json_fragments customers_{",\"customer\":", {}, {}};
};

}  // namespace sluice::reference

#endif
