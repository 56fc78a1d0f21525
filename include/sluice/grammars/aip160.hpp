// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_AIP160_HPP
#define SLUICE_GRAMMARS_AIP160_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_cursor.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/expression_reader.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>

/// The filters of Google's API guideline AIP-160.
namespace sluice {

namespace detail {

inline constexpr grammar_style aip160_style{
    .quoted = set_of(column_type::text, column_type::choice, column_type::uuid, column_type::time,
                     column_type::date, column_type::json),
    .outer = where_kind::conjunction,
    .end_advice = "expected AND, OR, or the end"};

inline constexpr comparison_spellings aip160_comparisons{"=", ">=", ">", "<=", "<", "!="};

/// Returns true for a byte of a field.
[[nodiscard]] inline bool is_aip160_field_byte(char byte) noexcept {
    return static_cast<unsigned char>(byte) > ' ' &&
           std::string_view("\"'()=<>!:,").find(byte) == std::string_view::npos;
}
/// Returns true for a word that is neither a field nor a value.
[[nodiscard]] inline bool is_aip160_keyword(std::string_view word) noexcept {
    return word == "AND" || word == "OR" || word == "NOT";
}

/// Reads a filter; see parse_aip160_filter().
class aip160_reader final : public expression_reader {
public:
    aip160_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, aip160_style) {}

private:
    /// Takes AND, or only the space between two factors, which means the same.
    bool take_connective(where_kind kind) override {
        const std::size_t first = scan_.offset();
        const bool has_space = scan_.skip_space();
        if (kind == where_kind::disjunction) {
            if (has_space && take_keyword("OR")) return true;
        } else if (has_space && take_keyword("AND")) {
            return true;
        } else if (has_space && !scan_.at_end() && scan_.peek() != ')') {
            return true;
        }
        scan_.return_to(first);
        return false;
    }
    /// Takes one negation: another behind it needs parentheses.
    bool take_not() override {
        if (scan_.offset() == after_not_) return false;
        const std::string_view rest = scan_.rest();
        const bool is_minus = rest.size() > 1 && rest[0] == '-' && !is_space(rest[1]);
        if (!take_keyword("NOT") && !(is_minus && scan_.take('-'))) return false;
        after_not_ = scan_.offset();
        return true;
    }
    /// Takes a word in capitals, and the space after it.
    bool take_keyword(std::string_view word) {
        const std::size_t first = scan_.offset();
        if (scan_.take(word) && scan_.skip_space()) return true;
        scan_.return_to(first);
        return false;
    }
    /// Takes `)`, which has no space before it.
    result<void> take_closing() override {
        if (scan_.take(')')) return {};
        return fail_at(scan_.next(), rule::query_parenthesis);
    }

    result<void> read_condition() override {
        const std::size_t first = scan_.offset();
        if (scan_.peek() == '"' || scan_.peek() == '\'') {
            const auto text = read_quoted();
            if (!text) return tl::unexpected<error>(text.error());
            return find_or_search(text->value);
        }
        const std::string_view name = scan_.take_while(is_aip160_field_byte);
        const text_place place = scan_.since(first);
        if (name.empty() || is_aip160_keyword(name) || name[0] == '-') {
            return fail_at(name.empty() ? scan_.next() : place, rule::query_condition,
                           "expected a field, a word, one NOT or '-', or '('");
        }
        if (scan_.peek() == '(') return fail_at(place, rule::expression_unsupported);
        const std::size_t end = scan_.offset();
        scan_.skip_space();
        const std::size_t start = scan_.offset();
        if (const auto how = take_comparison(aip160_comparisons)) {
            return read_comparison(name, place, *how, scan_.since(start));
        }
        if (scan_.take(':')) return read_has(name, place, scan_.since(start));
        scan_.return_to(end);
        return find_or_search({std::string(name), false, place});
    }
    /// Returns the condition of a word by itself: a boolean field, or a search.
    result<void> find_or_search(const literal& word) {
        const auto named = find(word.text, word.place);
        const bool is_field = named && !word.is_quoted && named->keys.empty() &&
                              named->subject.type == column_type::boolean;
        if (is_field) {
            return maker_.is_true(*named);
        }
        if (!columns_->searched().empty()) return search(word);
        if (word.is_quoted) {
            return fail_at(word.place, rule::expression_unsupported,
                           "begin with a field, without quotes");
        }
        if (!named) return tl::unexpected<error>(named.error());
        return fail_at({word.place.offset + word.place.length, 0}, rule::query_operator,
                       "expected one of = != < <= > >= :");
    }

    result<void> read_comparison(std::string_view name, text_place place, expression_comparison how,
                                 text_place op) {
        const auto named = find(name, place);
        if (!named) return tl::unexpected<error>(named.error());
        auto read = read_argument();
        if (!read) return tl::unexpected<error>(read.error());
        const bool is_negated = how == expression_comparison::not_equal;
        const bool is_equality = is_negated || how == expression_comparison::equal;
        if (is_equality && is_presence(*read)) return maker_.is_null(*named, is_negated, op);
        return maker_.compare_starred(*named, how, op, *std::move(read));
    }
    /// Reads the argument of `:`: a part of a text, an item of a list, the value of a key.
    result<void> read_has(std::string_view name, text_place place, text_place op) {
        const auto named = find(name, place);
        if (!named) return tl::unexpected<error>(named.error());
        auto read = read_argument();
        if (!read) return tl::unexpected<error>(read.error());
        if (is_presence(*read)) return maker_.is_null(*named, false, op);
        const bool is_key = named->subject.type == column_type::json && named->keys.empty();
        if (is_key) return condition_maker::presence_of_key(op);
        const literal value = condition_maker::with_stars(*std::move(read));
        const bool is_text = named->subject.type == column_type::text && !named->subject.is_list;
        if (is_text) return maker_.part(*named, part_place::anywhere, op, value);
        const bool is_instant =
            named->subject.type == column_type::time || named->subject.type == column_type::date;
        if (is_instant) return fail_at(op, rule::operator_refused, "compare it by = < <= > >=");
        return maker_.compare(*named, expression_comparison::equal, op, value);
    }
    static bool is_presence(const starred_literal& read) noexcept {
        return read.is_open_before && read.value.place.length == 1;
    }

    // --- Values ----------------------------------------------------------------------------

    result<literal> read_value() override {
        return read_argument().map(
            [](starred_literal&& read) { return condition_maker::with_stars(std::move(read)); });
    }
    result<starred_literal> read_argument() {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        const bool is_grouped = scan_.take('(');
        const bool is_call = !is_grouped && scan_.take("timestamp(");
        auto read = scan_.peek() == '"' || scan_.peek() == '\'' ? read_quoted() : read_bare();
        const std::size_t end = scan_.offset();
        const bool is_composite = is_grouped && read && scan_.skip_space() && !scan_.at_end() &&
                                  scan_.peek() != ')';  // as in `name = (a OR b)`
        if (is_composite) return fail_at({first, 1}, rule::expression_unsupported);
        scan_.return_to(end);
        if (is_grouped || is_call) return closed(std::move(read));
        if (!read || scan_.peek() != '(') return read;
        return fail_at(scan_.since(first), rule::expression_unsupported);
    }
    result<starred_literal> read_bare() {
        const std::size_t first = scan_.offset();
        const std::string_view text =
            scan_.take_while([](char byte) { return is_aip160_field_byte(byte) || byte == ':'; });
        starred_literal read{{std::string(text), false, scan_.since(first)}};
        if (text.empty() || is_aip160_keyword(text)) {
            return fail_at(text.empty() ? scan_.next() : read.value.place, rule::query_value,
                           "expected a value such as x, \"a b\", 5 or true");
        }
        read.is_open_before = text.starts_with('*');
        return without_stars(std::move(read), 0, text.ends_with('*'));
    }
    result<starred_literal> read_quoted() {
        const std::size_t first = scan_.offset();
        const char quote = scan_.peek();
        scan_.skip(1);
        starred_literal read{{{}, true, {}}};
        std::ptrdiff_t escaped = 0;  // stars after a backslash
        bool is_star = false;        // the last byte is a star without one
        while (!scan_.at_end() && scan_.peek() != quote) {
            is_star = scan_.peek() == '*';
            if (is_star && read.value.text.empty()) read.is_open_before = true;
            if (scan_.take('\\')) {
                if (scan_.peek() == '*') ++escaped;
                if (!take_escaped(read.value.text)) {
                    return fail_at({scan_.offset() - 1, scan_.at_end() ? 1U : 2U},
                                   rule::query_escape,
                                   "use it before a quote, a backslash, '*', one of a b f n r t v "
                                   "?, three octal digits, or u and four hex digits");
                }
            } else {
                read.value.text.push_back(scan_.peek());
                scan_.skip(1);
            }
        }
        if (!scan_.take(std::string_view(&quote, 1))) {
            return fail_at(scan_.since(first), rule::query_quote);
        }
        read.value.place = scan_.since(first);
        if (!is_valid_utf8(read.value.text)) {
            return fail_at(read.value.place, rule::query_escape,
                           "write octal digits of whole characters in UTF-8");
        }
        return without_stars(std::move(read), escaped, is_star);
    }
    /// Takes what a backslash escapes, and appends its character.
    bool take_escaped(std::string& text) {
        constexpr std::string_view letters = "abfnrtv";
        constexpr std::string_view meanings = "\a\b\f\n\r\t\v";
        const char escaped = scan_.peek();
        if (std::string_view("\"'\\?*`").find(escaped) != std::string_view::npos) {
            text.push_back(escaped);
        } else if (const auto at = letters.find(escaped); at != std::string_view::npos) {
            text.push_back(meanings[at]);
        } else {
            return escaped == 'u' ? take_code_point(text) : take_octal(text);
        }
        scan_.skip(1);
        return true;
    }
    /// Takes `u` and four hex digits; two such escapes of a surrogate pair.
    bool take_code_point(std::string& text) {
        constexpr std::size_t size = std::string_view("\\u263A").size();
        for (const std::size_t taken : {size, 2 * size}) {
            const std::string_view spelled = scan_.spelled({scan_.offset() - 1, taken});
            if (spelled.size() < taken) return false;
            if (!json_unescaper(text, lone_surrogates::refused).append(spelled)) continue;
            scan_.skip(taken - 1);
            return true;
        }
        return false;
    }
    /// Takes three octal digits: a byte.
    bool take_octal(std::string& text) {
        unsigned byte = 0;
        for (int digit = 0; digit < 3; ++digit, scan_.skip(1)) {
            if (scan_.peek() < '0' || scan_.peek() > '7') return false;
            byte = byte * 8 + static_cast<unsigned>(scan_.peek() - '0');
        }
        text.push_back(static_cast<char>(byte));
        return byte <= 0xFF;
    }

    std::size_t after_not_ = std::string_view::npos;  // where a negation ends
};

/// Writes a filter; see to_aip160_filter().
class aip160_writer final : public expression_writer {
public:
    explicit aip160_writer(const expression_columns& columns)
        : expression_writer(columns, aip160_style,
                            {.comparisons = aip160_comparisons,
                             .conjunction = " AND ",
                             .disjunction = " OR ",
                             .negation = "NOT ",
                             .quoted = in_quotes,
                             .ranks_groups = false}) {}

private:
    [[nodiscard]] static std::string in_quotes(std::string_view text) {
        return with_escaped_stars(text, '"');
    }
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined({name, " = ", starred(quoted(part), place)});
    }
    [[nodiscard]] std::optional<std::string> no_part_text(std::string_view name, part_place place,
                                                          std::string_view part) const override {
        return joined({name, " != ", starred(quoted(part), place)});
    }
    [[nodiscard]] std::string null_text(std::string_view name, bool wanted) const override {
        return joined({wanted ? "NOT " : "", name, ":*"});
    }
    [[nodiscard]] std::string spelled(const path& name) const override {
        const std::string text = with_steps(name);
        const bool is_field = !is_aip160_keyword(text) && text[0] != '-' &&
                              std::ranges::all_of(text, is_aip160_field_byte);
        return is_field ? text : std::string();
    }
};

}  // namespace detail

/// Parses an AIP-160 filter. OR binds tighter than AND, and a space means AND.
///
/// ```
/// filter    = or-expr *( [ SP "AND" ] SP or-expr )
/// or-expr   = operand *( SP "OR" SP operand )
/// operand   = [ "NOT" SP / "-" ] ( "(" filter ")" / condition )
/// condition = field ( "=" / "!=" / "<" / "<=" / ">" / ">=" ) value
///           / field ":" value       ; a part of a text, an item of a list, the value of a key
///           / field ":*"            ; the field has a value
///           / field                 ; a boolean field
///           / value                 ; a search in the endpoint's columns
/// field     = word *( "." word )
/// value     = bare / DQUOTE *char DQUOTE / "'" *char "'" / "timestamp(" value ")"
/// ```
///
/// `*` at the start or end of a text after `=` and `!=` stands for any text; `\*` in quotes
/// doesn't. `!=` also holds for missing values. A name below a column of records is compared with
/// any record. Errors point at the byte: those of the conditions' grammar (query_*),
/// column_unknown, operator_refused, expression_unsupported of functions, of fields against fields
/// and of other stars, and value_malformed of a value of another type.
///
/// ```
/// const auto rows = sluice::parse_aip160_filter("total > 5 AND city = \"x*\"", columns);
/// ```
[[nodiscard]] inline result<where> parse_aip160_filter(std::string_view text,
                                                       const expression_columns& columns) {
    return detail::aip160_reader(text, columns).read();
}

/// Writes conditions as an AIP-160 filter, which parse_aip160_filter() reads as equal ones. Error:
/// expression_inexpressible, with the column or the test.
[[nodiscard]] inline result<std::string> to_aip160_filter(const where& rows,
                                                          const expression_columns& columns) {
    return detail::aip160_writer(columns).write(rows);
}

}  // namespace sluice

#endif
