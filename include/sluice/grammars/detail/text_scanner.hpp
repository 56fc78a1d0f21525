// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_TEXT_SCANNER_HPP
#define SLUICE_GRAMMARS_DETAIL_TEXT_SCANNER_HPP

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/errors/error.hpp>

namespace sluice::detail {

/// A part of an expression's text, in bytes.
struct text_place {
    std::size_t offset = 0;
    std::size_t length = 0;
};

/// Returns the failure at a part of an expression, with advice: static text.
[[nodiscard]] inline tl::unexpected<error> fail_at(text_place place, any_rule broken,
                                                   std::string_view accepts = {}) {
    auto failure = fail(broken, place.offset, place.length);
    failure.value().accepts = accepts;
    return failure;
}

/// Takes tokens from the text of an expression, from left to right.
class text_scanner {
public:
    explicit text_scanner(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] std::size_t offset() const noexcept { return at_; }
    [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }
    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
    /// Returns the next byte; NUL at the end.
    [[nodiscard]] char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }

    /// Moves by some bytes that rest() has.
    void skip(std::size_t size) noexcept { at_ += size; }
    /// Moves back to an offset that was taken before.
    void return_to(std::size_t offset) noexcept { at_ = offset; }
    /// Moves past white space. Returns true if there is any.
    bool skip_space() noexcept {
        const std::size_t first = at_;
        while (!at_end() && is_space(text_[at_])) ++at_;
        return at_ > first;
    }
    /// Moves past a text if it is next, byte by byte. Returns true if it is.
    bool take(std::string_view text) noexcept {
        if (!equal_bytes(rest().substr(0, text.size()), text)) return false;
        at_ += text.size();
        return true;
    }
    bool take(char byte) noexcept {
        if (at_end() || text_[at_] != byte) return false;
        ++at_;
        return true;
    }
    /// Like take(), for a whole word in any case.
    bool take_word(std::string_view word) noexcept {
        return to_lower(peek()) == to_lower(word[0]) && take_other_bytes(word);
    }
    /// Takes bytes as long as `is_part(byte)` is true.
    template <class IsPart>
    std::string_view take_while(const IsPart& is_part) noexcept {
        const std::string_view left = rest();
        const auto end = std::find_if_not(left.begin(), left.end(), is_part);
        const auto size = static_cast<std::size_t>(end - left.begin());
        at_ += size;
        return left.substr(0, size);
    }

    /// Returns the place from an offset to here.
    [[nodiscard]] text_place since(std::size_t first) const noexcept {
        return {first, at_ - first};
    }
    /// Returns the text at a place.
    [[nodiscard]] std::string_view spelled(text_place place) const noexcept {
        return text_.substr(place.offset, place.length);
    }
    /// Returns the place of the next token: a word, one other byte, or nothing at the end.
    [[nodiscard]] text_place next() const noexcept {
        std::size_t size = 0;
        while (size < rest().size() && is_word_byte(rest()[size])) ++size;
        return {at_, std::max(size, std::min<std::size_t>(rest().size(), 1))};
    }

    /// Returns true for a byte of a word: a letter, a digit, `_`, or part of a character beyond
    /// ASCII.
    [[nodiscard]] static bool is_word_byte(char byte) noexcept {
        return is_letter(byte) || is_digit(byte) || byte == '_' ||
               static_cast<unsigned char>(byte) >= 0x80;
    }

private:
    /// Takes a word whose first byte is known to be next: most words differ there.
    bool take_other_bytes(std::string_view word) noexcept {
        const std::size_t end = at_ + word.size();
        if (end > text_.size() || (end < text_.size() && is_word_byte(text_[end]))) return false;
        for (std::size_t at = 1; at < word.size(); ++at) {
            if (to_lower(text_[at_ + at]) != to_lower(word[at])) return false;
        }
        at_ = end;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace sluice::detail

#endif
