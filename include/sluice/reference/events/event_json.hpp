// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENT_JSON_HPP
#define SLUICE_REFERENCE_EVENTS_EVENT_JSON_HPP

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/reference/events/event_fragments.hpp>
#include <sluice/reference/events/event_records.hpp>
#include <sluice/store/json/json_rows.hpp>

namespace sluice::reference {

namespace detail {

/// Builds the JSON layout of one kind of event from event_records and the fields of clicks. A
/// record ends with event_twins: deprecated copies of fields, such as `click_id` for `click.id`.
/// A fragment is the JSON of a code, written in advance. Capital letters stand for values:
///
/// ```
/// {"event":"click","timestamp":T,"click":{"id":I,"timestamp":T,"url":U,... },"link":{...},
///  -- constant --------------- time -----------text---------- ...            - fragment -
///  "click_id":I,"link_id":L,"domain":D,"key":K,"url":U,"continent":"EU",...,"ip":A}
///  -----text--- --------- fragment ----------- --text- --- fragment --- ... --text-
/// ```
class event_layout {
public:
    event_layout(store::json_rows& rows, event_kind kind,
                 const std::array<store::dictionary, column_count>& texts,
                 const store::dictionary& event_ids, const event_fragments& fragments)
        : rows_(rows), kind_(kind), texts_(texts), event_ids_(event_ids), fragments_(fragments) {}

    void put_record() {
        json_.begin_object();
        put_all(event_records[static_cast<std::size_t>(kind_)].fields);
        put_all(event_twins);
        json_.end_object();
        flush();
    }

private:
    void put_all(std::span<const event_field> fields) {
        for (const event_field& field : fields) put(field);
    }
    void put(const event_field& field) {
        switch (field.part) {
            case event_part::kind: return put_kind(field.name);
            case event_part::time: return put_time(field.name);
            case event_part::click: return put_click(field.name);
            case event_part::link: return put_fragment(column::link, fragments_.links());
            case event_part::customer:
                return put_fragment(column::customer, fragments_.customers());
            case event_part::sale: return put_sale(field.name);
            case event_part::amount: return put_amount(field.name);
            case event_part::column: return put_column(field.name, field.from);
            case event_part::text: return put_text(field.name, field.from, "\"\"");
            case event_part::number: return put_fragment(field.from, fragments_.qr_numbers());
            case event_part::twins: return put_fragment(column::link, fragments_.link_twins());
            case event_part::twin: return;  // in the fragment of `twins`
        }
    }

    void put_kind(std::string_view name) {
        json_.member(name, event_records[static_cast<std::size_t>(kind_)].word);
    }
    void put_time(std::string_view name) { value_of(name).time(); }
    void put_amount(std::string_view name) {
        value_of(name).integer(index_of(integer_column::amount));
    }
    void put_sale(std::string_view name) {
        json_.key(name).begin_object();
        put_all(sale_fields);
        json_.end_object();
    }
    /// Leads and sales hold the time of their click in an integer column.
    void put_click(std::string_view name) {
        json_.key(name).begin_object();
        for_each_row<click>([this]<class Row>(const Row& row) {
            if (row.has(field_use::hidden)) return;
            if constexpr (!std::is_same_v<typename Row::kind, kinds::time>) {
                put_column(row.name, *event_column(std::string("click.").append(row.name)));
            } else if (kind_ == event_kind::clicks) {
                put_time(row.name);
            } else {
                value_of(row.name).time(index_of(integer_column::click_timestamp));
            }
        });
        json_.end_object();
    }

    /// Appends the value of a column: as a fragment if the column has prepared JSON.
    void put_column(std::string_view name, column from) {
        if (!has_use(from, field_use::repeated)) return put_text(name, from, "null");
        if (is_keyed(from)) return put_fragment(from, fragments_.of_column(from));
        value_of(name).fragment(index_of(from), fragments_.of_column(from));
    }
    /// Puts a member with the text of a column, or `absent`, which is JSON, if a row has none.
    void put_text(std::string_view name, column from, std::string_view absent) {
        const bool is_json = from.info().type == "any";
        const store::dictionary& texts =
            from == column::event_id ? event_ids_ : texts_[index_of(from)];
        store::json_rows& rows = value_of(name);
        is_json ? rows.raw(index_of(from), texts, absent)
                : rows.text(index_of(from), texts, absent);
    }
    /// Puts fragments that include the comma and the names of their members.
    void put_fragment(column from, const store::json_fragments& fragments) {
        flush().fragment(index_of(from), fragments);
    }

    /// Puts everything before the value of a member; returns the layout, for the value.
    store::json_rows& value_of(std::string_view name) {
        json_.raw_member(name, "");
        return flush();
    }
    /// Moves the constant JSON to the layout, which it returns.
    store::json_rows& flush() {
        if (!constant_.empty()) rows_.json(constant_);
        constant_.clear();
        return rows_;
    }

    store::json_rows& rows_;
    event_kind kind_;
    const std::array<store::dictionary, column_count>& texts_;
    const store::dictionary& event_ids_;
    const event_fragments& fragments_;
    std::string constant_;  // constant JSON that is not yet in the layout
    sluice::detail::json_writer json_{constant_};
};

}  // namespace detail

/// The JSON layouts of a workspace's events, which combine texts and fragments. Any thread may
/// write rows.
class event_json {
public:
    /// `texts` are those of the columns, `sale_ids` the ids of sales; all arguments must outlive
    /// this.
    event_json(const std::array<store::dictionary, column_count>& texts,
               const store::dictionary& sale_ids, const event_fragments& fragments) {
        for (const event_kind kind : {event_kind::clicks, event_kind::leads, event_kind::sales}) {
            const store::dictionary& ids =
                kind == event_kind::sales ? sale_ids : texts[index_of(column::event_id)];
            store::json_rows& rows = layouts_[static_cast<std::size_t>(kind)];
            detail::event_layout(rows, kind, texts, ids, fragments).put_record();
        }
    }
    event_json(const event_json&) = delete;
    event_json& operator=(const event_json&) = delete;

    /// The layout of a kind of event.
    [[nodiscard]] const store::json_rows& layout(event_kind kind) const noexcept {
        return layouts_[static_cast<std::size_t>(kind)];
    }

private:
    std::array<store::json_rows, 3> layouts_;
};

}  // namespace sluice::reference

#endif
