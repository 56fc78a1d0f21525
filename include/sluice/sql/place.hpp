// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_PLACE_HPP
#define SLUICE_SQL_PLACE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/real.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/sql/detail/key_reader.hpp>
#include <sluice/sql/detail/metadata_writer.hpp>
#include <sluice/sql/detail/native_values.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

/// Places in an order: its terms, the rows after a cursor, and the cursor of a row.
namespace sluice::sql {

namespace detail {

/// A term of an order: an expression, ascending or descending. NULL comes before all other values.
struct order_term {
    column by{};               ///< nullable if NULL takes NaN's place
    std::string selected{};    ///< SQL of a row's key for cursors, as a native type converts it
    std::string expression{};  ///< SQL that the database orders as the list is ordered
    bool ascends = true;
    bool is_text = false;  ///< in the database
    native_column native{};
    std::string choices{};  ///< the placeholder of a choice's texts, in order
};

/// Returns the expression that a selected key is ordered by: a choice by its place.
[[nodiscard]] inline std::string ordered(const std::string& selected, const std::string& choices,
                                         dialect of) {
    if (choices.empty()) return selected;
    return fill(test_fragments_of(of).choice_place, {selected, choices});
}
/// Returns the fragment of a native column's order. NaN comes with NULL.
[[nodiscard]] inline std::string_view native_order(const column& by, const native_type& type,
                                                   dialect of) noexcept {
    if (!type.order.empty()) return type.order;
    if (!by.is_nullable || type.is_finite) return "%1";
    if (by.type == column_type::real) return test_fragments_of(of).real_or_null;
    return type.nan_as_null.empty() ? "%1" : type.nan_as_null;
}
/// Returns the term of a column with a native type.
[[nodiscard]] inline order_term native_term(const sort_key& key, const mapped_column& place,
                                            native_column native, dialect of) {
    const std::string by = fill(native_order(key.by, *native.type, of), {place.expression});
    std::string selected = native.type->key.empty() ? by : native.fill(native.type->key, by);
    const bool ascends = key.direction == sort_order::ascending;
    return {key.by, std::move(selected), by, ascends, false, std::move(native)};
}
/// Returns the fragment of a column's key; empty for the column itself.
[[nodiscard]] constexpr std::string_view key_fragment(const column& by, bool is_text,
                                                      dialect of) noexcept {
    if (is_text || by.type == column_type::choice) return fragments_of(of).in_bytes;
    if (by.type == column_type::uuid) return test_fragments_of(of).ordered_uuid;
    const bool may_be_nan = by.type == column_type::real && by.is_nullable;
    return may_be_nan ? test_fragments_of(of).real_or_null : "%1";
}

/// Returns the term of a sort key. Error: sql_inexact.
[[nodiscard]] inline result<order_term> term_of(const sort_key& key, const mapping& columns,
                                                dialect of, parameters& bound) {
    column by = key.by;
    const auto place = operand_of(columns, by.name);
    if (!place) return inexact(by.name, unmapped);
    if (!has_order(by)) return inexact(by.name, "choose another order");
    auto native = native_column_of(*place, by, of);
    if (!native) return tl::unexpected(native.error());
    if (*native) return native_term(key, *place, *std::move(native), of);
    const fragments& how = fragments_of(of);
    const bool may_be_nan = by.type == column_type::real && !how.not_nan.empty();
    if (may_be_nan && !how.orders_nan) by.is_nullable = true;
    const bool is_text = by.type == column_type::text || by.type == column_type::decimal;
    std::string key_of_row = fill(key_fragment(by, is_text, of), {place->expression});
    std::string choices;
    if (by.type == column_type::choice) choices = bound.add_choices(by.choices);
    std::string expression = ordered(key_of_row, choices, of);
    return order_term{by,
                      std::move(key_of_row),
                      std::move(expression),
                      key.direction == sort_order::ascending,
                      is_text,
                      {},
                      std::move(choices)};
}

/// Returns the terms of a query's order. Error: sql_inexact.
[[nodiscard]] inline result<std::vector<order_term>> order_terms(const list_query& query,
                                                                 const mapping& columns, dialect of,
                                                                 parameters& bound) {
    std::vector<order_term> terms;
    terms.reserve(query.order.size() + 1);
    for (const sort_key& key : whole_order(query)) {
        auto term = term_of(key, columns, of, bound);
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

/// Writes ` ORDER BY …`.
[[nodiscard]] inline std::string order_by(const std::vector<order_term>& terms,
                                          const fragments& how) {
    std::string text;
    for (const order_term& term : terms) {
        text.append(text.empty() ? " ORDER BY " : ", ").append(term.expression);
        text.append(term.ascends ? " ASC" : " DESC");
        if (term.by.is_nullable) text.append(term.ascends ? how.nulls_first : how.nulls_last);
    }
    return text;
}

/// Writes the condition for rows after a place in an order:
///
/// ```
/// ((… AND at or after key 2) OR after key 1) AND at or after key 1
/// ```
///
/// Databases use an index for the last condition only, and so read all rows at key 1. If the
/// dialect compares rows by an index, the last keys of one direction are compared as a row.
class place_writer {
public:
    /// `table` is the source of the rows.
    place_writer(const std::vector<order_term>& terms, const cursor& place, std::string_view table,
                 const fragments& how, parameters& bound)
        : terms_(terms), place_(place), table_(table), fragments_(how), bound_(bound) {}

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
        const bool is_number =
            term.by.type == column_type::real || term.by.type == column_type::decimal;
        const bool is_nan = is_number && known == nan_key;
        const bool is_nan_null = term.by.is_nullable || !fragments_.orders_nan;
        if (!known || (is_nan && is_nan_null)) return after_null(at);
        const bool is_text = term.by.type == column_type::text;
        if (is_text && !bound_.can_hold(*known)) return after_foreign_text(term, *known);
        if (compares_as_row(at)) return after_row(at);
        if (term.native && term.native.type->compares_texts) return after_choice(at, *known);
        const auto key = is_cut ? whole_key(term, *known) : bind_at(at, *known);
        if (!key) return refuse();
        return after_key(at, compared(term, term.ascends ? " > " : " < ", *key),
                         compared(term, term.ascends ? " >= " : " <= ", *key));
    }
    /// Returns true if the keys from `at` on are compared as a row: all have a direction, none but
    /// the first may be NULL, and equal ones have the same SQL value.
    [[nodiscard]] bool compares_as_row(std::size_t at) const {
        if (!fragments_.compares_rows || at + 1 == terms_.size()) return false;
        for (std::size_t i = at; i < terms_.size(); ++i) {
            const order_term& term = terms_[i];
            const bool may_be_null = term.by.is_nullable && i > at;
            const native_type* const type = term.native.type;
            const bool is_exact =
                type == nullptr || !(type->compares_texts || compares_time_texts(*type));
            if (term.ascends != terms_[at].ascends || may_be_null || !is_exact) return false;
            const auto& known = place_.keys[i];
            if (!known || !is_key_of(term.by, known) || place_.cut_of(i) != nullptr) return false;
            if (term.by.type == column_type::text && !bound_.can_hold(*known)) return false;
        }
        return true;
    }
    [[nodiscard]] result<condition> after_row(std::size_t at) {
        std::string row, keys, from;
        for (std::size_t i = at; i < terms_.size(); ++i) {
            const auto& known = place_.keys[i];
            const auto key = known ? bind(terms_[i], *known) : std::nullopt;
            if (!key) return refuse();
            row.append(i == at ? "(" : ", ").append(terms_[i].expression);
            keys.append(i == at ? "(" : ", ").append(*key);
            if (i == at)
                from = terms_[at].expression + (terms_[at].ascends ? " >= " : " <= ") + *key;
        }
        const order_term& first = terms_[at];
        const std::string op = first.ascends ? " > " : " < ";
        const std::string after = row + ")" + op + keys + ")";
        return or_null(first, fragments_.bounds_rows ? joined({after, from}, true) : after);
    }
    /// Returns the condition for rows after a key. `after` tests that a row's key comes after it,
    /// `from` that it comes after it or is equal.
    [[nodiscard]] result<condition> after_key(std::size_t at, const std::string& after,
                                              const std::string& from) {
        if (at + 1 == terms_.size()) return after;
        const auto rest = rows_after(at + 1);
        if (!rest) return rest;
        return condition::group({from, condition::group({after, *rest}, false)}, true);
    }
    /// Returns the condition for rows after a text with a NUL, which only another engine can hold.
    /// No row is at it: a row is after it if it is after the text before the NUL.
    [[nodiscard]] result<condition> after_foreign_text(const order_term& term,
                                                       std::string_view key) {
        const std::string held(key.substr(0, key.find('\0')));
        if (!bound_.can_hold(held)) return refuse();
        return compared(term, term.ascends ? " > " : " <= ", bound_.add(held));
    }
    /// Returns the condition for rows after a choice: their choice is any of the later ones.
    [[nodiscard]] result<condition> after_choice(std::size_t at, std::string_view key) {
        const order_term& term = terms_[at];
        const std::size_t place = place_of_choice(term.by, key);
        const auto after =
            term.ascends ? term.by.choices.subspan(place + 1) : term.by.choices.first(place);
        const auto from =
            term.ascends ? term.by.choices.subspan(place) : term.by.choices.first(place + 1);
        return after_key(at, one_of(term, after), one_of(term, from));
    }
    [[nodiscard]] std::string one_of(const order_term& term,
                                     std::span<const std::string_view> choices) {
        std::string test = "FALSE";
        if (!choices.empty()) {
            const native_binder binder(term.by, term.native, bound_);
            test = fill(fragments_.any_of, {term.expression, binder.list(choices)});
        }
        return or_null(term, test);
    }
    /// Returns a test of values after one, or of NULL, which comes last in a descending order. In
    /// an ascending one it may be NULL, which no row meets.
    static std::string or_null(const order_term& term, const std::string& test) {
        if (!term.by.is_nullable || term.ascends) return test;
        return joined({term.expression + " IS NULL", test}, false);
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
        return or_null(term, term.expression + op + key);
    }

    // --- Keys, as cursors have them ----------------------------------------------------------

    /// Binds a key; nullopt if the engine can't hold it.
    [[nodiscard]] std::optional<std::string> bind(const order_term& term, const std::string& key) {
        if (term.native && binds_natively(term)) {
            return native_binder(term.by, term.native, bound_).key(key);
        }
        switch (term.by.type) {
            case column_type::integer: return bound_.add(*parse_int64(key));
            case column_type::time: return bind_time(term.native.type, key);
            case column_type::decimal: return bound_.add(*order_key(key));
            case column_type::boolean: return bound_.add(key == "true");
            case column_type::real: return bind_real(key);
            case column_type::date: return bound_.add(*parse_day(key));
            case column_type::choice:
                return bound_.add(static_cast<std::int64_t>(place_of_choice(term.by, key)) + 1);
            case column_type::uuid: return bind_text(sluice::detail::to_lower(key));
            case column_type::text:
            case column_type::json:
            case column_type::records: break;
        }
        return bind_text(key);
    }

    /// Returns true if keys are cast to the column's type. Times have a form of their own.
    static bool binds_natively(const order_term& term) noexcept {
        const native_type& type = *term.native.type;
        return term.by.type != column_type::time && type.order.empty() && !type.parameter.empty();
    }
    [[nodiscard]] std::optional<std::string> bind_real(std::string_view key) {
        if (key == nan_key) return bound_.add(std::numeric_limits<double>::quiet_NaN());
        const double number = *sluice::detail::parse_any_real(key);
        const bool is_held = fragments_.has_infinity || sluice::detail::is_finite(number);
        return is_held ? std::optional(bound_.add(number)) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::string> bind_text(const std::string& text) {
        return bound_.can_hold(text) ? std::optional(bound_.add(text)) : std::nullopt;
    }

    /// Binds a time's key, which has been checked.
    [[nodiscard]] std::string bind_time(const native_type* type, const std::string& key) {
        const auto time = parse_precise_time(key);
        return type == nullptr ? bound_.add(std::int64_t{time->at.time_since_epoch().count()})
                               : bind_native(*time, *type, bound_);
    }

    /// Binds a key of the cursor; like whole_key() for a time that rows may have as several texts.
    [[nodiscard]] std::optional<std::string> bind_at(std::size_t at, const std::string& key) {
        const native_type* const type = terms_[at].native.type;
        const bool is_text = type != nullptr && compares_time_texts(*type);
        if (!is_text || at + 1 == terms_.size()) return bind(terms_[at], key);
        const std::string time = to_local_text(*parse_precise_time(key), type->digits);
        return key_of_row(terms_[at], time, after_time_text(time), true);
    }
    /// Returns the whole key of one that was cut: that of the row with the last key, if it begins
    /// alike; otherwise one ahead of all keys that do. nullopt if the engine can't hold it.
    [[nodiscard]] std::optional<std::string> whole_key(const order_term& term,
                                                       const std::string& prefix) {
        if (!bound_.can_hold(prefix)) return std::nullopt;
        return key_of_row(term, prefix, sluice::detail::text_after(prefix), term.ascends);
    }
    /// Returns the key of the row with the last key, if it lies between two texts; otherwise one of
    /// these. nullopt if the engine can't hold the last key.
    [[nodiscard]] std::optional<std::string> key_of_row(const order_term& term, std::string least,
                                                        std::string after_all, bool is_least) {
        const order_term& unique = terms_.back();
        const auto& last = place_.keys.back();
        if (!last || !is_key_of(unique.by, last)) return std::nullopt;
        const std::string first = bound_.add(std::move(least));
        const std::string end = bound_.add(std::move(after_all));
        const auto row = bind(unique, *last);
        if (!row) return std::nullopt;
        const std::string begins_alike =
            joined({term.expression + " >= " + first, term.expression + " < " + end}, true);
        return "coalesce((SELECT " + term.expression + " FROM " + std::string(table_) + " WHERE " +
               joined({unique.expression + " = " + *row, begins_alike}, true) + " LIMIT 1), " +
               (is_least ? first : end) + ")";
    }

    const std::vector<order_term>& terms_;
    const cursor& place_;
    std::string_view table_;
    const fragments& fragments_;
    parameters& bound_;
};

}  // namespace detail

/// Returns the cursor after a row of a page, or before it, at which the next or previous page
/// begins. `keys` are the row's sort keys, as the database returned them. compile() accepts it as
/// the cursor of the same query.
///
/// ```
/// place_beside(query, {std::int64_t{1'787'279'415'123}, "order_17"})
/// ```
///
/// `decimals` is their storage in the table. Errors: list_too_short or list_too_long, for a wrong
/// number of keys; value_malformed, for a key that its column, which the error names, doesn't hold.
/// Their code is internal_server_error.
[[nodiscard]] inline result<cursor> place_beside(const list_query& query,
                                                 const std::vector<value>& keys,
                                                 bool is_before = false,
                                                 storage decimals = storage::prepared) {
    const std::vector<sort_key> order = whole_order(query);
    if (order.size() != keys.size()) return detail::fail_count(keys.size(), order.size());
    cursor place{is_before, query_mark(query), 0, {}};
    for (std::size_t at = 0; at < keys.size(); ++at) {
        column by = order[at].by;
        // Only the table knows the type of an id that the query doesn't name.
        const bool is_number = std::holds_alternative<std::int64_t>(keys[at]);
        if (at == query.order.size() && is_number) by.type = column_type::integer;
        auto key = std::visit(detail::key_reader(by, decimals), keys[at]);
        if (!key) return tl::unexpected(key.error());
        place.keys.push_back(*std::move(key));
    }
    cut_long_keys(place, order);
    return place;
}

}  // namespace sluice::sql

#endif
