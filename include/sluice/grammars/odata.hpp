// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_ODATA_HPP
#define SLUICE_GRAMMARS_ODATA_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/expression_reader.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>

/// The expressions of OData 4.01: `$filter` and `$orderby`.
namespace sluice {

namespace detail {

inline constexpr std::array<std::string_view, 7> odata_beyond{"add",   "sub", "mul", "div",
                                                              "divby", "mod", "has"};
inline constexpr grammar_style odata_style{
    .quoted = set_of(column_type::text, column_type::choice, column_type::json),
    .bare =
        set_of(column_type::integer, column_type::decimal, column_type::real, column_type::boolean,
               column_type::time, column_type::date, column_type::uuid, column_type::json),
    .end_advice = "expected and, or, or the end",
    .beyond = odata_beyond,
    .is_spaced = true,
    .may_omit_seconds = true,
    .time_advice = "expected a time without quotes, such as 2026-08-21T02:30:15Z",
    .date_advice = "expected a day without quotes, such as 2026-08-21"};

inline constexpr comparison_spellings odata_comparisons{"eq", "ge", "gt", "le", "lt", "ne"};
/// Names of the functions, in the order of part_place.
inline constexpr std::array<std::string_view, 3> odata_parts{"contains", "startswith", "endswith"};

/// Returns true for a byte of a step of a name.
[[nodiscard]] inline bool is_odata_name_byte(char byte) noexcept {
    return text_scanner::is_word_byte(byte) || std::string_view("$@#.").find(byte) < 4;
}
[[nodiscard]] inline bool is_odata_constant(std::string_view word) noexcept {
    return equal_ignoring_case(word, "true") || equal_ignoring_case(word, "false");
}

/// Reads a `$filter`; see parse_odata_filter().
class odata_reader final : public expression_reader {
public:
    odata_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, odata_style) {}

private:
    result<void> read_condition() override {
        const auto place = take_name(is_path_byte, "expected a column, a function, not or '('");
        if (!place) return tl::unexpected<error>(place.error());
        const name_steps path = steps_of(scan_.spelled(*place), "/");
        const auto steps = path.view();
        if (scan_.peek() == '(') return read_call(steps, *place);
        if (steps.size() == 1 && is_odata_constant(steps[0])) {
            return read_constant(equal_ignoring_case(steps[0], "true"));
        }
        const auto named = find_in_scope(steps, *place);
        if (!named) return tl::unexpected<error>(named.error());
        return read_test(*named);
    }

    /// Reads every row or none, or a comparison of both: `true eq false`.
    result<void> read_constant(bool left) {
        const std::size_t before = scan_.offset();
        scan_.skip_space();
        const bool is_equality = scan_.take_word("eq");
        if (!is_equality && !scan_.take_word("ne")) {
            scan_.return_to(before);
            return maker_.constant(left);
        }
        const auto right = read_value();
        if (!right) return tl::unexpected<error>(right.error());
        if (right->is_quoted || !is_odata_constant(right->text)) {
            return fail_at(right->place, rule::value_malformed, "expected true or false");
        }
        return maker_.constant((left == (right->text == "true")) == is_equality);
    }

    // --- Names -----------------------------------------------------------------------------

    /// Returns true for a byte of a path such as `customer/country`.
    static bool is_path_byte(char byte) noexcept { return byte == '/' || is_odata_name_byte(byte); }
    /// Like find(), but within a lambda for its variable. `$it/` before a name is the row.
    result<named_column> find_in_scope(std::span<const std::string_view> steps,
                                       text_place place) const {
        const bool has_row = equal_bytes(steps[0], "$it") && steps.size() > 1;
        if (scopes_.empty()) return find(steps.subspan(has_row ? 1 : 0), place);
        if (steps[0] != scopes_.back().variable) {
            return fail_at(place, rule::expression_unsupported,
                           "begin with the variable of the lambda");
        }
        return find_part(steps.subspan(1), place, "expected a column of the lambda's variable");
    }

    // --- Tests -----------------------------------------------------------------------------

    result<void> read_test(const named_column& named) {
        const std::size_t before = scan_.offset();
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (scan_.take_word("in")) {
            const text_place op = scan_.since(first);
            const auto values = read_list("([", true);
            if (!values) return tl::unexpected<error>(values.error());
            if (values->empty()) return maker_.constant(false);
            return maker_.any_of(named, *values, false, op);
        }
        if (named.subject.is_list && scan_.take_word("has")) return read_has(named, first);
        if (const auto how = take_comparison(odata_comparisons)) {
            return read_comparison(named, *how, scan_.since(first));
        }
        if (named.subject.type == column_type::boolean) {  // a condition by itself
            scan_.return_to(before);
            return maker_.is_true(named);
        }
        return fail_at_next(rule::query_operator, "expected eq, ne, gt, ge, lt, le or in");
    }
    /// Reads the members that a list has, every one: `Namespace.Type'a,b'`.
    result<void> read_has(const named_column& named, std::size_t first) {
        const text_place op = scan_.since(first);
        const auto members = read_value();
        if (!members) return tl::unexpected<error>(members.error());
        const name_steps names = steps_of(members->text, ",");
        std::vector<literal> values;
        for (const std::string_view member : names.view()) {
            values.push_back({std::string(member), true, members->place, {}});
        }
        return maker_.all_of(named, values, op);
    }
    result<void> read_comparison(const named_column& named, expression_comparison how,
                                 text_place op) {
        if (!scan_.skip_space() && !scan_.at_end()) {
            return fail_at(scan_.next(), rule::query_value, "expected a space and a value");
        }
        const std::size_t first = scan_.offset();
        if (scan_.take_word("null")) {
            return maker_.compare_null(named, how, op, scan_.since(first));
        }
        const bool is_grouped = scan_.take('(');
        const auto value = is_grouped ? closed(read_value()) : read_value();
        if (!value) return tl::unexpected<error>(value.error());
        return maker_.compare(named, how, op, *value);
    }

    // --- Functions and lambdas -------------------------------------------------------------

    result<void> read_call(std::span<const std::string_view> steps, text_place place) {
        const auto is = [&](std::string_view name) {
            return equal_ignoring_case(steps.back(), name);
        };
        if (is("any") || is("all")) {
            const auto list = steps.first(steps.size() - 1);
            if (!list.empty()) return read_lambda(list, is("all"), place);
            return fail_at(scan_.next(), rule::expression_malformed,
                           "begin with a list, such as tags/any(t:t eq 'a')");
        }
        if (steps.size() > 1) return fail_at(place, rule::expression_unsupported);
        if (is("tolower")) {  // of a column that ignores the case anyway
            const auto named = in_any_case(closed(read_argument(false)), place);
            return named ? read_test(*named) : tl::unexpected<error>(named.error());
        }
        if (is("hassubset")) return read_subset(place);
        for (std::size_t at = 0; at < odata_parts.size(); ++at) {
            if (is(odata_parts[at])) return read_part(static_cast<part_place>(at), place);
        }
        return fail_at(place, rule::expression_unsupported);
    }
    result<named_column> read_argument(bool may_be_call = true) {
        scan_.take('(');
        scan_.skip_space();
        const auto place = take_name(is_path_byte, "expected a column");
        if (!place) return tl::unexpected<error>(place.error());
        const std::string_view name = scan_.spelled(*place);
        if (scan_.peek() != '(') return find_in_scope(steps_of(name, "/").view(), *place);
        const bool is_lower = may_be_call && equal_ignoring_case(name, "tolower");
        if (is_lower) return in_any_case(closed(read_argument(false)), *place);
        return fail_at(*place, rule::expression_unsupported);
    }
    result<void> read_part(part_place place, text_place call) {
        const auto named = read_argument();
        if (!named) return tl::unexpected<error>(named.error());
        const auto value = closed(read_next_value("expected a comma and a text"));
        if (!value) return tl::unexpected<error>(value.error());
        return maker_.part(*named, place, call, *value);
    }
    result<void> read_lambda(std::span<const std::string_view> steps, bool is_for_all,
                             text_place place) {
        const auto named = find_in_scope(steps, place);
        if (!named) return tl::unexpected<error>(named.error());
        if (!has_parts(*named)) return fail_at(place, rule::operator_refused);
        scan_.take('(');
        scan_.skip_space();
        const column& of = named->subject;
        const bool may_be_empty = of.type == column_type::records && !is_for_all;
        if (may_be_empty && scan_.take(')')) return append(leaf{of, record_test(where())});
        const std::string_view name = scan_.take_while(text_scanner::is_word_byte);
        if (name.empty() || !take_byte(':')) {
            return fail_at(scan_.next(), rule::expression_malformed,
                           "expected a variable, ':' and a condition");
        }
        auto body = closed(read_inner({*named, name}, place));
        if (!body) return tl::unexpected<error>(body.error());
        return append_on_parts(of, *std::move(body), is_for_all, place,
                               "write a lambda for each condition on the items");
    }

    /// Reads the arguments of hassubset, that a list has every value.
    result<void> read_subset(text_place call) {
        const auto named = read_argument();
        if (!named) return tl::unexpected<error>(named.error());
        const auto values = closed(read_next_list("expected a comma and a list", "([", true));
        if (!values) return tl::unexpected<error>(values.error());
        if (values->empty()) return maker_.constant(true);
        return maker_.all_of(*named, *values, call);
    }

    // --- Literals --------------------------------------------------------------------------

    /// Reads `'text'`, an enumeration's `Name'text'`, a bare value, or in an array `"text"`.
    result<literal> read_value() override {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (list_end_ == ']' && scan_.peek() == '"') return read_json_text();
        const std::string_view word = take_bare_word("-+.:");
        const text_place place = scan_.since(first);
        const bool is_name =
            !word.empty() && text_scanner::is_word_byte(word[0]) && !is_digit(word[0]);
        if (scan_.peek() == '\'') {
            const bool is_type = is_name && word.find('.') != std::string_view::npos;
            if (!word.empty() && !is_type) {  // as in duration'P1D'
                return fail_at(place, rule::expression_unsupported);
            }
            auto value = read_doubled_quotes();
            if (value) value->place = scan_.since(first);
            return value;
        }
        if (word.empty()) {
            return fail_at(scan_.next(), rule::query_value,
                           "expected a value such as 'text', 5, true, null or "
                           "2026-08-21T02:30:15Z");
        }
        if (is_odata_constant(word)) {
            return literal{equal_ignoring_case(word, "true") ? "true" : "false", false, place};
        }
        if (is_name && !parse_uuid(word)) {
            return fail_at(place, rule::expression_unsupported, name_advice(scan_.peek()));
        }
        return literal{std::string(word.substr(word[0] == '+' ? 1 : 0)), false, place};
    }
};

/// Writes a `$filter`; see to_odata_filter().
class odata_writer final : public expression_writer {
public:
    explicit odata_writer(const expression_columns& columns)
        : expression_writer(columns, odata_style,
                            {.comparisons = odata_comparisons,
                             .conjunction = " and ",
                             .disjunction = " or ",
                             .negation = "not ",
                             .is_null = " eq null",
                             .is_there = " ne null",
                             .any_of = " in (",
                             .every_row = "true",
                             .no_row = "false",
                             .quoted = with_doubled_quotes,
                             .has_scopes = true}) {}

private:
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined(
            {odata_parts[static_cast<std::size_t>(place)], "(", name, ",", quoted(part), ")"});
    }
    [[nodiscard]] std::string item_name(const std::string&) const override { return "item"; }
    [[nodiscard]] written of_list(const std::string& list, written of_item,
                                  bool is_for_all) const override {
        return {list + (is_for_all ? "/all(item:" : "/any(item:") + of_item.text + ")"};
    }
    [[nodiscard]] std::string spelled(const path& name) const override {
        if (!std::ranges::all_of(name.column, is_odata_name_byte)) return {};
        if (!name.records.empty()) return with_steps({"record", name.column, name.keys}, '/');
        std::string text(name.column);
        std::ranges::replace(text, '.', '/');
        const bool has_blank =
            text[0] == '/' || text.back() == '/' || text.find("//") < text.size();
        const bool is_word = text_scanner(text).take_word("not") || is_odata_constant(text) ||
                             text.starts_with("$it/");
        return has_blank || is_word ? std::string() : with_steps({{}, text, name.keys}, '/');
    }
    [[nodiscard]] result<written> of_records(const std::string& name,
                                             written of_record) const override {
        const std::string body = of_record.text.empty() ? "" : "record:" + of_record.text;
        return written{name + "/any(" + body + ")"};
    }
};

}  // namespace detail

/// Parses an OData 4.01 `$filter` (URL Conventions 5.1.1), without percent-encoding.
///
/// ```
/// filter    = and-expr *( SP "or" SP and-expr )
/// and-expr  = operand *( SP "and" SP operand )
/// operand   = "not" SP operand / "(" filter ")" / condition
/// condition = name SP ( "eq" / "ne" / "gt" / "ge" / "lt" / "le" ) SP value
///           / name SP "in" SP list
///           / ( "contains" / "startswith" / "endswith" ) "(" name "," value ")"
///           / name "/" ( "any" / "all" ) "(" [ variable ":" filter ] ")" ; records, or a list
///           / name SP "has" SP value / "hassubset(" name "," list ")"  ; every one, of a list
///           / name                                                     ; a boolean column
///           / constant [ SP ( "eq" / "ne" ) SP constant ]
/// constant  = "true" / "false"
/// list      = "(" [ value *( "," value ) ] ")" / "[" [ value *( "," value ) ] "]"
///                                             ; in "[" JSON texts, too; an empty list: no row
/// name      = word *( "/" word ) / "tolower(" name ")"  ; $it or a lambda's variable comes first
/// value     = "'" text "'" / number / time / day / uuid / "true" / "false" / "null"
/// ```
///
/// Words are read in any case; a quote within a text is doubled. `eq null` selects missing values;
/// `ne` also holds for them. Errors point at the byte: those of the conditions' grammar (query_*),
/// column_unknown, operator_refused, expression_malformed, expression_unsupported of arithmetic,
/// other functions and columns against columns, and value_malformed of a value of another type.
///
/// ```
/// const auto rows = sluice::parse_odata_filter("total gt 5 and contains(city,'x')", columns);
/// ```
[[nodiscard]] inline result<where> parse_odata_filter(std::string_view text,
                                                      const expression_columns& columns) {
    return detail::odata_reader(text, columns).read();
}

/// Writes conditions as an OData `$filter`, which parse_odata_filter() reads as equal ones. Error:
/// expression_inexpressible, with the column or the test.
[[nodiscard]] inline result<std::string> to_odata_filter(const where& rows,
                                                         const expression_columns& columns) {
    return detail::odata_writer(columns).write(rows);
}

}  // namespace sluice

#endif
