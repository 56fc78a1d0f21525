// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_EXPRESSION_WRITER_HPP
#define SLUICE_GRAMMARS_DETAIL_EXPRESSION_WRITER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/parse_limits.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/condition_maker.hpp>
#include <sluice/grammars/detail/expression_text.hpp>
#include <sluice/grammars/detail/joined_tests.hpp>
#include <sluice/grammars/detail/name_writer.hpp>
#include <sluice/query/where.hpp>

namespace sluice::detail {

/// Writes conditions as an expression; each grammar derives from it, and writes its own
/// comparisons. The text is canonical and reads as the same tree: parentheses are written where
/// they keep a nested group, or separate conditions that a reader would join to one.
class expression_writer : public name_writer {
public:
    /// Writes a tree; without conditions a blank text. Errors: expression_inexpressible, with the
    /// column or the test; query_too_deep, query_too_many and query_too_long for a text that the
    /// grammar's reader would refuse.
    [[nodiscard]] result<std::string> write(const where& rows) {
        if (rows.empty()) return std::string();
        const auto all = write_node(rows, 0);
        if (!all) return tl::unexpected<error>(all.error());
        if (tests_ > where_max_tests) {
            return fail_at({}, rule::query_too_many, at_most<where_max_tests, " tests">());
        }
        std::string text = wrapped(*all);
        if (text.size() <= expression_max_bytes) return text;
        return fail_at({}, rule::query_too_long, at_most<expression_max_bytes, " bytes">());
    }

protected:
    /// A part of the expression, and the group that it is without parentheses; `leaf` for none.
    struct written {
        std::string text;
        where_kind binding = where_kind::leaf;
        bool is_negation = false;   ///< of a condition, as in `price ne 10`
        bool has_opposite = false;  ///< a negation without parentheses would read as the opposite
    };

    expression_writer(const expression_columns& columns, const grammar_style& style,
                      const expression_words& words)
        : name_writer(columns, style.names_have_case, words.has_scopes),
          quoted_(style.quoted),
          words_(words) {}

    // --- The grammar -----------------------------------------------------------------------

    /// Writes the whole expression.
    [[nodiscard]] virtual std::string wrapped(const written& rows) const { return rows.text; }
    /// Writes a part that stays apart from its neighbours.
    [[nodiscard]] virtual std::string grouped(const written& part) const {
        return joined({"(", part.text, ")"});
    }
    [[nodiscard]] std::string quoted(std::string_view text) const { return words_.quoted(text); }
    [[nodiscard]] virtual std::string comparison_text(std::string_view name,
                                                      expression_comparison how,
                                                      std::string_view value) const {
        const std::string_view space = words_.comparison_space;
        return joined({name, space, spelling_of(how), space, value});
    }
    [[nodiscard]] virtual std::string part_text(std::string_view name, part_place place,
                                                std::string_view part) const = 0;
    [[nodiscard]] virtual std::string null_text(std::string_view name, bool wanted) const {
        return joined({name, wanted ? words_.is_null : words_.is_there});
    }
    /// Writes a test of some values at once; nullopt if the grammar has none, and each value is a
    /// comparison of its own.
    [[nodiscard]] virtual std::optional<std::string> values_text(
        std::string_view name, const column&, test_kind kind,
        const std::vector<std::string>& values) const {
        const std::string_view word = kind == test_kind::any_of    ? words_.any_of
                                      : kind == test_kind::none_of ? words_.none_of
                                                                   : std::string_view();
        if (values.size() < 2 || word.empty()) return std::nullopt;
        return listed(joined({name, word}), values, ")");
    }
    /// Writes a value of a column that may be bare.
    [[nodiscard]] virtual std::string bare(std::string_view text) const {
        return std::string(text);
    }
    /// Returns the name of a list's items in conditions on them.
    [[nodiscard]] virtual std::string item_name(const std::string& list) const { return list; }
    /// Writes a condition on any item of a list, or on all.
    [[nodiscard]] virtual written of_list(const std::string&, written of_item, bool) const {
        return of_item;
    }
    /// Writes a condition on any record of a column.
    [[nodiscard]] virtual result<written> of_records(const std::string&, written of_record) const {
        const bool is_one = !of_record.text.empty() && !of_record.is_negation &&
                            of_record.binding == where_kind::leaf && !is_negated(of_record.text);
        return is_one ? of_record : inexpressible(to_string(test_kind::any));
    }
    /// Returns true if a condition reads as the negation of another.
    [[nodiscard]] virtual bool is_negated(std::string_view text) const {
        return !words_.negation.empty() && text.starts_with(words_.negation);
    }
    /// Writes the negation of a condition. Fails if the grammar has none.
    [[nodiscard]] virtual result<written> negated(const written& operand) const {
        return written{joined({words_.negation, "(", operand.text, ")"})};
    }
    /// Writes the negation of a part of a text; nullopt if the grammar has no word of its own.
    [[nodiscard]] virtual std::optional<std::string> no_part_text(std::string_view, part_place,
                                                                  std::string_view) const {
        return std::nullopt;
    }
    /// Writes a value of a column.
    [[nodiscard]] virtual std::string value_of(const column& subject, std::string_view text) const {
        return (quoted_ & set_of(subject.type)) != 0 ? quoted(text) : bare(text);
    }
    /// Writes a range with both of its ends; nullopt if the grammar has no word for it.
    [[nodiscard]] virtual std::optional<std::string> range_text(const std::string&,
                                                                const std::string&,
                                                                const std::string&) const {
        return std::nullopt;
    }
    [[nodiscard]] std::string_view spelling_of(expression_comparison how) const noexcept {
        return words_.comparisons[static_cast<std::size_t>(how)];
    }
    [[nodiscard]] static result<written> inexpressible(std::string_view name) {
        return fail_in(rule::expression_inexpressible, name);
    }

private:
    // --- The tree --------------------------------------------------------------------------

    result<written> write_node(const where& rows, std::size_t at) {
        const where::node& node = rows.nodes()[at];
        if (node.kind == where_kind::leaf) return write_leaf(rows.leaves()[node.leaf]);
        if (++levels_ > where_max_depth) return fail(rule::query_too_deep);
        auto built =
            node.kind == where_kind::negation ? write_negation(rows, at) : write_group(rows, at);
        --levels_;
        return built;
    }
    result<written> write_negation(const where& rows, std::size_t at) {
        const where::node& operand = rows.nodes()[at + 1];
        if (operand.kind == where_kind::leaf) {
            const leaf& only = rows.leaves()[operand.leaf];
            if (auto unequal = write_inequality(only)) return *std::move(unequal);
        }
        auto built = write_node(rows, at + 1);
        if (!built) return built;
        built->has_opposite = operand.kind == where_kind::leaf &&
                              opposite_of(rows.leaves()[operand.leaf].test).has_value();
        return negated(*built);
    }
    result<written> write_group(const where& rows, std::size_t at) {
        const where::node& group = rows.nodes()[at];
        if (group.size == 1) {
            ++tests_;
            const std::string_view word =
                group.kind == where_kind::conjunction ? words_.every_row : words_.no_row;
            if (!word.empty()) return written{std::string(word)};
        }
        written whole{{}, group.kind};
        const leaf* before = nullptr;  // the leaf before, without parentheses
        std::size_t count = 0;
        for (std::size_t child = at + 1; child < at + group.size; ++count) {
            const where::node& node = rows.nodes()[child];
            auto part = write_node(rows, child);
            if (!part) return part;
            const leaf* const only =
                node.kind == where_kind::leaf ? &rows.leaves()[node.leaf] : nullptr;
            const bool is_apart =
                only != nullptr ? may_join(group.kind, before, *only, part->binding == group.kind)
                                : part->binding == group.kind;
            const bool is_ranked = words_.ranks_groups && part->binding == where_kind::conjunction;
            const bool is_looser =
                part->binding != where_kind::leaf && part->binding != group.kind && !is_ranked;
            if (count > 0) whole.text.append(between(group.kind));
            whole.text.append(is_apart || is_looser ? grouped(*part) : part->text);
            before = is_apart || is_looser ? nullptr : only;
            child += node.size;
        }
        if (count < 2) return inexpressible(group.kind == where_kind::conjunction ? "all" : "any");
        return whole;
    }
    [[nodiscard]] std::string_view between(where_kind kind) const noexcept {
        return kind == where_kind::conjunction ? words_.conjunction : words_.disjunction;
    }
    [[nodiscard]] written series(where_kind kind, const std::vector<std::string>& parts) {
        tests_ += parts.size() - 1;
        written whole{{}, parts.size() == 1 ? where_kind::leaf : kind};
        for (const std::string& part : parts) {
            if (!whole.text.empty()) whole.text.append(between(kind));
            whole.text.append(part);
        }
        return whole;
    }

    // --- Leaves ----------------------------------------------------------------------------

    result<written> write_leaf(const leaf& condition) {
        const std::string name = name_of(condition);
        if (name.empty()) return inexpressible(condition.subject.name);
        ++tests_;
        auto built = visit_as<result<written>>(
            [&](const auto& test) { return write_test(condition.subject, name, test); },
            condition.test);
        if (!built || is_valid_utf8(built->text)) return built;
        return inexpressible(condition.subject.name);
    }
    /// Writes the negation of a leaf that the grammar says in one condition, such as `price ne 10`;
    /// nullopt for another.
    std::optional<written> write_inequality(const leaf& condition) {
        const std::string name = name_of(condition);
        if (name.empty()) return std::nullopt;
        std::optional<std::string> text;
        if (const auto* const part = std::get_if<part_test>(&condition.test)) {
            if (part->parts.size() == 1) text = no_part_text(name, part->place, part->parts[0]);
        } else {
            const auto value = visit_as<std::optional<std::string>>(
                [&](const auto& test) { return equal_value(condition.subject, test); },
                condition.test);
            if (value) text = comparison_text(name, expression_comparison::not_equal, *value);
        }
        if (!text || !is_valid_utf8(*text)) return std::nullopt;
        ++tests_;
        return written{*std::move(text), where_kind::leaf, true};
    }
    result<written> write_test(const column& subject, const std::string& name,
                               const text_test& test) {
        const bool excludes = test.wanted.excludes();
        const std::vector<std::string> values = values_of(subject, test.wanted.values());
        if (values.empty()) return inexpressible(to_string(kind_of(test)));
        return of_items(subject, name, excludes, [&](const std::string& item) {
            return write_values(item, subject, excludes ? test_kind::none_of : test_kind::any_of,
                                values);
        });
    }
    /// Writes values of a column; empty if one of them isn't of its type.
    template <class Texts>
    [[nodiscard]] std::vector<std::string> values_of(const column& subject,
                                                     const Texts& texts) const {
        std::vector<std::string> values;
        for (const std::string_view text : texts) {
            if (!condition_maker::is_value_of(subject, text)) return {};
            values.push_back(value_of(subject, text));
        }
        return values;
    }
    template <class Write>
    result<written> of_items(const column& subject, const std::string& name, bool is_for_all,
                             const Write& write) {
        if (!subject.is_list) return write(name);
        return of_list(name, write(item_name(name)), is_for_all);
    }
    [[nodiscard]] written write_values(const std::string& name, const column& subject,
                                       test_kind kind, const std::vector<std::string>& values) {
        if (auto text = values_text(name, subject, kind, values)) return {*std::move(text)};
        const bool excludes = kind == test_kind::none_of;
        std::vector<std::string> parts;
        for (const std::string& value : values) {
            parts.push_back(comparison_text(
                name, excludes ? expression_comparison::not_equal : expression_comparison::equal,
                value));
        }
        return series(kind == test_kind::any_of ? where_kind::disjunction : where_kind::conjunction,
                      parts);
    }
    result<written> write_test(const column& subject, const std::string& name,
                               const all_of_test& test) {
        const bool has_empty = std::ranges::find(test.wanted, "") != test.wanted.end();
        if (test.wanted.size() < 2 || has_empty) return inexpressible(to_string(test_kind::all_of));
        const std::vector<std::string> values = values_of(subject, test.wanted);
        if (values.empty()) return inexpressible(to_string(test_kind::all_of));
        std::vector<std::string> parts;
        if (auto text = values_text(name, subject, test_kind::all_of, values))
            return written{*text};
        for (const std::string& value : values) {
            parts.push_back(
                of_list(name, write_values(item_name(name), subject, test_kind::any_of, {value}),
                        false)
                    .text);
        }
        return series(where_kind::conjunction, parts);
    }
    result<written> write_test(const column& subject, const std::string& name,
                               const part_test& test) {
        if (test.parts.empty()) return inexpressible(to_string(kind_of(test)));
        return of_items(subject, name, false, [&](const std::string& item) {
            std::vector<std::string> parts;
            for (const std::string& part : test.parts) {
                parts.push_back(part_text(item, test.place, part));
            }
            return series(where_kind::disjunction, parts);
        });
    }
    template <class T>
    result<written> write_test(const column& subject, const std::string& name,
                               const bounds<T>& range) {
        if (const auto value = equal_value(subject, range)) {
            return written{comparison_text(name, expression_comparison::equal, *value)};
        }
        using how = expression_comparison;
        if (is_closed(range)) {
            auto text = range_text(name, value_of(subject, bound_text(*range.least)),
                                   value_of(subject, bound_text(*range.most)));
            if (text) return written{*std::move(text)};
        }
        std::vector<std::string> parts;
        if (range.least) {
            parts.push_back(comparison_text(name,
                                            range.excludes_least ? how::more_than : how::at_least,
                                            value_of(subject, bound_text(*range.least))));
        }
        if (range.most) {
            parts.push_back(comparison_text(name,
                                            range.excludes_most ? how::less_than : how::at_most,
                                            value_of(subject, bound_text(*range.most))));
        }
        if (parts.empty()) return inexpressible(to_string(test_kind::bounds));
        return series(where_kind::conjunction, parts);
    }
    result<written> write_test(const column& subject, const std::string& name,
                               const boolean_test& test) {
        return written{
            comparison_text(name, expression_comparison::equal, *equal_value(subject, test))};
    }
    result<written> write_test(const column&, const std::string& name, const null_test& test) {
        return written{null_text(name, test.wanted)};
    }
    result<written> write_test(const column& subject, const std::string& name,
                               const record_test& test) {
        if (++levels_ > where_max_depth) return fail(rule::query_too_deep);
        records_around outside = enter(subject);
        auto inner =
            test.wanted().empty() ? result<written>(written{}) : write_node(test.wanted(), 0);
        leave(std::move(outside));
        --levels_;
        if (!inner) return inner;
        return of_records(name, *std::move(inner));
    }
    result<written> write_test(const column&, const std::string& name, const metadata_query& test) {
        if (test.nodes().size() != 1) return inexpressible(to_string(test_kind::matches));
        const metadata_condition& condition = test.conditions()[0];
        return written{comparison_text(name, comparison_of(condition.op), quoted(condition.value))};
    }

    /// Returns the value that bounds equal, as the grammar writes it; nullopt if they are no
    /// equality, or if another test of the column expresses it.
    template <class T>
    [[nodiscard]] std::optional<std::string> equal_value(const column& subject,
                                                         const bounds<T>& range) const {
        if (!is_closed(range) || *range.least != *range.most) return std::nullopt;
        const std::string text = bound_text(*range.least);
        if (allows_test(subject, test_kind::any_of) && !text.empty()) return std::nullopt;
        return value_of(subject, text);
    }
    [[nodiscard]] std::optional<std::string> equal_value(const column&,
                                                         const boolean_test& test) const {
        return test.wanted ? "true" : "false";
    }
    template <class Test>
    [[nodiscard]] std::optional<std::string> equal_value(const column&, const Test&) const {
        return std::nullopt;
    }
    column_types quoted_;  // types of values with quotes
    expression_words words_;
    std::size_t tests_ = 0;   // as a reader counts them
    std::size_t levels_ = 0;  // of groups and records around the next part
};

}  // namespace sluice::detail

#endif
