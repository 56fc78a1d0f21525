// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_EXPRESSION_READER_HPP
#define SLUICE_GRAMMARS_DETAIL_EXPRESSION_READER_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/parse_limits.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/condition_maker.hpp>
#include <sluice/grammars/detail/joined_tests.hpp>
#include <sluice/grammars/detail/list_items.hpp>
#include <sluice/grammars/detail/named_column.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/grammars/detail/value_reader.hpp>
#include <sluice/query/where.hpp>
#include <sluice/query/where_builder.hpp>

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
class expression_reader : public value_reader {
public:
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
        const bool has_space = scan_.skip_space();
        if (scan_.at_end()) return where();
        if (has_space && is_spaced_) {
            return fail_at({0, scan_.offset()}, rule::query_condition, "begin with a condition");
        }
        auto whole = read_series(outer_);
        if (!whole) return tl::unexpected<error>(whole.error());
        const std::size_t end = scan_.offset();
        if (scan_.skip_space() && scan_.at_end() && is_spaced_) scan_.return_to(end);
        if (!scan_.at_end()) return fail_at_next(rule::query_end, end_advice_);
        return tree_.take(0);
    }

protected:
    expression_reader(std::string_view text, const expression_columns& columns,
                      const grammar_style& style)
        : value_reader(text, style.beyond),
          columns_(&columns),
          maker_(style, tree_),
          size_(text.size()),
          outer_(style.outer),
          end_advice_(style.end_advice),
          names_have_case_(style.names_have_case),
          is_prefix_(style.is_prefix),
          is_spaced_(style.is_spaced) {}

    /// Takes AND or OR and the space around it: a word in any case, unless the grammar has others.
    /// Returns false, and takes nothing, if it isn't next.
    virtual bool take_connective(where_kind kind) {
        const std::size_t first = scan_.offset();
        const bool has_space = scan_.skip_space() || !is_spaced_;
        if (has_space && take_operator(kind == where_kind::conjunction ? "and" : "or")) return true;
        scan_.return_to(first);
        return false;
    }
    /// Takes NOT, if it is next.
    virtual bool take_not() { return take_operator("not"); }
    /// Takes a word and the space after it. Returns false, and takes nothing, without them.
    bool take_operator(std::string_view word) {
        const std::size_t first = scan_.offset();
        if (scan_.take_word(word) && (scan_.skip_space() || scan_.at_end() || !is_spaced_)) {
            return true;
        }
        scan_.return_to(first);
        return false;
    }
    /// Takes what comes after the operand of a NOT.
    virtual result<void> take_not_end() { return {}; }
    /// Takes the start of a group, and returns the kind of its series.
    virtual std::optional<where_kind> take_group() {
        if (!scan_.take('(')) return std::nullopt;
        return outer_;
    }
    /// Appends a condition to the tree, or what the grammar has in its place.
    virtual result<void> read_condition() = 0;

    /// A column whose records, or items, the next conditions test, and the name of these.
    struct scope {
        named_column of;
        std::string_view variable{};
    };
    /// Reads an expression on a column's records, which is one level deeper; or on the items of a
    /// list, which have none.
    result<where> read_inner(scope inside, text_place place) {
        const std::size_t levels = inside.of.subject.type == column_type::records ? 1 : 0;
        if (auto deeper = descend(place, levels); !deeper) {
            return tl::unexpected<error>(deeper.error());
        }
        const std::size_t first = tree_.size();
        scopes_.push_back(std::move(inside));
        auto inner = read_series(outer_);
        scopes_.pop_back();
        depth_ -= levels;
        if (!inner) return tl::unexpected<error>(inner.error());
        return tree_.take(first);
    }

    /// Returns the column that steps of a name lead to; see find_named(). Error: column_unknown.
    [[nodiscard]] result<named_column> find(std::span<const std::string_view> steps,
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
        return find(steps_of(name, separators).view(), place);
    }
    /// Appends the condition of a search: a text is part of any of the searched columns.
    result<void> search(const literal& part) {
        const std::size_t first = tree_.size();
        for (const column& searched : columns_->searched()) {
            tree_.append(leaf{searched, part_test{part_place::anywhere, {part.text}}});
        }
        if (columns_->searched().size() != 1) tree_.wrap(where_kind::disjunction, first);
        return {};
    }
    /// Appends the test of a pattern that is a whole text, or the start, end or part of one. Error:
    /// operator_refused of a pattern with wildcards, for another column than one of texts.
    result<void> match(const named_column& named, text_place op, const literal& pattern,
                       std::string_view wildcards) {
        auto read = read_pattern(pattern, wildcards);
        if (!read) return tl::unexpected<error>(read.error());
        const bool has_wildcards = read->is_open_before || read->is_open_after;
        if (has_wildcards && named.subject.type != column_type::text) {
            return fail_at(op, rule::operator_refused);
        }
        return maker_.compare_starred(named, expression_comparison::equal, op, *std::move(read));
    }
    /// Returns a column that ignores the case. Error: expression_unsupported of another.
    static result<named_column> in_any_case(result<named_column> named, text_place call) {
        if (!named || record_of(named->subject.how).ignores_case) return named;
        return fail_at(call, rule::expression_unsupported, "compare it as it is: its case matters");
    }
    /// Returns true if conditions may test the records of a column, or the items of a list.
    [[nodiscard]] static bool has_parts(const named_column& named) noexcept {
        return named.subject.type == column_type::records ? has_kind(named.allowed, test_kind::any)
                                                          : named.subject.is_list;
    }
    /// Returns the column that a name leads to in a record of the scope, or the item of its list,
    /// which has no name. Error: column_unknown, with advice.
    [[nodiscard]] result<named_column> find_part(std::span<const std::string_view> steps,
                                                 text_place place, std::string_view advice) const {
        const named_column& of = scopes_.back().of;
        if (of.subject.type != column_type::records) {
            if (steps.empty()) return named_column{item_of(of.subject), of.allowed, {}, {}, place};
        } else if (!steps.empty()) {
            const column* const inner = find_inner(of.subject, steps[0], names_have_case_);
            if (inner != nullptr && (steps.size() == 1 || inner->type == column_type::json)) {
                return named_column{
                    *inner, all_test_kinds, {steps.begin() + 1, steps.end()}, {}, place};
            }
        }
        return fail_at(place, rule::column_unknown, advice);
    }
    /// Appends the condition that any record of a column, or any item of a list, meets another; or
    /// that all do. Error: expression_unsupported, with advice, where no test of a list says that.
    result<void> append_on_parts(const column& of, where body, bool is_for_all, text_place place,
                                 std::string_view advice) {
        if (of.type == column_type::records) {
            if (!is_for_all) return append(leaf{of, record_test(std::move(body))});
            const leaf any_fails{of, record_test(where::negation(std::move(body)))};
            return append(where::negation(where(any_fails)));
        }
        auto rows = is_for_all ? every_item_meets(of, body) : any_item_meets(of, body);
        if (rows) return append(*std::move(rows));
        return fail_at(place, rule::expression_unsupported, advice);
    }
    /// Appends some conditions to the tree.
    template <class Rows>
    result<void> append(Rows rows) {
        tree_.append(std::move(rows));
        return {};
    }
    /// Turns the test of a node to its opposite. Returns false if it has none, or is no test.
    bool turn_to_opposite(std::size_t node) {
        if (tree_.kind_at(node) != where_kind::leaf) return false;
        auto opposite = opposite_of(tree_.leaf_at(node).test);
        if (opposite) tree_.leaf_at(node).test = *std::move(opposite);
        return opposite.has_value();
    }
    const expression_columns* columns_;
    std::vector<scope> scopes_{};  // around the next token
    where_builder tree_{};         // of what was read
    condition_maker maker_;

private:
    /// A part of the expression that was read: the last tree.
    struct operand {
        bool is_leaf = false;    ///< without parentheses: it may join its neighbour
        std::size_t levels = 0;  ///< of AND, OR and NOT
    };

    result<operand> read_series(where_kind kind) {
        const std::size_t first = tree_.size();
        auto next = read_part(kind);
        if (!next || !take_connective(kind)) return next;
        operand last = *next;
        std::size_t last_node = first;
        do {
            const std::size_t next_node = tree_.size();
            next = read_part(kind);
            if (!next) return next;
            if (last.is_leaf && next->is_leaf && join(last_node, kind)) continue;
            last_node = next_node;
            last = {next->is_leaf, std::max(last.levels, next->levels)};
        } while (take_connective(kind));
        if (last_node == first) return operand{.is_leaf = true};
        tree_.wrap(kind, first);
        return leveled({.levels = last.levels});
    }
    /// Reads a part of a series.
    result<operand> read_part(where_kind kind) {
        return kind == outer_ && !is_prefix_ ? read_series(inner()) : read_operand();
    }
    /// Joins a leaf with its right neighbour, the last one. Returns false if they stay apart.
    bool join(std::size_t node, where_kind kind) {
        leaf& last = tree_.leaf_at(node);
        auto both = joined_tests(kind, last, tree_.leaf_at(node + 1));
        if (!both) return false;
        last.test = *std::move(both);
        tree_.remove_last();
        return true;
    }
    /// Reads an operand; the parentheses of one that is negated are no level of their own.
    result<operand> read_operand(bool is_negated = false) {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        const std::size_t node = tree_.size();
        if (take_not()) {
            if (auto deeper = descend(scan_.since(first)); !deeper)
                return tl::unexpected<error>(deeper.error());
            auto negated = read_operand(true);
            --depth_;
            if (!negated) return negated;
            if (auto end = take_not_end(); !end) return tl::unexpected<error>(end.error());
            if (negated->is_leaf && turn_to_opposite(node)) return negated;
            tree_.wrap(where_kind::negation, node);
            return leveled({.levels = negated->levels});
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
        tests_ = before + std::max<std::size_t>(count_tests(tree_.leaves_from(node)), 1);
        if (tests_ > where_max_tests) {
            return fail_at(scan_.since(first), rule::query_too_many,
                           at_most<where_max_tests, " tests">());
        }
        const where_kind kind = tree_.kind_at(node);
        return operand{kind == where_kind::leaf, kind == where_kind::negation ? 1U : 0U};
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
    /// Returns the number of some tests, with those on records.
    static std::size_t count_tests(std::span<const leaf> leaves) {
        std::size_t count = leaves.size();
        for (const leaf& condition : leaves) {
            const auto* const records = std::get_if<record_test>(&condition.test);
            if (records != nullptr) count += count_tests(records->wanted().leaves());
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
    std::string_view end_advice_;
    bool names_have_case_;
    bool is_prefix_;
    bool is_spaced_;
    std::size_t tests_ = 0;
    std::size_t depth_ = 0;  // parentheses and NOTs around the next token
};

}  // namespace sluice::detail

#endif
