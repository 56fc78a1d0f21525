// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_CONDITION_MAKER_HPP
#define SLUICE_GRAMMARS_DETAIL_CONDITION_MAKER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
#include <sluice/grammars/detail/named_column.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/query/where.hpp>

namespace sluice::detail {

/// A value in the text of a condition.
struct literal {
    std::string text{};  ///< without quotes and escapes
    bool is_quoted = false;
    text_place place{};
    std::optional<column_type> type{};  ///< where the expression says it, as `DATE('2026-08-21')`
};

/// Properties in which grammars differ.
struct grammar_style {
    column_types quoted = all_column_types();    ///< types of values with quotes
    column_types bare = all_column_types();      ///< types of values without
    where_kind outer = where_kind::disjunction;  ///< the looser of AND and OR
    bool names_have_case = true;                 ///< a name in another case is another name
    bool is_prefix = false;  ///< a group begins with its AND or OR, and has commas in it
};

/// The comparisons of an expression: those of bounds, and inequality.
enum class expression_comparison : std::uint8_t {
    equal,
    at_least,
    more_than,
    at_most,
    less_than,
    not_equal,
};

/// The spellings of the comparisons in a grammar, in the order of the enumeration.
using comparison_spellings = std::array<std::string_view, 6>;

/// A value with stars at its ends, which stand for any text.
struct starred_literal {
    literal value{};
    bool is_open_before = false;
    bool is_open_after = false;
};

/// Makes the conditions of an expression: checks that a column has the test, and reads its literals
/// as values of the column's type. Each function returns a leaf, or its negation.
class condition_maker {
public:
    explicit condition_maker(grammar_style style) noexcept : style_(style) {}

    /// Returns a comparison with a value. `op` is the operator's place.
    [[nodiscard]] result<where> compare(const named_column& named, expression_comparison how,
                                        text_place op, const literal& value) const {
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
        return make_bounds(subject, bound, value).map([&](column_test&& test) {
            where built = in_records(named, std::move(test));
            return is_negated ? where::negation(std::move(built)) : built;
        });
    }

    /// Returns the test that a value lies in a range, which includes both ends.
    [[nodiscard]] result<where> between(const named_column& named, text_place op,
                                        const literal& least, const literal& most) const {
        if (auto failed = check(named, test_kind::bounds, op)) return *failed;
        const auto low = make_bounds(named.subject, comparison::at_least, least);
        if (!low) return failure(low.error());
        const auto high = make_bounds(named.subject, comparison::at_most, most);
        if (!high) return failure(high.error());
        auto both = joined_tests(where_kind::conjunction, leaf{named.subject, *low},
                                 leaf{named.subject, *high});
        if (!both) return fail_at(op, rule::operator_refused);
        return in_records(named, *std::move(both));
    }

    /// Like compare(), but stars at the ends of a text stand for any text. In other comparisons
    /// than equality, and for other columns than texts, stars are part of the value.
    [[nodiscard]] result<where> compare_starred(const named_column& named,
                                                expression_comparison how, text_place op,
                                                starred_literal starred) const {
        const bool is_negated = how == expression_comparison::not_equal;
        const bool is_equality = is_negated || how == expression_comparison::equal;
        const bool has_stars = starred.is_open_before || starred.is_open_after;
        if (!has_stars || !is_equality || named.subject.type != column_type::text) {
            return compare(named, how, op, with_stars(std::move(starred)));
        }
        const part_place place = !starred.is_open_before  ? part_place::at_start
                                 : !starred.is_open_after ? part_place::at_end
                                                          : part_place::anywhere;
        return part(named, place, op, starred.value).map([&](where&& built) {
            return is_negated ? where::negation(std::move(built)) : built;
        });
    }
    /// Returns a value that includes its stars.
    [[nodiscard]] static literal with_stars(starred_literal starred) {
        std::string& text = starred.value.text;
        if (starred.is_open_before) text.insert(0, "*");
        if (starred.is_open_after && text != "*") text.append("*");
        return std::move(starred.value);
    }

    /// Returns the test that a column equals any of some values, or none of them.
    [[nodiscard]] result<where> any_of(const named_column& named, std::span<const literal> values,
                                       bool excludes, text_place op) const {
        const test_kind kind = excludes ? test_kind::none_of : test_kind::any_of;
        if (!allows_test(named.subject, kind) || !named.keys.empty()) {
            return any_of_comparisons(named, values, excludes, op);
        }
        const bool has_bounds = allows_test(named.subject, test_kind::bounds);
        if (has_bounds && std::ranges::any_of(values, is_empty_text)) {
            return any_of_empty(named, {values.begin(), values.end()}, excludes, op);
        }
        if (auto failed = check(named, kind, op)) return *failed;
        auto texts = texts_of(named.subject, values);
        if (!texts) return failure(texts.error());
        return in_records(named, text_test{filter(*texts, excludes)});
    }

    /// Returns the test that a list has every one of some values; like any_of() for a single value.
    [[nodiscard]] result<where> all_of(const named_column& named, std::span<const literal> values,
                                       text_place op) const {
        if (auto failed = check(named, test_kind::all_of, op)) return *failed;
        auto texts = texts_of(named.subject, values);
        if (!texts) return failure(texts.error());
        if (texts->size() == 1) return in_records(named, text_test{filter(*texts, false)});
        return in_records(named, all_of_test{*std::move(texts)});
    }

    /// Returns the test that a text has a part.
    [[nodiscard]] result<where> part(const named_column& named, part_place place, text_place op,
                                     const literal& part) const {
        part_test test{place, {part.text}};
        if (auto failed = check(named, kind_of(column_test(test)), op)) return *failed;
        if (!takes(named.subject, part)) return mistyped(named.subject, part);
        return in_records(named, std::move(test));
    }

    /// Returns the test that a value is missing, or present. For a column that always has a value:
    /// every row, or no row.
    [[nodiscard]] result<where> is_null(const named_column& named, bool wanted,
                                        text_place op) const {
        if (!named.keys.empty()) return presence_of_key(op);
        if (!allows_test(named.subject, test_kind::is_null)) {
            return wanted ? where::any({}) : where::all({});
        }
        if (auto failed = check(named, test_kind::is_null, op)) return *failed;
        return in_records(named, null_test{wanted});
    }

    /// Returns the failure of a test that a JSON key exists, which no engine supports.
    [[nodiscard]] static tl::unexpected<error> presence_of_key(text_place op) {
        return fail_at(op, rule::expression_unsupported,
                       "compare the key of JSON: its presence has no test");
    }

    /// Returns true if a text is a value of a column and keeps its spelling when it is read.
    [[nodiscard]] static bool is_value_of(const column& subject, std::string_view text) {
        const auto value =
            condition_maker({}).text_of(subject, {std::string(text), false, {}, subject.type});
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
    /// Returns the condition on a column, or that any record meets it.
    static where in_records(const named_column& named, column_test test) {
        where inner(leaf{named.subject, std::move(test)});
        if (!named.around) return inner;
        return where(leaf{*named.around, record_test(std::move(inner))});
    }
    static bool is_empty_text(const literal& value) noexcept { return value.text.empty(); }
    /// Like any_of(), for values that include the empty text. A filter can't have it, so it is
    /// compared by a condition of its own.
    result<where> any_of_empty(const named_column& named, std::vector<literal> values,
                               bool excludes, text_place op) const {
        const literal empty = *std::ranges::find_if(values, is_empty_text);
        std::erase_if(values, is_empty_text);
        const auto how = excludes ? expression_comparison::not_equal : expression_comparison::equal;
        auto built = compare(named, how, op, empty);
        if (!built || values.empty()) return built;
        auto others = any_of(named, values, excludes, op);
        if (!others) return others;
        std::vector<where> both{*std::move(others), *std::move(built)};
        return excludes ? where::all(std::move(both)) : where::any(std::move(both));
    }
    /// Returns an OR of equalities, or its negation, for a column whose values no filter compares.
    result<where> any_of_comparisons(const named_column& named, std::span<const literal> values,
                                     bool excludes, text_place op) const {
        std::vector<where> parts;
        for (const literal& value : values) {
            auto built = compare(named, expression_comparison::equal, op, value);
            if (!built) return built;
            parts.push_back(*std::move(built));
        }
        where built = parts.size() == 1 ? std::move(parts[0]) : where::any(std::move(parts));
        return excludes ? where::negation(std::move(built)) : built;
    }
    result<where> is(const named_column& named, const literal& value, bool is_negated,
                     text_place op) const {
        if (auto failed = check(named, test_kind::is, op)) return *failed;
        const bool is_true = equal_bytes(value.text, "true");
        if (!takes(named.subject, value) || (!is_true && !equal_bytes(value.text, "false"))) {
            return mistyped(named.subject, value);
        }
        where built = in_records(named, boolean_test{is_true});
        return is_negated ? where::negation(std::move(built)) : built;
    }

    /// Returns a comparison of the value at a path of JSON.
    result<where> compare_key(const named_column& named, expression_comparison how, text_place op,
                              const literal& value) const {
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
        if (query) return where(leaf{named.subject, *std::move(query)});
        return fail_at(value.place, query.error().broken);
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
            if (text->empty()) {
                return fail_at(value.place, rule::expression_unsupported,
                               "compare the empty text by itself");
            }
            texts.push_back(*std::move(text));
        }
        return texts;
    }
    /// Returns a value of a text_test.
    result<std::string> text_of(const column& subject, const literal& value) const {
        if (!takes(subject, value)) return mistyped(subject, value);
        switch (subject.type) {
            case column_type::text: return value.text;
            case column_type::choice: return choice_of(subject, value);
            case column_type::uuid: {
                const auto id = parse_uuid(value.text);
                return id ? result<std::string>(id->text()) : mistyped(subject, value);
            }
            case column_type::integer: {
                const auto number = parse_int64(value.text);
                if (number) return std::to_string(*number);
                return out_of_type(subject, value, number.error());
            }
            case column_type::date: {
                const auto day = parse_day(value.text);
                return day ? result<std::string>(value.text)
                           : out_of_type(subject, value, day.error());
            }
            case column_type::decimal:
            case column_type::time:
            case column_type::boolean:
            case column_type::json:
            case column_type::real:
            case column_type::records: break;
        }
        return mistyped(subject, value);
    }
    static result<std::string> choice_of(const column& subject, const literal& value) {
        if (place_of_choice(subject, value.text) < subject.choices.size()) return value.text;
        error unknown = make_error(rule::choice_unknown, value.place.offset, value.place.length);
        unknown.suggestion = near_miss(value.text, subject.choices);
        return failure(unknown);
    }
    result<column_test> make_bounds(const column& subject, comparison how,
                                    const literal& value) const {
        if (!takes(subject, value)) return mistyped(subject, value);
        switch (subject.type) {
            case column_type::integer:
                return bounds_of(subject, how, value, parse_int64(value.text));
            case column_type::decimal:
                return bounds_of(subject, how, value, parse_decimal_number(value.text));
            case column_type::real: {
                const auto number = parse_real(value.text);
                if (!number) return mistyped(subject, value);
                return bounds_of(subject, how, value, result<double>(*number));
            }
            case column_type::time:
                return bounds_of(subject, how, value, parse_timestamp(value.text));
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
        return mistyped(subject, value);
    }
    template <class T>
    static result<column_test> bounds_of(const column& subject, comparison how,
                                         const literal& value, result<T> bound) {
        if (!bound) return out_of_type(subject, value, bound.error());
        bounds<T> range;
        range.narrow(how, *std::move(bound));
        return column_test(std::move(range));
    }

    /// Returns the failure of a literal that isn't a value of a column's type.
    static failure mistyped(const column& subject, const literal& value) {
        return fail_at(value.place, rule::value_malformed, expected_of(subject.type));
    }
    /// Like mistyped(), but keeps the reason of a number or a time that is out of range.
    static failure out_of_type(const column& subject, const literal& value, error why) {
        if (why.broken == rule::number_malformed || why.broken == rule::time_malformed) {
            return mistyped(subject, value);
        }
        why.offset = static_cast<std::uint32_t>(value.place.offset);
        why.length = static_cast<std::uint32_t>(value.place.length);
        return failure(why);
    }
    static std::string_view expected_of(column_type type) noexcept {
        switch (type) {
            case column_type::text: return "expected a text";
            case column_type::integer: return "expected a whole number such as 2";
            case column_type::decimal:
            case column_type::real: return "expected a number such as 1.5";
            case column_type::time: return "expected a time such as 2026-08-21T02:30:15Z";
            case column_type::boolean: return "expected true or false";
            case column_type::date: return "expected a day such as 2026-08-21";
            case column_type::uuid:
                return "expected a UUID such as 0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e";
            case column_type::choice: return "expected one of the documented values";
            case column_type::json: return "expected a key after the column's name";
            case column_type::records: return "expected a column of the records";
        }
        return {};
    }

    grammar_style style_;
};

}  // namespace sluice::detail

#endif
