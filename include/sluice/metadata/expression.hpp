// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_EXPRESSION_HPP
#define SLUICE_METADATA_EXPRESSION_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/base/decimal.hpp>

/// The parts of a metadata expression: values, conditions and the nodes of its tree.
namespace sluice {

/// A JSON string, number or boolean, which the conditions of an expression compare. It borrows its
/// text.
struct scalar {
    enum class kind : std::uint8_t { string, number, boolean };

    kind type = kind::string;
    std::string_view text{};  ///< a string's value without escapes; a number's or boolean's JSON

    [[nodiscard]] static constexpr scalar string(std::string_view value) noexcept {
        return {kind::string, value};
    }
    [[nodiscard]] static constexpr scalar number(std::string_view json) noexcept {
        return {kind::number, json};
    }
    [[nodiscard]] static constexpr scalar boolean(bool value) noexcept {
        return {kind::boolean, value ? "true" : "false"};
    }

    friend constexpr bool operator==(const scalar&, const scalar&) = default;
};

/// Parses a key of a path as the index of an array; nullopt if it isn't one.
///
/// ```
/// index = "0" / ( digit1-9 *DIGIT )
/// ```
[[nodiscard]] inline std::optional<std::size_t> parse_array_index(std::string_view key) noexcept {
    if (key.empty() || (key.size() > 1 && key.starts_with('0'))) return std::nullopt;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    std::size_t index = 0;
    for (const char byte : key) {
        if (byte < '0' || byte > '9') return std::nullopt;
        const auto digit = static_cast<std::size_t>(byte - '0');
        if (index > most / 10 || index * 10 > most - digit) return std::nullopt;
        index = index * 10 + digit;
    }
    return index;
}

/// The comparison of a condition. `:` and `=` are one operator.
enum class metadata_operator : std::uint8_t {
    equal,          ///< `:` or `=`
    not_equal,      ///< `!=`
    greater,        ///< `>`
    greater_equal,  ///< `>=`
    less,           ///< `<`
    less_equal,     ///< `<=`
};

/// Returns the operator as in canonical text.
[[nodiscard]] constexpr std::string_view to_string(metadata_operator op) noexcept {
    switch (op) {
        case metadata_operator::equal: return ":";
        case metadata_operator::not_equal: return "!=";
        case metadata_operator::greater: return ">";
        case metadata_operator::greater_equal: return ">=";
        case metadata_operator::less: return "<";
        case metadata_operator::less_equal: return "<=";
    }
    return ":";
}

/// Returns true if the operator compares numbers only: `>`, `>=`, `<`, `<=`.
[[nodiscard]] constexpr bool is_ordering(metadata_operator op) noexcept {
    return op != metadata_operator::equal && op != metadata_operator::not_equal;
}

/// A condition, `metadata['a']['b'] >= 10`. It views the query that holds it; valid while a copy of
/// that lives.
struct metadata_condition {
    std::span<const std::string> path{};  ///< the keys, outermost first; at least one
    metadata_operator op = metadata_operator::equal;
    std::string_view value{};                 ///< the right side, without quotes and escapes
    std::optional<detail::decimal> number{};  ///< `value` as a number, if it is a JSON number
    std::uint32_t offset = 0;                 ///< of the condition in the parsed text, in bytes
    std::uint32_t length = 0;                 ///< of the condition there, in bytes

    /// Returns true if the condition holds for the value at `path`; nullopt stands for one that
    /// can't be compared (absent, null, object, array).
    ///
    /// | operator | left side | holds if |
    /// |---|---|---|
    /// | `:` `=` | string, boolean | both texts have the same bytes |
    /// | `:` `=` | number | both texts have the same bytes, or are equal numbers |
    /// | `:` `=` | nullopt | never |
    /// | `!=` | any, nullopt | `=` does not hold |
    /// | `>` `>=` `<` `<=` | number, string with a JSON number | both are numbers in that order |
    /// | `>` `>=` `<` `<=` | any other, nullopt | never |
    [[nodiscard]] constexpr bool matches(const std::optional<scalar>& left) const noexcept {
        const auto read = [&] { return detail::parse_decimal(left->text); };
        return matches_reading(left, read);
    }
    /// Like matches(left), if the caller has parsed the text of `left` as a number; nullopt if it
    /// is none.
    [[nodiscard]] constexpr bool matches(
        const std::optional<scalar>& left,
        const std::optional<detail::decimal>& left_number) const noexcept {
        return matches_reading(left, [&]() -> const auto& { return left_number; });
    }

    friend constexpr bool operator==(const metadata_condition& a,
                                     const metadata_condition& b) noexcept {
        return a.op == b.op && a.value == b.value &&
               std::equal(a.path.begin(), a.path.end(), b.path.begin(), b.path.end());
    }

private:
    /// Like matches(left). `read()` returns the text of `left` as a number, or nullopt, and is
    /// called only if the comparison needs that.
    template <class Read>
    [[nodiscard]] constexpr bool matches_reading(const std::optional<scalar>& left,
                                                 const Read& read) const noexcept {
        if (op == metadata_operator::not_equal) return !left || !is_equal(*left, read);
        if (op == metadata_operator::equal) return left && is_equal(*left, read);
        return left && is_in_order(read());
    }

    /// Returns true if `=` holds for a value.
    template <class Read>
    [[nodiscard]] constexpr bool is_equal(const scalar& left, const Read& read) const noexcept {
        if (left.text == value) return true;
        if (left.type != scalar::kind::number || !number) return false;
        const std::optional<detail::decimal>& left_number = read();
        return left_number && detail::compare(*left_number, *number) == 0;
    }

    /// Compares as numbers. False if either side is none, as a boolean's text.
    [[nodiscard]] constexpr bool is_in_order(
        const std::optional<detail::decimal>& left_number) const noexcept {
        if (!left_number || !number) return false;
        const std::strong_ordering order = detail::compare(*left_number, *number);
        switch (op) {
            case metadata_operator::greater: return order > 0;
            case metadata_operator::greater_equal: return order >= 0;
            case metadata_operator::less: return order < 0;
            case metadata_operator::less_equal: return order <= 0;
            case metadata_operator::equal:
            case metadata_operator::not_equal: break;
        }
        return false;
    }
};

/// The kind of a node in an expression tree.
enum class metadata_node_kind : std::uint8_t {
    condition,    ///< a leaf
    negation,     ///< NOT: one child
    conjunction,  ///< AND: two or more children
    disjunction,  ///< OR: two or more children
};

/// A node of an expression tree. Trees are flat lists, in which a node comes before its
/// descendants:
///
/// ```
/// metadata['a']:1 AND NOT (metadata['b']:2 OR metadata['c']:3)
///
/// at  kind               size  condition
/// 0   conjunction        6                the root; its children are 1 and 1 + 1 = 2
/// 1     condition        1     0          metadata['a']:1
/// 2     negation         4
/// 3       disjunction    3
/// 4         condition    1     1          metadata['b']:2
/// 5         condition    1     2          metadata['c']:3
/// ```
///
/// The children of node `n`: `for (c = n + 1; c < n + nodes[n].size; c += nodes[c].size)`.
/// No branch has more than 131 nodes, so that recursion over a tree is safe: the text and its 64
/// nested groups (metadata_query_max_depth) may be an OR of ANDs, which makes 65 * 2, and a leaf.
struct metadata_node {
    metadata_node_kind kind = metadata_node_kind::condition;
    std::uint32_t size = 1;       ///< nodes in this subtree, itself included
    std::uint32_t condition = 0;  ///< a leaf's index among the conditions, else 0

    friend constexpr bool operator==(const metadata_node&, const metadata_node&) = default;
};

}  // namespace sluice

#endif
