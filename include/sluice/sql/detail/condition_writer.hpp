// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_CONDITION_WRITER_HPP
#define SLUICE_SQL_DETAIL_CONDITION_WRITER_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/query/where.hpp>
#include <sluice/sql/detail/metadata_writer.hpp>

namespace sluice::sql::detail {

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
        return within(at, at.column.expression, range, [this](instant bound) {
            return bound_.add(std::int64_t{bound.time_since_epoch().count()});
        });
    }
    result<condition> write(const place& at, const bounds<decimal_number>& range) {
        if (at.leaf.subject.type != column_type::decimal) return refuse_type(at);
        const bool is_prepared = at.column.how == storage::prepared;
        const auto can_hold = [&](const std::optional<decimal_number>& bound) {
            return !bound || is_prepared || numeric_text(bound->text());
        };
        if (!compares_decimals(at.column.how, dialect_) || !can_hold(range.least) ||
            !can_hold(range.most)) {
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

}  // namespace sluice::sql::detail

#endif
