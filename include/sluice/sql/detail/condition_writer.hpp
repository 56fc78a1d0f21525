// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_CONDITION_WRITER_HPP
#define SLUICE_SQL_DETAIL_CONDITION_WRITER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/unicode.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/query/where.hpp>
#include <sluice/sql/detail/list_writer.hpp>
#include <sluice/sql/detail/metadata_writer.hpp>
#include <sluice/sql/detail/part_writer.hpp>
#include <sluice/sql/detail/record_filter.hpp>
#include <sluice/sql/mapping.hpp>
#include <sluice/sql/place.hpp>

namespace sluice::sql::detail {

/// Writes the conditions of a query. Each is true or false for any row, never NULL, so AND, OR and
/// NOT mean the same as in the query.
class condition_writer {
public:
    condition_writer(const mapping& columns, dialect of, parameters& bound)
        : columns_(columns),
          dialect_(of),
          fragments_(fragments_of(of)),
          tests_(test_fragments_of(of)),
          bound_(bound) {}

    /// Writes conditions on a record; `columns` are its values, any of which it may lack.
    [[nodiscard]] static condition_writer of_record(const mapping& columns, dialect of,
                                                    parameters& bound) {
        condition_writer writer(columns, of, bound);
        writer.of_record_ = true;
        return writer;
    }

    [[nodiscard]] result<condition> leaf(const sluice::leaf& source) {
        if (of_record_ && !source.subject.is_nullable) {
            sluice::leaf nullable = source;
            nullable.subject.is_nullable = true;
            return leaf(nullable);
        }
        auto column = operand_of(columns_, source.subject.name);
        if (!column) return refuse(source, of_record_ ? "leave it out" : unmapped);
        const auto native = native_column_of(*column, source.subject, dialect_);
        if (!native) return refuse(source, native.error().accepts);
        std::string stored;
        if (*native) {
            stored = column->expression;
            column = opened_as(*std::move(column), *native);
        }
        const place at{source, *column, *native, stored};
        return std::visit([&](const auto& test) { return write(at, test); }, source.test);
    }
    [[nodiscard]] static result<condition> negation(result<condition> operand) {
        if (!operand) return operand;
        return std::move(*operand).negation();
    }
    [[nodiscard]] static result<condition> group(where_kind kind,
                                                 std::vector<result<condition>> operands) {
        std::vector<condition> parts;
        parts.reserve(operands.size());
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
        const native_column& native;
        const std::string& stored;  // the expression of a native column, unopened
    };

    static tl::unexpected<error> refuse(const sluice::leaf& source, std::string_view advice) {
        return inexact(source.param.empty() ? source.subject.name : source.param, advice);
    }
    static tl::unexpected<error> refuse_type(const place& at) {
        return refuse(at.leaf, "leave it out");
    }
    /// Returns AND of the tests, false for a row without a value.
    static std::string guarded(const place& at, std::vector<std::string> tests) {
        const std::string& value = at.column.expression;
        if (at.leaf.subject.is_nullable) tests.insert(tests.begin(), value + " IS NOT NULL");
        return tests.size() == 1 ? std::move(tests.front()) : joined(tests, true);
    }
    static std::string guarded(const place& at, std::string test) {
        if (!at.leaf.subject.is_nullable) return test;
        return "(" + at.column.expression + " IS NOT NULL AND " + test + ")";
    }
    /// Like guarded(), for a test that is never true for NULL, without a second look at a value of
    /// a record if that costs time.
    [[nodiscard]] std::string guarded_once(const place& at, const std::string& test) const {
        const bool is_costly = of_record_ && !tests_.is_true.empty();
        return is_costly ? fill(tests_.is_true, {test}) : guarded(at, test);
    }

    // --- Tests -----------------------------------------------------------------------------

    result<condition> write(const place& at, const text_test& texts) {
        if (texts.wanted.empty()) return condition::group({}, true);
        const column& subject = at.leaf.subject;
        const bool is_number = subject.type == column_type::integer && compares_numbers(subject);
        constexpr column_types named =
            set_of(column_type::text, column_type::date, column_type::uuid, column_type::choice);
        if ((set_of(subject.type) & named) == 0 && !is_number) return refuse_type(at);
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
        const column& subject = at.leaf.subject;
        if (const auto test = native_list_test(at, values)) return guarded(at, *test);
        const bool is_native = at.native && !at.native.type->parameter.empty();
        const std::string test = is_native ? native_test(at, values) : test_of(at, values);
        std::string guard = guarded_equality(at, test);
        // The test of a single value may be true for a row without one, since it compares with NULL
        // if no row can have that value.
        const bool may_be_null = subject.is_nullable && values.size() > 1;
        if (!may_be_null || fragments_.not_true.empty()) return guard;
        return {std::move(guard), fill(fragments_.not_true, {test})};
    }
    /// Like guarded(), for a test of equality: true of few rows, of which alone some dialects then
    /// test that they have a value.
    [[nodiscard]] std::string guarded_equality(const place& at, const std::string& test) const {
        if (!fragments_.compares_null && of_record_) return guarded_once(at, test);
        const column& subject = at.leaf.subject;
        const bool guards_last = fragments_.guards_last && subject.is_nullable && !subject.is_list;
        return guards_last ? joined({test, at.column.expression + " IS NOT NULL"}, true)
                           : guarded(at, test);
    }
    /// Returns true if a native type has a fragment for the items of a list, compared as wholes.
    static bool has_fragment(const place& at, std::string_view native_type::* fragment) noexcept {
        const column& subject = at.leaf.subject;
        const bool is_exact =
            subject.type != column_type::text || record_of(subject.how).is_exact();
        return subject.is_list && at.native && is_exact && !(at.native.type->*fragment).empty();
    }
    /// Returns the test that a list of a native type has any of the values; nullopt if the type has
    /// no fragment for it.
    [[nodiscard]] std::optional<std::string> native_list_test(const place& at,
                                                              filter_values values) {
        if (has_fragment(at, &native_type::any_of)) {
            const native_binder binder(at.leaf.subject, at.native, bound_);
            return fill(at.native.type->any_of, {at.stored, binder.list(values)});
        }
        if (values.size() != 1 || !has_fragment(at, &native_type::has_all)) return std::nullopt;
        return native_has_all(at, values);
    }
    /// Returns the test that a list of a native type has every one of the values.
    [[nodiscard]] std::string native_has_all(const place& at, filter_values values) {
        const native_binder binder(at.leaf.subject, at.native, bound_);
        const std::string wanted = binder.list(values);
        const std::string count = bound_.add(static_cast<std::int64_t>(values.size()));
        return fill(at.native.type->has_all, {at.stored, wanted, count});
    }
    /// Returns the test that a column of a native type is any of the values.
    std::string native_test(const place& at, filter_values values) {
        const native_binder binder(at.leaf.subject, at.native, bound_);
        if (values.size() == 1 && !fragments_.equals.empty()) {
            const auto wanted = binder.key(values.front());
            if (wanted) return fill(fragments_.equals, {at.column.expression, *wanted});
        }
        const bool is_one = values.size() == 1 && !fragments_.one_of.empty();
        const std::string wanted = is_one ? binder.first(values) : binder.list(values);
        const std::string_view of_type = at.native.type->any_of;
        const std::string_view any_of = of_type.empty() ? fragments_.any_of : of_type;
        return fill(is_one ? fragments_.one_of : any_of, {at.column.expression, wanted});
    }
    /// Returns the properties of a column's collation.
    [[nodiscard]] text_rules rules_of(const place& at) const {
        return at.leaf.subject.is_list ? text_rules{} : text_rules_of(at.column.type, dialect_);
    }
    /// Returns the test that a column, or an item of its list, equals any of the values.
    [[nodiscard]] std::string test_of(const place& at, filter_values values) {
        const column& subject = at.leaf.subject;
        const std::string& expression = at.column.expression;
        if (subject.is_list) {
            return list_writer(dialect_, bound_, subject, expression).has_any(values);
        }
        const text_writer texts(fragments_, bound_, values, rules_of(at));
        if (subject.type == column_type::integer) return texts.integer_test(expression);
        if (subject.type == column_type::date) return texts.day_test(expression);
        return texts.any_text_test(expression, collation_of(subject));
    }
    result<condition> write(const place& at, const boolean_test& flag) {
        if (at.leaf.subject.type != column_type::boolean) return refuse_type(at);
        return guarded(at, at.column.expression + " = " + bound_.add(flag.wanted));
    }
    result<condition> write(const place& at, const bounds<std::int64_t>& range) {
        if (at.leaf.subject.type != column_type::integer) return refuse_type(at);
        const bool may_be_nan = at.leaf.subject.is_nullable && !of_record_;
        return within(
            at, at.column.expression, range,
            [this](std::int64_t bound) { return bound_.add(bound); },
            may_be_nan ? fragments_.not_nan : std::string_view());
    }
    result<condition> write(const place& at, const bounds<instant>& range) {
        if (at.leaf.subject.type != column_type::time) return refuse_type(at);
        if (at.native) {
            return guarded(at, tests_within(at.column.expression, range, *at.native.type, bound_));
        }
        return within(at, at.column.expression, range, [this](instant bound) {
            return bound_.add(std::int64_t{bound.time_since_epoch().count()});
        });
    }
    result<condition> write(const place& at, const bounds<decimal_number>& range) {
        if (at.leaf.subject.type != column_type::decimal) return refuse_type(at);
        if (at.native) return native_within(at, range);
        return within(
            at, fill(fragments_.in_bytes, {at.column.expression}), range,
            [this](const decimal_number& bound) { return bound_.add(*order_key(bound.text())); });
    }
    result<condition> write(const place& at, const metadata_query& query) {
        if (at.leaf.subject.type != column_type::json) return refuse_type(at);
        auto written = metadata_writer(at.column, dialect_, bound_).write(query);
        if (!written) return refuse(at.leaf, written.error().accepts);
        return written;
    }

    result<condition> write(const place& at, const all_of_test& texts) {
        if (!at.leaf.subject.is_list) return refuse_type(at);
        if (has_fragment(at, &native_type::has_all)) {
            const bool ignores_case = record_of(collation_of(at.leaf.subject)).ignores_case;
            const auto wanted = distinct(texts.wanted, ignores_case);
            const std::vector<std::string_view> values(wanted.begin(), wanted.end());
            return guarded(at, native_has_all(at, std::span<const std::string_view>(values)));
        }
        const list_writer items(dialect_, bound_, at.leaf.subject, at.column.expression);
        return guarded(at, items.has_all(texts.wanted));
    }
    result<condition> write(const place& at, const part_test& parts) {
        const column& subject = at.leaf.subject;
        if (subject.type != column_type::text) return refuse_type(at);
        const bool ignores_case = record_of(subject.how).ignores_case;
        const part_writer writer(dialect_, bound_, parts, ignores_case, rules_of(at));
        if (!subject.is_list) return guarded(at, writer.test_of(at.column.expression));
        const list_writer items(dialect_, bound_, subject, at.column.expression);
        return guarded(at, items.has_part(writer));
    }
    result<condition> write(const place& at, const bounds<std::string>& range) {
        const column& subject = at.leaf.subject;
        if (subject.type == column_type::choice) return one_of_choices(at, range);
        if (subject.type != column_type::text) return refuse_type(at);
        bounds<std::string> held = range;
        if (!hold(held.least, held.excludes_least, true) ||
            !hold(held.most, held.excludes_most, false)) {
            return refuse(at.leaf, "use a bound in UTF-8");
        }
        const std::string_view in_bytes =
            rules_of(at).sorts_bytes ? fragments_.as_text : fragments_.in_bytes;
        return within(at, fill(in_bytes, {at.column.expression}), held,
                      [this](const std::string& bound) { return bound_.add(bound); });
    }
    /// Cuts a bound before a NUL that no text of a table has: a text that is more than the rest is
    /// more than the bound too. False for a bound that isn't UTF-8.
    [[nodiscard]] bool hold(std::optional<std::string>& bound, bool& excludes, bool is_least) {
        if (!bound || bound_.can_hold(*bound)) return true;
        bound->resize(std::min(bound->find('\0'), bound->size()));
        excludes = is_least;
        return bound_.can_hold(*bound);
    }
    /// Returns the test that a text is a choice within bounds.
    result<condition> one_of_choices(const place& at, const bounds<std::string>& range) {
        std::vector<std::string_view> within_bounds;
        for (const std::string_view choice : at.leaf.subject.choices) {
            if (holds({at.leaf.subject, range}, choice)) within_bounds.push_back(choice);
        }
        return text_condition(at, std::span<const std::string_view>(within_bounds));
    }
    result<condition> write(const place& at, const bounds<double>& range) {
        if (at.leaf.subject.type != column_type::real) return refuse_type(at);
        return within(
            at, at.column.expression, range, [this](double bound) { return bound_.add(bound); },
            at.leaf.subject.is_nullable ? not_nan_of(at) : std::string_view());
    }
    result<condition> write(const place& at, const bounds<calendar_day>& range) {
        if (at.leaf.subject.type != column_type::date) return refuse_type(at);
        if (at.native) return native_within(at, range);
        return within(at, at.column.expression, range,
                      [this](calendar_day bound) { return bound_.add(bound); });
    }
    result<condition> write(const place& at, const null_test& test) {
        const std::string& expression = at.column.expression;
        const bool is_json = at.leaf.subject.type == column_type::json;
        if (is_json && at.column.how == storage::prepared)
            return sluice::detail::unanswered(at.leaf);
        std::vector<std::string> tests{expression + " IS NULL"};
        std::vector<std::string> opposites{expression + " IS NOT NULL"};
        const std::string_view not_nan = not_nan_of(at);
        if (!not_nan.empty()) {
            opposites.push_back(fill(not_nan, {expression}));
            tests.push_back(negated(opposites.back()));
        }
        condition is_null(joined(tests, false), joined(opposites, true));
        if (!test.wanted) return std::move(is_null).negation();
        return is_null;
    }
    /// Returns the fragment that excludes NaN from a column that may have it; empty for others.
    [[nodiscard]] std::string_view not_nan_of(const place& at) const {
        const column_type type = at.leaf.subject.type;
        const bool is_finite = at.native && at.native.type->is_finite;
        if (type == column_type::real) return is_finite ? std::string_view() : fragments_.not_nan;
        return at.native ? at.native.type->not_nan : std::string_view();
    }
    result<condition> write(const place& at, const record_test& records) {
        const column& subject = at.leaf.subject;
        if (subject.type != column_type::records) return refuse_type(at);
        mapping values;
        for (const column& of : subject.records) {
            const std::string_view fragment = value_of_record(of, tests_);
            if (fragment.empty()) continue;
            if (!is_plain_key(of.name)) return refuse(at.leaf, "give its columns plain names");
            values.columns.push_back({of.name, fill(fragment, {of.name})});
        }
        const auto met = records.wanted().visit(of_record(values, dialect_, bound_));
        if (!met) return met;
        const std::string any =
            fill(tests_.any_record, {opened(fragments_, at.column.expression), met->text()});
        std::vector<std::string> tests;
        const auto filter = record_filter(dialect_, bound_, at.column.expression, records.wanted());
        if (filter) tests.push_back(*filter);
        tests.push_back(any);
        constexpr std::size_t levels_of_exists = 8;
        return condition(guarded(at, std::move(tests)), met->nesting() + levels_of_exists);
    }
    /// Returns the test that a value lies within bounds; `bind` returns the placeholder of a bound.
    /// `not_nan` is the fragment that excludes NaN, which databases sort above all numbers; empty
    /// without NaN.
    template <class T, class Bind>
    std::string within(const place& at, const std::string& expression, const bounds<T>& range,
                       const Bind& bind, std::string_view not_nan = {}) const {
        std::vector<std::string> tests;
        const auto compare = [&](const char* comparison, const T& bound) {
            tests.push_back(expression + comparison + bind(bound));
        };
        if (range.least) compare(range.excludes_least ? " > " : " >= ", *range.least);
        if (range.most) compare(range.excludes_most ? " < " : " <= ", *range.most);
        if (!range.most && !not_nan.empty()) tests.push_back(fill(not_nan, {expression}));
        const bool is_of_record = of_record_ && !tests.empty();
        return is_of_record ? guarded_once(at, joined(tests, true)) : guarded(at, std::move(tests));
    }

    /// Like within(), for a column of a native type, whose bounds may be such as no row has.
    template <class T>
    std::string native_within(const place& at, const bounds<T>& range) {
        const native_binder binder(at.leaf.subject, at.native, bound_);
        std::optional<native_bound> least, most;
        if (range.least) least = binder.bound_of(*range.least, !range.excludes_least);
        if (range.most) most = binder.bound_of(*range.most, range.excludes_most);
        if ((least && least->beyond > 0) || (most && most->beyond < 0)) return "FALSE";
        const std::string& expression = at.column.expression;
        std::vector<std::string> tests;
        const auto compare = [&](const char* comparison, const native_bound& bound) {
            tests.push_back(expression + comparison + binder.add(bound));
        };
        const bool has_most = most && most->beyond == 0;
        if (least && least->beyond == 0) compare(range.excludes_least ? " > " : " >= ", *least);
        if (has_most) compare(range.excludes_most ? " < " : " <= ", *most);
        const std::string_view not_nan = at.native.type->not_nan;
        if (!has_most && !not_nan.empty()) tests.push_back(fill(not_nan, {expression}));
        return guarded(at, std::move(tests));
    }

    const mapping& columns_;
    dialect dialect_;
    const fragments& fragments_;
    const test_fragments& tests_;
    parameters& bound_;
    bool of_record_ = false;
};

}  // namespace sluice::sql::detail

#endif
