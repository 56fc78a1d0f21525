// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_QUERY_HPP
#define SLUICE_METADATA_QUERY_HPP

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <sluice/base/parse_limits.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/detail/parser.hpp>
#include <sluice/metadata/detail/scanner.hpp>
#include <sluice/metadata/detail/tree.hpp>
#include <sluice/metadata/expression.hpp>

/// Metadata queries: parsing and writing the text of a query.
namespace sluice {

namespace detail {

/// Returns true if a value without quotes parses back to itself.
constexpr bool can_be_bare(std::string_view value) noexcept {
    return !value.empty() && !is_metadata_operator(value[0]) &&
           std::none_of(value.begin(), value.end(), [](char byte) {
               return is_space(byte) || is_metadata_mark(byte) || byte == ')';
           });
}

/// Appends a text in the kind of quotes that needs fewer escapes.
constexpr void append_quoted(std::string& out, std::string_view text) {
    const auto uses = [&](char quote) { return std::count(text.begin(), text.end(), quote); };
    const char quote = uses('\'') > uses('"') ? '"' : '\'';
    out.push_back(quote);
    for (const char byte : text) {
        if (byte == quote || byte == '\\') out.push_back('\\');
        out.push_back(byte);
    }
    out.push_back(quote);
}

/// Returns true if a child needs parentheses to stay one child. AND binds tighter than OR, NOT
/// tighter than both, and a group inside a group of its own kind would merge with it.
constexpr bool needs_parentheses(metadata_node_kind parent, metadata_node_kind child) noexcept {
    using kind = metadata_node_kind;
    if (child == kind::disjunction) return true;
    return child == kind::conjunction && parent != kind::disjunction;
}

/// The spacing of an expression's text. The compact form has only spaces that keep two tokens
/// apart, so no text of the same tree is shorter.
enum class metadata_spacing : std::uint8_t {
    readable,  ///< NOT (metadata['a']:'b c' OR metadata['d']:e)
    compact,   ///< NOT(metadata['a']:'b c'OR metadata['d']:e)
};

/// Writes an expression's canonical text. Recurses as deep as the tree, 131 at most.
class metadata_writer {
public:
    metadata_writer(std::span<const metadata_node> nodes,
                    std::span<const metadata_condition> conditions,
                    metadata_spacing spacing) noexcept
        : nodes_(nodes),
          conditions_(conditions),
          is_readable_(spacing == metadata_spacing::readable) {}

    [[nodiscard]] std::string write() {
        if (!nodes_.empty()) write_node(0);
        return std::move(text_);
    }

private:
    /// The end of the text so far, which decides whether a space follows.
    enum class ending : std::uint8_t {
        open,    ///< nothing yet, or `(`
        word,    ///< AND, OR, NOT, or a bare value
        closed,  ///< `)`, or a quoted value
    };

    void write_node(std::size_t at) {
        switch (nodes_[at].kind) {
            case metadata_node_kind::condition:
                return write_condition(conditions_[nodes_[at].condition]);
            case metadata_node_kind::negation: write_word("NOT"); return write_child(at, at + 1);
            case metadata_node_kind::conjunction: return write_series(at, "AND");
            case metadata_node_kind::disjunction: return write_series(at, "OR");
        }
    }

    /// Writes the children of an AND or OR, with the keyword between them.
    void write_series(std::size_t at, std::string_view keyword) {
        for (std::size_t child = at + 1; child < at + nodes_[at].size;
             child += nodes_[child].size) {
            if (child > at + 1) write_word(keyword);
            write_child(at, child);
        }
    }

    /// Writes a child of a node, in parentheses if it needs them.
    void write_child(std::size_t parent, std::size_t child) {
        if (!needs_parentheses(nodes_[parent].kind, nodes_[child].kind)) return write_node(child);
        if (is_readable_ && ending_ == ending::word) text_.push_back(' ');
        text_.push_back('(');
        ending_ = ending::open;
        write_node(child);
        text_.push_back(')');
        ending_ = ending::closed;
    }

    void write_condition(const metadata_condition& condition) {
        write_word("metadata");
        for (const std::string& key : condition.path) {
            text_.push_back('[');
            append_quoted(text_, key);
            text_.push_back(']');
        }
        text_.append(to_string(condition.op));
        if (can_be_bare(condition.value)) {
            text_.append(condition.value);
            ending_ = ending::word;
        } else {
            append_quoted(text_, condition.value);
            ending_ = ending::closed;
        }
    }

    /// Writes a keyword or `metadata`, after a space if the end of the text needs one.
    void write_word(std::string_view word) {
        const bool is_apart =
            ending_ == ending::word || (is_readable_ && ending_ == ending::closed);
        if (is_apart) text_.push_back(' ');
        text_.append(word);
        ending_ = ending::word;
    }

    std::span<const metadata_node> nodes_;
    std::span<const metadata_condition> conditions_;
    bool is_readable_;
    ending ending_ = ending::open;
    std::string text_{};
};

}  // namespace detail

/// A function that returns the value at a path of metadata, or nullopt; see
/// metadata_query::matches.
template <class Lookup>
concept metadata_lookup =
    std::is_invocable_r_v<std::optional<scalar>, Lookup&, std::span<const std::string>>;

namespace detail {

/// Returns true if a text exceeds metadata_query_max_length. A UTF-16 code unit takes one to three
/// bytes of UTF-8, so most texts are decided by their size, without counting code units.
constexpr bool is_too_long(std::string_view text) noexcept {
    if (text.size() <= metadata_query_max_length) return false;
    return text.size() > 3 * metadata_query_max_length ||
           utf16_length(text) > metadata_query_max_length;
}

}  // namespace detail

class metadata_query;
result<metadata_query> parse_metadata_query(std::string_view text);

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
    friend bool operator==(const metadata_query& a, const metadata_query& b) noexcept {
        const auto same = [](auto left, auto right) {
            return std::equal(left.begin(), left.end(), right.begin(), right.end());
        };
        return a.tree_.get() == b.tree_.get() ||
               (same(a.nodes(), b.nodes()) && same(a.conditions(), b.conditions()));
    }

private:
    friend result<metadata_query> parse_metadata_query(std::string_view text);

    explicit metadata_query(detail::metadata_tree::handle tree) noexcept : tree_(std::move(tree)) {}

    /// Returns true if the subtree at a node holds. Recurses as deep as the tree, 131 at most.
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
[[nodiscard]] inline result<metadata_query> parse_metadata_query(std::string_view text) {
    if (detail::is_too_long(text)) return fail(rule::query_too_long, 0, text.size());
    if (text.find_first_not_of(detail::white_space) == text.npos) return metadata_query();
    const detail::metadata_limits limits{metadata_query_max_depth, metadata_query_max_conditions};
    detail::metadata_parser parser(text, limits);
    if (const auto done = parser.parse(); !done) return tl::unexpected<error>(done.error());
    return metadata_query(detail::metadata_tree::handle(parser.drafts()));
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

/// Orders expressions by their texts.
[[nodiscard]] inline std::strong_ordering operator<=>(const metadata_query& a,
                                                      const metadata_query& b) {
    return to_string(a) <=> to_string(b);
}
template <>
inline constexpr bool is_value<metadata_query> = true;

}  // namespace sluice

#endif
