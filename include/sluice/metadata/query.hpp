// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_QUERY_HPP
#define SLUICE_METADATA_QUERY_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <sluice/base/parse_limits.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/detail/parser.hpp>
#include <sluice/metadata/detail/scanner.hpp>
#include <sluice/metadata/detail/tree.hpp>
#include <sluice/metadata/detail/writer.hpp>
#include <sluice/metadata/expression.hpp>

namespace sluice {

/// A function that returns the value at a path of metadata, if any; see metadata_query::matches.
template <class Lookup>
concept metadata_lookup =
    std::is_invocable_r_v<std::optional<scalar>, Lookup&, std::span<const std::string>>;

namespace detail {

/// Returns true if a text exceeds metadata_query_max_length. A code unit takes one to three bytes,
/// so only texts of a size between are counted.
constexpr bool is_too_long(std::string_view text) noexcept {
    if (text.size() <= metadata_query_max_length) return false;
    return text.size() > 3 * metadata_query_max_length ||
           utf16_length(text) > metadata_query_max_length;
}

}  // namespace detail

class metadata_query;
template <std::same_as<metadata_query> Query = metadata_query>
result<Query> parse_metadata_query(std::string_view text);

/// A filter by metadata: an immutable expression tree, cheap to copy, safe to share between
/// threads. It matches any data in which paths can be looked up:
///
/// ```
/// const auto query = sluice::parse_metadata_query("metadata['plan']:pro");
/// const std::map<std::string, std::string> metadata{{"plan", "pro"}};
/// const auto lookup = [&](std::span<const std::string> path) -> std::optional<sluice::scalar> {
///     const auto entry = path.size() == 1 ? metadata.find(path[0]) : metadata.end();
///     if (entry == metadata.end()) return std::nullopt;
///     return sluice::scalar::string(entry->second);
/// };
/// (*query).matches(lookup);  // true
/// ```
class metadata_query {
public:
    using lends_views = std::span<const metadata_condition>;

    /// Makes the blank expression.
    metadata_query() = default;

    /// Returns true if the expression is blank, and so matches everything.
    [[nodiscard]] bool empty() const noexcept { return tree_.get() == nullptr; }

    /// Returns the tree, the root first; empty if the query is. Valid while a copy of the query
    /// lives.
    [[nodiscard]] std::span<const metadata_node> nodes() const& noexcept {
        if (empty()) return {};
        return tree_.get()->nodes();
    }
    std::span<const metadata_node> nodes() const&& = delete;

    /// Returns the conditions in the order of the text. Valid while a copy of the query lives.
    [[nodiscard]] std::span<const metadata_condition> conditions() const& noexcept {
        if (empty()) return {};
        return tree_.get()->conditions();
    }
    std::span<const metadata_condition> conditions() const&& = delete;

    /// Returns true if the expression holds. `lookup(std::span<const std::string> path)` returns
    /// the `std::optional<scalar>` at the path (the keys after `metadata`): nullopt if it is
    /// absent, null, an object or an array. Its text has to last until the next call. Conditions
    /// are tested from left to right, and only until the outcome is decided.
    template <metadata_lookup Lookup>
    [[nodiscard]] bool matches(Lookup&& lookup) const {
        return matches_if([&](std::size_t at) {
            const metadata_condition& condition = conditions()[at];
            return condition.matches(lookup(condition.path));
        });
    }
    /// Like matches(), with `holds(std::size_t condition)` to test a condition by its index.
    template <std::predicate<std::size_t> Holds>
    [[nodiscard]] bool matches_if(Holds&& holds) const {
        return empty() || is_true(*tree_.get(), 0, holds);
    }

    /// Returns true if both have the same tree. `:` or `=`, quotes, white space and needless
    /// parentheses make no difference; order and grouping do.
    template <std::same_as<metadata_query> Query>
    friend bool operator==(const Query& a, const Query& b) noexcept {
        const auto same = [](auto left, auto right) {
            return std::equal(left.begin(), left.end(), right.begin(), right.end());
        };
        return a.tree_.get() == b.tree_.get() ||
               (same(a.nodes(), b.nodes()) && same(a.conditions(), b.conditions()));
    }

private:
    template <std::same_as<metadata_query> Query>
    friend result<Query> parse_metadata_query(std::string_view text);

    explicit metadata_query(detail::metadata_tree::handle tree) noexcept : tree_(std::move(tree)) {}

    /// Recurses as deep as the tree, 131 at most.
    template <class Holds>
    static bool is_true(const detail::metadata_tree& tree, std::size_t at, Holds& holds) {
        const metadata_node node = tree.nodes()[at];
        if (node.kind == metadata_node_kind::condition) return holds(node.condition);
        if (node.kind == metadata_node_kind::negation) return !is_true(tree, at + 1, holds);
        // The first child that fails decides an AND, the first that holds an OR.
        const bool deciding = node.kind == metadata_node_kind::disjunction;
        for (std::size_t child = at + 1; child < at + node.size;) {
            if (is_true(tree, child, holds) == deciding) return deciding;
            child += tree.nodes()[child].size;
        }
        return !deciding;
    }

    detail::metadata_tree::handle tree_{};
};

/// Parses an expression over metadata; a blank text yields the empty query.
///
/// ```
/// expr      = and-expr *( OR and-expr )                 ; OR binds loosest
/// and-expr  = unary *( AND unary )
/// unary     = NOT unary / "(" expr ")" / condition
/// condition = path op value
/// path      = "metadata" 1*( "[" quoted "]" )
/// op        = ":" / "=" / "!=" / ">" / ">=" / "<" / "<="
/// value     = quoted / bare
/// quoted    = "'" *char "'" / DQUOTE *char DQUOTE       ; "\" escapes the quote and itself
/// bare      = 1*char                                    ; up to white space, ")" or the end; the
///                                                       ; first is none of : = ! < >, and none is
///                                                       ; a quote, bracket or parenthesis
/// ```
///
/// White space (space, tab, CR, LF) may surround each token; AND, OR and NOT are whole words in
/// any case. At most 10,000 UTF-16 code units, 64 levels of parentheses and NOTs, 256 conditions.
///
/// Errors: `query_too_long` for the whole text, before all others; otherwise the first in the text:
/// 400 `query_condition`, `query_key`, `query_bracket`, `query_operator`, `query_operator_unknown`,
/// `query_value`, `query_bare`, `query_quote`, `query_escape`, `query_parenthesis`,
/// `query_connective`, `query_end`, or 422 `query_number`, `query_too_deep`, `query_too_many`. Each
/// points at the wrong token; if a token is missing at the end, at the end with length 0.
template <std::same_as<metadata_query> Query>
[[nodiscard]] result<Query> parse_metadata_query(std::string_view text) {
    if (detail::is_too_long(text)) return fail(rule::query_too_long, 0, text.size());
    if (text.find_first_not_of(detail::white_space) == text.npos) return Query();
    const detail::metadata_limits limits{metadata_query_max_depth, metadata_query_max_conditions};
    detail::metadata_parser parser(text, limits);
    if (const auto done = parser.parse(); !done) return tl::unexpected<error>(done.error());
    return Query(detail::metadata_tree::handle(parser.drafts()));
}

/// Returns the canonical text, which `parse_metadata_query` always parses as an equal query.
///
/// ```
/// metadata [ "plan" ] = 'pro' and not ( metadata["n"] > '1' )
/// metadata['plan']:pro AND NOT metadata['n']>1
/// ```
///
/// Spaces that separate no tokens are left out if the text would otherwise be too long to parse.
/// The text of the empty query is empty.
[[nodiscard]] inline std::string to_string(const metadata_query& query) {
    using detail::metadata_spacing;
    const auto write = [&query](metadata_spacing spacing) {
        return detail::metadata_writer(query.nodes(), query.conditions(), spacing).write();
    };
    std::string text = write(metadata_spacing::readable);
    if (detail::utf16_length(text) <= metadata_query_max_length) return text;
    return write(metadata_spacing::compact);
}

}  // namespace sluice

#endif
