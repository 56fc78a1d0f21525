// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_DETAIL_PLAIN_CURSOR_HPP
#define SLUICE_REFERENCE_RECORDS_DETAIL_PLAIN_CURSOR_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/simd/kernels.hpp>

namespace sluice::reference::detail {

/// A string, `true`, `false` or `null` in a line.
struct plain_token {
    std::string_view text;  ///< of a string, what is between its quotes
    bool is_string = false;
    bool has_escapes = false;  ///< which haven't been checked

    /// Returns the token as it stands in the line.
    [[nodiscard]] std::string_view spelled() const noexcept {
        return is_string ? std::string_view(text.data() - 1, text.size() + 2) : text;
    }
};

/// The bytes where the plain part of a JSON string ends.
inline constexpr sluice::detail::simd::byte_set string_stops = [] {
    sluice::detail::simd::byte_set stops;
    for (std::uint8_t control = 0; control < 0x20; ++control) stops.insert(control);
    stops.insert('"');
    stops.insert('\\');
    return stops;
}();

/// A position in a line whose members have plain values. Checks what it moves over, except escapes
/// of strings; calls return false or nullopt at anything else, and the line has to be read in
/// another way.
///
/// ```
/// line:   { " i d " : " a \ " b " } NUL ...
/// stops:  . 1 . . 1 . 1 . 1 1 . 1 . 1   1        bits; a string goes from one to the next
/// ```
class plain_cursor {
public:
    /// Finds the stops of a line in one pass, as a bitmap in memory that the caller keeps. Expects
    /// simdjson::SIMDJSON_PADDING bytes of NUL after the line, where all calls stop.
    plain_cursor(std::string_view line, std::vector<std::uint64_t>& stops)
        : line_(line), at_(line.data()) {
        const std::size_t size = line.size() + simdjson::SIMDJSON_PADDING;
        if (stops.size() < (size + 63) / 64) stops.resize((size + 63) / 64);
        sluice::detail::simd::active_kernels().match_u8(
            reinterpret_cast<const std::uint8_t*>(line.data()), size, string_stops, stops.data());
        stops_ = stops.data();
    }

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
        const char* const begin = at_;
        bool has_escapes = false;
        for (at_ = find_stop(at_); *at_ != '"'; at_ = find_stop(at_ + 2)) {
            if (*at_ != '\\') return std::nullopt;
            has_escapes = true;
        }
        const auto size = static_cast<std::size_t>(at_++ - begin);
        return plain_token{{begin, size}, true, has_escapes};
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
    /// Returns true if only white space is left, and the line is UTF-8.
    [[nodiscard]] bool has_ended() noexcept {
        skip_space();
        return at_ == line_.data() + line_.size() &&
               simdjson::validate_utf8(line_.data(), line_.size());
    }

private:
    void skip_space() noexcept {
        while (sluice::detail::is_space(*at_)) ++at_;
    }
    /// Returns the next quote, backslash or control character, which the padding has.
    [[nodiscard]] const char* find_stop(const char* from) const noexcept {
        const auto at = static_cast<std::size_t>(from - line_.data());
        std::size_t word = at / 64;
        std::uint64_t left = stops_[word] >> at % 64;
        if (left != 0) return from + std::countr_zero(left);
        do left = stops_[++word];
        while (left == 0);
        return line_.data() + word * 64 + static_cast<std::size_t>(std::countr_zero(left));
    }

    std::string_view line_;
    const char* at_;
    const std::uint64_t* stops_ = nullptr;
};

}  // namespace sluice::reference::detail

#endif
