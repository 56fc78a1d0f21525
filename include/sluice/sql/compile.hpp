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
#include <sluice/sql/detail/metadata_writer.hpp>
#include <sluice/sql/place.hpp>

/// Compiling list queries to SQL statements.
namespace sluice::sql {

namespace detail {

/// Writes the conditions of a query. Each is true or false for any row, never NULL, so AND, OR and
/// NOT mean the same as in the query.
class condition_writer {
public:
    condition_writer(const mapping& columns, dialect of, parameters& bound)
        : columns_(columns), dialect_(of), fragments_(fragments_of(of)), bound_(bound) {}

    [[nodiscard]] result<condition> leaf(const sluice::leaf& source) {
        const auto column = operand_of(columns_, source.subject.name);
        if (!column) return refuse(source, unmapped);
        return std::visit([&](const auto& test) { return write({source, *column}, test); },
                          source.test);
    }
    [[nodiscard]] static result<condition> negation(result<condition> operand) {
        if (!operand) return operand;
        return std::move(*operand).negation();
    }
    [[nodiscard]] static result<condition> group(where_kind kind,
                                                 std::vector<result<condition>> operands) {
        std::vector<condition> parts;
        for (result<condition>& operand : operands) {
            if (!operand) return operand;
            parts.push_back(*std::move(operand));
        }
        return condition::group(std::move(parts), kind == where_kind::conjunction);
    }

private:
    /// A condition of the query, and its column in the database.
    struct place {
        const sluice::leaf& leaf;
        const mapped_column& column;
    };

    static tl::unexpected<error> refuse(const sluice::leaf& source, std::string_view advice) {
        return inexact(source.param.empty() ? source.subject.name : source.param, advice);
    }
    static tl::unexpected<error> refuse_type(const place& at) {
        return refuse(at.leaf, "leave it out");
    }
    /// Returns AND of the tests, false for a row without a value.
    static std::string guarded(const place& at, std::vector<std::string> tests) {
        if (at.leaf.subject.is_nullable) {
            tests.insert(tests.begin(), at.column.expression + " IS NOT NULL");
        }
        return joined(tests, true);
    }

    // --- Tests -----------------------------------------------------------------------------

    result<condition> write(const place& at, const text_test& texts) {
        if (texts.wanted.empty()) return condition::group({}, true);
        const column& subject = at.leaf.subject;
        const bool is_number = subject.type == column_type::integer && compares_numbers(subject);
        if (subject.type != column_type::text && !is_number) return refuse_type(at);
        condition test = text_condition(at, texts.wanted.values());
        if (texts.wanted.excludes()) return std::move(test).negation();
        return test;
    }
    /// Returns true if a column's collation compares numbers as wholes: they have no mark.
    static bool compares_numbers(const column& of) noexcept {
        constexpr std::string_view bytes = "-0123456789";
        const std::optional<text_part>& part = record_of(of.how).part;
        return !part || bytes.find(part->mark) == std::string_view::npos;
    }
    condition text_condition(const place& at, filter_values values) {
        const std::string test = test_of(text_writer(fragments_, bound_, values), at);
        std::string guard = guarded(at, {test});
        // The test of a single value may be true for a row without one, since it compares with NULL
        // if no row can have that value.
        const bool may_be_null = at.leaf.subject.is_nullable && values.size() > 1;
        if (!may_be_null || fragments_.not_true.empty()) return guard;
        return {std::move(guard), fill(fragments_.not_true, {test})};
    }
    /// Returns the test that a column, or an item of its list, equals any of the values.
    static std::string test_of(const text_writer& texts, const place& at) {
        const column& subject = at.leaf.subject;
        const std::string& expression = at.column.expression;
        if (subject.type == column_type::integer) return texts.integer_test(expression);
        if (subject.is_list) return texts.shared_item_test(expression, subject.how);
        return texts.any_text_test(expression, subject.how);
    }
    result<condition> write(const place& at, const boolean_test& flag) {
        if (at.leaf.subject.type != column_type::boolean) return refuse_type(at);
        return guarded(at, {at.column.expression + " = " + bound_.add(flag.wanted)});
    }
    result<condition> write(const place& at, const bounds<std::int64_t>& range) {
        if (at.leaf.subject.type != column_type::integer) return refuse_type(at);
        const bool may_be_nan = at.leaf.subject.is_nullable;
        return within(
            at, at.column.expression, range,
            [this](std::int64_t bound) { return bound_.add(bound); },
            may_be_nan ? fragments_.not_nan : std::string_view());
    }
    result<condition> write(const place& at, const bounds<instant>& range) {
        if (at.leaf.subject.type != column_type::time) return refuse_type(at);
        const auto native = native_type_of(at.column, at.leaf.subject, dialect_);
        if (!native) return refuse(at.leaf, native.error().accepts);
        if (*native != nullptr) {
            return guarded(at, tests_within(at.column.expression, range, **native, bound_));
        }
        return within(at, at.column.expression, range, [this](instant bound) {
            return bound_.add(std::int64_t{bound.time_since_epoch().count()});
        });
    }
    result<condition> write(const place& at, const bounds<decimal_number>& range) {
        if (at.leaf.subject.type != column_type::decimal) return refuse_type(at);
        const bool is_prepared = at.column.how == storage::prepared;
        // Prepared decimals are texts, which hold any bound; `numeric` has limits.
        const auto can_be_bound = [&](const std::optional<decimal_number>& bound) {
            return !bound || is_prepared || numeric_text(bound->text());
        };
        if (!compares_decimals(at.column.how, dialect_) || !can_be_bound(range.least) ||
            !can_be_bound(range.most)) {
            return refuse(at.leaf, "use prepared decimals");
        }
        const std::string expression =
            is_prepared ? fill(fragments_.in_bytes, {at.column.expression}) : at.column.expression;
        return within(
            at, expression, range,
            [&](const decimal_number& bound) {
                return *bind_decimal(bound.text(), at.column.how, bound_);
            },
            is_prepared ? std::string_view() : numeric_not_nan);
    }
    result<condition> write(const place& at, const metadata_query& query) {
        if (at.leaf.subject.type != column_type::json) return refuse_type(at);
        auto written = metadata_writer(at.column, dialect_, bound_).write(query);
        if (!written) return refuse(at.leaf, written.error().accepts);
        return written;
    }

    // Tests that answered_tests() lacks in every dialect.
    static result<condition> write(const place& at, const all_of_test&) {
        return sluice::detail::unanswered(at.leaf);
    }
    static result<condition> write(const place& at, const part_test&) {
        return sluice::detail::unanswered(at.leaf);
    }
    static result<condition> write(const place& at, const bounds<std::string>&) {
        return sluice::detail::unanswered(at.leaf);
    }
    static result<condition> write(const place& at, const bounds<double>&) {
        return sluice::detail::unanswered(at.leaf);
    }
    static result<condition> write(const place& at, const bounds<calendar_day>&) {
        return sluice::detail::unanswered(at.leaf);
    }
    static result<condition> write(const place& at, const null_test&) {
        return sluice::detail::unanswered(at.leaf);
    }
    static result<condition> write(const place& at, const record_test&) {
        return sluice::detail::unanswered(at.leaf);
    }

    /// Returns the test that a value lies within bounds; `bind` returns the placeholder of a bound.
    /// `not_nan` is the fragment that excludes NaN, which databases sort above all numbers; empty
    /// without NaN.
    template <class T, class Bind>
    static std::string within(const place& at, const std::string& expression,
                              const bounds<T>& range, const Bind& bind,
                              std::string_view not_nan = {}) {
        std::vector<std::string> tests;
        if (range.least) {
            tests.push_back(expression + (range.excludes_least ? " > " : " >= ") +
                            bind(*range.least));
        }
        if (range.most) {
            tests.push_back(expression + (range.excludes_most ? " < " : " <= ") +
                            bind(*range.most));
        }
        if (!range.most && !not_nan.empty()) tests.push_back(fill(not_nan, {expression}));
        return guarded(at, std::move(tests));
    }

    const mapping& columns_;
    dialect dialect_;
    const fragments& fragments_;
    parameters& bound_;
};

}  // namespace detail

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
          bound_(of) {}

    [[nodiscard]] result<statement> write(form wanted) {
        if (!query_.search.empty()) {
            return inexact(query_.search_param,
                           "leave a search out, no database has a test for it");
        }
        if (auto known = check_answered(query_.rows, answered_tests(dialect_)); !known) {
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
        const auto terms = order_terms(query_, columns_, dialect_);
        if (!terms) return tl::unexpected(terms.error());
        const auto selected = query_.from ? page_at(*query_.from, conditions, *terms)
                                          : page_by_number(conditions, *terms);
        const bool sorts_texts = std::ranges::any_of(*terms, &order_term::is_text);
        if (!selected || !sorts_texts) return selected;
        return std::string(fragments_.sorts_texts) + *selected;
    }
    [[nodiscard]] result<std::string> page_by_number(const condition& conditions,
                                                     const std::vector<order_term>& terms) {
        const auto text = write_condition(conditions);
        if (!text) return text;
        std::string selected = rows(*text, terms);  // binds parameters before limit() does
        selected.append(limit());
        return selected + " OFFSET " + bound_.add(query_.wanted.offset());
    }
    /// Writes a page at a cursor. A page before it is read backwards, and then reversed.
    [[nodiscard]] result<std::string> page_at(const cursor& place, const condition& conditions,
                                              const std::vector<order_term>& terms) {
        if (place.query_mark != query_mark(query_)) {
            return fail_in(rule::cursor_mismatch, "cursor");
        }
        if (place.repeat != 0) return fail_in(rule::cursor_mismatch, "cursor");
        const auto walked = place.is_before ? reversed(terms) : terms;
        const auto after = place_writer(walked, place, columns_.table, bound_).rows_after();
        if (!after) return tl::unexpected(after.error());
        const auto text = write_condition(condition::group({*after, conditions}, true));
        if (!text) return text;
        std::string selected = rows(*text, walked);
        selected.append(limit());
        if (!place.is_before) return selected;
        return "SELECT * FROM (" + selected + ") AS sluice_page" +
               order_by(by_key_names(terms), fragments_);
    }

    static constexpr std::size_t paging_parameters = 3;  // LIMIT, OFFSET and row_versions

    static std::string key_name(std::size_t at) { return "sluice_key_" + std::to_string(at + 1); }
    /// Returns an order by the keys at the end of selected rows.
    static std::vector<order_term> by_key_names(std::vector<order_term> terms) {
        for (std::size_t at = 0; at < terms.size(); ++at) terms[at].expression = key_name(at);
        return terms;
    }
    /// Writes a SELECT of the rows that meet a condition, in order.
    [[nodiscard]] std::string rows(const std::string& condition_text,
                                   const std::vector<order_term>& terms) {
        std::string text = "SELECT " + columns_.selects;
        for (std::size_t at = 0; has_keys() && at < terms.size(); ++at) {
            text.append(", ").append(terms[at].key()).append(" AS ").append(key_name(at));
        }
        text.append(" FROM ").append(columns_.table);
        if (columns_.versions.most > 0) text.append(among_versions(condition_text, terms));
        text.append(" WHERE ").append(condition_text);
        return text + order_by(terms, fragments_);
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
