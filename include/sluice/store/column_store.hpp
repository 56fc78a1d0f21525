// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMN_STORE_HPP
#define SLUICE_STORE_COLUMN_STORE_HPP

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <sluice/base/text_hasher.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/where.hpp>
#include <sluice/store/compiled.hpp>
#include <sluice/store/storable_columns.hpp>

namespace sluice::store {

class archive_reader;
class archive_writer;
class snapshot;
class stored_columns;

/// The rows of a column_store at one moment, in order. Views the store; copies share the rows.
class stored_rows {
public:
    /// Makes the rows of a snapshot of the store's table.
    stored_rows(const stored_columns& columns, snapshot rows);

    [[nodiscard]] std::size_t size() const noexcept;

    /// Returns the number of the row with an id; nullopt without such a row.
    ///
    /// ```
    /// const auto rows = orders.current();
    /// if (const auto row = rows.find("o1")) std::cout << rows.json(*row);
    /// ```
    [[nodiscard]] std::optional<std::size_t> find(std::string_view id) const;

    /// Returns the value at a row number and column, for `list_query::matches`; for a JSON column,
    /// a lookup of its paths. Views this. Empty if the store has no such column.
    [[nodiscard]] cell at(std::size_t row, const column& of) const;
    cell at(const class stored_row& row, const column& of) const = delete;  // row.at(of)
    /// Returns the JSON text of a row; nullopt if it is absent or `of` isn't a JSON column.
    [[nodiscard]] std::optional<std::string_view> json(std::size_t row, const column& of) const;
    /// Returns a row as a JSON object, with the members of the schema.
    [[nodiscard]] std::string json(std::size_t row) const;
    /// Returns a row as a JSON object, in a layout of the same store.
    [[nodiscard]] std::string json(std::size_t row, const json_layout& layout) const;

    // For searches:
    [[nodiscard]] const stored_columns& columns() const noexcept { return *columns_; }
    [[nodiscard]] const snapshot& rows() const noexcept { return *rows_; }

private:
    const stored_columns* columns_;
    std::shared_ptr<const snapshot> rows_;
};

/// An in-memory store of rows with your own schema, for store::select. Append-only: rows are never
/// changed or removed. Rows are sorted by the
/// schema's first time column that isn't nullable, then by id; without such a column by id alone.
/// One thread adds and publishes; any number read.
///
/// ```
/// sluice::store::column_store orders(columns);   // id, status, total, created
/// const auto added = orders.add({"o1", "paid", "19.90", now});  // cells in the columns' order
/// if (!added) report(added.error());
/// orders.publish();
/// const auto page = sluice::store::select(orders.current(), query);
/// if (page) std::cout << page->json();
/// ```
class column_store {
public:
    explicit column_store(storable_columns columns, hash_seed seed = hash_seed::of_process());
    column_store(const column_store&) = delete;
    column_store& operator=(const column_store&) = delete;
    ~column_store();

    /// Adds a row, visible after publish(). `row` has the cells of the schema's columns, in order,
    /// without those of referenced rows; missing cells at its end are absent. A JSON column takes
    /// JSON text, one of records a JSON array of objects with their columns as members.
    ///
    /// Errors, with the column's name as param: field_missing, also for NaN; field_type;
    /// number_malformed, also for infinity; time_out_of_range; value_malformed for a UUID, with the
    /// offset in it; choice_unknown; identifier_taken; reference_unknown for a reference to a row
    /// that hasn't been added; json_malformed and text_encoding with the offset in the text of JSON
    /// or records; of records field_type for any other value, field_unknown for a member that is no
    /// column, and the errors of its members' types; without a param field_unknown, for more cells
    /// than columns. After an error nothing is added.
    [[nodiscard]] result<void> add(std::span<const cell> row);
    [[nodiscard]] result<void> add(std::initializer_list<cell> row) {
        return add(std::span<const cell>(row.begin(), row.size()));
    }
    /// Adds a row that later rows may refer to by the column `reference`, and which searches see
    /// with them. `row` has the cells of the schema's columns with the reference's prefix, in
    /// order, its id among them.
    ///
    /// ```
    /// clicks.add_referenced("link.id", {"link_1", "go.example", tags});
    /// clicks.add({"click_1", "link_1"});
    /// ```
    ///
    /// Errors are those of add(); field_unknown also if no such reference exists.
    [[nodiscard]] result<void> add_referenced(std::string_view reference,
                                              std::span<const cell> row);
    [[nodiscard]] result<void> add_referenced(std::string_view reference,
                                              std::initializer_list<cell> row) {
        return add_referenced(reference, std::span<const cell>(row.begin(), row.size()));
    }
    /// Makes the added rows visible to later calls of current().
    void publish();
    /// Runs one step of background indexing: of the rows published last, of columns that counts
    /// filter on together, and of columns that aggregates name together. Returns false if there was
    /// nothing to do. Any thread, while others publish and read; see table::maintain().
    ///
    /// ```
    /// while (orders.maintain()) {}  // now and then, on a thread that has the time
    /// ```
    bool maintain();
    /// Returns the rows published so far. Any thread.
    [[nodiscard]] stored_rows current() const;

    /// Makes a layout of rows as JSON, for selected_page::json(), that lives as long as the store.
    ///
    /// ```
    /// const auto layout = clicks.layout(
    ///     {{"id"}, {"link", {}, {{"id", "link.id"}, {"domain", "link.domain"}}}});
    /// page->json(*layout);  // [{"id":"click_1","link":{"id":"link_1","domain":"go.example"}}]
    /// ```
    ///
    /// Error: field_unknown, with the name of a column that the store lacks as param.
    [[nodiscard]] result<json_layout> layout(std::span<const json_member> members) const;
    [[nodiscard]] result<json_layout> layout(std::initializer_list<json_member> members) const {
        return layout(std::span<const json_member>(members.begin(), members.size()));
    }

    /// Writes the published rows and all referenced ones to an archive; see save_snapshot(). Any
    /// thread, while others add, publish and read.
    void save(archive_writer& archive) const;
    /// Opens the store in an archive; null if the archive holds something else.
    [[nodiscard]] static std::unique_ptr<column_store> open(storable_columns columns,
                                                            archive_reader& archive);

    [[nodiscard]] columns_view schema() const noexcept { return storable_.all(); }
    [[nodiscard]] const storable_columns& storable() const noexcept { return storable_; }
    /// Returns the columns' values, for searches.
    [[nodiscard]] const stored_columns& columns() const noexcept { return *columns_; }

private:
    storable_columns storable_;
    hash_seed seed_;
    std::unique_ptr<stored_columns> columns_;
};

}  // namespace sluice::store

#if SLUICE_STORE_DEFINED
#include <sluice/metadata/lookup.hpp>
#include <sluice/store/columns/stored_columns.hpp>
#include <sluice/store/plan/scan.hpp>

namespace sluice::store {

SLUICE_STORE_INLINE column_store::column_store(storable_columns columns, hash_seed seed)
    : storable_(columns), seed_(seed), columns_(std::make_unique<stored_columns>(columns, seed)) {}
SLUICE_STORE_INLINE column_store::~column_store() = default;

SLUICE_STORE_INLINE result<void> column_store::add(std::span<const cell> row) {
    return columns_->add(row);
}
SLUICE_STORE_INLINE result<void> column_store::add_referenced(std::string_view reference,
                                                              std::span<const cell> row) {
    return columns_->add_referenced(reference, row);
}
SLUICE_STORE_INLINE result<json_layout> column_store::layout(
    std::span<const json_member> members) const {
    return columns_->layout(members);
}
SLUICE_STORE_INLINE void column_store::publish() { columns_->publish(); }
SLUICE_STORE_INLINE bool column_store::maintain() { return columns_->maintain(); }
SLUICE_STORE_INLINE stored_rows column_store::current() const {
    return {*columns_, columns_->current()};
}
SLUICE_STORE_INLINE void column_store::save(archive_writer& archive) const {
    archive.number(seed_.value);
    columns_->save(archive);
}
SLUICE_STORE_INLINE std::unique_ptr<column_store> column_store::open(storable_columns columns,
                                                                     archive_reader& archive) {
    auto store = std::make_unique<column_store>(columns, hash_seed{archive.number()});
    store->columns_->open(archive);
    return archive.is_done() ? std::move(store) : nullptr;
}

SLUICE_STORE_INLINE stored_rows::stored_rows(const stored_columns& columns, snapshot rows)
    : columns_(&columns), rows_(std::make_shared<const snapshot>(std::move(rows))) {}

SLUICE_STORE_INLINE std::size_t stored_rows::size() const noexcept { return rows_->size(); }

SLUICE_STORE_INLINE std::optional<std::size_t> stored_rows::find(std::string_view id) const {
    const searched_column stored = columns_->find(column{.name = "id"});
    const auto* const ids = std::get_if<value_column>(&stored);
    const code known = ids == nullptr ? absent : ids->values.texts().find(id);
    if (known == absent) return std::nullopt;
    const selection wanted{.conditions = {{ids->at, code_set({known})}}};
    const auto page = scan(*rows_, wanted).page(sort_order::ascending, 0, 1);
    if (!page || page->rows.empty()) return std::nullopt;  // not published yet
    return page->rows.front();
}

SLUICE_STORE_INLINE std::string stored_rows::json(std::size_t row) const {
    std::string text;
    columns_->layout().write(*rows_, std::span(&row, 1), text);
    return text;
}
SLUICE_STORE_INLINE std::string stored_rows::json(std::size_t row,
                                                  const json_layout& layout) const {
    std::string text;
    layout.pieces().write(*rows_, std::span(&row, 1), text);
    return text;
}
SLUICE_STORE_INLINE std::optional<std::string_view> stored_rows::json(std::size_t row,
                                                                      const column& of) const {
    const searched_column stored = columns_->find(of);
    const auto* const documents = std::get_if<json_column>(&stored);
    if (documents == nullptr) return std::nullopt;
    const code text_code = rows_->code_at(row, documents->texts.at);
    if (text_code == absent) return std::nullopt;
    return documents->texts.values.texts().text(text_code);
}

SLUICE_STORE_INLINE cell stored_rows::at(std::size_t row, const column& of) const {
    const searched_column stored = columns_->find(of);
    if (std::holds_alternative<time_column>(stored)) {
        return instant(std::chrono::milliseconds(rows_->time(row)));
    }
    if (const auto* const values = std::get_if<value_column>(&stored)) {
        return values->values.at(rows_->code_at(row, values->at));
    }
    if (const auto* const referenced = std::get_if<referenced_column>(&stored)) {
        return referenced->values->at((*referenced->rows)[rows_->code_at(row, referenced->at)]);
    }
    const auto text = json(row, of);
    if (!text) return std::monostate();
    // A found value views the lookup until its next use.
    return scalar_lookup(
        [json = *text, last = std::shared_ptr<document_lookup>()](json_path path) mutable {
            last = std::make_shared<document_lookup>(std::span(&path, 1));
            last->read(json);
            return last->at(0).value;
        });
}

}  // namespace sluice::store
#endif

#endif
