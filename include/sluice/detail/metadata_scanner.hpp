// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_METADATA_SCANNER_HPP
#define SLUICE_DETAIL_METADATA_SCANNER_HPP

#include <cstddef>
#include <string_view>

#include <sluice/detail/ascii.hpp>
#include <sluice/detail/metadata_tree.hpp>
#include <sluice/detail/unicode.hpp>
#include <sluice/error.hpp>

namespace sluice::detail {

/// White space between the tokens of a metadata expression.
constexpr bool is_metadata_space(char byte) noexcept {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

constexpr bool is_metadata_quote(char byte) noexcept { return byte == '\'' || byte == '"'; }

constexpr bool is_metadata_word(char byte) noexcept {
    return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '_';
}

/// The tokens of a metadata expression, one by one. What stands next is asked for (`at_…`, `word`)
/// and then taken; both skip the white space before a token.
class metadata_scanner {
public:
    explicit metadata_scanner(std::string_view text) noexcept : text_(text) {}

    /// Bytes consumed so far.
    [[nodiscard]] std::size_t offset() const noexcept { return at_; }

    bool at_end() noexcept {
        skip_space();
        return at_ == text_.size();
    }
    /// The next byte that is no white space; a space at the end.
    char next() noexcept { return at_end() ? ' ' : text_[at_]; }
    bool at_quote() noexcept { return is_metadata_quote(next()); }

    /// Whether the next word is this one, in any case.
    bool at_keyword(std::string_view keyword) noexcept {
        skip_space();
        return equal_ignoring_case(rest().substr(0, keyword.size()), keyword) &&
               !is_word_at(at_ + keyword.size());
    }
    bool take_keyword(std::string_view keyword) noexcept {
        if (!at_keyword(keyword)) return false;
        at_ += keyword.size();
        return true;
    }
    /// Whether the next word is the one that begins a path, in lower case.
    bool at_root() noexcept { return at_keyword(root) && rest().starts_with(root); }
    void take_root() noexcept { take_keyword(root); }

    /// Takes this byte where it stands next.
    bool take(char expected) noexcept { return next() == expected && take_at_once(expected); }
    /// The same without white space before it.
    bool take_at_once(char expected) noexcept {
        const bool there = at_ < text_.size() && text_[at_] == expected;
        if (there) ++at_;
        return there;
    }
    bool take(std::string_view expected) noexcept {
        skip_space();
        const bool there = rest().starts_with(expected);
        if (there) at_ += expected.size();
        return there;
    }

    /// quoted = quote *( char / "\" quote / "\\" ) quote, from its first quote
    result<metadata_text> take_quoted() noexcept {
        const char quote = text_[at_++];
        metadata_text content{text_.substr(at_), false};
        for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] != '\\') continue;
            if (!can_escape(quote, at_ + 1)) return fail_escape();
            content.escaped = true;
            ++at_;
        }
        if (at_ == text_.size()) return fail_here(rule::query_quote);
        content.raw.remove_suffix(text_.size() - at_);
        ++at_;
        return content;
    }

    /// bare = 1*char, up to white space, ")" or the end
    result<metadata_text> take_bare() noexcept {
        skip_space();
        const std::size_t first = at_;
        while (at_ < text_.size() && !is_metadata_space(text_[at_]) && text_[at_] != ')') ++at_;
        if (at_ == first) return fail_here(rule::query_value);
        return metadata_text{text_.substr(first, at_ - first), false};
    }

    /// Fails at the next token: a word, another character, or the end, with length 0.
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
        while (at_ < text_.size() && is_metadata_space(text_[at_])) ++at_;
    }

    /// Fails at a backslash and the character after it.
    [[nodiscard]] tl::unexpected<error> fail_escape() const noexcept {
        return fail(rule::query_escape, at_, 1 + character_size(at_ + 1));
    }

    [[nodiscard]] bool can_escape(char quote, std::size_t at) const noexcept {
        return at < text_.size() && (text_[at] == quote || text_[at] == '\\');
    }

    /// The bytes of the code point at `at`; 0 at the end.
    [[nodiscard]] std::size_t character_size(std::size_t at) const noexcept {
        return at < text_.size() ? decode_utf8(text_, at).size : 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace sluice::detail

#endif
