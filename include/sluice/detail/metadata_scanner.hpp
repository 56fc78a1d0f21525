// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_METADATA_SCANNER_HPP
#define SLUICE_DETAIL_METADATA_SCANNER_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/detail/ascii.hpp>
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
    bool at_byte(char expected) noexcept { return !at_end() && text_[at_] == expected; }
    bool at_quote() noexcept { return !at_end() && is_metadata_quote(text_[at_]); }

    /// Whether the next word is this one, in any case.
    bool at_keyword(std::string_view keyword) noexcept {
        return equal_ignoring_case(word(), keyword);
    }

    /// The longest run of letters, digits and `_`; empty where another byte stands.
    std::string_view word() noexcept {
        skip_space();
        std::size_t end = at_;
        while (end < text_.size() && is_metadata_word(text_[end])) ++end;
        return text_.substr(at_, end - at_);
    }

    void take_word() noexcept { at_ += word().size(); }

    /// Takes these bytes where they stand next.
    bool take(std::string_view expected) noexcept {
        if (at_end() || !text_.substr(at_).starts_with(expected)) return false;
        at_ += expected.size();
        return true;
    }

    /// quoted = quote *( char / "\" quote / "\\" ) quote, from its first quote
    result<std::string> take_quoted() {
        const char quote = text_[at_++];
        std::string content;
        for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\\') {
                if (!can_escape(quote, at_ + 1)) return fail_escape();
                ++at_;
            }
            content.push_back(text_[at_]);
        }
        if (at_ == text_.size()) return fail_here(rule::query_quote);
        ++at_;
        return content;
    }

    /// bare = 1*char, up to white space, ")" or the end
    result<std::string> take_bare() {
        skip_space();
        const std::size_t first = at_;
        while (at_ < text_.size() && !is_metadata_space(text_[at_]) && text_[at_] != ')') ++at_;
        if (at_ == first) return fail_here(rule::query_value);
        return std::string(text_.substr(first, at_ - first));
    }

    /// Fails at the next token: a word, another character, or the end, with length 0.
    [[nodiscard]] tl::unexpected<error> fail_here(rule broken) noexcept {
        const std::size_t length = word().size();
        return fail(broken, at_, length > 0 ? length : character_size(at_));
    }

private:
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
