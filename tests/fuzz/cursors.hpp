// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_CURSORS_HPP
#define SLUICE_TESTS_FUZZ_CURSORS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/errors/message.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/store/column_store.hpp>
#include <sluice/store/select.hpp>

#include "byte_source.hpp"

// Cursors: those that nobody wrote, and those of rows that may be gone.

namespace sluice_fuzz {

inline constexpr sluice::schema cursor_columns{
    sluice::column{.name = "id"},
    sluice::column{.name = "note", .is_nullable = true},
    sluice::column{.name = "total", .type = sluice::column_type::decimal},
    sluice::column{.name = "seats", .type = sluice::column_type::integer},
    sluice::column{.name = "open", .type = sluice::column_type::boolean},
    sluice::column{.name = "created", .type = sluice::column_type::time}};

/// Rows with equal keys, null keys and keys that are cut.
class listed_rows {
public:
    listed_rows() : store_(cursor_columns) {
        const auto at = [](std::int64_t ms) {
            return sluice::instant{std::chrono::milliseconds{ms}};
        };
        const std::string long_note(900, 'n'), longer_note = long_note + "m";
        using number = std::int64_t;
        const std::vector<std::vector<sluice::cell>> rows{
            {"a", "x", "1.5", number{1}, true, at(0)},
            {"b", std::monostate(), "1.50", number{1}, false, at(1)},
            {"c", long_note, "-2", std::numeric_limits<number>::max(), true, at(1)},
            {"d", longer_note, "1e30", number{-5}, true, at(-7)},
            {"\xC3\xA9", "\xF0\x9F\x8F\x94", "0", number{0}, false, at(1'787'279'415'123)}};
        for (const auto& row : rows) require(store_.add(row).has_value());
        store_.publish();
        size_ = rows.size();
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// The ids of a query's page; nothing where its cursor is refused.
    [[nodiscard]] std::optional<std::vector<std::string>> page(
        const sluice::list_query& query) const {
        const auto page = sluice::store::select(store_.current(), query);
        if (!page) {
            require(page.error().broken == sluice::rule::cursor_malformed);
            return std::nullopt;
        }
        std::vector<std::string> ids;
        for (const auto& row : page->rows()) {
            ids.emplace_back(std::get<std::string_view>(row.at(*cursor_columns.begin())));
        }
        return ids;
    }

private:
    sluice::store::column_store store_;
    std::size_t size_ = 0;
};

/// A cursor of any keys is refused, or parts all rows but its own into those before and after.
inline void try_place(sluice::list_query& query, sluice::cursor place) {
    static const listed_rows rows;
    const auto order = sluice::whole_order(query);
    const bool fits = sluice::has_keys_of(order, place);
    place.query_mark = sluice::query_mark(query);
    std::vector<std::string> ids;
    for (const bool is_before : {false, true}) {
        place.is_before = is_before;
        query.from = place;
        const auto page = rows.page(query);
        require(page.has_value() == fits);
        if (page) ids.insert(ids.end(), page->begin(), page->end());
        for (const sluice::sql::dialect of : sluice::sql::all_dialects) {
            const sluice::columns_view columns(cursor_columns.begin(), cursor_columns.size());
            const auto places = sluice::sql::table_mapping(columns, "t", of);
            const auto text = sluice::sql::compile(query, places, of, sluice::sql::form::page);
            require(text.has_value() || !sluice::message(text.error()).empty());
            require(fits || !text);
        }
    }
    if (!fits) return;
    std::ranges::sort(ids);
    const auto [again, end] = std::ranges::unique(ids);
    require(place.cut_of(0) != nullptr || again == end);  // a cut place may repeat rows
    ids.erase(again, end);
    require(ids.size() + 1 >= rows.size());
}

/// `order, 1 byte; flags, 1 byte; keys as cursors have them, or a line each`.
inline void fuzz_cursors(std::string_view input) {
    byte_source bytes(input);
    const std::size_t by = bytes.number<std::uint8_t>() % (2 * cursor_columns.size());
    const std::uint8_t flags = bytes.number<std::uint8_t>();
    sluice::list_query query;
    query.wanted.size = 100;
    query.order.push_back(
        {*(cursor_columns.begin() + by / 2),
         by % 2 == 0 ? sluice::sort_order::ascending : sluice::sort_order::descending});

    std::string forged{sluice::detail::cursor_version, static_cast<char>(flags % 2)};
    sluice::detail::append_number(forged, flags, 4);
    sluice::detail::append_number(forged, flags / 2U, 4);
    forged.append(bytes.rest());
    sluice::detail::append_number(forged, sluice::detail::lasting_hash(forged), 4);
    const std::string text = sluice::detail::to_base64url(forged);
    if (const auto read = sluice::parse_cursor(text)) {
        require(sluice::to_string(*read) == text);
        try_place(query, *read);
    }

    sluice::cursor place;
    while (!bytes.empty()) {
        const std::string_view line = bytes.line();
        place.keys.push_back(line == "-" ? std::nullopt : std::optional<std::string>(line));
    }
    const auto order = sluice::whole_order(query);
    if (!sluice::has_keys_of(order, place)) return;
    sluice::cut_long_keys(place, order);
    const auto written = sluice::cursor_text(place, order);
    if (!written) {
        require(written.error().broken == sluice::rule::cursor_key_too_long);
        return;
    }
    require(written->size() <= sluice::cursor_max_length);
    require(sluice::parse_cursor(*written) == place);
    try_place(query, place);
}

}  // namespace sluice_fuzz

#endif
