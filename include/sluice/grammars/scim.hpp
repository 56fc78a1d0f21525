// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_SCIM_HPP
#define SLUICE_GRAMMARS_SCIM_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/expression_reader.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>

/// The filters of SCIM (RFC 7644, 3.4.2.2).
namespace sluice {

namespace detail {

inline constexpr grammar_style scim_style{
    .quoted = set_of(column_type::text, column_type::choice, column_type::uuid, column_type::time,
                     column_type::date, column_type::json),
    .bare = set_of(column_type::integer, column_type::decimal, column_type::real,
                   column_type::boolean, column_type::json),
    .end_advice = "expected and, or, or the end",
    .names_have_case = false};

inline constexpr comparison_spellings scim_comparisons{"eq", "ge", "gt", "le", "lt", "ne"};
/// Names of the tests of parts, in the order of part_place.
inline constexpr std::array<std::string_view, 3> scim_parts{"co", "sw", "ew"};

/// Returns true for a byte of an attribute.
[[nodiscard]] inline bool is_scim_name_byte(char byte) noexcept {
    return text_scanner::is_word_byte(byte) || byte == '-' || byte == '$' || byte == '.' ||
           byte == ':';
}

/// Reads a filter; see parse_scim_filter().
class scim_reader final : public expression_reader {
public:
    scim_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, scim_style) {}

private:
    bool take_not() override {
        const std::size_t first = scan_.offset();
        if (scan_.take_word("not")) {
            scan_.skip_space();
            if (scan_.peek() == '(') return true;
        }
        scan_.return_to(first);
        return false;
    }

    result<void> read_condition() override {
        const auto place = take_name(is_scim_name_byte, "expected an attribute, not or '('");
        if (!place) return tl::unexpected<error>(place.error());
        auto named = find_attribute(scan_.spelled(*place), *place);
        if (!named && equal_ignoring_case(scan_.spelled(*place), "not")) {
            scan_.skip_space();
            return fail_at(scan_.next(), rule::expression_malformed, "expected '(' after not");
        }
        if (!named) return tl::unexpected<error>(named.error());
        if (scan_.peek() == '[') return read_values(*named);
        scan_.skip_space();
        return read_test(*named);
    }
    /// Changes a column of records to their attribute `value`, if they have it: comparisons of the
    /// records mean it (RFC 7643, 2.4).
    static void go_to_value(named_column& named) {
        const column* const value = find_inner(named.subject, "value", false);
        if (value == nullptr) return;
        named.around = named.subject;
        named.subject = *value;
        named.allowed = has_kind(named.allowed, test_kind::any) ? all_test_kinds : test_kinds{};
    }
    /// Returns the column of an attribute, without the URI of its schema. Within brackets, the
    /// attributes are those of the records, or `value`, the item of a list.
    result<named_column> find_attribute(std::string_view name, text_place place) const {
        const std::size_t uri = name.rfind(':');
        if (uri != std::string_view::npos && uri > 0) name.remove_prefix(uri + 1);
        if (scopes_.empty()) return find(name, place);
        const bool is_item = scopes_.back().of.subject.type != column_type::records &&
                             equal_ignoring_case(name, "value");
        return find_part({&name, is_item ? 0U : 1U}, place, "expected an attribute of the values");
    }
    result<void> read_test(named_column& named) {
        const std::size_t first = scan_.offset();
        if (scan_.take_word("pr")) return maker_.is_null(named, false, scan_.since(first));
        for (std::size_t at = 0; at < scim_parts.size(); ++at) {
            if (!scan_.take_word(scim_parts[at])) continue;
            const text_place op = scan_.since(first);
            const auto value = read_value();
            if (!value) return tl::unexpected<error>(value.error());
            go_to_value(named);
            return maker_.part(named, static_cast<part_place>(at), op, *value);
        }
        if (const auto how = take_comparison(scim_comparisons)) {
            return read_comparison(named, *how, scan_.since(first));
        }
        return fail_at(scan_.next(), rule::query_operator,
                       "expected eq, ne, co, sw, ew, gt, ge, lt, le or pr");
    }
    result<void> read_comparison(named_column& named, expression_comparison how, text_place op) {
        const auto value = read_value();
        if (!value) return tl::unexpected<error>(value.error());
        const bool is_null = !value->is_quoted && value->text == "null";
        if (is_null) return maker_.compare_null(named, how, op, value->place);
        go_to_value(named);
        return maker_.compare(named, how, op, *value);
    }
    /// Reads the condition in brackets on the values of an attribute.
    result<void> read_values(const named_column& named) {
        if (!scopes_.empty() || !has_parts(named))
            return fail_at(scan_.next(), rule::operator_refused);
        const std::size_t first = scan_.offset();
        scan_.take('[');
        auto body = read_inner({named}, scan_.since(first));
        if (!body) return tl::unexpected<error>(body.error());
        if (!take_byte(']')) {
            return fail_at(scan_.next(), rule::query_bracket, "expected ']' after the condition");
        }
        return append_on_parts(named.subject, *std::move(body), false, scan_.since(first),
                               "write brackets for each condition on the values");
    }

    /// Reads a JSON text, number, true, false or null.
    result<literal> read_value() override {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (scan_.peek() == '"') return read_json_text();
        const std::string_view word = take_bare_word();
        if (!word.empty()) return literal{std::string(word), false, scan_.since(first)};
        return fail_at(scan_.next(), rule::query_value,
                       "expected a value such as \"text\", 5, true or null");
    }
};

/// Writes a filter; see to_scim_filter().
class scim_writer final : public expression_writer {
public:
    explicit scim_writer(const expression_columns& columns)
        : expression_writer(columns, scim_style,
                            {.comparisons = scim_comparisons,
                             .conjunction = " and ",
                             .disjunction = " or ",
                             .negation = "not ",
                             .is_null = " eq null",
                             .is_there = " pr",
                             .quoted = with_json_quotes,
                             .has_scopes = true}) {}

private:
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined({name, " ", scim_parts[static_cast<std::size_t>(place)], " ", quoted(part)});
    }
    /// Writes a name: its last `:` would be the end of a schema's URI.
    [[nodiscard]] std::string spelled(const path& name) const override {
        const std::string text = with_steps({{}, name.column, name.keys});
        const bool is_key_of_record = !name.records.empty() && !name.keys.empty();
        const bool is_name = !is_key_of_record && std::ranges::all_of(text, [](char byte) {
            return is_scim_name_byte(byte) && byte != ':';
        });
        return is_name ? text : std::string();
    }
    [[nodiscard]] result<written> of_records(const std::string& name,
                                             written of_record) const override {
        if (of_record.text.empty()) return inexpressible(to_string(test_kind::any));
        return written{name + "[" + of_record.text + "]"};
    }
};

}  // namespace detail

/// Parses a SCIM filter.
///
/// ```
/// filter    = and-expr *( SP "or" SP and-expr )
/// and-expr  = operand *( SP "and" SP operand )
/// operand   = [ "not" ] "(" filter ")" / condition
/// condition = attribute SP "pr"
///           / attribute SP operator SP value
///           / attribute "[" filter "]"                ; on records; on a list by `value`
/// operator  = "eq" / "ne" / "co" / "sw" / "ew" / "gt" / "ge" / "lt" / "le"
/// attribute = [ uri ":" ] name *( "." name )
/// value     = a JSON text, number, true, false or null
/// ```
///
/// Names and words are read in any case. A multi-valued attribute is compared with any of its
/// values, records by their `value`. Errors point at the byte: those of the conditions' grammar
/// (query_*), column_unknown, operator_refused, expression_unsupported, and value_malformed of a
/// value of another type.
///
/// ```
/// const auto rows = sluice::parse_scim_filter(R"(name sw "A" and active eq true)", columns);
/// ```
[[nodiscard]] inline result<where> parse_scim_filter(std::string_view text,
                                                     const expression_columns& columns) {
    return detail::scim_reader(text, columns).read();
}

/// Writes conditions as a SCIM filter, which parse_scim_filter() reads as equal ones. Error:
/// expression_inexpressible, with the column or the test.
[[nodiscard]] inline result<std::string> to_scim_filter(const where& rows,
                                                        const expression_columns& columns) {
    return detail::scim_writer(columns).write(rows);
}

}  // namespace sluice

#endif
