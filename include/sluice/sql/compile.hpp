// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_COMPILE_HPP
#define SLUICE_SQL_COMPILE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/where.hpp>
#include <sluice/sql/detail/condition_writer.hpp>
#include <sluice/sql/place.hpp>

/// Compiling list queries to SQL statements.
namespace sluice::sql {

/// The kind of a statement that compile() writes.
enum class form : std::uint8_t {
    page,       ///< the rows of the query's page, in order
    count,      ///< the number of rows on all pages
    condition,  ///< a condition to put after WHERE: true or false, never NULL
};

/// Names of the forms, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> form_names{"page", "count", "condition"};

namespace detail {

/// Writes one statement; see compile().
class statement_writer {
public:
    statement_writer(const list_query& query, const mapping& columns, dialect of)
        : query_(query),
          columns_(columns),
          dialect_(of),
          fragments_(fragments_of(of)),
          bound_(of, query.rows.leaves().size() + paging_parameters) {}

    [[nodiscard]] result<statement> write(form wanted) {
        if (!query_.search.empty()) {
            return inexact(query_.search_param,
                           "leave a search out, no database has a test for it");
        }
        if (auto known = check_answered(query_.rows, answered_tests_of(columns_, dialect_));
            !known) {
            return tl::unexpected(known.error());
        }
        const auto rows = query_.rows.visit(condition_writer(columns_, dialect_, bound_));
        if (!rows) return tl::unexpected(rows.error());
        auto text = wanted == form::page ? page(*rows) : write_condition(*rows);
        if (text && wanted == form::count) {
            text = "SELECT count(*) FROM " + columns_.table + " WHERE " + *text;
        }
        if (!text) return tl::unexpected(text.error());
        statement written = std::move(bound_).in(*std::move(text), columns_.placeholders);
        const limits& most = limits_of(dialect_);
        if (written.parameters.size() <= most.parameters + paging_parameters) return written;
        return too_large(most.at_most_parameters);
    }

private:
    /// Returns the text of a condition. Error: sql_too_large, if the database would refuse its
    /// nesting or its number of parameters.
    [[nodiscard]] result<std::string> write_condition(const condition& rows) const {
        const limits& most = limits_of(dialect_);
        if (rows.nesting() > most.nesting) return too_large(most.at_most_levels);
        if (bound_.size() > most.parameters) return too_large(most.at_most_parameters);
        return rows.text();
    }
    [[nodiscard]] result<std::string> page(const condition& conditions) {
        const auto terms = order_terms(query_, columns_, dialect_, bound_);
        if (!terms) return tl::unexpected(terms.error());
        auto selected = query_.from ? page_at(*query_.from, conditions, *terms)
                                    : page_by_number(conditions, *terms);
        const bool sorts_texts = std::ranges::any_of(*terms, &order_term::is_text);
        if (!selected || !sorts_texts) return selected;
        return selected->insert(0, fragments_.sorts_texts);
    }
    /// Returns true if keys are converted for cursors after the limit.
    [[nodiscard]] bool converts_late(const std::vector<order_term>& terms) const {
        const auto converts = [](const order_term& term) {
            return term.native && term.selected != term.expression;
        };
        return fragments_.converts_late && has_keys() && std::ranges::any_of(terms, converts);
    }
    /// Selects all of a page's rows again, in order, with their keys as cursors have them.
    [[nodiscard]] std::string reselected(const std::string& page_text,
                                         const std::vector<order_term>& terms) const {
        const bool is_late = converts_late(terms);
        std::string keys;
        for (std::size_t at = 0; is_late && at < terms.size(); ++at) {
            const native_column& native = terms[at].native;
            if (!native || native.type->key.empty()) continue;
            keys.append(keys.empty() ? " REPLACE (" : ", ");
            keys.append(native.fill(native.type->key, page_key_name(at)));
            keys.append(" AS ").append(key_name(at));
        }
        return "SELECT *" + keys + (is_late ? ")" : "") + " FROM (" + page_text +
               ") AS sluice_page" + order_by(by_key_names(terms, is_late), fragments_);
    }
    [[nodiscard]] result<std::string> page_by_number(const condition& conditions,
                                                     const std::vector<order_term>& terms) {
        const auto text = write_condition(conditions);
        if (!text) return text;
        std::string selected = rows(*text, terms);  // binds parameters before limit() does
        selected.append(limit());
        selected.append(" OFFSET ").append(bound_.add(query_.wanted.offset()));
        return converts_late(terms) ? reselected(selected, terms) : selected;
    }
    /// Writes a page at a cursor. A page before it is read backwards, and then reversed.
    [[nodiscard]] result<std::string> page_at(const cursor& place, const condition& conditions,
                                              const std::vector<order_term>& terms) {
        if (place.query_mark != query_mark(query_)) {
            return fail_in(rule::cursor_mismatch, "cursor");
        }
        if (place.repeat != 0) return fail_in(rule::cursor_mismatch, "cursor");
        const auto walked = place.is_before ? reversed(terms) : terms;
        const auto after =
            place_writer(walked, place, columns_.table, fragments_, bound_).rows_after();
        if (!after) return tl::unexpected(after.error());
        const auto text = write_condition(condition::group({*after, conditions}, true));
        if (!text) return text;
        std::string selected = rows(*text, walked);
        selected.append(limit());
        return place.is_before || converts_late(terms) ? reselected(selected, terms) : selected;
    }

    static constexpr std::size_t paging_parameters = 3;  // LIMIT, OFFSET and row_versions

    static std::string key_name(std::size_t at) { return "sluice_key_" + std::to_string(at + 1); }
    static std::string page_key_name(std::size_t at) { return "sluice_page." + key_name(at); }
    /// Returns an order by the keys at the end of selected rows, which may be unconverted yet.
    [[nodiscard]] std::vector<order_term> by_key_names(std::vector<order_term> terms,
                                                       bool is_late) const {
        for (std::size_t at = 0; at < terms.size(); ++at) {
            const native_column& native = terms[at].native;
            const bool is_number = native && !native.type->number.empty() && !is_late;
            const std::string name = is_late ? page_key_name(at) : key_name(at);
            terms[at].expression = is_number ? native.fill(native.type->number, name)
                                             : ordered(name, terms[at].choices, dialect_);
        }
        return terms;
    }
    /// Writes a SELECT of the rows that meet a condition, in order.
    [[nodiscard]] std::string rows(const std::string& condition_text,
                                   const std::vector<order_term>& terms) {
        std::string text = "SELECT " + columns_.selects;
        text.reserve(condition_text.size() + 512);  // for the columns and the order
        const bool is_late = converts_late(terms);
        for (std::size_t at = 0; has_keys() && at < terms.size(); ++at) {
            const order_term& term = terms[at];
            const bool is_converted = !(is_late && term.native);
            text.append(", ").append(is_converted ? term.selected : term.expression);
            text.append(" AS ").append(key_name(at));
        }
        text.append(" FROM ").append(columns_.table);
        if (columns_.versions.most > 0) text.append(among_versions(condition_text, terms));
        text.append(" WHERE ").append(condition_text);
        text.append(order_by(terms, fragments_));
        return text;
    }
    /// Returns true if rows end with their sort keys. A page before a cursor is reversed by them.
    [[nodiscard]] bool has_keys() const noexcept {
        return columns_.keys || (query_.from && query_.from->is_before);
    }
    /// Limits rows to the keys of versions that meet a condition. `PREWHERE` reads the other
    /// columns for these alone; all keys are in the order, so that no more is read than has to be.
    [[nodiscard]] std::string among_versions(const std::string& condition_text,
                                             const std::vector<order_term>& terms) {
        const row_versions& all = columns_.versions;
        std::string key, order;
        for (const std::string& column : all.key) {
            key.append(key.empty() ? "" : ", ").append(column);
            order.append(order.empty() ? "" : ", ").append(column);
            order.append(terms.front().ascends ? " ASC" : " DESC");
        }
        return " PREWHERE (" + key + ") GLOBAL IN (SELECT " + key + " FROM " + all.table +
               " PREWHERE " + condition_text + " ORDER BY " + order + " LIMIT " +
               bound_.add(all.most) + ")";
    }
    [[nodiscard]] std::string limit() {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        const auto size = std::clamp<std::int64_t>(query_.wanted.size, 0, most - 1);
        return " LIMIT " + bound_.add(columns_.and_next ? size + 1 : size);
    }

    const list_query& query_;
    const mapping& columns_;
    dialect dialect_;
    const fragments& fragments_;
    parameters bound_;
};

}  // namespace detail

/// Compiles a list query to SQL that returns the same rows as store::select() and where::matches(),
/// in the same order, whatever is in them.
///
/// ```
/// const auto columns = sluice::sql::table_mapping(schema, "orders", sluice::sql::dialect::sqlite);
/// const auto found = sluice::sql::compile(query, columns, sluice::sql::dialect::sqlite);
/// // SELECT *, "created" AS sluice_key_1, "id" COLLATE BINARY AS sluice_key_2 FROM "orders"
/// //     WHERE "status" COLLATE BINARY IN (SELECT value FROM json_each(?1))
/// //     ORDER BY "created" DESC, "id" COLLATE BINARY DESC LIMIT ?2 OFFSET ?3
/// ```
///
/// A page's rows end with their sort keys, `sluice_key_1` and so on, from which place_beside()
/// makes a cursor. NULL comes first in an ascending order.
///
/// Errors: test_unanswered, for a test that answered_tests() lacks; sql_inexact, with advice, if
/// the database can't answer exactly: for a `search`, for a column without an exact form in the
/// mapping or storage, for a test that its column's type doesn't have; sql_too_large, for
/// conditions that are nested too deeply or have too many values for its parser; cursor_mismatch
/// and cursor_malformed.
[[nodiscard]] inline result<statement> compile(const list_query& query, const mapping& columns,
                                               dialect of, form wanted = form::page) {
    return detail::statement_writer(query, columns, of).write(wanted);
}

}  // namespace sluice::sql

#endif
