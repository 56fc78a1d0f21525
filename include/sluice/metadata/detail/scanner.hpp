// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_DETAIL_SCANNER_HPP
#define SLUICE_METADATA_DETAIL_SCANNER_HPP

#include <array>
#include <cstddef>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/detail/tree.hpp>

/// The scanner of metadata expressions: their tokens, and the failures at them.
namespace sluice::detail {

constexpr bool is_metadata_quote(char byte) noexcept { return byte == '\'' || byte == '"'; }

constexpr bool is_metadata_word(char byte) noexcept {
    return is_letter(byte) || is_digit(byte) || byte == '_';
}

/// Returns true for the characters of operators. A bare value can't begin with one.
constexpr bool is_metadata_operator(char byte) noexcept {
    return byte == ':' || byte == '=' || byte == '!' || byte == '<' || byte == '>';
}

/// Returns true for quotes, brackets and `(`. A bare value can't have one.
constexpr bool is_metadata_mark(char byte) noexcept {
    return is_metadata_quote(byte) || byte == '[' || byte == ']' || byte == '(';
}

/// A token of other languages, and what to write instead.
struct metadata_slip {
    std::string_view written;
    std::string_view accepts;
};

/// Among slips with the same beginning the longest comes first.
inline constexpr std::array<metadata_slip, 7> operator_slips{{
    {"===", "write = instead of ==="},
    {"==", "write = instead of =="},
    {"=>", "write >= instead of =>"},
    {"=<", "write <= instead of =<"},
    {"<>", "write != instead of <>"},
    {"!==", "write != instead of !=="},
    {":=", "write = instead of :="},
}};
inline constexpr std::array<metadata_slip, 5> connective_slips{{
    {"&&", "write AND instead of &&"},
    {"||", "write OR instead of ||"},
    {"&", "write AND instead of &"},
    {"|", "write OR instead of |"},
    {",", "write AND or OR instead of the comma"},
}};

/// Splits a metadata expression into tokens. Callers look at the next token (`next`, `at_…`), which
/// moves over the white space before it, and then take it (`take_…`). Views the text.
class metadata_scanner {
public:
    explicit metadata_scanner(std::string_view text) noexcept : text_(text) {}

    /// Returns the number of bytes consumed so far.
    [[nodiscard]] std::size_t offset() const noexcept { return at_; }

    /// Returns true if no token is left.
    bool at_end() noexcept {
        skip_space();
        return at_ == text_.size();
    }
    /// Returns the next byte that isn't white space; a space at the end.
    char next() noexcept { return at_end() ? ' ' : text_[at_]; }
    /// Returns the offset of the next byte that isn't white space; the text's size at the end.
    std::size_t next_offset() noexcept {
        skip_space();
        return at_;
    }
    bool at_quote() noexcept { return is_metadata_quote(next()); }

    /// Returns true if the next word is `keyword`, in any case.
    bool at_keyword(std::string_view keyword) noexcept {
        if (to_lower(next()) != to_lower(keyword.front())) return false;  // rules out most words
        return equal_ignoring_case(rest().substr(0, keyword.size()), keyword) &&
               !is_word_at(at_ + keyword.size());
    }
    bool take_keyword(std::string_view keyword) noexcept {
        if (!at_keyword(keyword)) return false;
        at_ += keyword.size();
        return true;
    }
    /// Returns true if the next word is `metadata`, in lower case, with which paths begin.
    bool at_root() noexcept {
        skip_space();
        return rest().starts_with(root) && !is_word_at(at_ + root.size());
    }
    /// Takes the word that at_root() found.
    void take_root() noexcept { at_ += root.size(); }

    /// Takes the next byte if it is `expected`.
    bool take(char expected) noexcept { return next() == expected && take_at_once(expected); }
    /// Like take(char), without skipping white space.
    bool take_at_once(char expected) noexcept {
        const bool is_there = at_ < text_.size() && text_[at_] == expected;
        if (is_there) ++at_;
        return is_there;
    }
    bool take(std::string_view expected) noexcept {
        skip_space();
        const bool is_there = rest().starts_with(expected);
        if (is_there) at_ += expected.size();
        return is_there;
    }

    /// Returns the key or value that was taken last.
    [[nodiscard]] const metadata_text& taken() const noexcept { return taken_; }

    /// quoted = quote *( char / "\" quote / "\\" ) quote, from its first quote
    result<void> take_quoted() noexcept {
        const char quote = text_[at_++];
        metadata_text content{text_.substr(at_), false};
        for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] != '\\') continue;
            if (!can_escape(quote, at_ + 1)) return fail_escape();
            content.has_escapes = true;
            ++at_;
        }
        if (at_ == text_.size()) return fail_here(rule::query_quote);
        content.raw.remove_suffix(text_.size() - at_);
        ++at_;
        taken_ = content;
        return {};
    }

    /// bare = 1*char, up to white space, ")" or the end
    result<void> take_bare() noexcept {
        if (is_metadata_operator(next())) return fail(rule::query_bare, at_, 1);
        const std::size_t first = at_;
        while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ')') {
            if (is_metadata_mark(text_[at_])) return fail_bare(first);
            ++at_;
        }
        if (at_ == first) return fail_here(rule::query_value);
        taken_ = {text_.substr(first, at_ - first), false};
        return {};
    }

    /// Returns the slip that the operator at `first` is the beginning of, such as `==` or `=>`;
    /// null if there is none.
    [[nodiscard]] const metadata_slip* operator_slip(std::size_t first) const noexcept {
        if (at_ == text_.size() || !is_metadata_operator(text_[at_])) return nullptr;
        for (const metadata_slip& slip : operator_slips) {
            if (text_.substr(first).starts_with(slip.written)) return &slip;
        }
        return nullptr;
    }

    /// Returns the failure of a slip at an offset, with the advice what to write instead.
    [[nodiscard]] static tl::unexpected<error> fail_slip(rule broken, std::size_t at,
                                                         const metadata_slip& slip) noexcept {
        auto failure = fail(broken, at, slip.written.size());
        failure.value().accepts = slip.accepts;
        return failure;
    }

    /// Returns the failure of a token after a condition that is neither AND nor OR. In
    /// `metadata['a']:1, metadata['b']:2` the comma was read as the end of a bare value, `1,`: then
    /// it is at fault, and not the word after it.
    [[nodiscard]] tl::unexpected<error> fail_after_condition() noexcept {
        skip_space();
        for (const metadata_slip& slip : connective_slips) {
            if (rest().starts_with(slip.written)) {
                return fail_slip(rule::query_connective, at_, slip);
            }
        }
        std::size_t end = at_;
        while (is_space(text_[end - 1])) --end;
        if (const auto* const slip = connective_before(end)) {
            return fail_slip(rule::query_connective, end - slip->written.size(), *slip);
        }
        return fail_here(rule::query_end);
    }

    /// Returns the failure of the next token: a whole word, any other character, or at the end a
    /// failure of length 0.
    [[nodiscard]] tl::unexpected<error> fail_here(rule broken) noexcept {
        skip_space();
        std::size_t end = at_;
        while (is_word_at(end)) ++end;
        return fail(broken, at_, end > at_ ? end - at_ : character_size(at_));
    }

private:
    static constexpr std::string_view root = "metadata";

    [[nodiscard]] std::string_view rest() const noexcept {
        return {text_.data() + at_, text_.size() - at_};
    }
    [[nodiscard]] bool is_word_at(std::size_t at) const noexcept {
        return at < text_.size() && is_metadata_word(text_[at]);
    }
    void skip_space() noexcept {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }

    /// Returns the failure of a mark in a bare value. If the mark belongs to the next condition,
    /// the connective between the two is at fault: `metadata['a']:1&&metadata['b']:2`.
    [[nodiscard]] tl::unexpected<error> fail_bare(std::size_t first) const noexcept {
        const bool has_root = text_.substr(first, at_ - first).ends_with(root);
        const std::size_t end = text_[at_] == '[' && has_root ? at_ - root.size() : at_;
        if (const auto* const slip = connective_before(end)) {
            return fail_slip(rule::query_connective, end - slip->written.size(), *slip);
        }
        return fail(rule::query_bare, at_, 1);
    }

    /// Returns the connective of another language that ends at `end`, or null.
    [[nodiscard]] const metadata_slip* connective_before(std::size_t end) const noexcept {
        for (const metadata_slip& slip : connective_slips) {
            if (text_.substr(0, end).ends_with(slip.written)) return &slip;
        }
        return nullptr;
    }

    /// Returns the failure of a backslash and the character after it.
    [[nodiscard]] tl::unexpected<error> fail_escape() const noexcept {
        return fail(rule::query_escape, at_, 1 + character_size(at_ + 1));
    }

    /// Returns true if a backslash in a text with these quotes may come before the byte at `at`.
    [[nodiscard]] bool can_escape(char quote, std::size_t at) const noexcept {
        return at < text_.size() && (text_[at] == quote || text_[at] == '\\');
    }

    /// Returns the size of the code point at `at`, in bytes; 0 at the end.
    [[nodiscard]] std::size_t character_size(std::size_t at) const noexcept {
        return at < text_.size() ? decode_utf8(text_, at).size : 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    metadata_text taken_{};  // the last key or value
};

}  // namespace sluice::detail

#endif
