// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_WHERE_HPP
#define SLUICE_QUERY_WHERE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/visit.hpp>
#include <sluice/query/cell.hpp>
#include <sluice/query/column_test.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/test_set.hpp>

/// A where: the condition of a list query on its rows, a tree of leaves.
namespace sluice {

class where_builder;

enum class where_kind : std::uint8_t {
    leaf,         ///< a condition
    negation,     ///< NOT: one child
    conjunction,  ///< AND: any number of children; none: every row
    disjunction,  ///< OR: any number of children; none: no row
};

/// A visitor that converts a tree of conditions to an R: SQL, an expression of a store, JSON.
///
/// ```
/// R leaf(const leaf&)   R negation(R)   R group(where_kind, std::vector<R>)
/// ```
template <class Visitor>
concept where_visitor = requires(Visitor& visitor, const leaf& condition,
                                 std::vector<decltype(visitor.leaf(condition))> operands) {
    {
        visitor.negation(visitor.leaf(condition))
    } -> std::same_as<decltype(visitor.leaf(condition))>;
    {
        visitor.group(where_kind::conjunction, std::move(operands))
    } -> std::same_as<decltype(visitor.leaf(condition))>;
};

/// The rows that a list takes: a boolean expression over conditions.
///
/// ```
/// const auto wanted = where::all({where(paid), where::negation(where(large))});
/// ```
///
/// It is a flat list of nodes, each before its descendants, as in a metadata_query:
///
/// ```
/// at  kind         size  leaf
/// 0   conjunction  4                the children of n: c = n + 1; c < n + size; c += size of c
/// 1     leaf       1     0          paid
/// 2     negation   2
/// 3       leaf     1     1          large
/// ```
template <class Leaf>
class basic_where {
public:
    struct node {
        where_kind kind = where_kind::conjunction;
        std::uint32_t size = 1;  ///< nodes in this subtree, itself included
        std::uint32_t leaf = 0;  ///< a leaf's index among the leaves, else 0

        friend constexpr bool operator==(const node&, const node&) = default;
    };

    /// Makes a tree that matches every row.
    basic_where() : nodes_(1) {}
    explicit basic_where(Leaf only) : nodes_{{where_kind::leaf}} {
        leaves_.push_back(std::move(only));
    }

    [[nodiscard]] static basic_where all(std::vector<basic_where> operands) {
        return {where_kind::conjunction, std::move(operands)};
    }
    [[nodiscard]] static basic_where any(std::vector<basic_where> operands) {
        return {where_kind::disjunction, std::move(operands)};
    }
    [[nodiscard]] static basic_where negation(basic_where operand) {
        std::vector<basic_where> only;
        only.push_back(std::move(operand));
        return {where_kind::negation, std::move(only)};
    }
    /// Returns the conjunction of some conditions.
    [[nodiscard]] static basic_where all_of(std::vector<Leaf> leaves) {
        const auto count = static_cast<std::uint32_t>(leaves.size());
        std::vector<node> nodes(1 + count, {where_kind::leaf, 1, 0});
        nodes[0] = {where_kind::conjunction, 1 + count, 0};
        for (std::uint32_t at = 1; at < count; ++at) nodes[1 + at].leaf = at;
        return {std::move(nodes), std::move(leaves)};
    }

    /// Returns the tree, the root first; at least one node.
    [[nodiscard]] std::span<const node> nodes() const& noexcept {
        return {nodes_.data(), nodes_.size()};
    }
    std::span<const node> nodes() const&& = delete;
    /// Returns the conditions, in the order of the tree.
    [[nodiscard]] std::span<const Leaf> leaves() const& noexcept {
        return {leaves_.data(), leaves_.size()};
    }
    std::span<const Leaf> leaves() const&& = delete;

    /// Sets the parameter that all conditions come from: static text.
    void set_param(std::string_view name) noexcept {
        for (Leaf& condition : leaves_) condition.param = name;
    }

    /// Returns true if it is an AND without conditions, which every row meets.
    [[nodiscard]] bool empty() const noexcept {
        return nodes_.size() == 1 && nodes_[0].kind == where_kind::conjunction;
    }

    /// Returns the result of a visitor, from the leaves up.
    template <where_visitor Visitor>
    [[nodiscard]] auto visit(Visitor&& visitor) const {
        return visit_at(0, visitor);
    }

    /// Returns true if a row matches; `cell_of(const column&)` returns its value as a `cell`.
    template <cell_source CellOf>
    [[nodiscard]] bool matches(CellOf&& cell_of) const {
        return matches_if(
            [&](const Leaf& condition) { return holds(condition, cell_of(condition.subject)); });
    }
    /// Like matches(), with `meets(const leaf&)` to test a condition. Conditions are tested from
    /// left to right, and only until the outcome is decided.
    template <std::predicate<const Leaf&> Meets>
    [[nodiscard]] bool matches_if(Meets&& meets) const {
        return is_true(0, meets);
    }

    friend bool operator==(const basic_where&, const basic_where&) = default;

private:
    friend class where_builder;

    basic_where(std::vector<node> nodes, std::vector<Leaf> leaves) noexcept
        : nodes_(std::move(nodes)), leaves_(std::move(leaves)) {}
    basic_where(where_kind kind, std::vector<basic_where> operands) {
        std::size_t nodes = 1, leaves = 0;
        for (const basic_where& operand : operands) {
            nodes += operand.nodes_.size();
            leaves += operand.leaves_.size();
        }
        nodes_.reserve(nodes);
        leaves_.reserve(leaves);
        nodes_.push_back({kind});
        for (basic_where& operand : operands) {
            const auto first = static_cast<std::uint32_t>(leaves_.size());
            for (node moved : operand.nodes_) {
                if (moved.kind == where_kind::leaf) moved.leaf += first;
                nodes_.push_back(moved);
            }
            for (Leaf& moved : operand.leaves_) leaves_.push_back(std::move(moved));
        }
        nodes_[0].size = static_cast<std::uint32_t>(nodes_.size());
    }

    template <class Action>
    void for_each_child(std::size_t parent, Action action) const {
        for (std::size_t child = parent + 1; child < parent + nodes_[parent].size;
             child += nodes_[child].size) {
            action(child);
        }
    }
    template <class Visitor>
    [[nodiscard]] auto visit_at(std::size_t at, Visitor& visitor) const
        -> decltype(visitor.leaf(std::declval<const Leaf&>())) {
        const node& top = nodes_[at];
        if (top.kind == where_kind::leaf) return visitor.leaf(leaves_[top.leaf]);
        if (top.kind == where_kind::negation) return visitor.negation(visit_at(at + 1, visitor));
        std::vector<decltype(visitor.leaf(std::declval<const Leaf&>()))> operands;
        operands.reserve(std::min<std::size_t>(top.size - 1, leaves_.size()));
        for_each_child(at,
                       [&](std::size_t child) { operands.push_back(visit_at(child, visitor)); });
        return visitor.group(top.kind, std::move(operands));
    }
    template <class Holds>
    [[nodiscard]] bool is_true(std::size_t at, const Holds& holds_at) const {
        const node& top = nodes_[at];
        if (top.kind == where_kind::leaf) return holds_at(leaves_[top.leaf]);
        if (top.kind == where_kind::negation) return !is_true(at + 1, holds_at);
        // The first child that fails decides an AND, the first that holds an OR.
        const bool deciding = top.kind == where_kind::disjunction;
        bool decided = false;
        for_each_child(at, [&](std::size_t child) {
            decided = decided || is_true(child, holds_at) == deciding;
        });
        return decided == deciding;
    }

    std::vector<node> nodes_{};
    std::vector<Leaf> leaves_{};
};

/// A condition on a row: a column and a test.
struct leaf {
    column subject{};
    column_test test{};
    std::string_view param{};  ///< the parameter that it comes from; static text, empty if none
    bool is_window = false;    ///< a list's window of time, which moves while its pages are read

    /// Compares column and test.
    friend bool operator==(const leaf& a, const leaf& b) noexcept {
        return a.subject == b.subject && detail::hold_equal(a.test, b.test);
    }
};

/// Returns true if a row's value in the leaf's column meets its test.
[[nodiscard]] inline bool holds(const leaf& condition, const cell& value) {
    return detail::visit_as<bool>(detail::cell_test{value, condition.subject}, condition.test);
}

/// Returns the cell of a records column. `cell_of(record, column)` returns a record's value in a
/// column of theirs. Views the records.
///
/// ```
/// return records_cell(order.lines, [](const order_line& line, const column& subject) -> cell {
///     return subject.name == "sku" ? cell(line.sku) : cell(line.count);
/// });
/// ```
template <class Records, class CellOf>
    requires std::is_invocable_r_v<
        cell, const CellOf&, decltype(*std::begin(std::declval<const Records&>())), const column&>
[[nodiscard]] record_lookup records_cell(const Records& records, CellOf cell_of) {
    return [&records, cell_of = std::move(cell_of)](const where& wanted) {
        for (const auto& record : records) {
            if (wanted.matches(
                    [&](const column& subject) { return cell(cell_of(record, subject)); }))
                return true;
        }
        return false;
    };
}
template <class Records, class CellOf>
record_lookup records_cell(const Records&& records, CellOf cell_of) = delete;

namespace detail {

/// Returns the error of an engine that doesn't answer a condition's test: test_unanswered, with the
/// parameter or the column.
[[nodiscard]] inline tl::unexpected<error> unanswered(const leaf& refused) {
    error why = make_error(rule::test_unanswered);
    why.param = refused.param.empty() ? refused.subject.name : refused.param;
    why.accepts = record_of(kind_of(refused.test)).refused;
    return tl::unexpected<error>(why);
}

}  // namespace detail

/// Returns the first condition whose test a set lacks, also among conditions on records; null if
/// the set has all. Skips tests that a column can't have at all.
[[nodiscard]] inline const leaf* find_unanswered(const where& rows, const test_set& answered) {
    for (const leaf& condition : rows.leaves()) {
        const test_kind kind = kind_of(condition.test);
        if (allows_test(condition.subject, condition.test) &&
            !answered.has(kind, condition.subject)) {
            return &condition;
        }
        const auto* const records = std::get_if<record_test>(&condition.test);
        const leaf* const inner = records ? find_unanswered(records->wanted(), answered) : nullptr;
        if (inner != nullptr) return inner;
    }
    return nullptr;
}
/// Checks that an engine answers every test of some conditions. Error: test_unanswered, with the
/// parameter or the column of the first one that it can't answer.
[[nodiscard]] inline result<void> check_answered(const where& rows, const test_set& answered) {
    const leaf* const refused = find_unanswered(rows, answered);
    if (refused == nullptr) return {};
    return detail::unanswered(*refused);
}

/// Returns true if the conditions are a conjunction of leaves.
[[nodiscard]] inline bool is_list_of_leaves(const where& rows) noexcept {
    return rows.nodes()[0].kind == where_kind::conjunction &&
           rows.nodes().size() == 1 + rows.leaves().size();
}

}  // namespace sluice

#endif
