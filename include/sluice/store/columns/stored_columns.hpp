// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_STORED_COLUMNS_HPP
#define SLUICE_STORE_COLUMNS_STORED_COLUMNS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/metadata/json_text.hpp>
#include <sluice/store/columns/column_values.hpp>
#include <sluice/store/documents/shredder.hpp>
#include <sluice/store/json/json_rows.hpp>
#include <sluice/store/search/searched_columns.hpp>
#include <sluice/store/table.hpp>

namespace sluice::store {

/// The table of a column_store and the values that its codes stand for.
///
/// The columns of its table of codes:
///
/// ```
/// | a column each; of the time nothing | of a JSON column: marker, paths | of the next one ... |
/// ```
class stored_columns final : public searched_columns {
public:
    explicit stored_columns(storable_columns columns, hash_seed seed = hash_seed::of_process())
        : columns_(columns.all()), table_(make_table(seed)), added_(table_.columns()) {
        lay_out();
    }
    stored_columns(const stored_columns&) = delete;
    stored_columns& operator=(const stored_columns&) = delete;

    // See column_store.
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
    void publish() {
        table_.append(std::move(added_), [](std::size_t, std::span<code>) {});
        added_ = row_buffer(table_.columns());
    }
    bool maintain() { return table_.maintain(); }
    [[nodiscard]] snapshot current() const { return table_.current(); }

    [[nodiscard]] columns_view schema() const noexcept { return columns_; }
    /// Returns the index of a column by name; nullopt without such a column.
    [[nodiscard]] std::optional<std::size_t> place_of(std::string_view name) const noexcept {
        const column* const match = find_column(columns_, name);
        if (match == nullptr) return std::nullopt;
        return static_cast<std::size_t>(match - columns_.data());
    }
    /// Returns true if rows are sorted by this column's time.
    [[nodiscard]] bool is_row_time(std::size_t column) const noexcept { return column == time_; }
    [[nodiscard]] bool has_row_time() const noexcept override { return time_ < columns_.size(); }
    [[nodiscard]] searched_column find(std::string_view name) const override {
        const auto place = place_of(name);
        if (!place) return absent_column();
        if (is_row_time(*place)) return time_column();
        const value_column values{*place, values_[*place].reader()};
        const auto document = std::ranges::find(documents_, *place, &stored_documents::column);
        if (document == documents_.end()) return values;
        return json_column{values, *document->paths, document->first_code};
    }
    [[nodiscard]] const column_values& values(std::size_t column) const noexcept {
        return values_[column];
    }
    [[nodiscard]] const json_rows& layout() const noexcept { return layout_; }

private:
    static constexpr std::size_t json_codes = 1 + metadata_paths_max;  // the marker and the paths

    struct stored_documents {
        std::size_t column;
        std::size_t first_code;
        std::unique_ptr<metadata_columns> paths;
        metadata_shredder shredder{*paths};
    };

    store::schema make_table(hash_seed seed) {
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
        for (stored_documents& document : documents_) {
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
    std::vector<stored_documents> documents_;
    table table_;
    row_buffer added_;  // unpublished rows
    json_rows layout_;
};

}  // namespace sluice::store

#endif
