// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_LISTING_HPP
#define SLUICE_BENCH_DRIVER_LISTING_HPP

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>

#include <sluice/errors/message.hpp>
#include <sluice/store/documents/document_matcher.hpp>
#include <sluice/store/select.hpp>

#include "column_files.hpp"
#include "listing_query.hpp"

namespace sluice_bench {

/// A row of a page for a general JSON writer: texts in memory.
struct text_row {
    std::string_view id;
    std::int64_t time;
    std::vector<std::optional<std::string_view>> values;
    std::string_view metadata;
};

/// The generated data in a store::column_store, queried with store::select. Pages are written by
/// store::json_rows from prepared fragments.
class listing {
public:
    explicit listing(const std::filesystem::path& folder) : rows_(store_.current()) {
        for (const std::string& name : read_lines(folder / "columns")) {
            places_.push_back(store_.place_of(name).value());
        }
        load(folder);
        rows_ = store_.current();
        lay_out();
    }
    listing(const listing&) = delete;
    listing& operator=(const listing&) = delete;

    [[nodiscard]] const store::stored_rows& rows() const noexcept { return rows_; }

    [[nodiscard]] std::int64_t count(const list_query& query) const {
        return store::count(rows_, query).value();
    }
    /// Builds the indexes for the queries so far, as servers do in the background. Returns the
    /// column names of the count projection's key.
    std::string maintain() {
        while (store_.maintain()) {
        }
        rows_ = store_.current();
        const auto units = rows_.rows().projection().units_in({0, rows_.size()});
        std::string key;
        if (units.empty()) return key;
        for (const std::size_t place : units.front()->columns().key) {
            key.append(key.empty() ? "" : " ").append(listing_schema.begin()[place].name);
        }
        return key;
    }
    /// Like count(), but looks metadata up in the JSON, as for paths without a column.
    [[nodiscard]] std::int64_t count_raw(const list_query& query) const {
        const auto leaves = query.rows.leaves();
        if (leaves.size() != 1) throw std::runtime_error("raw JSON is asked for alone");
        const store::row_documents documents{metadata_place, &texts(metadata_place)};
        auto matcher = std::make_shared<store::document_matcher>(
            documents, std::get<metadata_query>(leaves[0].test));
        store::selection wanted;
        wanted.where = store::expression::test(store::test_of(std::move(matcher)));
        return store::scan(rows_.rows(), wanted).count().value();
    }
    [[nodiscard]] store::explanation analyze(const list_query& query) const {
        return store::analyze(rows_, query).value();
    }
    [[nodiscard]] store::table_stats stats() const { return rows_.rows().stats(); }
    [[nodiscard]] store::selected_page find(const list_query& query) const {
        return store::select(rows_, query).value();
    }
    [[nodiscard]] std::string page(const list_query& query) const { return render(find(query)); }

    /// Writes a page of this store as JSON.
    [[nodiscard]] std::string render(const store::selected_page& page) const {
        return page.json(layout_);
    }
    /// Writes rows as `[{"id":"ev_…","time":1787279415123,"country":"US",…,"metadata":{…}},…]`
    [[nodiscard]] std::string render(std::span<const std::size_t> rows) const {
        std::string out = "[";
        layout_.write(rows_.rows(), rows, out);
        out.push_back(']');
        return out;
    }

    /// Returns the number of dimensions in the data.
    [[nodiscard]] std::size_t dimensions() const noexcept { return places_.size(); }
    /// Returns the index of a dimension's column in the schema.
    [[nodiscard]] std::size_t place(std::size_t dimension) const { return places_[dimension]; }
    [[nodiscard]] std::string_view name(std::size_t dimension) const {
        return listing_schema.begin()[place(dimension)].name;
    }
    /// Returns the size of the ids and their index, in bytes.
    [[nodiscard]] std::size_t id_bytes() const { return texts(id_place).bytes(); }
    /// Returns the size of all other texts and their indexes, in bytes.
    [[nodiscard]] std::size_t text_bytes() const {
        std::size_t bytes = texts(metadata_place).bytes();
        for (const std::size_t place : places_) bytes += texts(place).bytes();
        return bytes;
    }
    /// Returns the texts of a row of this store.
    [[nodiscard]] text_row texts_of(const store::stored_row& row) const {
        const auto text_at = [&](std::size_t place) {
            const cell value = row.at(listing_schema.begin()[place]);
            const auto* const text = std::get_if<std::string_view>(&value);
            return text ? std::optional(*text) : std::nullopt;
        };
        const auto time = std::get<instant>(row.at(listing_schema.begin()[time_place]));
        text_row texts{text_at(id_place).value(),
                       time.time_since_epoch().count(),
                       {},
                       row.json(listing_schema.begin()[metadata_place]).value()};
        for (const std::size_t place : places_) texts.values.push_back(text_at(place));
        return texts;
    }

private:
    // Columns of the schema that aren't dimensions.
    static constexpr std::size_t id_place = 0, time_place = 1;
    static constexpr std::size_t metadata_place = listing_schema.size() - 1;
    static constexpr std::size_t rows_a_batch = std::size_t{1} << 20;

    [[nodiscard]] const store::dictionary& texts(std::size_t place) const {
        return store_.values(place).texts();
    }
    /// A column of the generated data: a code for each row, and the texts of the codes.
    struct column_file {
        number_file codes;
        std::vector<std::string> texts;

        [[nodiscard]] cell next() {
            const std::uint64_t code = codes.next();
            return code == 0 ? cell() : cell(std::string_view(texts[code - 1]));
        }
    };

    void load(const std::filesystem::path& folder) {
        const auto rows = std::filesystem::file_size(folder / "times.i64") / sizeof(std::int64_t);
        number_file times(folder / "times.i64", rows), ids(folder / "ids.u64", rows);
        std::vector<std::size_t> places = places_;
        places.push_back(metadata_place);
        std::vector<column_file> columns;
        for (const std::size_t place : places) {
            const std::string name(listing_schema.begin()[place].name);
            columns.push_back({number_file(folder / (name + ".codes"), rows),
                               read_lines(folder / (name + ".texts"))});
        }
        std::vector<cell> row(listing_schema.size());  // cells without data stay absent
        for (std::size_t at = 0; at < rows; ++at) {
            const std::string id = id_text(ids.next());
            row[id_place] = id;
            row[time_place] =
                instant(std::chrono::milliseconds(static_cast<std::int64_t>(times.next())));
            for (std::size_t i = 0; i < columns.size(); ++i) row[places[i]] = columns[i].next();
            const auto added = store_.add(row);
            if (!added) throw std::runtime_error(message(added.error()));
            if ((at + 1) % rows_a_batch == 0) store_.publish();
        }
        store_.publish();
    }
    /// Formats an id: `ev_` and 16 hexadecimal digits.
    static std::string id_text(std::uint64_t number) {
        std::string text = "ev_0000000000000000";
        for (std::size_t at = text.size(); number != 0; number >>= 4) {
            text[--at] = "0123456789abcdef"[number & 15];
        }
        return text;
    }

    void lay_out() {
        layout_.json("{\"id\":").text(id_place, texts(id_place));
        layout_.json(",\"time\":").milliseconds();
        for (const std::size_t place : places_) {
            const std::string member =
                ",\"" + std::string(listing_schema.begin()[place].name) + "\":";
            store::json_fragments& added =
                fragments_.emplace_back(member + '"', "\"", member + "null");
            added.follow(texts(place));
            layout_.fragment(place, added);
        }
        layout_.json(",\"metadata\":").raw(metadata_place, texts(metadata_place)).json("}");
    }

    store::column_store store_{listing_schema};
    std::vector<std::size_t> places_;  // columns of the data's dimensions
    store::stored_rows rows_;
    std::deque<store::json_fragments> fragments_;
    store::json_rows layout_;
};

}  // namespace sluice_bench

#endif
