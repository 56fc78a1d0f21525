// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_EVENT_ROWS_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_EVENT_ROWS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/reference/clickhouse/tables.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/sql/prepare.hpp>

namespace sluice::reference::clickhouse {

/// A row of the events table.
struct event_row {
    std::string json;  ///< a JSON array: the columns of conditions, the listed event, the mark
    std::string mark;  ///< hash of all other columns, to detect changes
};

/// The events of one kind as rows of the ClickHouse table. Their columns include data of links and
/// of other events. Borrows the view.
class event_rows {
public:
    event_rows(const workspace_view& view, event_kind kind) : view_(view), kind_(kind) {
        for (const sluice::column& column : event_table_columns) index_links(column.name);
        if (kind == event_kind::clicks) collect_customers();
    }

    [[nodiscard]] std::size_t size() const noexcept { return events().size(); }
    [[nodiscard]] std::int64_t time(std::size_t row) const noexcept { return events().time(row); }
    [[nodiscard]] std::string_view id(std::size_t row) const {
        const store::code code = events().code_at(row, index_of(id_column_of(kind_)));
        return view_.source->event_ids(kind_).text(code);
    }

    [[nodiscard]] std::string_view workspace() const noexcept { return view_.source->id(); }
    [[nodiscard]] std::string_view kind() const noexcept {
        return event_kind_names[static_cast<std::size_t>(kind_)];
    }

    [[nodiscard]] event_row row(std::size_t row) const {
        event_row record;
        sluice::detail::json_writer json(record.json);
        json.begin_array();
        for (const sluice::column& column : event_table_columns) put(json, column, row);
        json.value(listed(row));
        record.mark =
            std::to_string(sluice::detail::text_hasher(hash_seed{mark_seed})(record.json));
        json.value(record.mark).end_array();
        return record;
    }

private:
    using texts = std::vector<std::string_view>;

    static constexpr std::uint64_t mark_seed = 0x5C1D'CE01;  // equal in all processes

    [[nodiscard]] const store::snapshot& events() const noexcept { return view_.events(kind_); }

    // --- Lookups built once ------------------------------------------------------------------

    /// Inverts the index of links, from text -> links to link -> texts.
    void index_links(std::string_view column) {
        if (!column.starts_with("link.") || column == "link.id") return;
        auto& by_link = of_links_[column];
        by_link.resize(view_.links + 1);
        const auto add_texts = [&](std::string_view text, const std::vector<store::code>& links) {
            for (const store::code link : links) {
                if (link < by_link.size()) by_link[link].push_back(text);
            }
        };
        view_.source->link_fields().for_each_text(column, add_texts);
    }
    /// Collects the customers of each click: those of the leads and sales that refer to it.
    void collect_customers() {
        for (const store::snapshot* outcomes : {&view_.leads, &view_.sales}) {
            for (std::size_t row = 0; row < outcomes->size(); ++row) {
                const auto click = outcomes->code_at(row, index_of(column::click_id));
                texts& of_click = customers_[click];
                const std::string_view customer = text_at(*outcomes, row, column::customer);
                if (std::ranges::find(of_click, customer) == of_click.end()) {
                    of_click.push_back(customer);
                }
            }
        }
    }

    // --- The columns of a row ---------------------------------------------------------------

    void put(sluice::detail::json_writer& json, const sluice::column& column,
             std::size_t row) const {
        if (column.name == workspace_column.name) {
            json.value(workspace());
        } else if (column.name == kind_column.name) {
            json.value(kind());
        } else if (column.type == column_type::time) {
            json.value(time(row));
        } else if (column.type == column_type::json) {
            put_maps(json, row);
        } else if (column.is_list) {
            json.begin_array();
            for (const std::string_view text : texts_at(column.name, row)) json.value(text);
            json.end_array();
        } else {
            const texts values = texts_at(column.name, row);
            if (column.is_nullable && values.empty()) return static_cast<void>(json.value(nullptr));
            json.value(values.empty() ? std::string_view() : values.front());
        }
    }
    void put_maps(sluice::detail::json_writer& json, std::size_t row) const {
        const texts values = texts_at("metadata", row);
        const auto maps = sql::prepare(values.empty() ? "null" : values.front());
        for (const auto& map : {maps->texts, maps->numbers}) {
            json.begin_object();
            for (const auto& [path, value] : map) json.member(path, value);
            json.end_object();
        }
    }
    /// The texts of a row in a column; empty if it is null.
    [[nodiscard]] texts texts_at(std::string_view name, std::size_t row) const {
        if (name == "id") return {id(row)};
        if (const auto field = of_links_.find(name); field != of_links_.end()) {
            return field->second[events().code_at(row, index_of(column::link))];
        }
        if (name == "customer.id" && kind_ == event_kind::clicks) return customers_of(row);
        const auto position = reference::detail::find_column(event_columns, name);
        if (!position || index_of(*position) >= fixed_columns_of(kind_)) return {};
        const store::code code = events().code_at(row, index_of(*position));
        if (code == store::absent) return {};
        const store::dictionary& known = view_.source->texts(*position);
        // Codes beyond the dictionary have no text.
        return {code < known.size() ? known.text(code) : ""};
    }
    [[nodiscard]] texts customers_of(std::size_t row) const {
        const auto position = customers_.find(events().code_at(row, index_of(column::click_id)));
        return position == customers_.end() ? texts() : position->second;
    }
    [[nodiscard]] std::string_view text_at(const store::snapshot& outcomes, std::size_t row,
                                           column field) const {
        return view_.source->texts(field).text(outcomes.code_at(row, index_of(field)));
    }
    [[nodiscard]] std::string listed(std::size_t row) const {
        std::string record;
        const std::array<std::size_t, 1> only{row};
        view_.source->json().layout(kind_).write(events(), only, record);
        return record;
    }

    const workspace_view& view_;
    event_kind kind_;
    std::map<std::string_view, std::vector<texts>> of_links_;  // by column and code of the link
    std::map<store::code, texts> customers_;                   // by code of the click
};

}  // namespace sluice::reference::clickhouse

#endif
