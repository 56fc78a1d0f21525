// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_EXPRESSION_READER_HPP
#define SLUICE_GRAMMARS_DETAIL_EXPRESSION_READER_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_cursor.hpp>
#include <sluice/base/parse_limits.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/condition_maker.hpp>
#include <sluice/grammars/detail/joined_tests.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/query/where.hpp>

namespace sluice::detail {

/// Reads an expression of ANDs, ORs, NOTs and parentheses; each grammar derives from it, and reads
/// its own words and conditions.
///
/// ```
/// outer   = inner *( OUTER inner )                 ; OUTER and INNER are OR and AND, or AND and OR
/// inner   = operand *( INNER operand )
/// operand = NOT operand / "(" outer ")" / condition
/// ```
///
/// Neighbours that make one test together become one leaf, see joined_tests(). The recursion is as
/// deep as the parentheses and NOTs: at most where_max_depth.
class expression_reader {
public:
    expression_reader(const expression_reader&) = delete;
    expression_reader& operator=(const expression_reader&) = delete;
    virtual ~expression_reader() = default;

    /// Reads the whole text. A blank text is every row.
    [[nodiscard]] result<where> read() {
        if (size_ > expression_max_bytes) {
            return fail_at({0, size_}, rule::query_too_long,
                           at_most<expression_max_bytes, " bytes">());
        }
        const std::size_t valid = valid_utf8_prefix(scan_.rest());
        if (valid < size_) {
            return fail_at({valid, 1}, rule::text_encoding, "write the text in UTF-8");
        }
        scan_.skip_space();
        if (scan_.at_end()) return where();
        auto whole = read_series(outer_);
        if (!whole) return tl::unexpected<error>(whole.error());
        scan_.skip_space();
        if (!scan_.at_end()) return fail_at(scan_.next(), rule::query_end, end_advice());
        return std::move(whole->rows);
    }

protected:
    expression_reader(std::string_view text, const expression_columns& columns,
                      const grammar_style& style)
        : scan_(text),
          columns_(&columns),
          maker_(style),
          size_(text.size()),
          outer_(style.outer),
          names_have_case_(style.names_have_case),
          is_prefix_(style.is_prefix) {}

    /// Takes AND or OR and the space around it: a word in any case, unless the grammar has others.
    /// Returns false, and takes nothing, if it isn't next.
    virtual bool take_connective(where_kind kind) {
        const std::size_t first = scan_.offset();
        scan_.skip_space();
        if (scan_.take_word(kind == where_kind::conjunction ? "and" : "or")) {
            scan_.skip_space();
            return true;
        }
        scan_.return_to(first);
        return false;
    }
    /// Takes NOT, if it is next.
    virtual bool take_not() { return scan_.take_word("not"); }
    /// Takes what comes after the operand of a NOT.
    virtual result<void> take_not_end() { return {}; }
    /// Takes the start of a group, and returns the kind of its series.
    virtual std::optional<where_kind> take_group() {
        if (!scan_.take("(")) return std::nullopt;
        return outer_;
    }
    /// Reads a value, after white space.
    virtual result<literal> read_value() = 0;
    /// Reads a condition, or what the grammar has in its place.
    virtual result<where> read_condition() = 0;
    /// Returns what may follow an operand: static text.
    [[nodiscard]] virtual std::string_view end_advice() const = 0;

    /// Takes a comparison, by its spelling in the order of the enumeration: the longest that is
    /// next.
    [[nodiscard]] std::optional<expression_comparison> take_comparison(
        const comparison_spellings& spellings) {
        std::optional<expression_comparison> longest;
        std::size_t size = 0;
        for (std::size_t at = 0; at < spellings.size(); ++at) {
            const std::string_view text = spellings[at];
            if (to_lower(scan_.peek()) != text[0]) continue;
            text_scanner ahead = scan_;
            const bool is_next = is_letter(text[0]) ? ahead.take_word(text) : ahead.take(text);
            if (!is_next || text.size() <= size) continue;
            longest = static_cast<expression_comparison>(at);
            size = text.size();
        }
        scan_.skip(size);
        return longest;
    }
    /// Reads `(value, value)`.
    result<std::vector<literal>> read_values() {
        scan_.skip_space();
        if (!scan_.take("(")) {
            return fail_at(scan_.next(), rule::query_value, "expected a list such as (1,2)");
        }
        std::vector<literal> values;
        do {
            auto value = read_value();
            if (!value) return tl::unexpected<error>(value.error());
            values.push_back(*std::move(value));
        } while (take_comma());
        if (auto closed = take_closing(); !closed) return tl::unexpected<error>(closed.error());
        return values;
    }
    /// Takes what separates the values of a list, and the space before it.
    virtual bool take_comma() {
        scan_.skip_space();
        return scan_.take(",");
    }
    /// Takes `)`, and the space before it. Error: query_parenthesis.
    virtual result<void> take_closing() {
        scan_.skip_space();
        if (scan_.take(")")) return {};
        return fail_at(scan_.next(), rule::query_parenthesis);
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
    /// Reads a text in single quotes, which are doubled within it.
    result<literal> read_doubled_quotes() {
        const std::size_t first = scan_.offset();
        literal value{{}, true, {}, {}};
        while (scan_.take("'")) {
            value.text.append(scan_.take_while([](char byte) { return byte != '\''; }));
            if (!scan_.take("'")) return fail_at(scan_.since(first), rule::query_quote);
            if (scan_.peek() == '\'') value.text.push_back('\'');
        }
        value.place = scan_.since(first);
        return value;
    }

    /// Reads a text in double quotes, with the escapes of JSON.
    result<literal> read_json_text() {
        const std::size_t first = scan_.offset();
        literal value{{}, true, {}, {}};
        if (!scan_.take("\"")) {
            return fail_at(scan_.next(), rule::expression_malformed,
                           "expected a text in double quotes");
        }
        const std::string_view rest = scan_.rest();
        std::size_t size = 0;
        while (size < rest.size() && rest[size] != '"') size += rest[size] == '\\' ? 2 : 1;
        const bool is_closed = size < rest.size();
        scan_.skip(is_closed ? size + 1 : rest.size());
        value.place = scan_.since(first);
        if (!is_closed) return fail_at(value.place, rule::query_quote);
        if (json_unescaper(value.text).append(rest.substr(0, size))) return value;
        return fail_at(value.place, rule::query_escape, "write the text as JSON has it");
    }

    /// Reads an expression on a column's records, which is one level deeper; or on the items of a
    /// list, which have none.
    result<where> read_inner(const column& of, text_place place) {
        const std::size_t levels = of.type == column_type::records ? 1 : 0;
        if (auto deeper = descend(place, levels); !deeper) {
            return tl::unexpected<error>(deeper.error());
        }
        auto inner = read_series(outer_);
        depth_ -= levels;
        if (!inner) return tl::unexpected<error>(inner.error());
        return std::move(inner->rows);
    }

    /// Returns the column that steps of a name lead to; see find_named(). Error: column_unknown.
    [[nodiscard]] result<named_column> find(const std::vector<std::string_view>& steps,
                                            text_place place) const {
        auto named = find_named(*columns_, steps, names_have_case_);
        if (named) {
            named->place = place;
            return *std::move(named);
        }
        error unknown = make_error(rule::column_unknown, place.offset, place.length);
        unknown.suggestion = columns_->near_miss(with_dots(steps));
        return tl::unexpected<error>(unknown);
    }
    /// Like find(), of a name with separators between its steps.
    [[nodiscard]] result<named_column> find(std::string_view name, text_place place,
                                            std::string_view separators = ".") const {
        return find(steps_of(name, separators), place);
    }
    /// Returns the condition of a search: a text is part of any of the searched columns.
    [[nodiscard]] result<where> search(const literal& part) const {
        std::vector<where> parts;
        for (const column& searched : columns_->searched()) {
            parts.push_back(where(leaf{searched, part_test{part_place::anywhere, {part.text}}}));
        }
        if (parts.size() == 1) return std::move(parts[0]);
        return where::any(std::move(parts));
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
        if (text.size() == 1 && read.is_open_before) read.is_open_after = true;
        return read;
    }
    /// Returns the column of a name in the records of another; null if there is none.
    [[nodiscard]] const column* find_below(const column& records,
                                           std::string_view name) const noexcept {
        return find_inner(records, name, names_have_case_);
    }

    text_scanner scan_;
    const expression_columns* columns_;
    condition_maker maker_;

private:
    /// A part of the expression that was read.
    struct operand {
        where rows;
        bool is_leaf = false;    ///< without parentheses: it may join its neighbour
        std::size_t levels = 0;  ///< of AND, OR and NOT
    };

    result<operand> read_series(where_kind kind) {
        auto next = read_part(kind);
        if (!next || !take_connective(kind)) return next;
        std::vector<where> rows;
        rows.reserve(4);
        operand last = *std::move(next);  // without its rows
        rows.push_back(std::move(last.rows));
        do {
            next = read_part(kind);
            if (!next) return next;
            if (last.is_leaf && next->is_leaf && join(rows.back(), next->rows, kind)) continue;
            last.is_leaf = next->is_leaf;
            last.levels = std::max(last.levels, next->levels);
            rows.push_back(std::move(next->rows));
        } while (take_connective(kind));
        if (rows.size() == 1) return operand{std::move(rows[0]), true};
        return leveled({kind == where_kind::conjunction ? where::all(std::move(rows))
                                                        : where::any(std::move(rows)),
                        false, last.levels});
    }
    /// Reads a part of a series.
    result<operand> read_part(where_kind kind) {
        return kind == outer_ && !is_prefix_ ? read_series(inner()) : read_operand();
    }
    /// Joins a leaf with its right neighbour. Returns false if they stay apart.
    static bool join(where& leaf_before, const where& next, where_kind kind) {
        const leaf& last = leaf_before.leaves()[0];
        auto both = joined_tests(kind, last, next.leaves()[0]);
        if (both) leaf_before = where(leaf{last.subject, *std::move(both)});
        return both.has_value();
    }
    /// Reads an operand; the parentheses of one that is negated are no level of their own.
    result<operand> read_operand(bool is_negated = false) {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (take_not()) {
            if (auto deeper = descend(scan_.since(first)); !deeper)
                return tl::unexpected<error>(deeper.error());
            auto negated = read_operand(true);
            --depth_;
            if (!negated) return negated;
            if (auto end = take_not_end(); !end) return tl::unexpected<error>(end.error());
            return negation_of(*std::move(negated));
        }
        if (const auto kind = take_group()) {
            const std::size_t levels = is_negated ? 0 : 1;
            if (auto deeper = descend(scan_.since(first), levels); !deeper)
                return tl::unexpected<error>(deeper.error());
            auto group = read_series(*kind);
            depth_ -= levels;
            if (!group) return group;
            if (auto closed = take_closing(); !closed) {
                return tl::unexpected<error>(closed.error());
            }
            group->is_leaf = false;
            return group;
        }
        const std::size_t before = tests_;  // without those on records and items
        auto condition = read_condition();
        if (!condition) return tl::unexpected<error>(condition.error());
        tests_ = before + std::max<std::size_t>(count_tests(*condition), 1);
        if (tests_ > where_max_tests) {
            return fail_at(scan_.since(first), rule::query_too_many,
                           at_most<where_max_tests, " tests">());
        }
        const bool is_leaf = condition->nodes()[0].kind == where_kind::leaf;
        const bool is_negation = condition->nodes()[0].kind == where_kind::negation;
        return operand{*std::move(condition), is_leaf, is_negation ? 1U : 0U};
    }
    /// Returns the negation of an operand. A test without parentheses that has an opposite turns to
    /// it.
    result<operand> negation_of(operand negated) const {
        if (negated.is_leaf) {
            if (auto opposite = opposite_of(negated.rows)) {
                negated.rows = *std::move(opposite);
                return negated;
            }
        }
        return leveled({where::negation(std::move(negated.rows)), false, negated.levels});
    }
    /// Returns a part one level above others. Error: query_too_deep, at the end of the part.
    result<operand> leveled(operand built) const {
        if (++built.levels <= where_max_depth) return built;
        return fail_at({scan_.offset(), 0}, rule::query_too_deep, depth_advice);
    }
    result<void> descend(text_place place, std::size_t levels = 1) {
        const std::size_t whole = is_prefix_ ? 1 : 0;  // the group that is the whole text
        if (depth_ + levels > where_max_depth + whole) {
            return fail_at(place, rule::query_too_deep, depth_advice);
        }
        depth_ += levels;
        return {};
    }
    /// Returns the number of tests in some conditions, with those on records.
    static std::size_t count_tests(const where& rows) {
        std::size_t count = rows.leaves().size();
        for (const leaf& condition : rows.leaves()) {
            const auto* const records = std::get_if<record_test>(&condition.test);
            if (records != nullptr) count += count_tests(records->wanted());
        }
        return count;
    }
    [[nodiscard]] where_kind inner() const noexcept {
        return outer_ == where_kind::disjunction ? where_kind::conjunction
                                                 : where_kind::disjunction;
    }
    static constexpr std::string_view depth_advice =
        at_most<where_max_depth, " levels of AND, OR, NOT and parentheses">();

    std::size_t size_;
    where_kind outer_;
    bool names_have_case_;
    bool is_prefix_;
    std::size_t tests_ = 0;
    std::size_t depth_ = 0;  // parentheses and NOTs around the next token
};

}  // namespace sluice::detail

#endif
