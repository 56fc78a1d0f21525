// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_VALUE_READER_HPP
#define SLUICE_GRAMMARS_DETAIL_VALUE_READER_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_cursor.hpp>
#include <sluice/grammars/detail/literal.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>

namespace sluice::detail {

/// Reads the tokens that several grammars share: comparisons, texts in quotes, lists and patterns.
class value_reader {
public:
    value_reader(const value_reader&) = delete;
    value_reader& operator=(const value_reader&) = delete;
    virtual ~value_reader() = default;

protected:
    value_reader(std::string_view text, std::span<const std::string_view> beyond) noexcept
        : scan_(text), beyond_(beyond) {}

    /// Reads a value, after white space.
    virtual result<literal> read_value() = 0;

    /// Takes a comparison, by its spelling in the order of the enumeration: the longest that is
    /// next.
    [[nodiscard]] std::optional<expression_comparison> take_comparison(
        const comparison_spellings& spellings) {
        const std::size_t first = scan_.offset();
        const char next = to_lower(scan_.peek());
        std::optional<expression_comparison> longest;
        std::size_t size = 0;
        for (std::size_t at = 0; at < spellings.size(); ++at) {
            const std::string_view text = spellings[at];
            if (next != text[0] || text.size() <= size) continue;
            const bool is_next = is_letter(next) ? scan_.take_word(text) : scan_.take(text);
            if (!is_next) continue;
            longest = static_cast<expression_comparison>(at);
            size = text.size();
            scan_.return_to(first);
        }
        scan_.skip(size);
        return longest;
    }
    /// Returns the comparison of a whole word; nullopt for another word.
    [[nodiscard]] static std::optional<expression_comparison> comparison_of(
        std::string_view word, const comparison_spellings& spellings) noexcept {
        for (std::size_t at = 0; at < spellings.size(); ++at) {
            if (equal_bytes(word, spellings[at])) return static_cast<expression_comparison>(at);
        }
        return std::nullopt;
    }
    /// Reads values in brackets with commas between them, such as `(value,value)`. The list begins
    /// with any of some brackets.
    result<std::vector<literal>> read_list(std::string_view brackets, bool may_be_empty = false) {
        scan_.skip_space();
        const char opening = scan_.peek();
        if (brackets.find(opening) == std::string_view::npos) {
            return fail_at(scan_.next(), rule::query_value,
                           brackets[0] == '(' ? "expected a list such as (1,2)"
                                              : "expected a list in brackets");
        }
        scan_.skip(1);
        list_end_ = opening == '(' ? ')' : opening == '[' ? ']' : '}';
        auto values = read_values(may_be_empty);
        list_end_ = '\0';
        return values;
    }
    /// Reads the value after a comma. Error: expression_malformed, with advice.
    result<literal> read_next_value(std::string_view advice) {
        if (auto comma = expect(",", advice); !comma) return tl::unexpected<error>(comma.error());
        return read_value();
    }
    /// Like read_next_value(), for a list; see read_list().
    result<std::vector<literal>> read_next_list(std::string_view advice, std::string_view brackets,
                                                bool may_be_empty = false) {
        if (auto comma = expect(",", advice); !comma) return tl::unexpected<error>(comma.error());
        return read_list(brackets, may_be_empty);
    }
    /// Takes a byte, and the space before it. Returns false if it isn't next.
    bool take_byte(char byte) {
        scan_.skip_space();
        return scan_.take(byte);
    }
    /// Takes what separates the values of a list, and the space before it.
    virtual bool take_comma() { return take_byte(','); }
    /// Takes `)`, and the space before it. Error: query_parenthesis.
    virtual result<void> take_closing() {
        if (take_byte(')')) return {};
        return fail_at_next(rule::query_parenthesis);
    }
    /// Returns the failure at the next token: expression_unsupported of an operator that the
    /// grammar has beyond what is read.
    [[nodiscard]] tl::unexpected<error> fail_at_next(any_rule broken,
                                                     std::string_view advice = {}) const {
        const text_place next = scan_.next();
        const std::string_view token = scan_.spelled(next);
        for (const std::string_view other : beyond_) {
            if (equal_ignoring_case(token, other))
                return fail_at(next, rule::expression_unsupported);
        }
        return fail_at(next, broken, advice);
    }
    /// Returns what was read, once the parentheses around it are closed.
    template <class T>
    result<T> closed(result<T> inner) {
        if (!inner) return inner;
        if (auto end = take_closing(); !end) return tl::unexpected<error>(end.error());
        return inner;
    }
    /// Takes a text, and the space around it. Error: expression_malformed, with advice.
    result<void> expect(std::string_view text, std::string_view advice) {
        scan_.skip_space();
        if (!scan_.take(text)) {
            return fail_at(scan_.next(), rule::expression_malformed, advice);
        }
        scan_.skip_space();
        return {};
    }
    /// Takes a name, as long as `is_part(byte)` is true. Error: query_condition, with advice.
    template <class IsPart>
    result<text_place> take_name(const IsPart& is_part, std::string_view advice) {
        const std::size_t first = scan_.offset();
        if (!scan_.take_while(is_part).empty()) return scan_.since(first);
        return fail_at(scan_.next(), rule::query_condition, advice);
    }
    /// Takes the bytes of a word, or of a number; and others.
    std::string_view take_bare_word(std::string_view others = "-+.") {
        return scan_.take_while([others](char byte) {
            return text_scanner::is_word_byte(byte) || others.find(byte) != std::string_view::npos;
        });
    }
    /// Reads a text in single quotes, which are doubled within it.
    result<literal> read_doubled_quotes() {
        const std::size_t first = scan_.offset();
        literal value{{}, true, {}, {}};
        while (scan_.take('\'')) {
            value.text.append(scan_.take_while([](char byte) { return byte != '\''; }));
            if (!scan_.take('\'')) return fail_at(scan_.since(first), rule::query_quote);
            if (scan_.peek() == '\'') value.text.push_back('\'');
        }
        value.place = scan_.since(first);
        return value;
    }

    /// Reads a text in double quotes, with the escapes of JSON.
    result<literal> read_json_text() {
        const std::size_t first = scan_.offset();
        literal value{{}, true, {}, {}};
        if (scan_.peek() != '"') {
            return fail_at(scan_.next(), rule::expression_malformed,
                           "expected a text in double quotes");
        }
        json_cursor rest(scan_.rest());
        const auto token = rest.take_string();
        scan_.skip(rest.offset());
        value.place = scan_.since(first);
        if (!token) return fail_at(value.place, rule::query_quote);
        if (!token->has_escapes) {
            value.text = token->spelled;
        } else if (!json_unescaper(value.text, lone_surrogates::refused).append(token->spelled)) {
            return fail_at(value.place, rule::query_escape,
                           "write the text as JSON has it, and surrogates in pairs");
        }
        return value;
    }

    /// Reads a text as a pattern: a wildcard at an end stands for any text, and a backslash takes
    /// the next byte as it is. Error: expression_unsupported of other wildcards, and of `_`.
    [[nodiscard]] static result<starred_literal> read_pattern(const literal& pattern,
                                                              std::string_view wildcards) {
        const std::string& text = pattern.text;
        starred_literal read{pattern};
        read.value.text.clear();
        for (std::size_t at = 0; at < text.size(); ++at) {
            const bool is_any = wildcards.find(text[at]) != std::string_view::npos;
            if (is_any && (at == 0 || at + 1 == text.size())) {
                (at == 0 ? read.is_open_before : read.is_open_after) = true;
            } else if (is_any || text[at] == '_') {
                return fail_at(pattern.place, rule::expression_unsupported,
                               "put wildcards at the ends only, and a backslash before another");
            } else {
                if (text[at] == '\\' && at + 1 < text.size()) ++at;
                read.value.text.push_back(text[at]);
            }
        }
        return read;
    }

    text_scanner scan_;
    char list_end_ = '\0';  // the bracket that ends the list around the next value

private:
    /// Reads the values of a list, and its end.
    result<std::vector<literal>> read_values(bool may_be_empty) {
        const char end = list_end_;
        std::vector<literal> values;
        if (may_be_empty && take_byte(end)) return values;
        do {
            auto value = read_value();
            if (!value) return tl::unexpected<error>(value.error());
            values.push_back(*std::move(value));
        } while (take_comma());
        if (take_byte(end)) return values;
        return fail_at(scan_.next(), end == ')' ? rule::query_parenthesis : rule::query_bracket,
                       "expected a comma or the end of the list");
    }

    std::span<const std::string_view> beyond_;  // operators that aren't supported
};

}  // namespace sluice::detail

#endif
