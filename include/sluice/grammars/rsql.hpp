// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_RSQL_HPP
#define SLUICE_GRAMMARS_RSQL_HPP

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

/// RSQL, a superset of FIQL (draft-nottingham-atompub-fiql).
namespace sluice {

namespace detail {

inline constexpr grammar_style rsql_style{.end_advice = "expected ';', ',', and, or, or the end"};

inline constexpr comparison_spellings rsql_comparisons{"==", "=ge=", "=gt=", "=le=", "=lt=", "!="};
/// The spellings that are read, too.
inline constexpr comparison_spellings rsql_short_comparisons{"==", ">=", ">", "<=", "<", "!="};

/// Returns true for a byte of a name or of a value without quotes.
[[nodiscard]] inline bool is_rsql_unreserved(char byte) noexcept {
    return static_cast<unsigned char>(byte) > ' ' &&
           std::string_view("\"'();,=!~<>").find(byte) == std::string_view::npos;
}

/// Reads a filter; see parse_rsql().
class rsql_reader final : public expression_reader {
public:
    rsql_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, rsql_style) {}

private:
    bool take_connective(where_kind kind) override {
        const bool is_and = kind == where_kind::conjunction;
        const std::size_t first = scan_.offset();
        const bool has_space = scan_.skip_space();
        if (scan_.take(is_and ? ";" : ",")) return true;
        if (has_space && scan_.take_word(is_and ? "and" : "or")) return true;
        scan_.return_to(first);
        return false;
    }
    bool take_not() override { return false; }

    result<void> read_condition() override {
        const auto place = take_name(is_rsql_unreserved, "expected a column or '('");
        if (!place) return tl::unexpected<error>(place.error());
        const auto named = find(scan_.spelled(*place), *place, "./");
        if (!named) return tl::unexpected<error>(named.error());
        scan_.skip_space();
        const std::size_t start = scan_.offset();
        auto how = take_comparison(rsql_comparisons);
        if (!how) how = take_comparison(rsql_short_comparisons);
        if (how) {
            const text_place op = scan_.since(start);
            auto read = read_argument();
            if (!read) return tl::unexpected<error>(read.error());
            return maker_.compare_starred(*named, *how, op, *std::move(read));
        }
        for (const bool excludes : {false, true}) {
            if (!scan_.take(excludes ? "=out=" : "=in=")) continue;
            const text_place op = scan_.since(start);
            const auto values = read_list("(");
            if (!values) return tl::unexpected<error>(values.error());
            return maker_.any_of(*named, *values, excludes, op);
        }
        for (const bool wanted : {true, false}) {
            if (!scan_.take(wanted ? "=null=" : "=notnull=")) continue;
            return maker_.is_null(*named, wanted, scan_.since(start));
        }
        return fail_at(scan_.next(), rule::query_operator,
                       "expected one of == != =gt= > =ge= >= =lt= < =le= <= =in= =out= =null= "
                       "=notnull=");
    }
    bool take_comma() override { return take_connective(where_kind::disjunction); }
    result<literal> read_value() override {
        return read_argument().map(
            [](starred_literal&& read) { return condition_maker::with_stars(std::move(read)); });
    }
    /// Reads a value, in quotes or not. A backslash within quotes takes the next byte as it is.
    result<starred_literal> read_argument() {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        const char quote = scan_.peek();
        starred_literal read;
        std::string& text = read.value.text;
        read.value.is_quoted = quote == '"' || quote == '\'';
        std::ptrdiff_t escaped = 0;  // stars after a backslash
        bool is_last_escaped = false;
        if (read.value.is_quoted) {
            scan_.skip(1);
            while (!scan_.at_end() && scan_.peek() != quote) {
                is_last_escaped = scan_.peek() == '\\';
                if (is_last_escaped) scan_.skip(1);
                if (scan_.at_end()) break;
                if (scan_.peek() == '*' && is_last_escaped) ++escaped;
                text.push_back(scan_.peek());
                scan_.skip(1);
            }
            if (scan_.at_end()) return fail_at(scan_.since(first), rule::query_quote);
            scan_.skip(1);
        } else {
            text = scan_.take_while(is_rsql_unreserved);
        }
        read.value.place = scan_.since(first);
        if (read.value.place.length == 0) {
            return fail_at(scan_.next(), rule::query_value, "expected a value such as x or 'a b'");
        }
        const std::string_view spelled = scan_.spelled(read.value.place);
        read.is_open_before = spelled.substr(read.value.is_quoted ? 1 : 0).starts_with('*');
        const bool is_last_star = text.ends_with('*') && !is_last_escaped;
        return without_stars(std::move(read), escaped, is_last_star);
    }
};

/// Writes a filter; see to_rsql().
class rsql_writer final : public expression_writer {
public:
    explicit rsql_writer(const expression_columns& columns)
        : expression_writer(columns, {.quoted = 0},
                            {.comparisons = rsql_comparisons,
                             .comparison_space = {},
                             .conjunction = ";",
                             .disjunction = ",",
                             .is_null = "=null=",
                             .is_there = "=notnull=",
                             .any_of = "=in=(",
                             .none_of = "=out=(",
                             .quoted = in_quotes}) {}

private:
    [[nodiscard]] static std::string in_quotes(std::string_view text) {
        const bool has_single = text.find('\'') != std::string_view::npos;
        return with_escaped_stars(text, has_single ? '"' : '\'');
    }
    [[nodiscard]] std::string bare(std::string_view text) const override {
        const bool is_plain = !text.empty() && text.find('*') == std::string_view::npos &&
                              std::ranges::all_of(text, is_rsql_unreserved);
        return is_plain ? std::string(text) : quoted(text);
    }
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined({name, "==", starred(bare(part), place)});
    }
    [[nodiscard]] std::optional<std::string> no_part_text(std::string_view name, part_place place,
                                                          std::string_view part) const override {
        return joined({name, "!=", starred(bare(part), place)});
    }
    [[nodiscard]] result<written> negated(const written&) const override {
        return inexpressible("not");
    }
    [[nodiscard]] bool is_step(std::string_view key) const override {
        return !key.empty() && key.find('.') == std::string_view::npos;
    }
    [[nodiscard]] std::string spelled(const path& name) const override {
        const std::string text = with_steps(name);
        const bool is_name = std::ranges::all_of(
            text, [](char byte) { return is_rsql_unreserved(byte) && byte != '/'; });
        return is_name ? text : std::string();
    }
};

}  // namespace detail

/// Parses an RSQL filter.
///
/// ```
/// filter    = and-expr *( ( "," / SP "or" ) and-expr )
/// and-expr  = operand *( ( ";" / SP "and" ) operand )
/// operand   = "(" filter ")" / condition
/// condition = name ( "==" / "!=" / "=gt=" / ">" / "=ge=" / ">=" / "=lt=" / "<" / "=le=" / "<=" )
///             value
///           / name ( "=in=" / "=out=" ) "(" value *( ( "," / SP "or" ) value ) ")"
///           / name ( "=null=" / "=notnull=" )
/// name      = 1*unreserved                   ; "." or "/" separates its steps
/// value     = 1*unreserved / "'" *char "'" / DQUOTE *char DQUOTE
///                                            ; "\" in quotes takes the next byte as it is
/// unreserved = any byte but space and " ' ( ) ; , = ! ~ < >
/// ```
///
/// `*` at the start or end of a value after `==` and `!=` stands for any text: `name==*part*`;
/// `\*` in quotes doesn't. A name of a list is compared with any of its items, a name below a
/// column of records with any record. Errors point at the byte: those of the conditions' grammar
/// (query_*), column_unknown, operator_refused, expression_unsupported of other stars, and
/// value_malformed of a value of another type.
///
/// ```
/// const auto rows = sluice::parse_rsql("total=gt=5;city==*x*", columns);
/// ```
[[nodiscard]] inline result<where> parse_rsql(std::string_view text,
                                              const expression_columns& columns) {
    return detail::rsql_reader(text, columns).read();
}

/// Writes conditions as an RSQL filter, which parse_rsql() reads as equal ones. Error:
/// expression_inexpressible, with the column or the test: RSQL has no NOT.
[[nodiscard]] inline result<std::string> to_rsql(const where& rows,
                                                 const expression_columns& columns) {
    return detail::rsql_writer(columns).write(rows);
}

}  // namespace sluice

#endif
