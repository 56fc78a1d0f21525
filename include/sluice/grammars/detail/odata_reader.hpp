// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_ODATA_READER_HPP
#define SLUICE_GRAMMARS_DETAIL_ODATA_READER_HPP

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
#include <sluice/grammars/detail/list_items.hpp>

namespace sluice::detail {

inline constexpr grammar_style odata_style{
    .quoted = set_of(column_type::text, column_type::choice, column_type::json),
    .bare =
        set_of(column_type::integer, column_type::decimal, column_type::real, column_type::boolean,
               column_type::time, column_type::date, column_type::uuid, column_type::json),
    .is_spaced = true};

inline constexpr comparison_spellings odata_comparisons{"eq", "ge", "gt", "le", "lt", "ne"};
/// Names of the functions, in the order of part_place.
inline constexpr std::array<std::string_view, 3> odata_parts{"contains", "startswith", "endswith"};

/// Returns true for a byte of a step of a name.
[[nodiscard]] inline bool is_odata_name_byte(char byte) noexcept {
    return text_scanner::is_word_byte(byte) || byte == '$' || byte == '@' || byte == '#' ||
           byte == '.';
}
[[nodiscard]] inline bool is_odata_constant(std::string_view word) noexcept {
    return equal_bytes(word, "true") || equal_bytes(word, "false");
}

/// Reads a `$filter`; see parse_odata_filter().
class odata_reader final : public expression_reader {
public:
    odata_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, odata_style) {}

private:
    [[nodiscard]] std::string_view end_advice() const override {
        return "expected and, or, or the end";
    }

    result<void> read_condition() override {
        const std::size_t first = scan_.offset();
        const auto steps = read_steps();
        const text_place place = scan_.since(first);
        if (steps.size() == 0) {
            return fail_at(scan_.next(), rule::query_condition,
                           "expected a column, a function, not or '('");
        }
        if (scan_.peek() == '(') return read_call(steps.view(), place);
        if (steps.size() == 1 && is_odata_constant(steps[0]))
            return read_constant(steps[0] == "true");
        const auto named = find_in_scope(steps.view(), place);
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
        const bool are_equal = left == (right->text == "true");
        return maker_.constant(are_equal == is_equality);
    }

    // --- Names -----------------------------------------------------------------------------

    /// Takes the steps of a path: `customer/country`. Empty if no name is next.
    name_steps read_steps() {
        name_steps steps;
        do {
            const std::string_view step = scan_.take_while(is_odata_name_byte);
            if (step.empty()) break;
            steps.push_back(step);
        } while (scan_.take('/'));
        return steps;
    }
    /// Like find(), but within a lambda for its variable. `$it/` before a name is the row.
    result<named_column> find_in_scope(std::span<const std::string_view> steps,
                                       text_place place) const {
        if (variables_.empty()) {
            const bool has_row = equal_bytes(steps[0], "$it") && steps.size() > 1;
            return find(steps.subspan(has_row ? 1 : 0), place);
        }
        const variable& scope = variables_.back();
        if (steps[0] != scope.name) {
            return fail_at(place, rule::expression_unsupported,
                           "begin with the variable of the lambda");
        }
        return find_part(scope.of, steps.subspan(1), place,
                         "expected a column of the lambda's variable");
    }

    // --- Tests -----------------------------------------------------------------------------

    result<void> read_test(const named_column& named) {
        const std::size_t before = scan_.offset();
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (scan_.take_word("in")) {
            const text_place op = scan_.since(first);
            const auto values = read_list();
            if (!values) return tl::unexpected<error>(values.error());
            if (values->empty()) return maker_.constant(false);
            return maker_.any_of(named, *values, false, op);
        }
        if (named.subject.is_list && scan_.take_word("has")) return read_has(named, first);
        if (const auto how = take_comparison(odata_comparisons)) {
            return read_comparison(named, *how, scan_.since(first));
        }
        const auto word = scan_.next();
        for (const std::string_view beyond : {"has", "add", "sub", "mul", "div", "divby", "mod"}) {
            if (scan_.take_word(beyond)) return fail_at(word, rule::expression_unsupported);
        }
        if (named.subject.type == column_type::boolean) {  // a condition by itself
            scan_.return_to(before);
            return maker_.compare(named, expression_comparison::equal, named.place,
                                  {"true", false, named.place});
        }
        return fail_at(word, rule::query_operator, "expected eq, ne, gt, ge, lt, le or in");
    }
    /// Reads the members that a list has, every one: `Namespace.Type'a,b'`.
    result<void> read_has(const named_column& named, std::size_t first) {
        const text_place op = scan_.since(first);
        const auto members = read_value();
        if (!members) return tl::unexpected<error>(members.error());
        std::vector<literal> values;
        for (std::size_t start = 0, end = 0; end < members->text.size(); start = end + 1) {
            end = std::min(members->text.find(',', start), members->text.size());
            values.push_back({members->text.substr(start, end - start), true, members->place, {}});
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
            if (how == expression_comparison::equal || how == expression_comparison::not_equal) {
                return maker_.is_null(named, how == expression_comparison::equal, op);
            }
            return fail_at(scan_.since(first), rule::value_malformed,
                           "expected null after eq or ne only");
        }
        const bool is_grouped = scan_.take('(');
        const auto value = is_grouped ? closed(read_value()) : read_value();
        if (!value) return tl::unexpected<error>(value.error());
        return maker_.compare(named, how, op, *value);
    }

    // --- Functions and lambdas -------------------------------------------------------------

    result<void> read_call(std::span<const std::string_view> steps, text_place place) {
        const std::string_view name = steps.back();
        if (steps.size() > 1 && (name == "any" || name == "all")) {
            return read_lambda(steps.first(steps.size() - 1), name == "all", place);
        }
        if (steps.size() == 1 && name == "tolower") return read_lowered(place);
        if (steps.size() == 1 && name == "hassubset") return read_subset(place);
        if (steps.size() == 1 && (name == "any" || name == "all")) {
            return fail_at(scan_.next(), rule::expression_malformed,
                           "begin with a list, such as tags/any(t:t eq 'a')");
        }
        for (std::size_t at = 0; at < odata_parts.size(); ++at) {
            if (steps.size() != 1 || !equal_ignoring_case(name, odata_parts[at])) continue;
            return read_part(static_cast<part_place>(at), place);
        }
        return fail_at(place, rule::expression_unsupported);
    }
    result<named_column> read_argument() {
        scan_.take('(');
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        const auto steps = read_steps();
        const text_place place = scan_.since(first);
        if (steps.size() == 0) {
            return fail_at(scan_.next(), rule::query_condition, "expected a column");
        }
        if (scan_.peek() == '(') return fail_at(place, rule::expression_unsupported);
        auto named = find_in_scope(steps.view(), place);
        scan_.skip_space();
        return named;
    }
    result<void> read_part(part_place place, text_place call) {
        const auto named = read_argument();
        if (!named) return tl::unexpected<error>(named.error());
        const auto value = closed(read_next_value("expected a comma and a text"));
        if (!value) return tl::unexpected<error>(value.error());
        return maker_.part(*named, place, call, *value);
    }
    /// Reads `tolower(column)` before a comparison, of a column that ignores the case anyway.
    result<void> read_lowered(text_place call) {
        const auto named = in_any_case(closed(read_argument()), call);
        if (!named) return tl::unexpected<error>(named.error());
        return read_test(*named);
    }
    result<void> read_lambda(std::span<const std::string_view> steps, bool is_for_all,
                             text_place place) {
        const auto named = find_in_scope(steps, place);
        if (!named) return tl::unexpected<error>(named.error());
        const column& of = named->subject;
        const bool is_records = of.type == column_type::records;
        if (!has_parts(*named)) return fail_at(place, rule::operator_refused);
        scan_.take('(');
        scan_.skip_space();
        if (scan_.peek() == ')' && is_records && !is_for_all) {
            scan_.take(')');
            return append(leaf{of, record_test(where())});
        }
        const std::string_view name = scan_.take_while(text_scanner::is_word_byte);
        scan_.skip_space();
        if (name.empty() || !scan_.take(':')) {
            return fail_at(scan_.next(), rule::expression_malformed,
                           "expected a variable, ':' and a condition");
        }
        variables_.push_back({name, *named});
        const auto body = closed(read_inner(of, place));
        variables_.pop_back();
        if (!body) return tl::unexpected<error>(body.error());
        if (!is_for_all) return append_any(of, *body, place, items_advice);
        if (is_records) {
            return append(where::negation(where(leaf{of, record_test(where::negation(*body))})));
        }
        auto rows = every_item_meets(of, *body);
        if (rows) return append(*std::move(rows));
        return fail_at(place, rule::expression_unsupported, items_advice);
    }

    /// Reads the arguments of hassubset, that a list has every value.
    result<void> read_subset(text_place call) {
        const auto named = read_argument();
        if (!named) return tl::unexpected<error>(named.error());
        if (auto next = expect(",", "expected a comma and a list"); !next) {
            return tl::unexpected<error>(next.error());
        }
        const auto values = closed(read_list());
        if (!values) return tl::unexpected<error>(values.error());
        if (values->empty()) return maker_.constant(true);
        return maker_.all_of(*named, *values, call);
    }

    // --- Literals --------------------------------------------------------------------------

    /// Reads `(value,value)` or `[value,value]`, which may be empty.
    result<std::vector<literal>> read_list() {
        scan_.skip_space();
        is_in_array_ = scan_.peek() == '[';
        auto values = is_in_array_ ? expression_reader::read_list('[', ']', true)
                                   : expression_reader::read_list('(', ')', true);
        is_in_array_ = false;
        return values;
    }
    /// Reads `'text'` with its quotes doubled, an enumeration's `Name'text'`, or a bare value.
    result<literal> read_value() override {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (is_in_array_ && scan_.peek() == '"') return read_json_text();
        const std::string_view word = scan_.take_while(is_literal_byte);
        if (scan_.peek() != '\'') {
            const text_place place = scan_.since(first);
            if (word.empty()) return fail_at(scan_.next(), rule::query_value, literal_advice);
            const bool has_sign = word[0] == '-' || word[0] == '+';
            const bool is_name = !is_digit(word[0]) && !has_sign && !is_odata_constant(word);
            if (is_name && !parse_uuid(word)) return fail_at(place, rule::expression_unsupported);
            return literal{std::string(word.substr(word[0] == '+' ? 1 : 0)), false, place};
        }
        const bool is_type = !word.empty() && text_scanner::is_word_byte(word[0]) &&
                             !is_digit(word[0]) && word.find('.') != std::string_view::npos;
        if (!word.empty() && !is_type) {  // as in duration'P1D'
            return fail_at(scan_.since(first), rule::expression_unsupported);
        }
        return read_doubled_quotes().map([&](literal&& value) {
            value.place = scan_.since(first);
            return std::move(value);
        });
    }
    static bool is_literal_byte(char byte) noexcept {
        return text_scanner::is_word_byte(byte) || byte == '-' || byte == '+' || byte == '.' ||
               byte == ':';
    }

    static constexpr std::string_view items_advice =
        "write a lambda for each condition on the items";
    static constexpr std::string_view literal_advice =
        "expected a value such as 'text', 5, true, null or 2026-08-21T02:30:15Z";

    struct variable {
        std::string_view name;
        named_column of;
    };
    bool is_in_array_ = false;           // of JSON, whose texts are in double quotes
    std::vector<variable> variables_{};  // of the lambdas around the next token
};

}  // namespace sluice::detail

#endif
