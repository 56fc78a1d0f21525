// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMN_STORE_HPP
#define SLUICE_STORE_COLUMN_STORE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/mistake.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/metadata/lookup.hpp>
#include <sluice/store/column_values.hpp>
#include <sluice/store/documents/shredder.hpp>
#include <sluice/store/json/json_rows.hpp>
#include <sluice/store/table.hpp>

namespace sluice::store {

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
    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

    /// Returns the value at a row number and column, for `list_query::matches`; for a JSON column,
    /// a lookup of its paths. Views this. Empty if the store has no such column.
    [[nodiscard]] cell at(std::size_t row, const column& of) const;
    cell at(const class stored_row& row, const column& of) const = delete;  // row.at(of)
    /// Returns the JSON text of a row; nullopt if it is absent or `of` is no JSON column.
    [[nodiscard]] std::optional<std::string_view> json(std::size_t row, const column& of) const;
    [[nodiscard]] const class column_store& store() const noexcept { return *store_; }
    [[nodiscard]] const snapshot& rows() const noexcept { return rows_; }

private:
    friend class column_store;
    stored_rows(const column_store& of, snapshot rows) : store_(&of), rows_(std::move(rows)) {}

    const column_store* store_;
    snapshot rows_;
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
///
/// The columns of its table of codes:
///
/// ```
/// | a column each; of the time nothing | of a JSON column: marker, paths | of the next one ... |
/// ```
class column_store {
public:
    explicit column_store(storable_columns columns, hash_seed seed = hash_seed::of_process())
        : columns_(columns.all()), table_(make_table(seed)), added_(table_.columns()) {
        lay_out();
    }
    column_store(const column_store&) = delete;
    column_store& operator=(const column_store&) = delete;

    /// Adds a row, visible after publish(). `row` has the cells of the schema's columns, in order;
    /// missing cells at its end are absent. A JSON column takes JSON text.
    ///
    /// Errors, with the column's name as param: field_missing, field_type, number_malformed,
    /// time_out_of_range, identifier_taken; json_malformed and text_encoding with the offset in a
    /// JSON column's text; without a param field_unknown, for more cells than columns. After an
    /// error nothing is added.
    [[nodiscard]] result<void> add(std::span<const cell> row) {
        if (auto fits = check(row); !fits) return fits;
        const std::size_t added = added_.add(time_of(row));
        try {
            fill(added_.codes(added), row);
        } catch (...) {  // out of memory: drop the partial row
            added_.shrink(added);
            throw;
        }
        return {};
    }
    [[nodiscard]] result<void> add(std::initializer_list<cell> row) {
        return add(std::span<const cell>(row.begin(), row.size()));
    }
    /// Makes the added rows visible to later calls of current().
    void publish() {
        table_.append(std::move(added_), [](std::size_t, std::span<code>) {});
        added_ = row_buffer(table_.columns());
    }
    /// Runs one step of background indexing: of the rows published last, and of columns that counts
    /// filter on together. Returns false if there was nothing to do. Any thread, while others
    /// publish and read; see table::maintain().
    ///
    /// ```
    /// while (orders.maintain()) {}  // now and then, on a thread that has the time
    /// ```
    bool maintain() { return table_.maintain(); }
    /// Returns the rows published so far. Any thread.
    [[nodiscard]] stored_rows current() const { return {*this, table_.current()}; }

    // For selections:
    [[nodiscard]] columns_view columns() const noexcept { return columns_; }
    /// Returns the index of a column by name; nullopt without such a column.
    [[nodiscard]] std::optional<std::size_t> place_of(std::string_view name) const noexcept {
        const column* const match = find_column(columns_, name);
        if (match == nullptr) return std::nullopt;
        return static_cast<std::size_t>(match - columns_.data());
    }
    /// Returns true if rows are sorted by this column's time.
    [[nodiscard]] bool is_row_time(std::size_t column) const noexcept { return column == time_; }
    [[nodiscard]] bool has_row_time() const noexcept { return time_ < columns_.size(); }
    /// Returns the index of that column. Expects has_row_time().
    [[nodiscard]] std::size_t time_place() const noexcept { return time_; }
    /// Returns the index of the column `id`.
    [[nodiscard]] std::size_t id_place() const noexcept { return id_; }
    [[nodiscard]] const column_values& values(std::size_t column) const noexcept {
        return values_[column];
    }
    /// The paths of a JSON column, and their first code column: the marker.
    struct document_paths {
        const metadata_columns& paths;
        std::size_t first_code;
    };
    [[nodiscard]] document_paths paths_of(std::size_t column) const noexcept {
        const auto of = std::ranges::find(documents_, column, &json_column::column);
        return {*of->paths, of->first_code};
    }
    [[nodiscard]] const json_rows& layout() const noexcept { return layout_; }

private:
    static constexpr std::size_t json_codes = 1 + metadata_paths_max;  // the marker and the paths

    struct json_column {
        std::size_t column;
        std::size_t first_code;
        std::unique_ptr<metadata_columns> paths;
        metadata_shredder shredder{*paths};
    };

    schema make_table(hash_seed seed) {
        std::size_t codes = columns_.size();
        const auto is_row_time = [](const column& column) {
            return column.type == column_type::time && !column.is_nullable;
        };
        time_ = static_cast<std::size_t>(std::ranges::find_if(columns_, is_row_time) -
                                         columns_.begin());
        for (const column& column : columns_) {
            if (column.type == column_type::json) {
                documents_.push_back(
                    {values_.size(), codes, std::make_unique<metadata_columns>(seed)});
                codes += json_codes;
            }
            values_.emplace_back(column, seed);
        }
        id_ = *place_of("id");
        return {.code_columns = codes, .id_column = id_, .ids = &values_[id_].texts()};
    }
    void lay_out() {
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            std::string name;
            sluice::detail::append_json_string(name, columns_[at].name);
            layout_.json((at == 0 ? "{" : ",") + name + ":");
            const column_type type = columns_[at].type;
            const bool is_quoted = type == column_type::text || type == column_type::time;
            if (at == time_) {
                layout_.time();
            } else if (is_quoted && !columns_[at].is_list) {
                layout_.text(at, values_[at].texts());
            } else {
                layout_.raw(at, values_[at].texts());
            }
        }
        layout_.json("}");
    }

    [[nodiscard]] result<void> check(std::span<const cell> row) const {
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            const cell& value = cell_of(row, at);
            if (auto fits = values_[at].check(value); !fits) return fits;
            const auto* const text = std::get_if<std::string_view>(&value);
            if (!text || columns_[at].type != column_type::json) continue;
            if (values_[at].texts().find(*text) != absent) continue;  // already checked
            if (auto json = sluice::detail::check_json(*text); !json) {
                json.error().param = columns_[at].name;
                return json;
            }
        }
        const std::string_view id = std::get<std::string_view>(row[id_]);
        if (values_[id_].texts().find(id) != absent) return fail_in(rule::identifier_taken, "id");
        if (row.size() > columns_.size()) return fail(rule::field_unknown);
        return {};
    }
    /// Fills in a row's codes. The id comes last, as it makes the row known.
    void fill(std::span<code> codes, std::span<const cell> row) {
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            if (at != time_ && at != id_) codes[at] = values_[at].encode(cell_of(row, at));
        }
        for (json_column& document : documents_) {
            const auto* const text = std::get_if<std::string_view>(&cell_of(row, document.column));
            if (text)
                document.shredder.shred(*text, codes.subspan(document.first_code, json_codes));
        }
        codes[id_] = values_[id_].encode(row[id_]);
    }
    static const cell& cell_of(std::span<const cell> row, std::size_t column) noexcept {
        static const cell nothing;
        return column < row.size() ? row[column] : nothing;
    }
    [[nodiscard]] std::int64_t time_of(std::span<const cell> row) const {
        return has_row_time() ? std::get<instant>(row[time_]).time_since_epoch().count() : 0;
    }

    columns_view columns_;
    std::size_t time_ = 0, id_ = 0;
    std::deque<column_values> values_;  // by column
    std::vector<json_column> documents_;
    table table_;
    row_buffer added_;  // unpublished rows
    json_rows layout_;
};

inline std::optional<std::string_view> stored_rows::json(std::size_t row, const column& of) const {
    const auto place = store_->place_of(of.name);
    if (!place || store_->columns()[*place].type != column_type::json) return std::nullopt;
    const code text_code = rows_.code_at(row, *place);
    if (text_code == absent) return std::nullopt;
    return store_->values(*place).texts().text(text_code);
}

inline cell stored_rows::at(std::size_t row, const column& of) const {
    const auto place = store_->place_of(of.name);
    if (!place) return std::monostate();
    if (store_->is_row_time(*place)) return instant(std::chrono::milliseconds(rows_.time(row)));
    if (store_->columns()[*place].type != column_type::json) {
        return store_->values(*place).at(rows_.code_at(row, *place));
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
