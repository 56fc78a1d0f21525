// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_LOAD_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_LOAD_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/reference/clickhouse/queries.hpp>
#include <sluice/reference/clickhouse/records.hpp>
#include <sluice/reference/clickhouse/tables.hpp>
#include <sluice/reference/lists/workspace_rows.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/sql/prepare.hpp>

/// Loads of a store into the tables of ClickHouse.
namespace sluice::reference::clickhouse {

/// A row of the events table, as it is inserted.
struct event_row {
    std::string json;  ///< a JSON array: the columns of conditions, the listed event, the mark
    std::string mark;  ///< hash of all other columns, by which a later load detects changes
};

/// The events of one kind as rows of the ClickHouse table. Their columns include data of links and
/// of other events. Borrows the view.
class event_rows {
public:
    /// Prepares the rows of a kind. Those of clicks read all leads and sales.
    event_rows(const workspace_view& view, event_kind kind) : view_(view), kind_(kind) {
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

    /// The row of the ClickHouse table for a row of the view.
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

    /// Writes the cell of a column; two cells for JSON, see put_maps().
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
            if (column.is_nullable && values.empty()) {
                json.value(nullptr);
            } else {
                json.value(values.empty() ? std::string_view() : values.front());
            }
        }
    }
    /// Writes the two maps of a row's metadata, of texts and of numbers by path; see sql::prepare.
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
        if (const auto* const field = view_.source->link_fields().find(name)) {
            return texts_of(field->at(events().code_at(row, index_of(column::link))));
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
    /// The texts of a cell: none if it is null, one, or those of a list.
    [[nodiscard]] static texts texts_of(const cell& value) {
        if (const auto* const text = std::get_if<std::string_view>(&value)) return {*text};
        const auto* const list = std::get_if<std::span<const std::string_view>>(&value);
        return list ? texts(list->begin(), list->end()) : texts();
    }
    /// The ids of the customers of a click; empty if no lead or sale refers to it.
    [[nodiscard]] texts customers_of(std::size_t row) const {
        const auto position = customers_.find(events().code_at(row, index_of(column::click_id)));
        return position == customers_.end() ? texts() : position->second;
    }
    /// The text of a lead or sale in a column that always has one.
    [[nodiscard]] std::string_view text_at(const store::snapshot& outcomes, std::size_t row,
                                           column field) const {
        return view_.source->texts(field).text(outcomes.code_at(row, index_of(field)));
    }
    /// The JSON of the event, as in lists.
    [[nodiscard]] std::string listed(std::size_t row) const {
        std::string record;
        const std::array<std::size_t, 1> only{row};
        view_.source->json().layout(kind_).write(events(), only, record);
        return record;
    }

    const workspace_view& view_;
    event_kind kind_;
    std::map<store::code, texts> customers_;  // by code of the click
};

/// The result of a load.
struct load_counts {
    std::int64_t events = 0;   ///< events in the store
    std::int64_t added = 0;    ///< of these, the new or changed ones
    std::int64_t records = 0;  ///< tags, links and other records that were new or changed

    friend bool operator==(const load_counts&, const load_counts&) = default;
};

/// The number of events per INSERT.
inline constexpr std::size_t batch_size = 10'000;

namespace detail {

/// Writes the records of a store that the tables lack:
///
/// ```
/// batch of rows --> which ids are there? --> those that aren't, or have another mark --> INSERT
/// ```
///
/// An interrupted load therefore continues where it stopped, and a repeated one adds nothing. Of
/// events with the same id the first one is kept; only data of links, customers and other events is
/// updated.
class table_loader {
public:
    table_loader(const statement_runner& run, const load_progress& progress, std::int64_t total)
        : run_(run), progress_(progress), total_(total) {}

    /// Adds the records and events of a workspace that the tables lack. Error: store_unavailable.
    [[nodiscard]] result<void> load(const workspace_view& view) {
        auto loaded = load_records<tag>(view)
                          .and_then([&] { return load_records<domain>(view); })
                          .and_then([&] { return load_records<folder>(view); })
                          .and_then([&] { return load_records<customer>(view); })
                          .and_then([&] { return load_records<link>(view); });
        for (const event_kind kind : {event_kind::clicks, event_kind::leads, event_kind::sales}) {
            if (loaded) loaded = load_events(view, kind);
        }
        return loaded;
    }
    [[nodiscard]] const load_counts& counts() const noexcept { return counts_; }

private:
    /// Inserts rows, one JSON array per line. Error: store_unavailable.
    [[nodiscard]] result<void> insert(const table_definition& table, const std::string& rows) {
        if (rows.empty()) return {};
        const std::string into =
            "INSERT INTO " + std::string(table.name) + " (" + table.names() + ") ";
        const auto done = run_(
            {into + "SETTINGS distributed_foreground_insert = 1 FORMAT JSONCompactEachRow\n" + rows,
             {}});
        if (!done) return tl::unexpected(done.error());
        return {};
    }

    // --- Events ----------------------------------------------------------------------------

    /// A row that the table has, by its id.
    struct known_row {
        std::int64_t time;
        std::string mark;
    };
    using known_rows = std::map<std::string, known_row, std::less<>>;

    /// Adds the missing events of a kind, and reports the progress. Error: store_unavailable.
    [[nodiscard]] result<void> load_events(const workspace_view& view, event_kind kind) {
        const event_rows rows(view, kind);
        std::set<std::string_view> seen;
        for (std::size_t begin = 0; begin < rows.size(); begin += batch_size) {
            const std::size_t end = std::min(begin + batch_size, rows.size());
            std::vector<std::size_t> batch;
            for (std::size_t row = begin; row < end; ++row) {
                if (seen.insert(rows.id(row)).second) batch.push_back(row);
            }
            const auto loaded = load_batch(rows, batch);
            if (!loaded) return loaded;
            counts_.events += static_cast<std::int64_t>(end - begin);
            if (progress_) progress_(counts_.events, total_);
        }
        return {};
    }
    /// Inserts the rows of a batch that are new or have another mark. A row with the id of another
    /// event, which has another time, is left out.
    [[nodiscard]] result<void> load_batch(const event_rows& rows,
                                          const std::vector<std::size_t>& batch) {
        const auto known = find_known(rows, batch);
        if (!known) return tl::unexpected(known.error());
        std::string lines;
        std::int64_t added = 0;
        for (const std::size_t row : batch) {
            const event_row record = rows.row(row);
            const auto there = known->find(rows.id(row));
            const bool is_there = there != known->end();
            if (is_there &&
                (there->second.time != rows.time(row) || there->second.mark == record.mark)) {
                continue;
            }
            lines.append(record.json).push_back('\n');
            ++added;
        }
        return insert(events_table(), lines).map([&] { counts_.added += added; });
    }
    /// Reads which of the rows the table has already. The ids are split over several queries,
    /// because servers limit the length of parameters.
    [[nodiscard]] result<known_rows> find_known(const event_rows& rows,
                                                const std::vector<std::size_t>& batch) {
        known_rows known;
        std::vector<std::string> ids;
        std::size_t bytes = 0;
        for (const std::size_t row : batch) {
            bytes += rows.id(row).size() + 3;  // quotes and a comma
            ids.emplace_back(rows.id(row));
            if (bytes < id_list_bytes && row != batch.back()) continue;
            const auto added = add_known(known, rows, std::exchange(ids, {}));
            if (!added) return tl::unexpected(added.error());
            bytes = 0;
        }
        return known;
    }
    /// Adds the rows with these ids that the table has to `known`.
    [[nodiscard]] result<void> add_known(known_rows& known, const event_rows& rows,
                                         std::vector<std::string> ids) {
        const auto answer =
            ask(run_,
                {"SELECT id, timestamp, mark FROM events FINAL WHERE workspace = {p1:String} "
                 "AND kind = {p2:String} AND id IN (SELECT arrayJoin({p3:Array(String)}))",
                 {std::string(rows.workspace()), std::string(rows.kind()), std::move(ids)}},
                3);
        if (!answer) return tl::unexpected(answer.error());
        for (const answer_row& row : *answer) {
            const auto time = parse_int64(row[1]);
            if (!time) return fail(rule::store_unavailable);
            known.emplace(row[0], known_row{*time, row[2]});
        }
        return {};
    }

    // --- Records ---------------------------------------------------------------------------

    /// Adds the records of a kind that are missing or have changed. Error: store_unavailable.
    template <class Record>
    [[nodiscard]] result<void> load_records(const workspace_view& view) {
        const auto stored = find_rows<Record>(run_, view.source->id());
        if (!stored) return tl::unexpected(stored.error());
        const std::set<std::string_view> known(stored->begin(), stored->end());
        const listed_rows all = rows_of<Record>(view);
        std::string lines;
        for (std::size_t at = 0; at < all.rows.size(); ++at) {
            if (at % batch_size == 0) {
                const auto inserted = insert(records_table(), std::exchange(lines, {}));
                if (!inserted) return inserted;
            }
            const std::string_view json = json_of<Record>(all, at);
            const std::string_view cells = cells_in<Record>(all.rows[at]);
            if (known.contains(std::string(cells).append(json))) continue;
            sluice::detail::json_writer line(lines);
            line.begin_array().value(view.source->id()).value(list_name<Record>);
            line.value(reference::detail::value_in<Record, 0>(all.rows[at]));
            line.value(sluice::detail::to_base64url(cells)).value(json).end_array();
            lines.push_back('\n');
            ++counts_.records;
        }
        return insert(records_table(), lines);
    }

    const statement_runner& run_;
    const load_progress& progress_;
    std::int64_t total_;
    load_counts counts_;
};

}  // namespace detail

/// Adds the records of a store to the tables of table_statements(). Stops at the first statement
/// that fails, with store_unavailable; added records stay, and the next load adds the rest.
[[nodiscard]] inline result<load_counts> load_tables(const event_store& store,
                                                     const statement_runner& run,
                                                     const load_progress& progress = {}) {
    detail::table_loader loader(run, progress, static_cast<std::int64_t>(store.size()));
    for (const std::string& id : store.workspace_ids()) {
        const auto loaded = loader.load(store.find(id)->current());
        if (!loaded) return tl::unexpected(loaded.error());
    }
    return loader.counts();
}

}  // namespace sluice::reference::clickhouse

#endif
