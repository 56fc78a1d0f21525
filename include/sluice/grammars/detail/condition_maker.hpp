// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_CONDITION_MAKER_HPP
#define SLUICE_GRAMMARS_DETAIL_CONDITION_MAKER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/near_miss.hpp>
#include <sluice/base/real.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/joined_tests.hpp>
#include <sluice/grammars/detail/literal.hpp>
#include <sluice/grammars/detail/named_column.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/query/where.hpp>
#include <sluice/query/where_builder.hpp>

namespace sluice::detail {

/// Makes the conditions of an expression: checks that a column has the test, and reads its literals
/// as values of the column's type. Each function appends one tree: a leaf, its negation, or a group
/// of leaves.
class condition_maker {
public:
    condition_maker(const grammar_style& style, where_builder& tree) noexcept
        : style_(style), tree_(&tree) {}

    /// Appends a comparison with a value. `op` is the operator's place.
    [[nodiscard]] result<void> compare(const named_column& named, expression_comparison how,
                                       text_place op, const literal& value) {
        const column& subject = named.subject;
        if (!named.keys.empty()) return compare_key(named, how, op, value);
        const bool is_negated = how == expression_comparison::not_equal;
        if (is_negated || how == expression_comparison::equal) {
            if (subject.type == column_type::boolean) return is(named, value, is_negated, op);
            // No filter has the empty text; bounds compare it with texts whose case matters.
            if (allows_test(subject, test_kind::any_of) && !value.text.empty()) {
                return any_of(named, {&value, 1}, is_negated, op);
            }
        }
        if (auto failed = check(named, test_kind::bounds, op)) return *failed;
        const auto bound = is_negated ? comparison::equal : static_cast<comparison>(how);
        auto test = make_bounds(subject, bound, value);
        if (!test) return failure(test.error());
        return append(named, *std::move(test), is_negated);
    }

    /// Appends the test that a value lies in a range, which includes both ends.
    [[nodiscard]] result<void> between(const named_column& named, text_place op,
                                       const literal& least, const literal& most) {
        if (auto failed = check(named, test_kind::bounds, op)) return *failed;
        const auto low = make_bounds(named.subject, comparison::at_least, least);
        if (!low) return failure(low.error());
        const auto high = make_bounds(named.subject, comparison::at_most, most);
        if (!high) return failure(high.error());
        auto both = joined_tests(where_kind::conjunction, leaf{named.subject, *low},
                                 leaf{named.subject, *high});
        if (!both) return fail_at(op, rule::operator_refused);
        return append(named, *std::move(both));
    }

    /// Like compare(), but stars at the ends of a text stand for any text. In other comparisons
    /// than equality, and for other columns than texts, stars are part of the value.
    [[nodiscard]] result<void> compare_starred(const named_column& named, expression_comparison how,
                                               text_place op, starred_literal starred) {
        const bool is_negated = how == expression_comparison::not_equal;
        const bool is_equality = is_negated || how == expression_comparison::equal;
        const bool has_stars =
            starred.is_open_before || starred.is_open_after || starred.has_inner_stars;
        if (!has_stars || !is_equality || named.subject.type != column_type::text) {
            return compare(named, how, op, with_stars(std::move(starred)));
        }
        if (starred.has_inner_stars) {
            return fail_at(starred.value.place, rule::expression_unsupported,
                           "put stars at the ends only; in quotes, a backslash before another");
        }
        const bool has_both_or_no_text = starred.is_open_after || starred.value.text.empty();
        const part_place place = !starred.is_open_before ? part_place::at_start
                                 : has_both_or_no_text   ? part_place::anywhere
                                                         : part_place::at_end;
        return part(named, place, op, starred.value, is_negated);
    }
    /// Returns a value that includes its stars.
    [[nodiscard]] static literal with_stars(starred_literal starred) {
        std::string& text = starred.value.text;
        if (starred.is_open_before) text.insert(0, "*");
        if (starred.is_open_after) text.append("*");
        return std::move(starred.value);
    }

    /// Appends the test that a column equals any of some values, or none of them.
    [[nodiscard]] result<void> any_of(const named_column& named, std::span<const literal> values,
                                      bool excludes, text_place op) {
        const test_kind kind = excludes ? test_kind::none_of : test_kind::any_of;
        if (!allows_test(named.subject, kind) || !named.keys.empty()) {
            return any_of_comparisons(named, values, excludes, op);
        }
        const bool has_bounds = allows_test(named.subject, test_kind::bounds);
        if (has_bounds && std::ranges::any_of(values, is_empty_text)) {
            return any_of_empty(named, {values.begin(), values.end()}, excludes, op);
        }
        if (!has_kind(named.allowed, kind)) return fail_at(op, rule::operator_refused);
        if (values.size() == 1) {
            const auto text = text_of(named.subject, values[0]);
            if (!text) return failure(text.error());
            return append(named, text_test{filter({*text}, excludes)});
        }
        auto texts = texts_of(named.subject, values);
        if (!texts) return failure(texts.error());
        return append(named, text_test{filter(*texts, excludes)});
    }

    /// Appends the test that a list has every one of some values; like any_of() for a single value.
    [[nodiscard]] result<void> all_of(const named_column& named, std::span<const literal> values,
                                      text_place op) {
        if (auto failed = check(named, test_kind::all_of, op)) return *failed;
        auto texts = texts_of(named.subject, values);
        if (!texts) return failure(texts.error());
        if (texts->size() == 1) return append(named, text_test{filter(*texts, false)});
        return append(named, all_of_test{*std::move(texts)});
    }

    /// Appends the test that a list has every one of some values, or any of them.
    [[nodiscard]] result<void> in_list(const named_column& named, std::span<const literal> values,
                                       bool is_all, text_place op) {
        if (!named.subject.is_list) return fail_at(op, rule::operator_refused);
        return is_all ? all_of(named, values, op) : any_of(named, values, false, op);
    }

    /// Appends the test that a text has a part.
    [[nodiscard]] result<void> part(const named_column& named, part_place place, text_place op,
                                    const literal& part, bool is_negated = false) {
        part_test test{place, {part.text}};
        if (auto failed = check(named, kind_of(column_test(test)), op)) return *failed;
        if (!takes(named.subject, part)) return mistyped(named.subject, part, style_);
        return append(named, std::move(test), is_negated);
    }

    /// Appends the test that a value is missing, or present. For a column that always has a value:
    /// every row, or no row.
    [[nodiscard]] result<void> is_null(const named_column& named, bool wanted, text_place op) {
        if (!named.keys.empty()) return presence_of_key(op);
        if (!allows_test(named.subject, test_kind::is_null)) return constant(!wanted);
        if (auto failed = check(named, test_kind::is_null, op)) return *failed;
        return append(named, null_test{wanted});
    }

    /// Appends the condition of a boolean column that is named by itself.
    [[nodiscard]] result<void> is_true(const named_column& named) {
        return compare(named, expression_comparison::equal, named.place,
                       {"true", false, named.place, {}});
    }
    /// Appends a comparison with null, which is_null() tests: `eq null`, `ne null`.
    [[nodiscard]] result<void> compare_null(const named_column& named, expression_comparison how,
                                            text_place op, text_place null) {
        const bool wanted = how == expression_comparison::equal;
        if (wanted || how == expression_comparison::not_equal) return is_null(named, wanted, op);
        return fail_at(null, rule::value_malformed, "expected null after eq or ne only");
    }
    /// Appends every row, or none.
    [[nodiscard]] result<void> constant(bool is_true) {
        tree_->wrap(is_true ? where_kind::conjunction : where_kind::disjunction, tree_->size());
        return {};
    }

    /// Returns the failure of a test that a JSON key exists, which no engine supports.
    [[nodiscard]] static tl::unexpected<error> presence_of_key(text_place op) {
        return fail_at(op, rule::expression_unsupported,
                       "compare the key of JSON: its presence has no test");
    }

    /// Returns true if a text is a value of a column and keeps its spelling when it is read.
    [[nodiscard]] static bool is_value_of(const column& subject, std::string_view text) {
        const auto value = canonical(subject, {std::string(text), false, {}, {}}, {});
        return value && (subject.type == column_type::uuid || *value == text);
    }

private:
    using failure = tl::unexpected<error>;

    /// Returns the failure of a test that a column can't have or doesn't allow; else nullopt.
    static std::optional<failure> check(const named_column& named, test_kind kind, text_place op) {
        const bool is_there = named.keys.empty() && allows_test(named.subject, kind);
        if (is_there && has_kind(named.allowed, kind)) return std::nullopt;
        return fail_at(op, rule::operator_refused);
    }
    [[nodiscard]] bool takes(const column& subject, const literal& value) const noexcept {
        if (value.type) return subject.type == *value.type;
        return ((value.is_quoted ? style_.quoted : style_.bare) & set_of(subject.type)) != 0;
    }
    /// Appends the condition on a column; on one of records, that any record meets it.
    result<void> append(const named_column& named, column_test test, bool is_negated = false) {
        if (named.around) {
            tree_->append(
                leaf{*named.around, record_test(where(leaf{named.subject, std::move(test)}))});
        } else {
            tree_->append(leaf{named.subject, std::move(test)});
        }
        if (is_negated) tree_->wrap(where_kind::negation, tree_->size() - 1);
        return {};
    }
    static bool is_empty_text(const literal& value) noexcept { return value.text.empty(); }
    /// Like any_of(), of values with the empty text, which no filter has: its comparison stands
    /// beside.
    result<void> any_of_empty(const named_column& named, std::vector<literal> values, bool excludes,
                              text_place op) {
        const literal empty = *std::ranges::find_if(values, is_empty_text);
        std::erase_if(values, is_empty_text);
        const auto how = excludes ? expression_comparison::not_equal : expression_comparison::equal;
        if (values.empty()) return compare(named, how, op, empty);
        const std::size_t first = tree_->size();
        if (auto others = any_of(named, values, excludes, op); !others) return others;
        if (auto built = compare(named, how, op, empty); !built) return built;
        tree_->wrap(excludes ? where_kind::conjunction : where_kind::disjunction, first);
        return {};
    }
    /// Appends an OR of equalities, or its negation, of a column whose values no filter compares.
    result<void> any_of_comparisons(const named_column& named, std::span<const literal> values,
                                    bool excludes, text_place op) {
        const std::size_t first = tree_->size();
        for (const literal& value : values) {
            auto built = compare(named, expression_comparison::equal, op, value);
            if (!built) return built;
        }
        if (values.size() != 1) tree_->wrap(where_kind::disjunction, first);
        if (excludes) tree_->wrap(where_kind::negation, first);
        return {};
    }
    result<void> is(const named_column& named, const literal& value, bool is_negated,
                    text_place op) {
        if (auto failed = check(named, test_kind::is, op)) return *failed;
        const bool is_true = equal_bytes(value.text, "true");
        if (!takes(named.subject, value) || (!is_true && !equal_bytes(value.text, "false"))) {
            return mistyped(named.subject, value, style_);
        }
        return append(named, boolean_test{is_true}, is_negated);
    }

    /// Appends a comparison of the value at a path of JSON.
    result<void> compare_key(const named_column& named, expression_comparison how, text_place op,
                             const literal& value) {
        if (!has_kind(named.allowed, test_kind::matches)) {
            return fail_at(op, rule::operator_refused);
        }
        static constexpr std::array<std::string_view, 6> operators{"=", ">=", ">", "<=", "<", "!="};
        std::string text = "metadata";
        for (const std::string& key : named.keys) {
            text.push_back('[');
            append_quoted(text, key);
            text.push_back(']');
        }
        text.append(operators[static_cast<std::size_t>(how)]);
        append_quoted(text, value.text);
        auto query = parse_metadata_query(text);
        if (!query) return fail_at(value.place, query.error().broken);
        tree_->append(leaf{named.subject, *std::move(query)});
        return {};
    }

    // --- Values ----------------------------------------------------------------------------

    /// Returns the values of a text_test. The empty text is refused: no filter has it.
    result<std::vector<std::string>> texts_of(const column& subject,
                                              std::span<const literal> values) const {
        std::vector<std::string> texts;
        texts.reserve(std::min(values.size(), filter_max_values));
        for (const literal& value : values) {
            if (texts.size() == filter_max_values) {
                return fail_at(value.place, rule::filter_too_many,
                               at_most<filter_max_values, " values">());
            }
            auto text = text_of(subject, value);
            if (!text) return failure(text.error());
            texts.push_back(*std::move(text));
        }
        return texts;
    }
    /// Returns a value of a text_test.
    result<std::string> text_of(const column& subject, const literal& value) const {
        if (!takes(subject, value)) return mistyped(subject, value, style_);
        if (!value.text.empty()) return canonical(subject, value, style_);
        return fail_at(value.place, rule::expression_unsupported,
                       "compare the empty text by itself");
    }
    /// Returns the text by which a value of a column is compared.
    static result<std::string> canonical(const column& subject, const literal& value,
                                         const grammar_style& style) {
        switch (subject.type) {
            case column_type::text: return value.text;
            case column_type::choice: return choice_of(subject, value);
            case column_type::uuid: {
                const auto id = parse_uuid(value.text);
                return id ? result<std::string>(id->text()) : mistyped(subject, value, style);
            }
            case column_type::integer: {
                const auto number = parse_int64(value.text);
                if (number) return std::to_string(*number);
                return out_of_type(subject, value, number.error(), style);
            }
            case column_type::date: {
                const auto day = parse_day(value.text);
                return day ? result<std::string>(value.text)
                           : out_of_type(subject, value, day.error(), style);
            }
            case column_type::decimal:
            case column_type::time:
            case column_type::boolean:
            case column_type::json:
            case column_type::real:
            case column_type::records: break;
        }
        return mistyped(subject, value, style);
    }
    static result<std::string> choice_of(const column& subject, const literal& value) {
        if (place_of_choice(subject, value.text) < subject.choices.size()) return value.text;
        error unknown = make_error(rule::choice_unknown, value.place.offset, value.place.length);
        unknown.suggestion = near_miss(value.text, subject.choices);
        return failure(unknown);
    }
    result<column_test> make_bounds(const column& subject, comparison how,
                                    const literal& value) const {
        if (!takes(subject, value)) return mistyped(subject, value, style_);
        switch (subject.type) {
            case column_type::integer:
                return bounds_of(subject, how, value, parse_int64(value.text));
            case column_type::decimal:
                return bounds_of(subject, how, value, parse_decimal_number(value.text));
            case column_type::real: {
                const auto number = parse_real(value.text);
                if (!number) return mistyped(subject, value, style_);
                return bounds_of(subject, how, value, result<double>(*number));
            }
            case column_type::time:
                return bounds_of(subject, how, value, time_of(value.text, style_));
            case column_type::date: return bounds_of(subject, how, value, parse_day(value.text));
            case column_type::choice:
                return bounds_of(subject, how, value, choice_of(subject, value));
            case column_type::text:
                return bounds_of(subject, how, value, result<std::string>(value.text));
            case column_type::boolean:
            case column_type::json:
            case column_type::uuid:
            case column_type::records: break;
        }
        return mistyped(subject, value, style_);
    }
    template <class T>
    result<column_test> bounds_of(const column& subject, comparison how, const literal& value,
                                  result<T> bound) const {
        if (!bound) return out_of_type(subject, value, bound.error(), style_);
        bounds<T> range;
        range.narrow(how, *std::move(bound));
        return column_test(std::move(range));
    }

    /// Returns the failure of a literal that isn't a value of a column's type.
    static failure mistyped(const column& subject, const literal& value,
                            const grammar_style& style) {
        return fail_at(value.place, rule::value_malformed, value_advice(subject.type, style));
    }
    /// Like mistyped(), but keeps the reason of a number or a time that is out of range.
    static failure out_of_type(const column& subject, const literal& value, error why,
                               const grammar_style& style) {
        if (why.broken == rule::number_malformed || why.broken == rule::time_malformed) {
            return mistyped(subject, value, style);
        }
        why.offset = static_cast<std::uint32_t>(value.place.offset);
        why.length = static_cast<std::uint32_t>(value.place.length);
        return failure(why);
    }
    grammar_style style_;
    where_builder* tree_;
};

}  // namespace sluice::detail

#endif
