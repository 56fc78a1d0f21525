// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_JSON_CURSOR_HPP
#define SLUICE_BASE_JSON_CURSOR_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/base/word.hpp>

/// JSON that has been validated, read token by token, and the escapes of its strings.
namespace sluice::detail {

/// A string in JSON text, as it is spelled there.
struct json_string_token {
    std::string_view spelled{};  ///< between its quotes, escapes as they stand
    bool has_escapes = false;    ///< json_unescaper decodes them
    bool is_ascii = false;       ///< all bytes of `spelled`; `\u00e9` is ASCII, too
};

/// A position in JSON text that has been validated. Moves over tokens without checking them, which
/// is faster than parsing; see <sluice/metadata/detail/json_path_walk.hpp>. In text that isn't JSON
/// it stays within the bounds, but its results are meaningless. Calls return false or nullopt at a
/// byte that can't continue JSON. Views the text.
class json_cursor {
public:
    explicit json_cursor(std::string_view json) noexcept : json_(json) {}

    [[nodiscard]] std::size_t offset() const noexcept { return at_; }
    void move_to(std::size_t offset) noexcept { at_ = offset; }

    /// Returns the first byte of the next token; NUL at the end.
    [[nodiscard]] char peek() noexcept {
        while (at_ < json_.size() && is_space(json_[at_])) ++at_;
        return at_ < json_.size() ? json_[at_] : '\0';
    }
    /// Moves over a token of one byte. Returns true if it was next.
    bool take(char wanted) noexcept {
        const bool is_next = peek() == wanted && wanted != '\0';
        if (is_next) ++at_;
        return is_next;
    }

    /// Moves over a string. nullopt if none is next, or if it has no closing quote.
    std::optional<json_string_token> take_string() noexcept {
        if (!take('"')) return std::nullopt;
        const std::size_t begin = at_;
        std::uint64_t seen = 0;
        bool has_escapes = false;
        while (true) {
            seen |= skip_plain();
            if (at_ >= json_.size()) return std::nullopt;
            const char stop = json_[at_++];
            if (stop == '"') break;
            has_escapes = true;
            if (at_ >= json_.size()) return std::nullopt;
            seen |= static_cast<unsigned char>(json_[at_++]);  // the escaped byte
        }
        const bool is_ascii = (seen & repeated(0x80)) == 0;
        return json_string_token{json_.substr(begin, at_ - 1 - begin), has_escapes, is_ascii};
    }

    /// Moves over a value, however deep it nests.
    void skip_value() noexcept {
        std::size_t depth = 0;
        do {
            switch (peek()) {
                case '\0': return;
                case '{':
                case '[': ++depth; break;
                case '}':
                case ']': --depth; break;
                case ',':
                case ':': break;
                case '"': static_cast<void>(take_string()); continue;
                default: static_cast<void>(take_word()); continue;
            }
            ++at_;
        } while (depth > 0);
    }

    /// Moves over a number, `true`, `false` or `null`, and returns its bytes. In text that isn't
    /// JSON they may be any others, or none.
    [[nodiscard]] std::string_view take_word() noexcept {
        static_cast<void>(peek());
        const std::size_t begin = at_;
        while (at_ < json_.size() && !ends_word(json_[at_])) ++at_;
        return json_.substr(begin, at_ - begin);
    }

private:
    static constexpr bool ends_word(char byte) noexcept {
        return byte == ',' || byte == '}' || byte == ']' || byte == '"' || is_space(byte);
    }

    /// Sets bit 7 of each of eight bytes that is `wanted`. The lowest bit set is right; the
    /// subtraction's borrow may set others above it.
    static constexpr std::uint64_t bytes_equal(std::uint64_t bytes, char wanted) noexcept {
        const std::uint64_t differing = bytes ^ repeated(static_cast<unsigned char>(wanted));
        return (differing - repeated(1)) & ~differing & repeated(0x80);
    }
    /// Moves to the next quote or backslash, or to the end. Returns a word that has bit 7 of a byte
    /// set if and only if a byte moved over was beyond ASCII.
    std::uint64_t skip_plain() noexcept {
        std::uint64_t seen = 0;
        if constexpr (std::endian::native == std::endian::little) {
            while (json_.size() - at_ >= sizeof(std::uint64_t)) {
                const std::uint64_t bytes = load_word<std::uint64_t>(json_.data() + at_);
                const std::uint64_t stops = bytes_equal(bytes, '"') | bytes_equal(bytes, '\\');
                seen |= bytes & (stops - 1) & ~stops;  // those before the first stop
                if (stops != 0) {
                    at_ += static_cast<std::size_t>(std::countr_zero(stops)) / 8;
                    return seen;
                }
                at_ += sizeof(bytes);
            }
        }
        for (; at_ < json_.size() && json_[at_] != '"' && json_[at_] != '\\'; ++at_) {
            seen |= static_cast<unsigned char>(json_[at_]);
        }
        return seen;
    }

    std::string_view json_;
    std::size_t at_ = 0;
};

/// Decodes the escapes of a string token:
///
/// ```
/// std::string text;
/// json_unescaper(text).append(token.spelled);
/// ```
class json_unescaper {
public:
    /// Appends to `out`, which must outlive it.
    explicit json_unescaper(std::string& out,
                            lone_surrogates how = lone_surrogates::replaced) noexcept
        : out_(out), how_(how) {}

    /// Appends the text of a token. Returns false if an escape is invalid, or refused.
    bool append(std::string_view spelled) {
        rest_ = spelled;
        while (true) {
            const std::size_t plain = std::min(rest_.find('\\'), rest_.size());
            out_.append(rest_.substr(0, plain));
            rest_.remove_prefix(plain);
            if (rest_.empty()) return true;
            rest_.remove_prefix(1);
            if (!append_escape()) return false;
        }
    }

private:
    static constexpr char32_t no_unit = 0x10000;  // more than any UTF-16 code unit

    /// Appends the character of the escape whose backslash comes before rest_.
    bool append_escape() {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (rest_.starts_with('u')) return append_code_point();
        const std::size_t which = rest_.empty() ? std::string_view::npos : letters.find(rest_[0]);
        if (which == std::string_view::npos) return false;
        out_.push_back(meanings[which]);
        rest_.remove_prefix(1);
        return true;
    }
    /// Reads `uXXXX`, and the second of a surrogate pair after a first.
    bool append_code_point() {
        const char32_t first = take_unit();
        if (first == no_unit) return false;
        const bool is_surrogate = first >= 0xD800 && first <= 0xDFFF;
        if (first < 0xDC00 && is_surrogate && rest_.starts_with("\\u")) {
            const std::string_view after = rest_;
            rest_.remove_prefix(1);
            const char32_t second = take_unit();
            if (second >= 0xDC00 && second <= 0xDFFF) {
                append_utf8(out_, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
                return true;
            }
            rest_ = after;
        }
        if (is_surrogate && how_ == lone_surrogates::refused) return false;
        append_utf8(out_, is_surrogate ? replacement_character : first);
        return true;
    }
    /// Returns the value of `uXXXX`, or no_unit.
    char32_t take_unit() noexcept {
        if (rest_.size() < 5) return no_unit;
        char32_t unit = 0;
        for (const char byte : rest_.substr(1, 4)) {
            const int digit = hex_digit(byte);
            if (digit < 0) return no_unit;
            unit = unit * 16 + static_cast<char32_t>(digit);
        }
        rest_.remove_prefix(5);
        return unit;
    }

    std::string& out_;
    lone_surrogates how_;
    std::string_view rest_{};  // of the token
};

}  // namespace sluice::detail

#endif
