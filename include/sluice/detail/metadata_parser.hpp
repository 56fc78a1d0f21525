// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_METADATA_PARSER_HPP
#define SLUICE_DETAIL_METADATA_PARSER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/detail/decimal.hpp>
#include <sluice/detail/metadata_scanner.hpp>
#include <sluice/error.hpp>
#include <sluice/metadata_expression.hpp>

namespace sluice::detail {

/// A parsed expression. Its conditions are views of `texts`, so it never changes or moves.
struct metadata_tree {
    std::vector<std::string> texts;  ///< keys and value of each condition, one after another
    std::vector<metadata_condition> conditions;
    std::vector<metadata_node> nodes;

    metadata_tree() = default;
    metadata_tree(const metadata_tree&) = delete;
    metadata_tree& operator=(const metadata_tree&) = delete;
};

/// How much an expression may hold.
struct metadata_limits {
    std::size_t depth;       ///< parentheses and NOTs around a condition
    std::size_t conditions;  ///< in all
};

/// Recursive descent over an expression: each rule's function consumes what it matches and fails at
/// the first token that no rule takes. A failure ends the parse.
class metadata_parser {
public:
    metadata_parser(std::string_view text, metadata_limits limits) noexcept
        : scan_(text), limits_(limits) {}

    /// text = expr end
    [[nodiscard]] result<std::shared_ptr<const metadata_tree>> parse() {
        if (const auto done = expression(); !done) return tl::unexpected<error>(done.error());
        if (!scan_.at_end()) return scan_.fail_here(rule::query_end);
        link_conditions();
        return std::shared_ptr<const metadata_tree>(std::move(tree_));
    }

private:
    using step = result<void>;
    using operand = step (metadata_parser::*)();

    /// Where a condition's texts stand in the tree: its keys, then its value.
    struct draft {
        std::size_t first_key;
        std::size_t value;
        metadata_operator op;
    };

    /// expr = and-expr *( OR and-expr )
    step expression() {
        return series("OR", metadata_node_kind::disjunction, &metadata_parser::and_expression);
    }

    /// and-expr = unary *( AND unary )
    step and_expression() {
        return series("AND", metadata_node_kind::conjunction, &metadata_parser::unary);
    }

    /// next *( keyword next ): a node of its own only where there are two operands or more
    step series(std::string_view keyword, metadata_node_kind kind, operand next) {
        const std::size_t first = tree_->nodes.size();
        if (auto done = (this->*next)(); !done) return done;
        if (!scan_.at_keyword(keyword)) return {};
        open_node(first, kind);
        while (scan_.at_keyword(keyword)) {
            scan_.take_word();
            if (auto done = (this->*next)(); !done) return done;
        }
        close_node(first);
        return {};
    }

    /// unary = NOT unary / "(" expr ")" / condition
    step unary() {
        if (scan_.at_keyword("NOT")) return negation();
        if (scan_.at_byte('(')) return group();
        return condition();
    }

    /// NOT unary
    step negation() {
        if (depth_ == limits_.depth) return scan_.fail_here(rule::query_too_deep);
        const std::size_t first = tree_->nodes.size();
        open_node(first, metadata_node_kind::negation);
        scan_.take_word();
        ++depth_;
        auto done = unary();
        --depth_;
        close_node(first);
        return done;
    }

    /// "(" expr ")"
    step group() {
        if (depth_ == limits_.depth) return scan_.fail_here(rule::query_too_deep);
        scan_.take("(");
        ++depth_;
        if (auto done = expression(); !done) return done;
        --depth_;
        if (scan_.take(")")) return {};
        return scan_.fail_here(scan_.at_end() ? rule::query_parenthesis : rule::query_end);
    }

    /// condition = path op value
    step condition() {
        const std::size_t first_key = tree_->texts.size();
        if (auto done = path(); !done) return done;
        const auto op = comparison();
        if (!op) return tl::unexpected<error>(op.error());
        if (auto done = value(*op); !done) return done;
        const auto index = static_cast<std::uint32_t>(drafts_.size());
        tree_->nodes.push_back({metadata_node_kind::condition, 1, index});
        drafts_.push_back({first_key, tree_->texts.size() - 1, *op});
        return {};
    }

    /// path = "metadata" 1*( "[" quoted "]" )
    step path() {
        if (scan_.word() != "metadata") return scan_.fail_here(rule::query_condition);
        if (drafts_.size() == limits_.conditions) return scan_.fail_here(rule::query_too_many);
        scan_.take_word();
        if (!scan_.at_byte('[')) return scan_.fail_here(rule::query_key);
        while (scan_.take("[")) {
            if (!scan_.at_quote()) return scan_.fail_here(rule::query_key);
            auto key = scan_.take_quoted();
            if (!key) return tl::unexpected<error>(key.error());
            tree_->texts.push_back(std::move(*key));
            if (!scan_.take("]")) return scan_.fail_here(rule::query_bracket);
        }
        return {};
    }

    /// op = ":" / "=" / "!=" / ">" / ">=" / "<" / "<="; the longest that fits
    result<metadata_operator> comparison() {
        if (scan_.take("!=")) return metadata_operator::not_equal;
        if (scan_.take(">=")) return metadata_operator::greater_equal;
        if (scan_.take("<=")) return metadata_operator::less_equal;
        if (scan_.take(">")) return metadata_operator::greater;
        if (scan_.take("<")) return metadata_operator::less;
        if (scan_.take(":") || scan_.take("=")) return metadata_operator::equal;
        return scan_.fail_here(rule::query_operator);
    }

    /// value = quoted / bare
    step value(metadata_operator op) {
        const bool is_quoted = scan_.at_quote();
        const std::size_t first = scan_.offset();
        auto text = is_quoted ? scan_.take_quoted() : scan_.take_bare();
        if (!text) return tl::unexpected<error>(text.error());
        if (is_ordering(op) && !parse_decimal(*text)) {
            return fail(rule::query_number, first, scan_.offset() - first);
        }
        tree_->texts.push_back(std::move(*text));
        return {};
    }

    /// Makes the nodes from `first` on descendants of a new one.
    void open_node(std::size_t first, metadata_node_kind kind) {
        const auto place = tree_->nodes.begin() + static_cast<std::ptrdiff_t>(first);
        tree_->nodes.insert(place, {kind, 0, 0});
    }
    void close_node(std::size_t first) noexcept {
        tree_->nodes[first].size = static_cast<std::uint32_t>(tree_->nodes.size() - first);
    }

    /// Makes the conditions, once the texts that they view stay where they are.
    void link_conditions() {
        const std::span<const std::string> texts = tree_->texts;
        for (const draft& d : drafts_) {
            const std::string_view value = texts[d.value];
            tree_->conditions.push_back({texts.subspan(d.first_key, d.value - d.first_key), d.op,
                                         value, parse_decimal(value)});
        }
    }

    metadata_scanner scan_;
    metadata_limits limits_;
    std::size_t depth_ = 0;
    std::vector<draft> drafts_;
    std::shared_ptr<metadata_tree> tree_ = std::make_shared<metadata_tree>();
};

}  // namespace sluice::detail

#endif
