// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_DETAIL_WRITER_HPP
#define SLUICE_METADATA_DETAIL_WRITER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/metadata/detail/scanner.hpp>
#include <sluice/metadata/expression.hpp>

namespace sluice::detail {

/// Returns true if the writer needs no quotes for a value to be parsed back.
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

    void write_series(std::size_t at, std::string_view keyword) {
        for (std::size_t child = at + 1; child < at + nodes_[at].size;
             child += nodes_[child].size) {
            if (child > at + 1) write_word(keyword);
            write_child(at, child);
        }
    }

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

}  // namespace sluice::detail

#endif
