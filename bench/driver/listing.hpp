// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_LISTING_HPP
#define SLUICE_BENCH_DRIVER_LISTING_HPP

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <memory>

#include <sluice/message.hpp>
#include <sluice/store/json_rows.hpp>
#include <sluice/store/metadata/conditions.hpp>
#include <sluice/store/scan.hpp>

#include "column_files.hpp"
#include "listing_query.hpp"

namespace sluice_bench {

/// The generated data in a store::table:
///
/// ```
/// code columns: | dimensions ... | id | metadata | marker, paths of the metadata ... |
/// integers:     | time |
/// ```
class listing {
public:
    listing(const std::filesystem::path& folder, unsigned threads)
        : options_{.forced = {}, .threads = threads},
          names_(read_lines(folder / "columns")),
          texts_(names_.size() + 2),
          table_({.code_columns = marker_column() + 1 + store::metadata_paths_max,
                  .integer_columns = 1,
                  .id_column = id_column(),
                  .ids = &texts_[id_column()]}) {
        load(folder);
        rows_ = table_.current();
        lay_out();
    }
    listing(const listing&) = delete;
    listing& operator=(const listing&) = delete;

    [[nodiscard]] const store::snapshot& rows() const noexcept { return rows_; }

    /// A query as the store's conditions.
    [[nodiscard]] store::selection select(const listing_query& query) const {
        store::selection wanted;
        select_window(wanted, query);
        const list_query asked = to_list_query(listing_params, query);
        for (const leaf& each : asked.rows.leaves()) {
            const filter& named = std::get<text_test>(each.test).wanted;
            const std::size_t column = column_of(each.subject.name);
            store::code_set accepted =
                store::codes_named(texts_[column], named.values(), each.subject.how);
            if (named.excludes()) accepted.flip();
            wanted.conditions.push_back({column, std::move(accepted)});
        }
        select_metadata(wanted, query);
        return wanted;
    }

    [[nodiscard]] std::int64_t count(const listing_query& query) const {
        const store::selection wanted = select(query);
        return store::scan(rows_, wanted, options_).count().value();
    }
    /// The same, with metadata looked up in the JSON of each row that the rest leaves.
    [[nodiscard]] std::int64_t count_raw(const listing_query& query) const {
        listing_query rest = query;
        rest.metadata = {};
        store::selection wanted = select(rest);
        store::metadata_matcher matcher(query.metadata);
        wanted.test = [&](std::size_t row) { return matcher.matches(metadata(row)); };
        return store::scan(rows_, wanted, options_).count().value();
    }
    [[nodiscard]] store::explanation explain(const listing_query& query) const {
        const store::selection wanted = select(query);
        return store::scan(rows_, wanted, options_).analyze().value();
    }
    [[nodiscard]] store::table_stats stats() const { return table_.stats(); }
    [[nodiscard]] store::row_page find(const listing_query& query) const {
        const store::selection wanted = select(query);
        const sluice::page at{query.page, query.limit};
        return store::scan(rows_, wanted, options_)
            .page(query.sort_order, at.offset(), at.size)
            .value();
    }
    [[nodiscard]] std::string page(const listing_query& query) const {
        return render(find(query).rows);
    }

    /// `[{"id":"ev_…","time":1787279415123,"country":"US",…,"metadata":{…}},…]`
    [[nodiscard]] std::string render(std::span<const std::size_t> rows) const {
        std::string out = "[";
        layout_.write(rows_, rows, out);
        out.push_back(']');
        return out;
    }

    [[nodiscard]] std::size_t dimensions() const noexcept { return names_.size(); }
    [[nodiscard]] const std::string& name(std::size_t column) const { return names_[column]; }
    [[nodiscard]] std::string_view id(std::size_t row) const { return text(row, id_column()); }
    [[nodiscard]] std::string_view metadata(std::size_t row) const {
        return text(row, metadata_column());
    }
    /// A row's value in a dimension; nothing where it is absent.
    [[nodiscard]] std::optional<std::string_view> value(std::size_t row, std::size_t column) const {
        const store::code found = rows_.code_at(row, column);
        return found == store::absent ? std::nullopt : std::optional(texts_[column].text(found));
    }

private:
    static constexpr std::size_t rows_a_batch = std::size_t{1} << 20;

    [[nodiscard]] std::size_t id_column() const noexcept { return names_.size(); }
    [[nodiscard]] std::size_t metadata_column() const noexcept { return names_.size() + 1; }
    [[nodiscard]] std::size_t marker_column() const noexcept { return names_.size() + 2; }
    [[nodiscard]] std::string_view text(std::size_t row, std::size_t column) const {
        return texts_[column].text(rows_.code_at(row, column));
    }
    [[nodiscard]] std::size_t column_of(std::string_view name) const {
        const auto found = std::ranges::find(names_, name);
        if (found == names_.end()) throw std::runtime_error("no column " + std::string(name));
        return static_cast<std::size_t>(found - names_.begin());
    }

    static void select_window(store::selection& wanted, const listing_query& query) {
        const window_request asked{interval::all, query.start, query.end};
        const auto window = resolve_window(asked, time_zone::utc(), after_all);
        if (!window) throw std::runtime_error(message(window.error()));
        if (window->start) wanted.first_time = window->start->time_since_epoch().count();
        wanted.last_time = window->end.time_since_epoch().count();
    }
    void select_metadata(store::selection& wanted, const listing_query& query) const {
        if (query.metadata.empty()) return;  // an expression, even of all rows, is no count
        const store::metadata_conditions conditions(
            paths_, marker_column(), "query", [this](std::size_t row) { return metadata(row); },
            query.metadata);
        store::expression rows = conditions.rows();
        // A lone condition is met more quickly than an expression.
        const store::expression::node& root = rows.nodes().back();
        if (root.what == store::expression::kind::condition) {
            wanted.conditions.push_back(root.rows);
        } else {
            wanted.where = std::move(rows);
        }
    }

    void load(const std::filesystem::path& folder) {
        const auto times = read_numbers<std::int64_t>(folder / "times.i64");
        const auto ids = read_numbers<std::uint64_t>(folder / "ids.u64");
        std::vector<code_file> columns;
        for (const std::string& name : names_) {
            columns.emplace_back(folder / (name + ".codes"), times.size());
        }
        columns.emplace_back(folder / "metadata.codes", times.size());
        encode_texts(folder);
        for (std::size_t begin = 0; begin < times.size(); begin += rows_a_batch) {
            const std::size_t end = std::min(times.size(), begin + rows_a_batch);
            append(times, ids, columns, begin, end);
        }
    }
    store::code encode(std::size_t column, std::string_view text) {
        return texts_[column].encode(text);
    }
    void encode_texts(const std::filesystem::path& folder) {
        for (std::size_t column = 0; column < names_.size(); ++column) {
            const auto texts = read_lines(folder / (names_[column] + ".texts"));
            for (const std::string& text : texts) encode(column, text);
        }
        store::metadata_shredder shredder(paths_);
        shredded_.resize(1);
        for (const std::string& text : read_lines(folder / "metadata.texts")) {
            encode(metadata_column(), text);
            shredder.shred(text, shredded_.emplace_back());
        }
    }
    void append(const std::vector<std::int64_t>& times, const std::vector<std::uint64_t>& ids,
                const std::vector<code_file>& columns, std::size_t begin, std::size_t end) {
        store::row_buffer rows(table_.columns());
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t added = rows.add(times[row]);
            rows.integers(added)[0] = times[row];
            const auto codes = rows.codes(added);
            for (std::size_t i = 0; i < names_.size(); ++i) codes[i] = columns[i][row];
            codes[id_column()] = encode(id_column(), id_text(ids[row]));
            codes[metadata_column()] = columns.back()[row];
            std::ranges::copy(shredded_[codes[metadata_column()]],
                              codes.subspan(marker_column()).begin());
        }
        table_.append(std::move(rows), [](std::size_t, std::span<store::code>) {});
    }
    /// `ev_` and 16 hexadecimal digits.
    static std::string id_text(std::uint64_t number) {
        std::string text = "ev_0000000000000000";
        for (std::size_t at = text.size(); number != 0; number >>= 4) {
            text[--at] = "0123456789abcdef"[number & 15];
        }
        return text;
    }

    void lay_out() {
        layout_.json("{\"id\":").text(id_column(), texts_[id_column()]);
        layout_.json(",\"time\":").integer(0);
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const std::string member = ",\"" + names_[i] + "\":";
            store::json_fragments& added =
                fragments_.emplace_back(member + '"', "\"", member + "null");
            added.follow(texts_[i]);
            layout_.fragment(i, added);
        }
        layout_.json(",\"metadata\":").raw(metadata_column(), texts_[metadata_column()]).json("}");
    }

    using metadata_codes = std::array<store::code, 1 + store::metadata_paths_max>;

    store::scan_options options_;
    std::vector<std::string> names_;
    std::vector<store::dictionary> texts_;
    store::metadata_columns paths_{hash_seed::of_process()};
    std::vector<metadata_codes> shredded_;  // of each code of the metadata column
    store::table table_;
    store::snapshot rows_;
    std::deque<store::json_fragments> fragments_;
    store::json_rows layout_;
};

}  // namespace sluice_bench

#endif
