// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_LISTING_HPP
#define SLUICE_BENCH_DRIVER_LISTING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/sluice.hpp>
#include <sluice/store/select.hpp>

#include "operation.hpp"

namespace sluice_bench {

using namespace sluice;

// --- Files of the generated data -----------------------------------------------------------------

/// Reads the lines of a file.
[[nodiscard]] inline std::vector<std::string> read_lines(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path.filename().string());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// A file of little-endian numbers, one a row: `times`, `ids`, or NAME.codes, where 0 is absent and
/// c the c-th line of NAME.texts. They are read one by one, as the data built from them needs the
/// memory.
template <class Number>
class number_file {
public:
    explicit number_file(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

    /// Reads the next number into `number`; false at the end.
    [[nodiscard]] bool read(Number& number) {
        return static_cast<bool>(file_.read(reinterpret_cast<char*>(&number), sizeof number));
    }

private:
    std::ifstream file_;
};

// --- Requests ------------------------------------------------------------------------------------

/// The parameters of a list endpoint over the columns that queries name, time and metadata.
struct listing_query {
    filter device, os, browser, utm_source, country, link, url;
    metadata_query metadata{};
    std::optional<instant> start{}, end{};
    std::int64_t page = 1, limit = 100;
    sort_choices order{{0, sort_order::descending}};
};

/// Returns a filter parameter on the column of the same name.
template <auto Member>
constexpr auto dimension(std::string_view name) noexcept {
    return filter_param<Member>({.name = name, .column = name});
}

inline constexpr std::array<std::string_view, 1> listing_sorts{"time"};

/// The columns of texts that rows may have.
inline constexpr std::array<std::string_view, 24> dimension_names{
    "qr",          "trigger", "device",     "continent",    "os",          "utm_medium",
    "browser",     "group",   "utm_source", "folder",       "partner_tag", "tag",
    "country",     "domain",  "tenant",     "utm_campaign", "utm_term",    "region",
    "utm_content", "partner", "referer",    "city",         "link",        "url"};

inline constexpr sluice::schema listing_schema([] {
    std::array<column, dimension_names.size() + 3> columns{
        column{.name = "id"}, column{.name = "time", .type = column_type::time}};
    for (std::size_t i = 0; i < dimension_names.size(); ++i) {
        columns[i + 2] = {.name = dimension_names[i], .is_nullable = true};
    }
    columns.back() = {.name = "metadata", .type = column_type::json};
    return columns;
}());

inline constexpr param_table listing_params{
    listing_schema,
    dimension<&listing_query::device>("device"),
    dimension<&listing_query::os>("os"),
    dimension<&listing_query::browser>("browser"),
    dimension<&listing_query::utm_source>("utm_source"),
    dimension<&listing_query::country>("country"),
    dimension<&listing_query::link>("link"),
    dimension<&listing_query::url>("url"),
    expression_param<&listing_query::metadata>({.name = "metadata", .column = "metadata"}),
    instant_param<&listing_query::start>(
        {.name = "start", .column = "time", .op = comparison::at_least}),
    instant_param<&listing_query::end>(
        {.name = "end", .column = "time", .op = comparison::at_most}),
    page_param<&listing_query::page>({.name = "page"}),
    page_size_param<&listing_query::limit, 1'000>({.name = "limit"}),
    sort_param<&listing_query::order, listing_sorts>({.name = "sortBy"}),
};

/// Parses the query string of a request to a list query.
[[nodiscard]] inline list_query parse_listing_query(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    const auto query = bind(listing_params, pairs.pairs(), {.now = instant()});
    if (!query) throw std::runtime_error(message(query.error()));
    return to_list_query(listing_params, *query);
}

// --- The rows ------------------------------------------------------------------------------------

/// The generated data in a store::column_store, queried with store::select. Pages are written by
/// store::json_rows from prepared fragments.
class listing {
public:
    explicit listing(const std::filesystem::path& folder) : rows_(store_.current()) {
        for (const std::string& name : read_lines(folder / "columns")) {
            const column* const dimension = listing_schema.find(name);
            if (dimension == nullptr) throw std::runtime_error("no column " + name);
            places_.push_back(static_cast<std::size_t>(dimension - listing_schema.begin()));
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
    /// Builds the indexes for the queries so far, as servers do in the background.
    void maintain() {
        while (store_.maintain()) {
        }
        rows_ = store_.current();
    }
    [[nodiscard]] std::string page(const list_query& query) const {
        return store::select(rows_, query).value().json(layout_);
    }
    /// Writes rows as `[{"id":"ev_…","time":1787279415123,"country":"US",…,"metadata":{…}},…]`
    [[nodiscard]] std::string render(std::span<const std::size_t> rows) const {
        std::string out = "[";
        layout_.write(rows_.rows(), rows, out);
        out.push_back(']');
        return out;
    }

private:
    // Columns of the schema that aren't dimensions.
    static constexpr std::size_t id_place = 0, time_place = 1;
    static constexpr std::size_t metadata_place = listing_schema.size() - 1;
    static constexpr std::size_t batch_rows = std::size_t{1} << 20;

    [[nodiscard]] const store::dictionary& texts(std::size_t place) const {
        const auto stored = store_.columns().find(listing_schema.begin()[place]);
        const auto* const documents = std::get_if<store::json_column>(&stored);
        return documents ? documents->texts.values.texts()
                         : std::get<store::value_column>(stored).values.texts();
    }
    /// A column of the generated data: a code for each row, and the texts of the codes.
    struct column_file {
        std::size_t place;
        number_file<std::uint32_t> codes;
        std::vector<std::string> texts;

        [[nodiscard]] cell next() {
            std::uint32_t code = 0;
            return codes.read(code) && code > 0 ? cell(std::string_view(texts[code - 1])) : cell();
        }
    };

    void load(const std::filesystem::path& folder) {
        number_file<std::int64_t> times(folder / "times"), ids(folder / "ids");
        std::vector<std::size_t> places = places_;
        places.push_back(metadata_place);
        std::vector<column_file> columns;
        for (const std::size_t place : places) {
            const std::string name(listing_schema.begin()[place].name);
            columns.push_back({place, number_file<std::uint32_t>(folder / (name + ".codes")),
                               read_lines(folder / (name + ".texts"))});
        }
        std::vector<cell> row(listing_schema.size());  // cells without data stay absent
        std::int64_t time = 0, number = 0;
        for (std::size_t rows = 1; times.read(time) && ids.read(number); ++rows) {
            const std::string id = "ev_" + std::to_string(number);
            row[id_place] = id;
            row[time_place] = instant(std::chrono::milliseconds(time));
            for (column_file& column : columns) row[column.place] = column.next();
            const auto added = store_.add(row);
            if (!added) throw std::runtime_error(message(added.error()));
            if (rows % batch_rows == 0) store_.publish();
        }
        store_.publish();
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

/// Adds operations over the generated data: `count TEXT` and `page TEXT` start from the text of a
/// query string; `learn TEXT TEXT...` counts each query once and then builds indexes for them.
inline void add_listing(operation_table& operations, const std::unique_ptr<listing>& data) {
    operations["count"] =
        on_text([&data](std::string_view text) { return data->count(parse_listing_query(text)); });
    operations["page"] =
        on_text([&data](std::string_view text) { return data->page(parse_listing_query(text)); });
    operations["learn"] = [&data](std::string_view texts) {
        return operation{[&data, texts = std::string(texts)] {
            std::istringstream queries(texts);
            for (std::string text; queries >> text;) {
                static_cast<void>(data->count(parse_listing_query(text)));
            }
            data->maintain();
            return std::string("learned");
        }};
    };
}

}  // namespace sluice_bench

#endif
