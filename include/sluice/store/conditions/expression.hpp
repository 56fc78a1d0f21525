// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_EXPRESSION_HPP
#define SLUICE_STORE_CONDITIONS_EXPRESSION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/store/conditions/code_set.hpp>
#include <sluice/store/conditions/explanation.hpp>

/// Conditions on rows: boolean expressions of them, and selections.
namespace sluice::store {

/// A condition of an expression: the rows whose code in a column is in a set. A code is the number
/// of a value in its column's dictionary, and columns are numbered by their place in the table.
struct condition {
    std::size_t column;
    code_set accepted;
    condition_source from{};
};

class scan_budget;  // the work that a scan may still do; see scan_budget.hpp

/// A test of many rows at once, by their codes in a column. Empty without `keep`.
struct code_test {
    /// Bit i % 64 of word i / 64 is the row of `codes[i]`. Clears the set bits of rows that fail,
    /// and returns the number of codes that it examined. Once the budget is spent, the remaining
    /// bits are unspecified.
    using keep_rows = std::size_t(std::span<const code> codes, std::uint64_t* rows,
                                  scan_budget& budget);

    std::size_t column = 0;
    std::function<keep_rows> keep{};
};

/// A boolean expression of conditions on rows, of any depth:
///
/// ```
/// const auto where = expression::any({expression::leaf({3, code_set({7})}),
///                                     expression::negation(expression::leaf({4, code_set()}))});
/// ```
///
/// Stored as a list of nodes, each after its operands. Negations are applied to the leaves at once.
/// Constants are folded: they are removed, or the whole expression is one.
///
/// ```
/// all(a, any(b, c))          nodes:  a | b | c | any 2 | all 2
/// negation(all(a, b))                !a | !b | any 2
/// ```
class expression {
public:
    enum class kind : std::uint8_t { constant, condition, test, all, any };
    using row_test = std::function<bool(std::size_t row)>;

    struct node {
        kind what;
        bool value = true;           ///< value of a constant; expected result of a test
        std::size_t operands = 0;    ///< number of operands, for all and any
        std::size_t nodes = 1;       ///< size of the subtree, which ends here
        store::condition rows = {};  ///< for a condition
        row_test test = {};          ///< for a test of rows
        code_test codes = {};        ///< for a test of codes
        condition_source from = {};  ///< for a test
    };

    [[nodiscard]] static expression constant(bool value) {
        return expression({.what = kind::constant, .value = value});
    }
    /// Makes an expression of the rows that meet a condition.
    [[nodiscard]] static expression leaf(condition rows) {
        return expression({.what = kind::condition, .rows = std::move(rows)});
    }
    /// Makes an expression of the rows that pass a test, called with row numbers of the snapshot.
    /// It is called only for rows that earlier operands leave undecided.
    [[nodiscard]] static expression test(row_test passes, const condition_source& from = {}) {
        return expression({.what = kind::test, .test = std::move(passes), .from = from});
    }
    [[nodiscard]] static expression test(code_test passes, const condition_source& from = {}) {
        return expression({.what = kind::test, .codes = std::move(passes), .from = from});
    }
    /// Makes the intersection of the operands; every row if there are none.
    [[nodiscard]] static expression all(std::vector<expression> operands) {
        return expression(kind::all, std::move(operands));
    }
    /// Makes the union of the operands; no row if there are none.
    [[nodiscard]] static expression any(std::vector<expression> operands) {
        return expression(kind::any, std::move(operands));
    }
    /// Makes an expression of the rows that aren't in `operand`.
    [[nodiscard]] static expression negation(expression operand) {
        for (node& negated : operand.nodes_) negate(negated);
        return operand;
    }

    /// Returns the nodes, at least one; the root is the last.
    [[nodiscard]] std::span<const node> nodes() const noexcept { return nodes_; }

private:
    explicit expression(node only) { nodes_.push_back(std::move(only)); }
    /// Makes an `all` or `any` of operands, whose constants are folded.
    expression(kind what, std::vector<expression> operands) {
        merge_ranges(what, operands);
        const bool neutral = what == kind::all;  // the constant that changes nothing
        std::size_t count = 0;
        for (expression& operand : operands) {
            const node& root = operand.nodes_.back();
            if (root.what != kind::constant) {
                count += take(what, std::move(operand.nodes_));
            } else if (root.value != neutral) {
                nodes_ = std::move(operand.nodes_);
                return;
            }
        }
        if (count == 0) nodes_.push_back({.what = kind::constant, .value = neutral});
        if (count <= 1) return;
        const std::size_t nodes = nodes_.size() + 1;
        nodes_.push_back({.what = what, .operands = count, .nodes = nodes});
    }

    /// Merges conditions that are ranges of one column into one condition.
    static void merge_ranges(kind what, std::vector<expression>& operands) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            node& into = operands[i].nodes_.back();
            if (into.what != kind::condition || !into.rows.accepted.has_ranges()) continue;
            const auto is_merged = [&](const expression& operand) {
                const node& root = operand.nodes_.back();
                return root.what == kind::condition && root.rows.column == into.rows.column &&
                       into.rows.accepted.merge(root.rows.accepted, what == kind::all);
            };
            const auto others = operands.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            operands.erase(std::remove_if(others, operands.end(), is_merged), operands.end());
        }
    }

    /// Appends an operand's nodes, or its operands if it is of the same kind. Returns the number of
    /// operands added.
    std::size_t take(kind what, std::vector<node> operand) {
        std::size_t count = 1;
        if (operand.back().what == what) {
            count = operand.back().operands;
            operand.pop_back();
        }
        if (nodes_.empty()) {
            nodes_ = std::move(operand);
        } else {
            std::ranges::move(operand, std::back_inserter(nodes_));
        }
        return count;
    }
    /// Negates a leaf, or by De Morgan's laws a group whose operands are negated too.
    static void negate(node& negated) noexcept {
        switch (negated.what) {
            case kind::constant:
            case kind::test: negated.value = !negated.value; return;
            case kind::condition: negated.rows.accepted.flip(); return;
            case kind::all: negated.what = kind::any; return;
            case kind::any: negated.what = kind::all; return;
        }
    }

    std::vector<node> nodes_;
};

/// A bound of time that all rows meet.
inline constexpr std::int64_t least_time = std::numeric_limits<std::int64_t>::min();

/// The rows of a snapshot that a query selects: those that lie in both ranges and meet all
/// conditions. Times are in milliseconds since 1970, rows are numbers in the snapshot.
struct selection {
    std::int64_t first_time = least_time;                               ///< inclusive
    std::int64_t last_time = std::numeric_limits<std::int64_t>::max();  ///< inclusive
    std::size_t first_row = 0;                                          ///< inclusive
    std::size_t end_row = std::numeric_limits<std::size_t>::max();      ///< exclusive
    std::vector<condition> conditions{};          ///< all must hold; cheaper here than in `where`
    std::optional<expression> where{};            ///< must hold, too
    std::function<bool(std::size_t row)> test{};  ///< called last, for rows that meet the rest
};

/// The rows of a page, in its order, and if there are rows before and after it.
struct row_page {
    std::vector<std::size_t> rows{};
    bool has_next = false;
    bool has_previous = false;  ///< only set for a page at a cursor
};

}  // namespace sluice::store

#endif
