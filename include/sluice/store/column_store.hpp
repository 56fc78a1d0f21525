// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMN_STORE_HPP
#define SLUICE_STORE_COLUMN_STORE_HPP

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include <sluice/base/static_text.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/where.hpp>
#include <sluice/store/compiled.hpp>

namespace sluice::store {

class snapshot;
class stored_columns;

/// The columns of a resource whose rows can be stored: a constexpr sluice::schema with a text
/// column `id` that is neither a list nor nullable. Others don't compile.
class storable_columns {
public:
    template <std::size_t Columns>
    consteval storable_columns(const sluice::schema<Columns>& of)  // NOLINT(*-explicit-*)
        : columns_(of.begin(), of.end()) {
        const column* const id = of.find("id");
        if (id == nullptr || id->type != column_type::text || id->is_list || id->is_nullable) {
            sluice::detail::mistake("id",
                                    "rows are stored by their id: give the schema a text column "
                                    "with .name = \"id\" that is neither a list nor nullable");
        }
    }

    [[nodiscard]] constexpr columns_view all() const noexcept { return columns_; }

private:
    columns_view columns_;
};

/// The rows of a column_store at one moment, in order. Views the store; copies share the rows.
class stored_rows {
public:
    /// Makes the rows of a snapshot of the store's table.
    stored_rows(const stored_columns& columns, snapshot rows);

    [[nodiscard]] std::size_t size() const noexcept;

    /// Returns the value at a row number and column, for `list_query::matches`; for a JSON column,
    /// a lookup of its paths. Views this. Empty if the store has no such column.
    [[nodiscard]] cell at(std::size_t row, const column& of) const;
    cell at(const class stored_row& row, const column& of) const = delete;  // row.at(of)
    /// Returns the JSON text of a row; nullopt if it is absent or `of` is no JSON column.
    [[nodiscard]] std::optional<std::string_view> json(std::size_t row, const column& of) const;

    // For searches:
    [[nodiscard]] const stored_columns& columns() const noexcept { return *columns_; }
    [[nodiscard]] const snapshot& rows() const noexcept { return *rows_; }

private:
    const stored_columns* columns_;
    std::shared_ptr<const snapshot> rows_;
};

/// An in-memory store of rows with your own schema, for store::select. Rows are sorted by the
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

    /// Adds a row, visible after publish(). `row` has the cells of the schema's columns, in order;
    /// missing cells at its end are absent. A JSON column takes JSON text.
    ///
    /// Errors, with the column's name as param: field_missing, field_type, number_malformed,
    /// time_out_of_range, identifier_taken; json_malformed and text_encoding with the offset in a
    /// JSON column's text; without a param field_unknown, for more cells than columns. After an
    /// error nothing is added.
    [[nodiscard]] result<void> add(std::span<const cell> row);
    [[nodiscard]] result<void> add(std::initializer_list<cell> row) {
        return add(std::span<const cell>(row.begin(), row.size()));
    }
    /// Makes the added rows visible to later calls of current().
    void publish();
    /// Runs one step of background indexing: of the rows published last, and of columns that counts
    /// filter on together. Returns false if there was nothing to do. Any thread, while others
    /// publish and read; see table::maintain().
    ///
    /// ```
    /// while (orders.maintain()) {}  // now and then, on a thread that has the time
    /// ```
    bool maintain();
    /// Returns the rows published so far. Any thread.
    [[nodiscard]] stored_rows current() const;

    [[nodiscard]] columns_view schema() const noexcept;
    /// Returns the columns' values, for searches.
    [[nodiscard]] const stored_columns& columns() const noexcept { return *columns_; }

private:
    std::unique_ptr<stored_columns> columns_;
};

}  // namespace sluice::store

#if SLUICE_STORE_DEFINED
#include <sluice/metadata/lookup.hpp>
#include <sluice/store/columns/stored_columns.hpp>

namespace sluice::store {

SLUICE_STORE_INLINE column_store::column_store(storable_columns columns, hash_seed seed)
    : columns_(std::make_unique<stored_columns>(columns, seed)) {}
SLUICE_STORE_INLINE column_store::~column_store() = default;

SLUICE_STORE_INLINE result<void> column_store::add(std::span<const cell> row) {
    return columns_->add(row);
}
SLUICE_STORE_INLINE void column_store::publish() { columns_->publish(); }
SLUICE_STORE_INLINE bool column_store::maintain() { return columns_->maintain(); }
SLUICE_STORE_INLINE stored_rows column_store::current() const {
    return {*columns_, columns_->current()};
}
SLUICE_STORE_INLINE columns_view column_store::schema() const noexcept {
    return columns_->schema();
}

SLUICE_STORE_INLINE stored_rows::stored_rows(const stored_columns& columns, snapshot rows)
    : columns_(&columns), rows_(std::make_shared<const snapshot>(std::move(rows))) {}

SLUICE_STORE_INLINE std::size_t stored_rows::size() const noexcept { return rows_->size(); }

SLUICE_STORE_INLINE std::optional<std::string_view> stored_rows::json(std::size_t row,
                                                                      const column& of) const {
    const auto place = columns_->place_of(of.name);
    if (!place || columns_->schema()[*place].type != column_type::json) return std::nullopt;
    const code text_code = rows_->code_at(row, *place);
    if (text_code == absent) return std::nullopt;
    return columns_->values(*place).texts().text(text_code);
}

SLUICE_STORE_INLINE cell stored_rows::at(std::size_t row, const column& of) const {
    const auto place = columns_->place_of(of.name);
    if (!place) return std::monostate();
    if (columns_->is_row_time(*place)) return instant(std::chrono::milliseconds(rows_->time(row)));
    if (columns_->schema()[*place].type != column_type::json) {
        return columns_->values(*place).reader().at(rows_->code_at(row, *place));
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
