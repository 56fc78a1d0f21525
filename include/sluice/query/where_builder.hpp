// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_WHERE_BUILDER_HPP
#define SLUICE_QUERY_WHERE_BUILDER_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sluice/query/where.hpp>

namespace sluice {

/// Makes a where from left to right, as a parser reads it: conditions are appended, and become the
/// operands of a group or of a negation once its end is known. Faster than where::all() and its
/// kin: the whole tree is in one list from the start.
///
/// ```
/// where_builder tree;
/// tree.append(paid);                       // node 0
/// tree.append(large);                      // node 1
/// tree.wrap(where_kind::negation, 1);      // NOT large
/// tree.wrap(where_kind::conjunction, 0);   // paid AND NOT large
/// const where rows = tree.take(0);
/// ```
class where_builder {
public:
    where_builder() {
        nodes_.reserve(8);
        leaves_.reserve(4);
    }

    /// Returns the number of nodes: the place of the next one.
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    /// Returns the kind of a node.
    [[nodiscard]] where_kind kind_at(std::size_t node) const noexcept { return nodes_[node].kind; }
    /// Returns the condition of a node, which is a leaf.
    [[nodiscard]] leaf& leaf_at(std::size_t node) noexcept { return leaves_[nodes_[node].leaf]; }
    /// Returns the conditions of a node and of all behind it.
    [[nodiscard]] std::span<const leaf> leaves_from(std::size_t node) const& noexcept {
        return std::span(leaves_).subspan(first_leaf(node));
    }
    std::span<const leaf> leaves_from(std::size_t) const&& = delete;

    /// Appends a condition.
    void append(leaf condition) {
        nodes_.push_back({where_kind::leaf, 1, static_cast<std::uint32_t>(leaves_.size())});
        leaves_.push_back(std::move(condition));
    }
    /// Appends a tree.
    void append(where rows) {
        const auto first = static_cast<std::uint32_t>(leaves_.size());
        for (where::node moved : rows.nodes_) {
            if (moved.kind == where_kind::leaf) moved.leaf += first;
            nodes_.push_back(moved);
        }
        for (leaf& moved : rows.leaves_) leaves_.push_back(std::move(moved));
    }
    /// Makes the trees from a node on the operands of a group, or the only one the operand of a
    /// negation. From size() on, the group has none.
    void wrap(where_kind kind, std::size_t first) {
        const auto size = static_cast<std::uint32_t>(nodes_.size() - first + 1);
        nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(first), {kind, size, 0});
    }
    /// Removes the node of a group or of a negation around all nodes behind it; they stay.
    void unwrap(std::size_t node) {
        nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(node));
    }
    /// Removes the last node, which is a leaf.
    void remove_last() {
        nodes_.pop_back();
        leaves_.pop_back();
    }
    /// Removes the tree from a node on, and returns it.
    [[nodiscard]] where take(std::size_t first) {
        if (first == 0) return {std::exchange(nodes_, {}), std::exchange(leaves_, {})};
        const std::size_t first_moved = first_leaf(first);
        const auto begin = leaves_.begin() + static_cast<std::ptrdiff_t>(first_moved);
        where taken({nodes_.begin() + static_cast<std::ptrdiff_t>(first), nodes_.end()},
                    {std::make_move_iterator(begin), std::make_move_iterator(leaves_.end())});
        for (where::node& moved : taken.nodes_) {
            if (moved.kind == where_kind::leaf)
                moved.leaf -= static_cast<std::uint32_t>(first_moved);
        }
        nodes_.resize(first);
        leaves_.erase(begin, leaves_.end());
        return taken;
    }

private:
    /// Returns the index of the first condition of a node and those behind it.
    [[nodiscard]] std::size_t first_leaf(std::size_t node) const noexcept {
        while (node < nodes_.size() && nodes_[node].kind != where_kind::leaf) ++node;
        return node < nodes_.size() ? nodes_[node].leaf : leaves_.size();
    }

    std::vector<where::node> nodes_{};
    std::vector<leaf> leaves_{};
};

}  // namespace sluice

#endif
