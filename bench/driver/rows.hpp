// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_ROWS_HPP
#define SLUICE_BENCH_DRIVER_ROWS_HPP

#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
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

/// Reads the next number of a file of `times`, `ids`, or NAME.codes, where 0 is absent and c the
/// c-th line of NAME.texts; false at the end.
template <class Number>
[[nodiscard]] bool read_number(std::ifstream& file, Number& number) {
    return static_cast<bool>(file.read(reinterpret_cast<char*>(&number), sizeof number));
}

// --- Requests ------------------------------------------------------------------------------------

/// The parameters of a list endpoint over the columns that queries name, time and metadata.
struct rows_query {
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

inline constexpr std::array<std::string_view, 1> sorts{"time"};

/// The columns of texts that rows may have.
inline constexpr std::array<std::string_view, 24> dimension_names{
    "qr",          "trigger", "device",     "continent",    "os",          "utm_medium",
    "browser",     "group",   "utm_source", "folder",       "partner_tag", "tag",
    "country",     "domain",  "tenant",     "utm_campaign", "utm_term",    "region",
    "utm_content", "partner", "referer",    "city",         "link",        "url"};

inline constexpr sluice::schema rows_schema([] {
    std::array<column, dimension_names.size() + 3> columns{
        column{.name = "id"}, column{.name = "time", .type = column_type::time}};
    for (std::size_t i = 0; i < dimension_names.size(); ++i) {
        columns[i + 2] = {.name = dimension_names[i], .is_nullable = true};
    }
    columns.back() = {.name = "metadata", .type = column_type::json};
    return columns;
}());

inline constexpr param_table rows_params{
    rows_schema,
    dimension<&rows_query::device>("device"),
    dimension<&rows_query::os>("os"),
    dimension<&rows_query::browser>("browser"),
    dimension<&rows_query::utm_source>("utm_source"),
    dimension<&rows_query::country>("country"),
    dimension<&rows_query::link>("link"),
    dimension<&rows_query::url>("url"),
    expression_param<&rows_query::metadata>({.name = "metadata", .column = "metadata"}),
    instant_param<&rows_query::start>(
        {.name = "start", .column = "time", .op = comparison::at_least}),
    instant_param<&rows_query::end>({.name = "end", .column = "time", .op = comparison::at_most}),
    page_param<&rows_query::page>({.name = "page"}),
    page_size_param<&rows_query::limit, 1'000>({.name = "limit"}),
    sort_param<&rows_query::order, sorts>({.name = "sortBy"}),
};

/// Parses the query string of a request to a list query.
[[nodiscard]] inline list_query parse_rows_query(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    const auto query = bind(rows_params, pairs.pairs(), {.now = instant()});
    if (!query) throw std::runtime_error(message(query.error()));
    return to_list_query(rows_params, *query);
}

// --- The rows ------------------------------------------------------------------------------------

/// The generated data in a store::column_store, queried with store::select. Pages are written by
/// store::json_rows from prepared fragments.
class generated_rows {
public:
    explicit generated_rows(const std::filesystem::path& folder) : rows_(store_.current()) {
        std::vector<column_file> columns;
        for (const std::string& name : read_lines(folder / "columns")) {
            columns.push_back(open(folder, name));
        }
        columns.push_back(open(folder, "metadata"));
        load(folder, columns);
        rows_ = store_.current();
        lay_out(columns);
    }
    generated_rows(const generated_rows&) = delete;
    generated_rows& operator=(const generated_rows&) = delete;

    [[nodiscard]] std::size_t size() const { return rows_.size(); }

    [[nodiscard]] std::int64_t count(std::string_view text) const {
        return store::count(rows_, parse_rows_query(text)).value();
    }
    [[nodiscard]] std::string page(std::string_view text) const {
        return store::select(rows_, parse_rows_query(text)).value().json(layout_);
    }
    /// Counts queries, then builds the indexes for them, as servers do in the background.
    [[nodiscard]] std::string learn(const std::string& texts) {
        std::istringstream queries(texts);
        for (std::string text; queries >> text;) static_cast<void>(count(text));
        while (store_.maintain()) {
        }
        rows_ = store_.current();
        return "learned";
    }
    /// Writes rows as `[{"id":"ev_…","time":1787279415123,"country":"US",…,"metadata":{…}},…]`
    [[nodiscard]] std::string render(std::span<const std::size_t> rows) const {
        std::string out = "[";
        layout_.write(rows_.rows(), rows, out);
        out.push_back(']');
        return out;
    }

private:
    /// A column of the generated data: a code for each row, and the texts of the codes.
    struct column_file {
        std::string name;
        std::size_t place;
        std::ifstream codes;
        std::vector<std::string> texts;

        [[nodiscard]] cell next() {
            std::uint32_t code = 0;
            const bool has_text = read_number(codes, code) && code > 0;
            return has_text ? cell(std::string_view(texts[code - 1])) : cell();
        }
    };

    [[nodiscard]] static std::size_t place_of(const std::string& name) {
        const column* const known = rows_schema.find(name);
        if (known == nullptr) throw std::runtime_error("no column " + name);
        return static_cast<std::size_t>(known - rows_schema.begin());
    }
    [[nodiscard]] static column_file open(const std::filesystem::path& folder,
                                          const std::string& name) {
        return {name, place_of(name), std::ifstream(folder / (name + ".codes"), std::ios::binary),
                read_lines(folder / (name + ".texts"))};
    }

    void load(const std::filesystem::path& folder, std::vector<column_file>& columns) {
        constexpr std::size_t batch_rows = std::size_t{1} << 20;
        std::ifstream times(folder / "times", std::ios::binary);
        std::ifstream ids(folder / "ids", std::ios::binary);
        std::vector<cell> row(rows_schema.size());  // cells without data stay absent
        std::int64_t time = 0, number = 0;
        for (std::size_t rows = 1; read_number(times, time) && read_number(ids, number); ++rows) {
            const std::string id = "ev_" + std::to_string(number);
            row[place_of("id")] = id;
            row[place_of("time")] = instant(std::chrono::milliseconds(time));
            for (column_file& column : columns) row[column.place] = column.next();
            const auto added = store_.add(row);
            if (!added) throw std::runtime_error(message(added.error()));
            if (rows % batch_rows == 0) store_.publish();
        }
        store_.publish();
    }

    [[nodiscard]] const store::dictionary& texts(std::size_t place) const {
        const auto stored = store_.columns().find(rows_schema.begin()[place]);
        const auto* const documents = std::get_if<store::json_column>(&stored);
        return documents ? documents->texts.values.texts()
                         : std::get<store::value_column>(stored).values.texts();
    }
    void lay_out(const std::vector<column_file>& columns) {
        layout_.json("{\"id\":").text(place_of("id"), texts(place_of("id")));
        layout_.json(",\"time\":").milliseconds();
        for (const column_file& column : columns) {
            const std::string member = ",\"" + column.name + "\":";
            if (column.name == "metadata") {
                layout_.json(member).raw(column.place, texts(column.place)).json("}");
                continue;
            }
            store::json_fragments& added =
                fragments_.emplace_back(member + '"', "\"", member + "null");
            added.follow(texts(column.place));
            layout_.fragment(column.place, added);
        }
    }

    store::column_store store_{rows_schema};
    store::stored_rows rows_;
    std::deque<store::json_fragments> fragments_;
    store::json_rows layout_;
};

using shared_rows = std::shared_ptr<std::unique_ptr<generated_rows>>;  // empty until loaded

/// Adds operations over the generated data: `load FOLDER` reads it and answers its size; `count
/// TEXT` and `page TEXT` start from the text of a query string; `learn TEXT TEXT...` counts each
/// query once and then builds indexes for them.
inline void add_rows(operation_table& operations, const shared_rows& data) {
    operations["load"] = [data](const std::string& folder) {
        *data = std::make_unique<generated_rows>(folder);
        return operation{[data] { return std::to_string((*data)->size()); }};
    };
    operations["count"] = [data](const std::string& text) {
        return measured([data, text] { return (*data)->count(text); });
    };
    operations["page"] = [data](const std::string& text) {
        return measured([data, text] { return (*data)->page(text); });
    };
    operations["learn"] = [data](const std::string& texts) {
        return operation{[data, texts] { return (*data)->learn(texts); }};
    };
}

}  // namespace sluice_bench

#endif
