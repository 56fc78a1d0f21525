// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_STORED_COLUMNS_HPP
#define SLUICE_STORE_COLUMNS_STORED_COLUMNS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/metadata/json_text.hpp>
#include <sluice/store/columns/column_values.hpp>
#include <sluice/store/columns/record_values.hpp>
#include <sluice/store/columns/referenced_cells.hpp>
#include <sluice/store/columns/searched_columns.hpp>
#include <sluice/store/documents/shredder.hpp>
#include <sluice/store/json/json_rows.hpp>
#include <sluice/store/storable_columns.hpp>
#include <sluice/store/table.hpp>

namespace sluice::store {

/// The table of a column_store and the values that its codes stand for.
///
/// The table's rows have these code columns, in this order. That of the row time has only absent
/// codes, as the table stores times itself. Columns of referenced rows have none: their values are
/// stored once for each referenced row.
///
/// ```
/// | column 0 | column 1 | ... | first JSON column: marker, paths | next JSON column: marker, ... |
/// ```
class stored_columns final : public searched_columns {
public:
    explicit stored_columns(storable_columns columns, hash_seed seed = hash_seed::of_process())
        : columns_(columns.all()), table_(make_table(columns, seed)) {
        std::vector<json_member> members;
        for (const column& column : columns_) members.push_back({column.name});
        static_cast<void>(lay_out(layout_, members));
    }
    stored_columns(const stored_columns&) = delete;
    stored_columns& operator=(const stored_columns&) = delete;

    // See column_store for these functions, and searched_columns for find().
    [[nodiscard]] result<void> add(std::span<const cell> row) {
        if (auto fits = check(rows_, row); !fits) return fits;
        if (auto known = check_references(row); !known) return known;
        row_buffer& pending = table_.pending();
        const std::size_t added = pending.add(time_of(row));
        try {
            fill(pending.codes(added), row);
        } catch (...) {  // out of memory: drop the partial row
            pending.shrink(added);
            throw;
        }
        return {};
    }
    [[nodiscard]] result<void> add_referenced(std::string_view reference,
                                              std::span<const cell> row) {
        const auto to = std::ranges::find_if(references_, [&](const row_columns& rows) {
            return columns_[rows.id].name == reference;
        });
        if (to == references_.end()) return fail(rule::field_unknown);
        if (auto fits = check(*to, row); !fits) return fits;
        const std::size_t known = values_[to->id]->texts().size() - 1;
        try {
            fill(*to, row);
        } catch (...) {  // out of memory: drop the partial row
            for (const std::size_t at : to->columns) {
                if (at != to->id) referenced_[at]->shrink(known);
            }
            throw;
        }
        return {};
    }
    void publish() {
        table_.publish([](std::size_t, std::span<code>) {});
    }
    bool maintain() { return table_.maintain(); }

    /// Writes the published rows and all referenced ones, while others are added and published. Any
    /// thread.
    void save(archive_writer& archive) const {
        const snapshot rows = current();
        // Dictionaries grow: their sizes are read after the rows, those of referenced ids first.
        std::vector<std::size_t> sizes(columns_.size());
        for (const row_columns& of : references_) sizes[of.id] = values_[of.id]->texts().size();
        sizes[rows_.id] = rows.size() + 1;  // without the ids of unpublished rows
        for (const std::size_t at : rows_.columns) {
            values_[at]->save(archive, sizes[at] != 0 ? sizes[at] : values_[at]->texts().size());
        }
        for_each_referenced([&](const row_columns& of, std::size_t at) {
            referenced_[at]->save(archive, sizes[of.id] - 1);
        });
        for (const stored_documents& document : documents_) document.paths->save(archive);
        table_.save(archive, rows);
    }
    /// Reads what save() wrote. Expects no rows yet, and the seed of the saved columns. Fails the
    /// archive if it holds something else.
    void open(archive_reader& archive) {
        for (const std::size_t at : rows_.columns) values_[at]->open(archive);
        for_each_referenced([&](const row_columns& of, std::size_t at) {
            referenced_[at]->open(archive, values_[of.id]->texts().size() - 1);
        });
        for (const stored_documents& document : documents_) document.paths->open(archive);
        for (const stored_records& records : records_) {
            const dictionary& texts = values_[records.column]->texts();
            for (code c = 1; c < texts.size() && !archive.has_failed(); ++c) {
                const std::string_view json = texts.text(c);
                if (!sluice::detail::check_json(json) || !records.values->check(json))
                    archive.fail();
            }
            if (!archive.has_failed()) records.values->follow(texts);
        }
        table_.open(archive);
        if (values_[rows_.id]->texts().size() != current().size() + 1) archive.fail();
    }

    [[nodiscard]] snapshot current() const { return table_.current(); }

    [[nodiscard]] columns_view schema() const noexcept { return columns_; }
    [[nodiscard]] bool has_row_time() const noexcept override { return time_ < columns_.size(); }
    [[nodiscard]] const test_set& answered() const noexcept override { return answered_tests; }
    [[nodiscard]] searched_column find(const column& of) const override {
        const auto place = place_of(of.name);
        if (!place) return absent_column();
        if (*place == time_) return time_column();
        const std::size_t codes = code_columns_[*place];
        if (referenced_[*place]) return referenced_[*place]->searched_by(codes);
        const value_column values{codes, values_[*place]->reader()};
        const auto document = std::ranges::find(documents_, *place, &stored_documents::column);
        const auto records = std::ranges::find(records_, *place, &stored_records::column);
        if (records != records_.end())
            return value_column{codes, {columns_[*place], values.values.texts(), *records->values}};
        if (document == documents_.end()) return values;
        return json_column{values, *document->paths, document->first_code};
    }
    /// Returns the layout with the members of the schema.
    [[nodiscard]] const json_rows& layout() const noexcept { return layout_; }
    [[nodiscard]] result<json_layout> layout(std::span<const json_member> members) const {
        auto pieces = std::make_shared<json_rows>();
        return lay_out(*pieces, members).map([&] { return json_layout(std::move(pieces)); });
    }

private:
    static constexpr std::size_t json_codes = 1 + metadata_paths_max;  // the marker and the paths

    /// A JSON column of the store's rows, and the columns of its paths.
    struct stored_documents {
        std::size_t column;
        std::size_t first_code;
        std::unique_ptr<metadata_columns> paths;
        metadata_shredder shredder{*paths};
    };
    /// A column of records of the store's rows.
    struct stored_records {
        std::size_t column;
        std::unique_ptr<record_values> values;
    };
    /// The columns of the store's rows, or of the rows of a reference.
    struct row_columns {
        std::size_t id = 0;
        std::vector<std::size_t> columns{};  // in the order of a row's cells, with `id`
    };
    /// Returns the index of a column by name; nullopt without such a column.
    [[nodiscard]] std::optional<std::size_t> place_of(std::string_view name) const noexcept {
        const column* const match = find_column(columns_, name);
        if (match == nullptr) return std::nullopt;
        return static_cast<std::size_t>(match - columns_.data());
    }

    /// Sets up all members before table_, and returns the table's columns.
    store::schema make_table(const storable_columns& columns, hash_seed seed) {
        for (const std::string_view reference : columns.references()) {
            references_.push_back({*place_of(reference), {*place_of(reference)}});
        }
        for (const column& column : columns_) {
            code_columns_.push_back(rows_.columns.size());
            place(column, columns.reference_of(column.name), seed);
        }
        rows_.id = *place_of("id");
        for (row_columns& rows : references_) {
            std::ranges::sort(rows.columns);
            for (const std::size_t at : rows.columns) code_columns_[at] = code_columns_[rows.id];
        }
        const auto is_row_time = [&](std::size_t at) {
            return columns_[at].type == column_type::time && !columns_[at].is_nullable;
        };
        const auto time = std::ranges::find_if(rows_.columns, is_row_time);
        time_ = time == rows_.columns.end() ? columns_.size() : *time;
        for (const std::size_t at : rows_.columns)
            numbers_.push_back(at == time_ ? nullptr : values_[at]->numbers());
        return {.code_columns = place_documents(seed),
                .id_column = code_columns_[rows_.id],
                .ids = &values_[rows_.id]->texts(),
                .numbers = numbers_};
    }
    /// Places the next column among those of the store's rows, or of a reference's rows.
    void place(const column& of, std::string_view reference, hash_seed seed) {
        const std::size_t at = values_.size();
        values_.emplace_back();
        referenced_.emplace_back();
        if (reference.empty()) {
            values_[at] = std::make_unique<column_values>(of, seed);
            return rows_.columns.push_back(at);
        }
        referenced_[at] = std::make_unique<referenced_cells>(of, seed, true);
        for (row_columns& rows : references_) {
            if (columns_[rows.id].name == reference) rows.columns.push_back(at);
        }
    }
    /// Places the code columns of the JSON columns' paths; returns the number of all code columns.
    std::size_t place_documents(hash_seed seed) {
        std::size_t codes = rows_.columns.size();
        for (const std::size_t at : rows_.columns) {
            if (columns_[at].type == column_type::records)
                records_.push_back({at, std::make_unique<record_values>(columns_[at], seed)});
            if (columns_[at].type != column_type::json) continue;
            documents_.push_back({at, codes, std::make_unique<metadata_columns>(seed)});
            codes += json_codes;
        }
        return codes;
    }

    /// Makes a layout. Error: field_unknown with the name of a column.
    [[nodiscard]] result<void> lay_out(json_rows& pieces,
                                       std::span<const json_member> members) const {
        std::string constant;
        return lay_out(pieces, constant, members).map([&] { pieces.json(constant); });
    }
    /// Appends an object to a layout. `constant` is JSON that isn't in the layout yet.
    [[nodiscard]] result<void> lay_out(json_rows& pieces, std::string& constant,
                                       std::span<const json_member> members) const {
        constant.push_back('{');
        for (const json_member& member : members) {
            if (&member != members.data()) constant.push_back(',');
            sluice::detail::append_json_string(constant, member.name);
            constant.push_back(':');
            if (!member.members.empty()) {
                if (auto laid = lay_out(pieces, constant, member.members); !laid) return laid;
                continue;
            }
            const std::string_view name = member.column.empty() ? member.name : member.column;
            const auto at = place_of(name);
            if (!at) return fail_in(rule::field_unknown, name);
            pieces.json(std::exchange(constant, {}));
            add_piece(pieces, *at);
        }
        constant.push_back('}');
        return {};
    }
    /// Appends the value of a column to a layout.
    void add_piece(json_rows& pieces, std::size_t at) const {
        const std::size_t codes = code_columns_[at];
        if (at == time_) {
            pieces.time();
        } else if (referenced_[at]) {
            pieces.fragment(codes, referenced_[at]->json());
        } else if (values_[at]->is_quoted()) {
            pieces.text(codes, values_[at]->texts());
        } else {
            pieces.raw(codes, values_[at]->texts());
        }
    }
    /// Checks the cells of a row of the store or of a reference; errors are those of
    /// column_store::add(), but for references.
    [[nodiscard]] result<void> check(const row_columns& of, std::span<const cell> row) const {
        for (std::size_t i = 0; i < of.columns.size(); ++i) {
            const std::size_t at = of.columns[i];
            const cell& value = cell_of(row, i);
            const column_values& known = referenced_[at] ? referenced_[at]->values() : *values_[at];
            if (auto fits = known.check(value); !fits) return fits;
            const auto* const text = std::get_if<std::string_view>(&value);
            const auto records = std::ranges::find(records_, at, &stored_records::column);
            const bool is_json = columns_[at].type == column_type::json;
            if (!text || (!is_json && records == records_.end())) continue;
            if (known.texts().find(*text) != absent) continue;  // already checked
            if (auto json = sluice::detail::check_json(*text); !json) {
                json.error().param = columns_[at].name;
                return json;
            }
            if (is_json) continue;
            if (auto fits = records->values->check(*text); !fits) return fits;
        }
        const auto* const id = std::get_if<std::string_view>(&id_of(of, row));
        if (id == nullptr) return fail_in(rule::field_missing, columns_[of.id].name);
        if (values_[of.id]->texts().find(*id) != absent) {
            return fail_in(rule::identifier_taken, columns_[of.id].name);
        }
        if (row.size() > of.columns.size()) return fail(rule::field_unknown);
        return {};
    }
    /// Checks that the rows that a row of the store refers to have been added.
    [[nodiscard]] result<void> check_references(std::span<const cell> row) const {
        for (const row_columns& rows : references_) {
            const auto* const id =
                std::get_if<std::string_view>(&cell_of(row, code_columns_[rows.id]));
            if (id && values_[rows.id]->texts().find(*id) == absent) {
                return fail_in(rule::reference_unknown, columns_[rows.id].name);
            }
        }
        return {};
    }
    /// Fills in a row's codes. The id comes last, as it makes the row known.
    void fill(std::span<code> codes, std::span<const cell> row) {
        for (const std::size_t at : rows_.columns) {
            const std::size_t i = code_columns_[at];
            if (at != time_ && at != rows_.id) codes[i] = values_[at]->encode(cell_of(row, i));
        }
        for (stored_documents& document : documents_) {
            const auto* const text =
                std::get_if<std::string_view>(&cell_of(row, code_columns_[document.column]));
            if (text)
                document.shredder.shred(*text, codes.subspan(document.first_code, json_codes));
        }
        for (const stored_records& records : records_)
            records.values->follow(values_[records.column]->texts());
        codes[code_columns_[rows_.id]] = values_[rows_.id]->encode(id_of(rows_, row));
    }
    /// Adds the values of a referenced row; its id comes last.
    void fill(const row_columns& of, std::span<const cell> row) {
        for (std::size_t i = 0; i < of.columns.size(); ++i) {
            const std::size_t at = of.columns[i];
            if (at != of.id) referenced_[at]->add(cell_of(row, i));
        }
        static_cast<void>(values_[of.id]->encode(id_of(of, row)));
    }
    /// Calls `visit(rows, at)` for each column of the rows of a reference but their id.
    template <class Visit>
    void for_each_referenced(const Visit& visit) const {
        for (const row_columns& of : references_) {
            for (const std::size_t at : of.columns) {
                if (at != of.id) visit(of, at);
            }
        }
    }
    /// Returns the cell of the row's id.
    [[nodiscard]] static const cell& id_of(const row_columns& of, std::span<const cell> row) {
        const auto id = std::ranges::find(of.columns, of.id) - of.columns.begin();
        return cell_of(row, static_cast<std::size_t>(id));
    }
    /// Returns the cell at an index; an absent one beyond the row's end.
    static const cell& cell_of(std::span<const cell> row, std::size_t i) noexcept {
        static const cell nothing;
        return i < row.size() ? row[i] : nothing;
    }
    /// Returns the row time in milliseconds since 1970; 0 without one. Expects a checked row.
    [[nodiscard]] std::int64_t time_of(std::span<const cell> row) const {
        if (!has_row_time()) return 0;
        return std::get<instant>(row[code_columns_[time_]]).time_since_epoch().count();
    }

    columns_view columns_;
    // Index of the row time's column; columns_.size() without one.
    std::size_t time_ = 0;
    row_columns rows_;
    std::vector<row_columns> references_;    // by reference
    std::vector<std::size_t> code_columns_;  // by column; of referenced rows that of the reference
    std::vector<std::unique_ptr<column_values>> values_;  // by column; null for referenced ones
    std::vector<std::unique_ptr<referenced_cells>>
        referenced_;  // by column; null for those of rows
    std::vector<stored_documents> documents_;
    std::vector<stored_records> records_;
    std::vector<const number_list*> numbers_;  // by code column of rows_; null without numbers
    table table_;
    json_rows layout_;
};

}  // namespace sluice::store

#endif
