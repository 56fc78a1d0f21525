// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_ORDER_WRITER_HPP
#define SLUICE_SQL_DETAIL_ORDER_WRITER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/list_query.hpp>
#include <sluice/sql/detail/metadata_writer.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::sql::detail {

/// A term of an order: an expression, ascending or descending. NULL comes before all other values.
struct order_term {
    column by{};
    std::string expression{};  ///< its order in the database is the list's
    bool ascends = true;
    storage how = storage::prepared;
};

/// Returns the term of a sort key. Error: sql_inexact.
[[nodiscard]] inline result<order_term> term_of(const sort_key& key, const mapping& columns,
                                                dialect of) {
    const column& by = key.by;
    const auto place = operand_of(columns, by.name);
    if (!place) return inexact(by.name, unmapped);
    if (by.type == column_type::json || by.is_list) return inexact(by.name, "choose another order");
    const bool is_decimal = by.type == column_type::decimal;
    if (is_decimal && !compares_decimals(place->how, of)) {
        return inexact(by.name, "use prepared decimals");
    }
    const bool is_text =
        by.type == column_type::text || (is_decimal && place->how == storage::prepared);
    return order_term{
        by, is_text ? fill(fragments_of(of).in_bytes, {place->expression}) : place->expression,
        key.direction == sort_order::ascending, place->how};
}

/// Returns the terms of a query's order. Error: sql_inexact.
[[nodiscard]] inline result<std::vector<order_term>> order_terms(const list_query& query,
                                                                 const mapping& columns,
                                                                 dialect of) {
    std::vector<order_term> terms;
    for (const sort_key& key : whole_order(query)) {
        auto term = term_of(key, columns, of);
        if (!term) return tl::unexpected(term.error());
        terms.push_back(*std::move(term));
    }
    return terms;
}

/// Returns the terms of the opposite order.
[[nodiscard]] inline std::vector<order_term> reversed(std::vector<order_term> terms) {
    for (order_term& term : terms) term.ascends = !term.ascends;
    return terms;
}

/// Writes ` ORDER BY …`; `name(at)` returns the SQL of a term.
template <class Name>
[[nodiscard]] std::string order_by(const std::vector<order_term>& terms, const Name& name) {
    std::string text;
    for (std::size_t at = 0; at < terms.size(); ++at) {
        text.append(at == 0 ? " ORDER BY " : ", ").append(name(at));
        text.append(terms[at].ascends ? " ASC" : " DESC");
        if (!terms[at].by.is_nullable) continue;
        text.append(terms[at].ascends ? " NULLS FIRST" : " NULLS LAST");
    }
    return text;
}

/// Writes the condition for rows after a place in an order:
///
/// ```
/// ((… AND at or after key 2) OR after key 1) AND at or after key 1
/// ```
///
/// Databases use an index for the last condition only.
class place_writer {
public:
    /// `table` is the source of the rows.
    place_writer(const std::vector<order_term>& terms, const cursor& place, std::string_view table,
                 parameters& bound)
        : terms_(terms), place_(place), table_(table), bound_(bound) {}

    /// Error: cursor_malformed, if a key isn't a value of its column or the number of keys is
    /// wrong.
    [[nodiscard]] result<condition> rows_after() {
        return place_.keys.size() == terms_.size() ? rows_after(0) : refuse();
    }

private:
    static tl::unexpected<error> refuse() { return fail_in(rule::cursor_malformed, "cursor"); }

    [[nodiscard]] result<condition> rows_after(std::size_t at) {
        const order_term& term = terms_[at];
        const auto& known = place_.keys[at];
        const bool is_cut = place_.cut_of(at) != nullptr;
        const bool can_be_cut =
            known && term.by.type == column_type::text && at + 1 < terms_.size();
        if (!is_key_of(term.by, known) || (is_cut && !can_be_cut)) return refuse();
        if (!known) return after_null(at);
        const auto key = is_cut ? whole_key(term, *known) : bind(term, *known);
        if (!key) return refuse();
        const std::string after = compared(term, term.ascends ? " > " : " < ", *key);
        if (at + 1 == terms_.size()) return after;
        const auto rest = rows_after(at + 1);
        if (!rest) return rest;
        const std::string from = compared(term, term.ascends ? " >= " : " <= ", *key);
        return condition::group({from, condition::group({after, *rest}, false)}, true);
    }
    /// Returns the condition for rows after NULL, which comes first in an ascending order.
    [[nodiscard]] result<condition> after_null(std::size_t at) {
        const order_term& term = terms_[at];
        std::string after = term.ascends ? term.expression + " IS NOT NULL" : "FALSE";
        if (at + 1 == terms_.size()) return after;
        const auto rest = rows_after(at + 1);
        if (!rest) return rest;
        const condition among = condition::group({term.expression + " IS NULL", *rest}, true);
        return condition::group({after, among}, false);
    }
    static std::string compared(const order_term& term, const std::string& op,
                                const std::string& key) {
        const std::string test = term.expression + op + key;
        if (!term.by.is_nullable) return test;
        const std::string is_null = term.expression + " IS NULL";
        if (!term.ascends) return joined({is_null, test}, false);
        return joined({term.expression + " IS NOT NULL", test}, true);
    }

    // --- Keys, as cursors have them ----------------------------------------------------------

    /// Binds a key; nullopt if the engine can't hold it.
    [[nodiscard]] std::optional<std::string> bind(const order_term& term, const std::string& key) {
        switch (term.by.type) {
            case column_type::integer: return bound_.add(*parse_int64(key));
            case column_type::time: return bound_.add(*parse_time_key(key));
            case column_type::decimal: return bind_decimal(key, term.how, bound_);
            case column_type::boolean: return bound_.add(key == "true");
            case column_type::text:
            case column_type::json: break;
        }
        return bound_.can_hold(key) ? std::optional(bound_.add(key)) : std::nullopt;
    }

    /// Returns the whole key of one that was cut: that of the row with the last key, if it begins
    /// alike; otherwise one ahead of all keys that do. nullopt if the engine can't hold it.
    [[nodiscard]] std::optional<std::string> whole_key(const order_term& term,
                                                       const std::string& prefix) {
        const order_term& unique = terms_.back();
        const auto& last = place_.keys.back();
        if (!last || !is_key_of(unique.by, last) || !bound_.can_hold(prefix)) return std::nullopt;
        const std::string first = bound_.add(prefix);
        const std::string end = bound_.add(sluice::detail::text_after(prefix));
        const auto row = bind(unique, *last);
        if (!row) return std::nullopt;
        const std::string begins_alike =
            joined({term.expression + " >= " + first, term.expression + " < " + end}, true);
        return "coalesce((SELECT " + term.expression + " FROM " + std::string(table_) + " WHERE " +
               joined({unique.expression + " = " + *row, begins_alike}, true) + " LIMIT 1), " +
               (term.ascends ? first : end) + ")";
    }

    const std::vector<order_term>& terms_;
    const cursor& place_;
    std::string_view table_;
    parameters& bound_;
};

}  // namespace sluice::sql::detail

#endif
