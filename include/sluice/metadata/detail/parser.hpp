// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_DETAIL_PARSER_HPP
#define SLUICE_METADATA_DETAIL_PARSER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/base/decimal.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/detail/scanner.hpp>
#include <sluice/metadata/detail/tree.hpp>
#include <sluice/metadata/expression.hpp>

/// The parser of metadata expressions.
namespace sluice::detail {

/// Limits of an expression that the parser accepts.
struct metadata_limits {
    std::size_t depth;       ///< parentheses and NOTs around a condition
    std::size_t conditions;  ///< in all
};

/// Recursive-descent parser of an expression. A function parses one rule of the grammar in
/// parse_metadata_query(): it consumes the rule's tokens, adds to the drafts, or fails at the first
/// token that doesn't fit, which ends the parse. Views the text.
class metadata_parser {
public:
    metadata_parser(std::string_view text, metadata_limits limits) noexcept
        : scan_(text), limits_(limits) {}

    /// text = expr end
    [[nodiscard]] result<void> parse() {
        if (auto done = expression(); !done) return done;
        if (!scan_.at_end()) return scan_.fail_after_condition();
        return {};
    }
    /// Returns the parts of the expression, after parse() has succeeded.
    [[nodiscard]] const metadata_drafts& drafts() const noexcept { return drafts_; }

private:
    using step = result<void>;
    using operand = step (metadata_parser::*)();

    /// expr = and-expr *( OR and-expr )
    step expression() {
        return series("OR", metadata_node_kind::disjunction, &metadata_parser::and_expression);
    }

    /// and-expr = unary *( AND unary )
    step and_expression() {
        return series("AND", metadata_node_kind::conjunction, &metadata_parser::unary);
    }

    /// series = next *( keyword next ); becomes a node only if there are two operands or more
    step series(std::string_view keyword, metadata_node_kind kind, operand next) {
        const std::size_t first = drafts_.nodes.size();
        if (auto done = (this->*next)(); !done) return done;
        if (!scan_.take_keyword(keyword)) return {};
        open_node(first, kind);
        do {
            if (auto done = (this->*next)(); !done) return done;
        } while (scan_.take_keyword(keyword));
        close_node(first);
        return {};
    }

    /// unary = NOT unary / "(" expr ")" / condition
    step unary() {
        if (scan_.at_keyword("NOT")) return negation();
        if (scan_.next() == '(') return group();
        return condition();
    }

    /// NOT unary
    step negation() {
        if (depth_ == limits_.depth) return scan_.fail_here(rule::query_too_deep);
        const std::size_t first = drafts_.nodes.size();
        open_node(first, metadata_node_kind::negation);
        scan_.take_keyword("NOT");
        ++depth_;
        auto done = unary();
        --depth_;
        close_node(first);
        return done;
    }

    /// "(" expr ")"
    step group() {
        if (depth_ == limits_.depth) return scan_.fail_here(rule::query_too_deep);
        scan_.take('(');
        ++depth_;
        if (auto done = expression(); !done) return done;
        --depth_;
        if (scan_.take(')')) return {};
        if (scan_.at_end()) return scan_.fail_here(rule::query_parenthesis);
        return scan_.fail_after_condition();
    }

    /// condition = path op value
    step condition() {
        const std::size_t first = scan_.next_offset();
        const std::size_t first_key = drafts_.keys.size();
        if (auto done = path(); !done) return done;
        draft_ = {first_key, drafts_.keys.size() - first_key, {}, {}, 0, 0};
        if (auto done = comparison(); !done) return done;
        if (auto done = value(); !done) return done;
        draft_.offset = static_cast<std::uint32_t>(first);
        draft_.length = static_cast<std::uint32_t>(scan_.offset() - first);
        const auto index = static_cast<std::uint32_t>(drafts_.conditions.size());
        drafts_.nodes.push_back({metadata_node_kind::condition, 1, index});
        drafts_.conditions.push_back(draft_);
        return {};
    }

    /// path = "metadata" 1*( "[" quoted "]" )
    step path() {
        if (!scan_.at_root()) return scan_.fail_here(rule::query_condition);
        const bool is_full = drafts_.conditions.size() == limits_.conditions;
        if (is_full) return scan_.fail_here(rule::query_too_many);
        scan_.take_root();
        if (scan_.next() != '[') return scan_.fail_here(rule::query_key);
        while (scan_.take('[')) {
            if (!scan_.at_quote()) return scan_.fail_here(rule::query_key);
            if (auto done = scan_.take_quoted(); !done) return done;
            drafts_.keys.push_back(scan_.taken());
            if (!scan_.take(']')) return scan_.fail_here(rule::query_bracket);
        }
        return {};
    }

    /// op = ":" / "=" / "!=" / ">" / ">=" / "<" / "<="; the longest that fits. It is an error if it
    /// begins an operator of another language, such as `==`.
    step comparison() noexcept {
        const std::size_t first = scan_.next_offset();
        if (!take_operator()) return scan_.fail_here(rule::query_operator);
        const metadata_slip* const slip = scan_.operator_slip(first);
        if (slip != nullptr) return scan_.fail_slip(rule::query_operator_unknown, first, *slip);
        return {};
    }
    /// Parses an operator into draft_. Returns false if none is next.
    bool take_operator() noexcept {
        using op = metadata_operator;
        if (scan_.take(':') || scan_.take('=')) {
            draft_.op = op::equal;
        } else if (scan_.take("!=")) {
            draft_.op = op::not_equal;
        } else if (scan_.take('>')) {
            draft_.op = scan_.take_at_once('=') ? op::greater_equal : op::greater;
        } else if (scan_.take('<')) {
            draft_.op = scan_.take_at_once('=') ? op::less_equal : op::less;
        } else {
            return false;
        }
        return true;
    }

    /// value = quoted / bare. After `>` and the like it has to be a number, which has no backslash,
    /// so the raw text is parsed.
    step value() noexcept {
        const bool is_quoted = scan_.at_quote();
        const std::size_t first = scan_.offset();
        if (auto done = is_quoted ? scan_.take_quoted() : scan_.take_bare(); !done) return done;
        if (is_ordering(draft_.op) && !parse_decimal(scan_.taken().raw)) {
            return fail(rule::query_number, first, scan_.offset() - first);
        }
        draft_.value = scan_.taken();
        return {};
    }

    /// Inserts a node at `first`, so that the nodes from there on become its descendants. More may
    /// follow until close_node(first) sets its size.
    void open_node(std::size_t first, metadata_node_kind kind) {
        drafts_.nodes.insert(first, {kind, 0, 0});
    }
    void close_node(std::size_t first) noexcept {
        drafts_.nodes[first].size = static_cast<std::uint32_t>(drafts_.nodes.size() - first);
    }

    metadata_scanner scan_;
    metadata_limits limits_;
    std::size_t depth_ = 0;   // parentheses and NOTs around the next token
    metadata_draft draft_{};  // the condition that is being parsed
    metadata_drafts drafts_{};
};

}  // namespace sluice::detail

#endif
