// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_DETAIL_PLAIN_CURSOR_HPP
#define SLUICE_REFERENCE_RECORDS_DETAIL_PLAIN_CURSOR_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/base/word.hpp>

namespace sluice::reference::detail {

/// A string, `true`, `false` or `null` in a line.
struct plain_token {
    std::string_view text;     ///< with the quotes of a string
    bool has_escapes = false;  ///< which haven't been checked
};

/// A position in a line whose members have plain values. Checks what it moves over, except escapes
/// of strings; calls return false or nullopt at anything else, and the line has to be read in
/// another way. Expects simdjson::SIMDJSON_PADDING bytes of NUL after the line, where all calls
/// stop.
class plain_cursor {
public:
    explicit plain_cursor(std::string_view line) noexcept : line_(line), at_(line.data()) {}

    /// Moves over white space and a byte. Returns true if it was next.
    bool take(char wanted) noexcept {
        skip_space();
        if (*at_ != wanted) return false;
        ++at_;
        return true;
    }
    /// Moves over a name that comes next, after its opening quote, and the closing quote.
    bool take_name(std::string_view name) noexcept {
        const bool is_next =
            at_[name.size()] == '"' && sluice::detail::equal_bytes({at_, name.size()}, name);
        if (is_next) at_ += name.size() + 1;
        return is_next;
    }
    /// Moves over the rest of a string, after its opening quote, and the closing quote.
    std::optional<plain_token> take_string() noexcept {
        const char* const begin = at_ - 1;
        bool has_escapes = false;
        while (true) {
            skip_plain();
            if (*at_ == '"') break;
            if (*at_ != '\\') return std::nullopt;
            has_escapes = true;
            at_ += 2;
        }
        ++at_;
        return plain_token{{begin, static_cast<std::size_t>(at_ - begin)}, has_escapes};
    }
    /// Moves over white space and a value.
    std::optional<plain_token> take_value() noexcept {
        constexpr std::array<std::string_view, 3> words{"false", "true", "null"};
        if (take('"')) return take_string();
        for (const std::string_view word : words) {
            if (!std::string_view(at_, word.size()).starts_with(word)) continue;
            at_ += word.size();
            return plain_token{{at_ - word.size(), word.size()}};
        }
        return std::nullopt;
    }
    /// Returns true if only white space is left, and all strings were UTF-8.
    [[nodiscard]] bool has_ended() noexcept {
        skip_space();
        if (at_ != line_.data() + line_.size()) return false;
        return (seen_ & sluice::detail::repeated(0x80)) == 0 ||
               simdjson::validate_utf8(line_.data(), line_.size());
    }

private:
    void skip_space() noexcept {
        while (sluice::detail::is_space(*at_)) ++at_;
    }
    /// Moves to the next quote, backslash or control character, which the padding has.
    void skip_plain() noexcept {
        while (true) {
            const std::uint64_t bytes = sluice::detail::load_little<std::uint64_t>(at_);
            const std::uint64_t stops = sluice::detail::mark_escapes(bytes);
            seen_ |= bytes;
            if (stops != 0) {
                at_ += std::countr_zero(stops) / 8;
                return;
            }
            at_ += sizeof(bytes);
        }
    }

    std::string_view line_;
    const char* at_;
    std::uint64_t seen_ = 0;  // bits of the bytes of strings, and of a few after them
};

}  // namespace sluice::reference::detail

#endif
