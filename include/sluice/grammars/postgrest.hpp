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

inline constexpr grammar_style postgrest_style{.is_prefix = true};

inline constexpr comparison_spellings postgrest_comparisons{"eq", "gte", "gt", "lte", "lt", "neq"};
/// The operators other than comparisons that are supported, and those that aren't.
inline constexpr std::array<std::string_view, 7> postgrest_operators{"in", "is", "like", "ilike",
                                                                     "cs", "ov", "not"};
inline constexpr std::array<std::string_view, 13> postgrest_beyond{
    "match", "imatch", "cd",    "sl",    "sr",   "nxl",       "nxr",
    "adj",   "fts",    "plfts", "phfts", "wfts", "isdistinct"};

[[nodiscard]] inline bool is_postgrest_operator(std::string_view word) noexcept {
    const auto is_in = [word](const auto& words) {
        return std::ranges::find(words, word) != words.end();
    };
    return is_in(postgrest_comparisons) || is_in(postgrest_operators) || is_in(postgrest_beyond);
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
            scan_.take("=");
        }
        if (!scan_.take("(")) return std::nullopt;
        return is_and ? where_kind::conjunction : where_kind::disjunction;
    }
    static bool is_group(std::string_view rest, std::string_view word) noexcept {
        if (!rest.starts_with(word)) return false;
        rest.remove_prefix(word.size());
        return rest.starts_with('(') || rest.starts_with("=(");
    }
    [[nodiscard]] std::string_view end_advice() const override { return "expected a comma or ')'"; }

    result<where> read_condition() override {
        const auto named = read_name();
        if (!named) return tl::unexpected<error>(named.error());
        const bool is_negated = scan_.take("not.");
        auto built = read_test(*named);
        if (!built || !is_negated) return built;
        auto opposite = opposite_of(*built);
        return opposite ? *std::move(opposite) : where::negation(*std::move(built));
    }

    // --- Names -----------------------------------------------------------------------------

    /// Reads the steps of a name up to an operator, and the dot between.
    result<named_column> read_name() {
        const std::size_t first = scan_.offset();
        std::vector<std::string_view> steps;
        std::vector<text_place> places;
        bool is_key = false;  // of JSON
        do {
            const std::size_t start = scan_.offset();
            const bool is_quoted = scan_.take("\"");
            const std::string_view step = scan_.take_while([&](char byte) {
                return is_quoted ? byte != '"' : text_scanner::is_word_byte(byte) || byte == '$';
            });
            if (is_quoted && !scan_.take("\"")) {
                return fail_at(scan_.since(start), rule::query_quote);
            }
            if (!is_quoted && !is_key && !steps.empty() && is_postgrest_operator(step)) {
                scan_.return_to(start);
                const std::size_t end = places.back().offset + places.back().length;
                return find(steps, {first, end - first});
            }
            if (step.empty()) break;
            steps.push_back(step);
            places.push_back(scan_.since(start));
            is_key = scan_.take("->>") || scan_.take("->");
        } while (is_key || scan_.take("."));
        if (steps.empty()) {
            return fail_at(scan_.next(), rule::query_condition, "expected a column, and( or or(");
        }
        text_place next = scan_.next();  // where an operator is missing
        if (steps.size() > steps_max) {
            next = places[steps_max];
            steps.resize(steps_max);
            places.resize(steps_max);
        }
        for (; !steps.empty(); next = places.back(), places.pop_back(), steps.pop_back()) {
            if (find(steps, {})) return fail_at(next, rule::query_operator, operator_advice);
            if (steps.size() == 1) break;
        }
        return find(steps, places[0]);
    }

    // --- Tests -----------------------------------------------------------------------------

    result<where> read_test(const named_column& named) {
        const std::size_t first = scan_.offset();
        const std::string_view word = scan_.take_while(text_scanner::is_word_byte);
        const text_place op = scan_.since(first);
        const bool is_beyond = std::ranges::find(postgrest_beyond, word) != postgrest_beyond.end();
        if (is_beyond || scan_.peek() == '(') return fail_at(op, rule::expression_unsupported);
        if (!scan_.take(".")) {
            return fail_at(scan_.next(), rule::query_operator, "expected '.' and a value");
        }
        if (word == "is") return read_is(named, op);
        if (word == "cs" || word == "ov") return read_list_test(named, op, word == "cs");
        if (word == "like" || word == "ilike") return read_like(named, op, word == "ilike");
        if (named.subject.is_list) {
            return fail_at(op, rule::operator_refused, "compare a list by cs, ov, like or is");
        }
        if (word == "in") {
            const auto values = read_values();
            if (!values) return tl::unexpected<error>(values.error());
            return maker_.any_of(named, *values, false, op);
        }
        const auto how = std::ranges::find(postgrest_comparisons, word);
        if (how == postgrest_comparisons.end()) {
            return fail_at(op, rule::query_operator, operator_advice);
        }
        const auto value = read_value();
        if (!value) return tl::unexpected<error>(value.error());
        return maker_.compare(
            named, static_cast<expression_comparison>(how - postgrest_comparisons.begin()), op,
            *value);
    }
    result<where> read_is(const named_column& named, text_place op) {
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
    result<where> read_list_test(const named_column& named, text_place op, bool is_all) {
        if (!scan_.take("{")) {
            return fail_at(scan_.next(), rule::query_value, "expected a list such as {a,b}");
        }
        std::vector<literal> values;
        do {
            auto value = read_value_until(",}");
            if (!value) return tl::unexpected<error>(value.error());
            values.push_back(*std::move(value));
        } while (scan_.take(","));
        if (!scan_.take("}")) {
            return fail_at(scan_.next(), rule::query_bracket, "expected '}' after the list");
        }
        if (!named.subject.is_list) return fail_at(op, rule::operator_refused);
        return is_all ? maker_.all_of(named, values, op) : maker_.any_of(named, values, false, op);
    }
    /// Reads a pattern that is a whole text, or the start, end or part of one.
    result<where> read_like(const named_column& named, text_place op, bool ignores_case) {
        if (ignores_case && !record_of(named.subject.how).ignores_case) {
            return fail_at(op, rule::expression_unsupported, "use like: the column's case matters");
        }
        const auto pattern = read_value();
        if (!pattern) return tl::unexpected<error>(pattern.error());
        auto read = read_pattern(*pattern, "*%");
        if (!read) return tl::unexpected<error>(read.error());
        return maker_.compare_starred(named, expression_comparison::equal, op, *std::move(read));
    }

    // --- Values ----------------------------------------------------------------------------

    result<literal> read_value() override { return read_value_until(",)"); }
    /// Reads a value in double quotes, where a backslash takes the next byte as it is, or one up to
    /// some bytes.
    result<literal> read_value_until(std::string_view ends) {
        const std::size_t first = scan_.offset();
        literal value;
        if (!scan_.take("\"")) {
            value.text = scan_.take_while([ends](char byte) {
                return byte != '"' && ends.find(byte) == std::string_view::npos;
            });
        } else {
            value.is_quoted = true;
            while (!scan_.at_end() && scan_.peek() != '"') {
                scan_.take("\\");
                if (scan_.at_end()) break;
                value.text.push_back(scan_.peek());
                scan_.skip(1);
            }
            if (!scan_.take("\"")) return fail_at(scan_.since(first), rule::query_quote);
        }
        value.place = scan_.since(first);
        return value;
    }

    // Maximum number of steps of a name without an operator: every beginning of the name is looked
    // up.
    static constexpr std::size_t steps_max = 32;
    static constexpr std::string_view operator_advice =
        "expected '.' and one of eq, neq, gt, gte, lt, lte, in, is, like, ilike, cs, ov, not";
};

/// Writes a filter; see to_postgrest().
class postgrest_writer final : public expression_writer {
public:
    explicit postgrest_writer(const expression_columns& columns)
        : expression_writer(columns, {postgrest_comparisons, ",", ",", {}, false}) {}

private:
    [[nodiscard]] grammar_style literals() const override { return {.quoted = 0}; }
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
    [[nodiscard]] std::string quoted(std::string_view text) const override {
        return with_escaped_quotes(text);
    }
    [[nodiscard]] std::string bare(std::string_view text) const override {
        const bool is_plain =
            !text.empty() && text.find_first_of(",(){}\"\\ ") == std::string_view::npos;
        return is_plain ? std::string(text) : quoted(text);
    }
    [[nodiscard]] std::string comparison_text(std::string_view name, expression_comparison how,
                                              std::string_view value) const override {
        return joined({name, ".", spelling_of(how), ".", value});
    }
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined({name, ".like.", bare(with_wildcards(place, part, '*', "*%_\\"))});
    }
    [[nodiscard]] std::optional<std::string> no_part_text(std::string_view name, part_place place,
                                                          std::string_view part) const override {
        return joined({name, ".not.like.", bare(with_wildcards(place, part, '*', "*%_\\"))});
    }
    [[nodiscard]] std::string null_text(std::string_view name, bool wanted) const override {
        return joined({name, wanted ? ".is.null" : ".is.not_null"});
    }
    [[nodiscard]] std::optional<std::string> values_text(
        std::string_view name, const column& subject, test_kind kind,
        const std::vector<std::string>& values) const override {
        const std::string_view negation = kind == test_kind::none_of ? ".not" : "";
        if (!subject.is_list && values.size() < 2) return std::nullopt;
        if (!subject.is_list) return listed(joined({name, negation, ".in.("}), values, ")");
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
///           / "in.(" value *( "," value ) ")"
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
