// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_COMPILE_HPP
#define SLUICE_SQL_COMPILE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/list_query.hpp>
#include <sluice/sql/detail/condition_writer.hpp>
#include <sluice/sql/detail/order_writer.hpp>

namespace sluice::sql {

/// What a statement gives.
enum class form : std::uint8_t {
    page,       ///< the rows of the query's page, in order, each with its sort keys
    count,      ///< how many rows there are on all pages
    condition,  ///< no rows: which are taken, to be put after a WHERE; true or false, never NULL
};

/// The names of the forms, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> form_names{"page", "count", "condition"};

namespace detail {

/// Writes one statement; see compile().
class statement_writer {
public:
    statement_writer(const list_query& asked, const mapping& columns, dialect of)
        : asked_(asked), columns_(columns), dialect_(of), bound_(of) {}

    [[nodiscard]] result<statement> write(form wanted) {
        if (!asked_.search.empty()) return inexact("search", "leave it out");
        auto text = asked_.rows.visit(condition_writer(columns_, dialect_, bound_));
        if (text && wanted == form::count) {
            text = "SELECT count(*) FROM " + columns_.table + " WHERE " + *text;
        } else if (text && wanted == form::page) {
            text = page(*text);
        }
        if (!text) return tl::unexpected(text.error());
        return statement{*std::move(text), std::move(bound_).take()};
    }

private:
    [[nodiscard]] result<std::string> page(const std::string& condition) {
        const auto terms = order_terms(asked_, columns_, dialect_);
        if (!terms) return tl::unexpected(terms.error());
        if (asked_.from) return page_at(*asked_.from, condition, *terms);
        const std::string found = rows(condition, *terms) + limit();
        return found + " OFFSET " + bound_.add(asked_.wanted.offset());
    }
    /// A page before a place is found backwards from there, and turned round.
    [[nodiscard]] result<std::string> page_at(const cursor& place, const std::string& condition,
                                              const std::vector<order_term>& terms) {
        if (place.query_mark != query_mark(asked_)) {
            return fail_in(rule::cursor_mismatch, "cursor");
        }
        if (place.repeat != 0) return inexact("cursor", "use a table without repeated rows");
        const auto walked = place.is_before ? reversed(terms) : terms;
        const auto after = place_writer(walked, place, bound_).rows_after();
        if (!after) return after;
        const std::string found = rows(joined({*after, condition}, true), walked) + limit();
        if (!place.is_before) return found;
        return "SELECT * FROM (" + found + ") AS sluice_page" + order_by(terms, key_name);
    }

    static std::string key_name(std::size_t at) { return "sluice_key_" + std::to_string(at + 1); }
    /// The rows that meet a condition, with their sort keys, in order.
    [[nodiscard]] std::string rows(const std::string& condition,
                                   const std::vector<order_term>& terms) const {
        std::string text = "SELECT " + columns_.selects;
        for (std::size_t at = 0; at < terms.size(); ++at) {
            text.append(", ").append(terms[at].expression).append(" AS ").append(key_name(at));
        }
        text.append(" FROM ").append(columns_.table).append(" WHERE ").append(condition);
        return text + order_by(terms, [&](std::size_t at) { return terms[at].expression; });
    }
    [[nodiscard]] std::string limit() {
        const auto size = std::max<std::int64_t>(asked_.wanted.size, 0);
        return " LIMIT " + bound_.add(columns_.and_next ? size + 1 : size);
    }

    const list_query& asked_;
    const mapping& columns_;
    dialect dialect_;
    parameters bound_;
};

/// A sort key of a row as a cursor has it; `value` is what a database gave for it.
struct key_text {
    column_type of;
    storage decimals;

    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(std::int64_t number) const {
        // SQLite's flags are numbers.
        return of == column_type::boolean ? (*this)(number != 0) : std::to_string(number);
    }
    std::optional<std::string> operator()(bool flag) const { return flag ? "true" : "false"; }
    std::optional<std::string> operator()(const std::string& text) const {
        const bool is_order_key = of == column_type::decimal && decimals != storage::native;
        return is_order_key ? number_of(text).value_or(text) : text;
    }
    template <class Item>
    std::optional<std::string> operator()(const std::vector<Item>&) const {
        return std::nullopt;  // no key is a list
    }
};

}  // namespace detail

/// A list query as SQL: which gives the rows that store::select() and where::matches() give, in
/// that order, whatever is in them.
///
/// ```
/// const auto columns = sluice::sql::table_mapping(schema, "orders", sluice::sql::dialect::sqlite);
/// const auto found = sluice::sql::compile(query, columns, sluice::sql::dialect::sqlite);
/// // SELECT *, "total" AS sluice_key_1, "id" AS sluice_key_2 FROM "orders"
/// //     WHERE "status" IN (SELECT value FROM json_each(?1))
/// //     ORDER BY "total" DESC, "id" DESC LIMIT ?2 OFFSET ?3
/// ```
///
/// A page's rows end with their sort keys, `sluice_key_1` and so on, of which place_beside() makes
/// a cursor. NULL comes first in an order that ascends.
///
/// Errors: sql_inexact, with what to do about it, where the database can't answer exactly: of a
/// `search`, of a column that the mapping or the storage has no exact form for, of a test that its
/// column's type doesn't have; cursor_mismatch and cursor_malformed.
[[nodiscard]] inline result<statement> compile(const list_query& query, const mapping& columns,
                                               dialect of, form wanted = form::page) {
    return detail::statement_writer(query, columns, of).write(wanted);
}

/// The place after a row of a page, or before it, which leads to the page beside it: of the row's
/// sort keys, as the database gave them. compile() takes it as the cursor of the same query.
///
/// ```
/// place_beside(query, {std::int64_t{1'787'279'415'123}, "order_17"})
/// ```
///
/// `decimals` tells how the table stores these. Errors: cursor_malformed of another number of keys.
[[nodiscard]] inline result<cursor> place_beside(const list_query& query,
                                                 const std::vector<value>& keys,
                                                 bool is_before = false,
                                                 storage decimals = storage::prepared) {
    const std::vector<sort_key> order = detail::whole_order(query);
    if (order.size() != keys.size()) return fail_in(rule::cursor_malformed, "cursor");
    cursor place{is_before, query_mark(query), 0, {}};
    for (std::size_t at = 0; at < keys.size(); ++at) {
        const detail::key_text text{order[at].by.type, decimals};
        place.keys.push_back(std::visit(text, keys[at]));
    }
    return place;
}

}  // namespace sluice::sql

#endif
