// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_CQL2_HPP
#define SLUICE_GRAMMARS_CQL2_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/expression_reader.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>

/// The text form of OGC's Common Query Language, CQL2.
namespace sluice {

namespace detail {

inline constexpr std::array<std::string_view, 8> cql2_beyond{"+", "-", "*", "/",
                                                             "%", "^", "(", "div"};
inline constexpr grammar_style cql2_style{
    .quoted = set_of(column_type::text, column_type::choice, column_type::uuid, column_type::json),
    .bare = set_of(column_type::integer, column_type::decimal, column_type::real,
                   column_type::boolean, column_type::json),
    .end_advice = "expected AND, OR, or the end",
    .beyond = cql2_beyond,
    .time_advice = "expected a time such as TIMESTAMP('2026-08-21T02:30:15Z')",
    .date_advice = "expected a day such as DATE('2026-08-21')"};

inline constexpr comparison_spellings cql2_comparisons{"=", ">=", ">", "<=", "<", "<>"};

/// Returns true for a byte of a name without quotes.
[[nodiscard]] inline bool is_cql2_name_byte(char byte) noexcept {
    return text_scanner::is_word_byte(byte) || byte == ':' || byte == '.';
}

/// Reads a filter; see parse_cql2().
class cql2_reader final : public expression_reader {
public:
    cql2_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, cql2_style) {}

private:
    result<void> read_condition() override {
        const std::size_t first = scan_.offset();
        for (const bool is_all : {true, false}) {
            if (scan_.take_word(is_all ? "A_CONTAINS" : "A_OVERLAPS")) {
                return read_list_test(is_all, scan_.since(first));
            }
        }
        for (const bool is_true : {true, false}) {
            if (scan_.take_word(is_true ? "TRUE" : "FALSE")) {
                return maker_.constant(is_true);
            }
        }
        const auto named = read_operand_name();
        if (!named) return tl::unexpected<error>(named.error());
        const std::size_t before = scan_.offset();
        scan_.skip_space();
        const std::size_t start = scan_.offset();
        if (const auto how = take_comparison(cql2_comparisons)) {
            const text_place op = scan_.since(start);
            const auto value = read_value();
            if (!value) return tl::unexpected<error>(value.error());
            return maker_.compare(*named, *how, op, *value);
        }
        if (scan_.take_word("IS")) return read_null(*named, start);
        const bool is_negated = scan_.take_word("NOT");
        scan_.skip_space();
        return read_predicate(*named, is_negated, before);
    }
    /// Reads IN, LIKE or BETWEEN, or nothing after a boolean column.
    result<void> read_predicate(const named_column& named, bool is_negated, std::size_t before) {
        const std::size_t first = scan_.offset();
        const std::size_t node = tree_.size();
        if (scan_.take_word("IN")) {
            const text_place op = scan_.since(first);
            const auto values = read_list("(");
            if (!values) return tl::unexpected<error>(values.error());
            return maker_.any_of(named, *values, is_negated, op);
        }
        const auto negate = [&] {
            if (is_negated) tree_.wrap(where_kind::negation, node);
        };
        if (scan_.take_word("LIKE")) return read_like(named, scan_.since(first)).map(negate);
        if (scan_.take_word("BETWEEN")) return read_between(named, scan_.since(first)).map(negate);
        if (!is_negated && named.subject.type == column_type::boolean) {
            scan_.return_to(before);
            return maker_.is_true(named);
        }
        return fail_at_next(rule::query_operator,
                            "expected one of = <> < <= > >=, IN, LIKE, BETWEEN or IS NULL");
    }
    result<void> read_null(const named_column& named, std::size_t first) {
        scan_.skip_space();
        const bool is_negated = scan_.take_word("NOT");
        scan_.skip_space();
        if (scan_.take_word("NULL")) {
            return maker_.is_null(named, !is_negated, scan_.since(first));
        }
        return fail_at(scan_.next(), rule::expression_malformed, "expected NULL or NOT NULL");
    }
    result<void> read_between(const named_column& named, text_place op) {
        const auto least = read_value();
        if (!least) return tl::unexpected<error>(least.error());
        scan_.skip_space();
        if (!scan_.take_word("AND")) {
            return fail_at(scan_.next(), rule::expression_malformed,
                           "expected AND and a second value");
        }
        const auto most = read_value();
        if (!most) return tl::unexpected<error>(most.error());
        return maker_.between(named, op, *least, *most);
    }
    result<void> read_like(const named_column& named, text_place op) {
        const auto pattern = read_value();
        if (!pattern) return tl::unexpected<error>(pattern.error());
        return match(named, op, *pattern, "%");
    }
    /// Reads the arguments of A_CONTAINS, that a list has every value, or of A_OVERLAPS, any.
    result<void> read_list_test(bool is_all, text_place op) {
        if (auto next = expect("(", "expected '('"); !next) {
            return tl::unexpected<error>(next.error());
        }
        const auto named = read_name();
        if (!named) return tl::unexpected<error>(named.error());
        const auto values = closed(read_next_list("expected ',' and a list", "("));
        if (!values) return tl::unexpected<error>(values.error());
        return maker_.in_list(*named, *values, is_all, op);
    }

    // --- Names and values ------------------------------------------------------------------

    /// Reads a name, or CASEI() of one whose column ignores the case.
    result<named_column> read_operand_name() {
        const std::size_t first = scan_.offset();
        if (!take_casei()) return read_name();
        const text_place call = scan_.since(first);
        scan_.skip_space();
        return in_any_case(closed(read_name()), call);
    }
    bool take_casei() {
        const std::size_t first = scan_.offset();
        if (scan_.take_word("CASEI")) {
            scan_.skip_space();
            if (scan_.take('(')) return true;
        }
        scan_.return_to(first);
        return false;
    }
    result<named_column> read_name() {
        const std::size_t first = scan_.offset();
        const bool is_quoted = scan_.take('"');
        const std::string_view name = scan_.take_while([&](char byte) {
            if (is_quoted) return byte != '"';
            return is_cql2_name_byte(byte);
        });
        if (is_quoted && !scan_.take('"')) return fail_at(scan_.since(first), rule::query_quote);
        const text_place place = scan_.since(first);
        if (name.empty()) {
            return fail_at(scan_.next(), rule::query_condition, "expected a property, NOT or '('");
        }
        const bool is_value = !is_quoted && (is_digit(name[0]) || scan_.peek() == '(');
        if (is_value) return fail_at(place, rule::expression_unsupported);
        return find(name, place);
    }
    result<literal> read_value() override {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        std::optional<column_type> type;
        bool is_call = take_casei();
        for (const bool is_time : {true, false}) {
            if (is_call || !scan_.take_word(is_time ? "TIMESTAMP" : "DATE")) continue;
            if (auto next = expect("(", "expected '('"); !next) {
                return tl::unexpected<error>(next.error());
            }
            type = is_time ? column_type::time : column_type::date;
            is_call = true;
        }
        scan_.skip_space();
        auto value = scan_.peek() == '\'' ? read_doubled_quotes() : read_bare();
        if (is_call) value = closed(std::move(value));
        if (!value || !is_call) return value;
        if (!type) {
            for (char& byte : value->text) byte = to_lower(byte);
        }
        value->type = type;
        value->place = scan_.since(first);
        return value;
    }
    result<literal> read_bare() {
        const std::size_t first = scan_.offset();
        const std::string_view word = take_bare_word();
        const text_place place = scan_.since(first);
        if (equal_ignoring_case(word, "true")) return literal{"true", false, place, {}};
        if (equal_ignoring_case(word, "false")) return literal{"false", false, place, {}};
        const bool is_number = !word.empty() && (is_digit(word[0]) || word[0] == '-');
        if (is_number) return literal{std::string(word), false, place, {}};
        const bool is_expression = !word.empty() || scan_.peek() == '(' || scan_.peek() == '"';
        const bool is_name = word.empty() ? scan_.peek() == '"' : is_letter(word[0]);
        if (is_expression) {
            return fail_at(word.empty() ? scan_.next() : place, rule::expression_unsupported,
                           is_name ? name_advice(scan_.peek()) : std::string_view());
        }
        return fail_at(scan_.next(), rule::query_value,
                       "expected a value such as 'text', 5, TRUE, DATE('2026-08-21') or "
                       "TIMESTAMP('2026-08-21T02:30:15Z')");
    }
};

/// Writes a filter; see to_cql2().
class cql2_writer final : public expression_writer {
public:
    explicit cql2_writer(const expression_columns& columns)
        : expression_writer(columns, cql2_style,
                            {.comparisons = cql2_comparisons,
                             .conjunction = " AND ",
                             .disjunction = " OR ",
                             .negation = "NOT ",
                             .is_null = " IS NULL",
                             .is_there = " IS NOT NULL",
                             .any_of = " IN (",
                             .none_of = " NOT IN (",
                             .every_row = "TRUE",
                             .no_row = "FALSE",
                             .quoted = with_doubled_quotes}) {}

private:
    [[nodiscard]] std::string value_of(const column& subject,
                                       std::string_view text) const override {
        if (subject.type == column_type::time) return "TIMESTAMP(" + quoted(text) + ")";
        if (subject.type == column_type::date) return "DATE(" + quoted(text) + ")";
        return expression_writer::value_of(subject, text);
    }
    /// Writes a name, in quotes if it can't be read without them.
    [[nodiscard]] std::string spelled(const path& name) const override {
        constexpr std::array<std::string_view, 15> words{
            "and",  "or",    "not",       "in",   "like",  "between",    "is",        "null",
            "true", "false", "timestamp", "date", "casei", "a_contains", "a_overlaps"};
        std::string text = with_steps(name);
        if (text.find('"') != std::string::npos) return {};
        const auto begins = [&](std::string_view word) {
            return text_scanner(text).take_word(word);
        };
        const bool is_plain = !is_digit(text[0]) && std::ranges::all_of(text, is_cql2_name_byte);
        if (is_plain && std::ranges::none_of(words, begins)) return text;
        return "\"" + text + "\"";
    }
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined({name, " LIKE ", pattern(place, part)});
    }
    [[nodiscard]] std::optional<std::string> no_part_text(std::string_view name, part_place place,
                                                          std::string_view part) const override {
        return joined({name, " NOT LIKE ", pattern(place, part)});
    }
    [[nodiscard]] std::string pattern(part_place place, std::string_view part) const {
        return quoted(with_wildcards(place, part, '%', "%_\\"));
    }
    [[nodiscard]] std::optional<std::string> range_text(const std::string& name,
                                                        const std::string& least,
                                                        const std::string& most) const override {
        return joined({name, " BETWEEN ", least, " AND ", most});
    }
    [[nodiscard]] std::optional<std::string> values_text(
        std::string_view name, const column& subject, test_kind kind,
        const std::vector<std::string>& values) const override {
        if (kind != test_kind::all_of) {
            return expression_writer::values_text(name, subject, kind, values);
        }
        return listed(joined({"A_CONTAINS(", name, ", ("}), values, "))");
    }
};

}  // namespace detail

/// Parses a CQL2 text.
///
/// ```
/// filter    = and-expr *( "OR" and-expr )
/// and-expr  = operand *( "AND" operand )
/// operand   = "NOT" operand / "(" filter ")" / condition
/// condition = name ( "=" / "<>" / "<" / "<=" / ">" / ">=" ) value
///           / name [ "NOT" ] "IN" "(" value *( "," value ) ")"
///           / name [ "NOT" ] "LIKE" value              ; "%" at the ends stands for any text
///           / name [ "NOT" ] "BETWEEN" value "AND" value
///           / name "IS" [ "NOT" ] "NULL"
///           / ( "A_CONTAINS" / "A_OVERLAPS" ) "(" name "," "(" value *( "," value ) ")" ")"
///           / name / "TRUE" / "FALSE"                  ; a boolean; every row, none
/// name      = word / DQUOTE text DQUOTE / "CASEI(" name ")"
/// value     = "'" text "'" / number / "TRUE" / "FALSE" / "CASEI(" value ")"
///           / "TIMESTAMP(" "'" time "'" ")" / "DATE(" "'" day "'" ")"
/// ```
///
/// Words are read in any case; a quote within a text is doubled. CASEI() needs a column that
/// ignores case. `<>` and NOT IN also hold for missing values. Errors point at the byte: those of
/// the conditions' grammar (query_*), column_unknown, operator_refused, expression_malformed,
/// expression_unsupported of arithmetic, geometry, other functions and patterns, and
/// value_malformed of a value of another type.
///
/// ```
/// const auto rows = sluice::parse_cql2("total > 5 AND city LIKE 'x%'", columns);
/// ```
[[nodiscard]] inline result<where> parse_cql2(std::string_view text,
                                              const expression_columns& columns) {
    return detail::cql2_reader(text, columns).read();
}

/// Writes conditions as a CQL2 text, which parse_cql2() reads as equal ones. Error:
/// expression_inexpressible, with the column or the test.
[[nodiscard]] inline result<std::string> to_cql2(const where& rows,
                                                 const expression_columns& columns) {
    return detail::cql2_writer(columns).write(rows);
}

}  // namespace sluice

#endif
