// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_POSTGREST_HPP
#define SLUICE_GRAMMARS_POSTGREST_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/expression_reader.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>

/// Logical filters of PostgREST: the parameters `or` and `and`.
namespace sluice {

namespace detail {

inline constexpr grammar_style postgrest_style{
    .end_advice = "expected a comma or ')'", .is_prefix = true, .may_omit_seconds = true};

inline constexpr comparison_spellings postgrest_comparisons{"eq", "gte", "gt", "lte", "lt", "neq"};
/// The operators other than comparisons that are supported, and those that aren't.
inline constexpr std::array<std::string_view, 7> postgrest_operators{"in", "is", "like", "ilike",
                                                                     "cs", "ov", "not"};
inline constexpr std::array<std::string_view, 13> postgrest_beyond{
    "match", "imatch", "cd",    "sl",    "sr",   "nxl",       "nxr",
    "adj",   "fts",    "plfts", "phfts", "wfts", "isdistinct"};

template <class Words>
[[nodiscard]] bool has_word(const Words& words, std::string_view word) noexcept {
    return std::ranges::any_of(words, [word](auto other) { return equal_bytes(word, other); });
}
[[nodiscard]] inline bool is_postgrest_operator(std::string_view word) noexcept {
    return has_word(postgrest_comparisons, word) || has_word(postgrest_operators, word) ||
           has_word(postgrest_beyond, word);
}

/// Reads a filter; see parse_postgrest().
class postgrest_reader final : public expression_reader {
public:
    postgrest_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, postgrest_style) {}

private:
    bool take_connective(where_kind) override { return take_comma(); }
    bool take_not() override {
        const std::string_view rest = scan_.rest();
        return (is_group(rest, "not.and") || is_group(rest, "not.or")) && scan_.take("not.");
    }
    /// Takes `and(`, `or(`, `and=(`, `or=(`, or `(`, which means OR.
    std::optional<where_kind> take_group() override {
        const bool is_and = is_group(scan_.rest(), "and");
        if (is_and || is_group(scan_.rest(), "or")) {
            scan_.take(is_and ? "and" : "or");
            scan_.take('=');
        }
        if (!scan_.take('(')) return std::nullopt;
        return is_and ? where_kind::conjunction : where_kind::disjunction;
    }
    static bool is_group(std::string_view rest, std::string_view word) noexcept {
        if (!equal_bytes(rest.substr(0, word.size()), word)) return false;
        rest.remove_prefix(word.size());
        return rest.starts_with('(') || rest.starts_with("=(");
    }

    result<void> read_condition() override {
        const auto named = read_name();
        if (!named) return tl::unexpected<error>(named.error());
        const bool is_negated = scan_.take("not.");
        const std::size_t node = tree_.size();
        return read_test(*named).map([&] {
            const bool is_done = !is_negated || turn_to_opposite(node);
            if (!is_done) tree_.wrap(where_kind::negation, node);
        });
    }

    // --- Names -----------------------------------------------------------------------------

    /// Reads the steps of a name up to an operator, and the dot between.
    result<named_column> read_name() {
        const std::size_t first = scan_.offset();
        name_steps steps;
        inline_list<text_place, 4> places;
        bool is_key = false;  // of JSON
        do {
            const std::size_t start = scan_.offset();
            const bool is_quoted = scan_.take('"');
            const std::string_view step = scan_.take_while([&](char byte) {
                return is_quoted ? byte != '"' : text_scanner::is_word_byte(byte) || byte == '$';
            });
            if (is_quoted && !scan_.take('"')) {
                return fail_at(scan_.since(start), rule::query_quote);
            }
            if (!is_quoted && !is_key && steps.size() > 0 && is_postgrest_operator(step)) {
                scan_.return_to(start);
                const text_place last = places[steps.size() - 1];
                return find(steps.view(), {first, last.offset + last.length - first});
            }
            if (step.empty()) break;
            steps.push_back(step);
            places.push_back(scan_.since(start));
            is_key = scan_.take("->>") || scan_.take("->");
        } while (is_key || scan_.take('.'));
        if (steps.size() == 0) {
            return fail_at(scan_.next(), rule::query_condition, "expected a column, and( or or(");
        }
        for (std::size_t count = std::min(steps.size(), steps_max); count > 0; --count) {
            if (!find(steps.view().first(count), {})) continue;
            const text_place next = count < steps.size() ? places[count] : scan_.next();
            return fail_at(next, rule::query_operator, operator_advice);
        }
        return find(steps.view().first(1), places[0]);
    }

    // --- Tests -----------------------------------------------------------------------------

    result<void> read_test(const named_column& named) {
        const std::size_t first = scan_.offset();
        const std::string_view word = scan_.take_while(text_scanner::is_word_byte);
        const text_place op = scan_.since(first);
        if (has_word(postgrest_beyond, word) || scan_.peek() == '(') {
            return fail_at(op, rule::expression_unsupported);
        }
        if (!scan_.take('.')) {
            return fail_at(scan_.next(), rule::query_operator, "expected '.' and a value");
        }
        if (word == "is") return read_is(named, op);
        if (word == "cs" || word == "ov") return read_list_test(named, op, word == "cs");
        if (word == "like" || word == "ilike") return read_like(named, op, word == "ilike");
        if (named.subject.is_list) {
            return fail_at(op, rule::operator_refused, "compare a list by cs, ov, like or is");
        }
        if (word == "in") {
            const auto values = read_list("(", true);
            if (!values) return tl::unexpected<error>(values.error());
            if (values->empty()) return maker_.constant(false);
            return maker_.any_of(named, *values, false, op);
        }
        const auto how = comparison_of(word, postgrest_comparisons);
        if (!how) return fail_at(op, rule::query_operator, operator_advice);
        const auto value = read_value();
        if (!value) return tl::unexpected<error>(value.error());
        return maker_.compare(named, *how, op, *value);
    }
    result<void> read_is(const named_column& named, text_place op) {
        const std::size_t first = scan_.offset();
        const std::string_view word = scan_.take_while(text_scanner::is_word_byte);
        const text_place place = scan_.since(first);
        if (word == "null" || word == "not_null") return maker_.is_null(named, word == "null", op);
        if (word == "true" || word == "false") {
            return maker_.compare(named, expression_comparison::equal, op,
                                  {std::string(word), false, place, column_type::boolean});
        }
        return fail_at(place, rule::query_value, "expected null, not_null, true or false");
    }
    /// Reads the list of cs, that a list has every value, or of ov, any.
    result<void> read_list_test(const named_column& named, text_place op, bool is_all) {
        const auto values = read_list("{");
        if (!values) return tl::unexpected<error>(values.error());
        return maker_.in_list(named, *values, is_all, op);
    }
    result<void> read_like(const named_column& named, text_place op, bool ignores_case) {
        if (ignores_case) {
            if (auto any = in_any_case(named, op); !any) return tl::unexpected<error>(any.error());
        }
        const auto pattern = read_value();
        if (!pattern) return tl::unexpected<error>(pattern.error());
        return match(named, op, *pattern, "*%");
    }

    // --- Values ----------------------------------------------------------------------------

    /// Reads a value in double quotes, where a backslash takes the next byte as it is, or one up to
    /// the bytes that end it.
    result<literal> read_value() override {
        const std::size_t first = scan_.offset();
        literal value;
        if (!scan_.take('"')) {
            const char end = list_end_ == '}' ? '}' : ')';
            value.text = scan_.take_while(
                [end](char byte) { return byte != '"' && byte != ',' && byte != end; });
        } else {
            value.is_quoted = true;
            while (!scan_.at_end() && scan_.peek() != '"') {
                scan_.take('\\');
                if (scan_.at_end()) break;
                value.text.push_back(scan_.peek());
                scan_.skip(1);
            }
            if (!scan_.take('"')) return fail_at(scan_.since(first), rule::query_quote);
        }
        value.place = scan_.since(first);
        return value;
    }

    // Of a name without an operator: every beginning is looked up.
    static constexpr std::size_t steps_max = 32;
    static constexpr std::string_view operator_advice =
        "expected '.' and one of eq, neq, gt, gte, lt, lte, in, is, like, ilike, cs, ov, not";
};

/// Writes a filter; see to_postgrest().
class postgrest_writer final : public expression_writer {
public:
    explicit postgrest_writer(const expression_columns& columns)
        : expression_writer(columns, {.quoted = 0},
                            {.comparisons = postgrest_comparisons,
                             .comparison_space = ".",
                             .conjunction = ",",
                             .disjunction = ",",
                             .is_null = ".is.null",
                             .is_there = ".is.not_null",
                             .any_of = ".in.(",
                             .none_of = ".not.in.(",
                             .quoted = with_escaped_quotes,
                             .ranks_groups = false}) {}

private:
    [[nodiscard]] std::string wrapped(const written& rows) const override {
        const bool is_and = rows.binding == where_kind::conjunction;
        return joined({"(", is_and ? grouped(rows) : rows.text, ")"});
    }
    [[nodiscard]] result<written> negated(const written& operand) const override {
        return written{"not." + grouped(operand)};
    }
    [[nodiscard]] std::string grouped(const written& part) const override {
        return joined({part.binding == where_kind::disjunction ? "or(" : "and(", part.text, ")"});
    }
    [[nodiscard]] std::string bare(std::string_view text) const override {
        const bool is_plain =
            !text.empty() && text.find_first_of(",(){}\"\\ ") == std::string_view::npos;
        return is_plain ? std::string(text) : quoted(text);
    }
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined({name, ".like.", bare(with_wildcards(place, part, '*', "*%_\\"))});
    }
    [[nodiscard]] std::optional<std::string> no_part_text(std::string_view name, part_place place,
                                                          std::string_view part) const override {
        return joined({name, ".not.like.", bare(with_wildcards(place, part, '*', "*%_\\"))});
    }
    [[nodiscard]] std::optional<std::string> values_text(
        std::string_view name, const column& subject, test_kind kind,
        const std::vector<std::string>& values) const override {
        if (!subject.is_list) return expression_writer::values_text(name, subject, kind, values);
        const std::string_view negation = kind == test_kind::none_of ? ".not" : "";
        const std::string_view op = kind == test_kind::all_of ? ".cs.{" : ".ov.{";
        return listed(joined({name, negation, op}), values, "}");
    }
    [[nodiscard]] bool is_negated(std::string_view text) const override {
        return text.starts_with("not.") || text.find(".not.") != std::string_view::npos;
    }
    [[nodiscard]] std::string spelled(const path& name) const override {
        if (with_steps(name).find('"') != std::string::npos) return {};
        std::string text;
        if (!name.records.empty()) text = step_text(name.records, true) + ".";
        text.append(step_text(name.column, name.records.empty()));
        for (const std::string& key : name.keys) {
            text.append(&key == &name.keys.back() ? "->>" : "->").append(key);
        }
        return text;
    }
    /// Writes steps of a name, in quotes unless all of them read as steps: an operator ends a name,
    /// but as its first step.
    static std::string step_text(std::string_view name, bool is_first) {
        for (const std::string_view step : steps_of(name, ".")) {
            const bool is_step = !step.empty() && (is_first || !is_postgrest_operator(step)) &&
                                 std::ranges::all_of(step, text_scanner::is_word_byte);
            if (!is_step) return joined({"\"", name, "\""});
            is_first = false;
        }
        return std::string(name);
    }
};

}  // namespace detail

/// Parses a logical filter of PostgREST: the value of its parameter `or`, or the parameter itself.
///
/// ```
/// filter    = [ [ "not." ] ( "or" / "and" ) [ "=" ] ] "(" list ")" / list   ; without a word: OR
/// list      = operand *( "," operand )
/// operand   = [ "not." ] ( "or" / "and" ) "(" list ")" / condition
/// condition = name "." [ "not." ] test
/// test      = ( "eq" / "neq" / "gt" / "gte" / "lt" / "lte" ) "." value
///           / "in.(" [ value *( "," value ) ] ")"      ; no value: no row
///           / ( "like" / "ilike" ) "." value     ; "*" or "%" at the ends stands for any text
///           / "is." ( "null" / "not_null" / "true" / "false" )
///           / ( "cs" / "ov" ) ".{" value *( "," value ) "}"   ; every one, any one of a list
/// name      = word *( "." word ) *( ( "->" / "->>" ) key )
/// value     = bytes up to "," or ")" / DQUOTE *char DQUOTE
///                                               ; "\" in quotes takes the next byte as it is
/// ```
///
/// A backslash in a pattern takes the next byte as it is. `neq` and `not` also hold for missing
/// values. `ilike` needs a column that ignores case. A name below a column of records is compared
/// with any record. Errors point at the byte: those of the conditions' grammar (query_*),
/// column_unknown, operator_refused, expression_unsupported of other operators and patterns, and
/// value_malformed of a value of another type.
///
/// ```
/// const auto rows = sluice::parse_postgrest("(total.gt.5,city.like.*x*)", columns);
/// ```
[[nodiscard]] inline result<where> parse_postgrest(std::string_view text,
                                                   const expression_columns& columns) {
    return detail::postgrest_reader(text, columns).read();
}

/// Writes conditions as the value of PostgREST's parameter `or`, which parse_postgrest() reads as
/// equal ones. Error: expression_inexpressible, with the column or the test.
[[nodiscard]] inline result<std::string> to_postgrest(const where& rows,
                                                      const expression_columns& columns) {
    return detail::postgrest_writer(columns).write(rows);
}

}  // namespace sluice

#endif
