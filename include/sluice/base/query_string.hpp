// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_QUERY_STRING_HPP
#define SLUICE_BASE_QUERY_STRING_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <forward_list>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/ascii.hpp>
#include <sluice/base/inline_list.hpp>
#include <sluice/base/unicode.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Query strings: parsing and writing of `application/x-www-form-urlencoded`.
namespace sluice {

namespace detail {

/// The bytes that split or encode a query string, in a block of up to 64 of its bytes, as bits: bit
/// i is byte i.
///
/// ```
/// q=S%C3&page=2
/// ......1......1    ends: the end of the text is one, too
/// .1.........1..    equals
/// ...1..........    encoded
/// ```
struct form_marks {
    std::uint64_t ends = 0;     ///< `&`
    std::uint64_t equals = 0;   ///< `=`
    std::uint64_t encoded = 0;  ///< `%`, `+` and all beyond ASCII: may need decoding
};

/// Returns the marks of the 16 bytes at `at`, one by one.
[[nodiscard]] inline form_marks mark_one_by_one(const char* at) noexcept {
    form_marks marks;
    for (std::size_t i = 0; i < 16; ++i) {
        const auto byte = static_cast<unsigned char>(at[i]);
        marks.ends |= std::uint64_t{byte == '&'} << i;
        marks.equals |= std::uint64_t{byte == '='} << i;
        marks.encoded |= std::uint64_t{byte == '%' || byte == '+' || byte >= 0x80} << i;
    }
    return marks;
}

/// Like mark_one_by_one(), but all at once with SSE2, if the build has it.
[[nodiscard]] inline form_marks mark_sixteen(const char* at) noexcept {
#if defined(__SSE2__)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto equal_to = [&](char byte) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)); };
    const auto bits = [](__m128i lanes) {
        return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(lanes)));
    };
    // bits() reads bit 7, which is set in each byte beyond ASCII.
    const __m128i encoded = _mm_or_si128(_mm_or_si128(equal_to('%'), equal_to('+')), bytes);
    return {bits(equal_to('&')), bits(equal_to('=')), bits(encoded)};
#else
    return mark_one_by_one(at);
#endif
}

/// Returns the marks of the last `size` bytes of a text, 1 to 15; bit 0 is the first of them.
[[nodiscard]] inline form_marks mark_tail(std::string_view text, std::size_t size) noexcept {
    if (text.size() >= 16) {
        const form_marks last = mark_sixteen(text.data() + text.size() - 16);
        const std::size_t before = 16 - size;
        return {last.ends >> before, last.equals >> before, last.encoded >> before};
    }
    char padded[16] = {};
    std::memcpy(padded, text.data() + text.size() - size, size);
    return mark_sixteen(padded);
}

/// Returns the position of the first mark. Expects marks != 0.
[[nodiscard]] inline std::size_t first_mark(std::uint64_t marks) noexcept {
    return static_cast<std::size_t>(std::countr_zero(marks));
}

/// Returns the marks of the 64 bytes at `begin`, which is at most the text's size. If fewer are
/// left, the bit after the last of them is an end.
[[nodiscard]] inline form_marks mark_block(std::string_view text, std::size_t begin) noexcept {
    form_marks block;
    const auto add = [&](const form_marks& marks, std::size_t at) {
        block.ends |= marks.ends << at;
        block.equals |= marks.equals << at;
        block.encoded |= marks.encoded << at;
    };
    const char* const bytes = text.data() + begin;
    const std::size_t size = text.size() - begin;
    if (size >= 64) {
        for (std::size_t at = 0; at < 64; at += 16) add(mark_sixteen(bytes + at), at);
        return block;
    }
    std::size_t at = 0;
    for (; size - at >= 16; at += 16) add(mark_sixteen(bytes + at), at);
    if (at < size) add(mark_tail(text, size - at), at);
    block.ends |= std::uint64_t{1} << size;
    return block;
}

}  // namespace detail

/// One parameter of a request, decoded: two views of valid UTF-8.
struct name_value {
    std::string_view name;
    std::string_view value;

    friend bool operator==(const name_value&, const name_value&) = default;
};

namespace detail {

/// Returns the byte that `%XX` at `at` encodes, or -1 if there is no such escape.
constexpr int percent_byte(std::string_view text, std::size_t at) noexcept {
    if (text[at] != '%' || text.size() - at < 3) return -1;
    const int high = hex_digit(text[at + 1]);
    const int low = hex_digit(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// Decodes one name or value of `application/x-www-form-urlencoded`, without checking its UTF-8,
/// into `out`, which has room for as many bytes. Returns the number of bytes written.
constexpr std::size_t form_decode(std::string_view text, char* out) noexcept {
    std::size_t size = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const int byte = percent_byte(text, at); byte >= 0) {
            out[size++] = static_cast<char>(byte);
            at += 2;
        } else {
            out[size++] = text[at] == '+' ? ' ' : text[at];
        }
    }
    return size;
}

/// Returns true if decoding may change a name or value.
[[nodiscard]] constexpr bool needs_form_decoding(std::string_view text) noexcept {
    return text.find_first_of("%+") != std::string_view::npos || !is_valid_utf8(text);
}

/// Owns decoded names and values: in a fixed buffer while it has room, then on the heap. Adding one
/// leaves the views of others valid; moving the object doesn't, see moved().
class decoded_texts {
public:
    decoded_texts() noexcept {}
    decoded_texts(decoded_texts&& other) noexcept { *this = std::move(other); }
    decoded_texts& operator=(decoded_texts&& other) noexcept {
        std::copy_n(other.room_, other.used_, room_);
        used_ = std::exchange(other.used_, 0);
        long_ = std::move(other.long_);
        return *this;
    }
    ~decoded_texts() = default;

    /// Decodes a name or value, and returns a view of the result. Invalid UTF-8 becomes U+FFFD.
    [[nodiscard]] std::string_view add(std::string_view encoded) {
        if (encoded.size() > sizeof(room_) - used_) return add_long(encoded);
        const std::string_view text{room_ + used_, form_decode(encoded, room_ + used_)};
        if (!is_valid_utf8(text)) return long_.emplace_front(to_valid_utf8(text));
        used_ += text.size();
        return text;
    }

    /// Returns the current form of a view that `other.add()` returned, after `other` was moved into
    /// this object: a text in the fixed buffer has a new address, all others keep theirs.
    [[nodiscard]] std::string_view moved(std::string_view text,
                                         const decoded_texts& other) const noexcept {
        const char* const room = other.room_;
        const bool is_within =
            !std::less<>{}(text.data(), room) && std::less<>{}(text.data(), room + sizeof(room_));
        return is_within ? std::string_view{room_ + (text.data() - room), text.size()} : text;
    }

private:
    /// Like add(), for a text for which the buffer has no room.
    std::string_view add_long(std::string_view encoded) {
        std::string text(encoded.size(), '\0');
        text.resize(form_decode(encoded, text.data()));
        return long_.emplace_front(is_valid_utf8(text) ? std::move(text) : to_valid_utf8(text));
    }

    char room_[512];  // bytes beyond used_ are uninitialised
    std::size_t used_ = 0;
    std::forward_list<std::string> long_{};  // nodes never move, so that views into them stay valid
};

/// Returns true if the form serialiser writes a byte unchanged.
constexpr bool is_form_literal(char byte) noexcept {
    return is_letter(byte) || is_digit(byte) || byte == '*' || byte == '-' || byte == '.' ||
           byte == '_';
}

/// is_form_literal() of each byte.
inline constexpr auto form_literals = [] {
    std::array<bool, 256> literals{};
    for (std::size_t byte = 0; byte < literals.size(); ++byte) {
        literals[byte] = is_form_literal(static_cast<char>(byte));
    }
    return literals;
}();
static_assert(form_literals['*'] && form_literals['z'] && !form_literals[0xFF]);

/// Maximum number of bytes that a byte of a name or value is written as: `%XX`.
inline constexpr std::size_t form_bytes_max = 3;

/// Writes a name or value as `application/x-www-form-urlencoded` text: a space becomes `+`, and any
/// byte that isn't a form literal becomes `%XX`. Returns its end. Expects room at `out` for
/// form_bytes_max bytes for each byte of the text.
inline char* write_form_encoded(char* out, std::string_view text) noexcept {
    for (const char byte : text) {
        if (form_literals[static_cast<unsigned char>(byte)]) {
            *out++ = byte;
        } else if (byte == ' ') {
            *out++ = '+';
        } else {
            *out++ = '%';
            out = std::ranges::copy(hex_of(static_cast<unsigned char>(byte), upper_hex_digits), out)
                      .out;
        }
    }
    return out;
}
/// Writes `name=value`, encoded; see write_form_encoded().
inline char* write_pair(char* out, const name_value& pair) noexcept {
    out = write_form_encoded(out, pair.name);
    *out++ = '=';
    return write_form_encoded(out, pair.value);
}

/// Appends the text that `write(out)` writes at `out`, at most `size_max` bytes; `write` returns
/// its end.
template <class Write>
void append_written(std::string& text, std::size_t size_max, const Write& write) {
    const std::size_t begin = text.size();
    text.resize(begin + size_max);
    text.resize(static_cast<std::size_t>(write(text.data() + begin) - text.data()));
}

/// Returns the maximum size of a pair, encoded and with the `&` before it.
[[nodiscard]] constexpr std::size_t pair_size_max(const name_value& pair) noexcept {
    return form_bytes_max * (pair.name.size() + pair.value.size()) + 2;
}

/// Appends a pair to a query string, after `&` unless it is the first.
inline void append_pair(std::string& out, const name_value& pair) {
    if (!out.empty()) out.push_back('&');
    append_written(out, pair_size_max(pair), [&](char* at) { return write_pair(at, pair); });
}

}  // namespace detail

/// The parameters of a query string in order, decoded like WHATWG's
/// `application/x-www-form-urlencoded` parser does:
///
/// ```
/// text  = [ "?" ] pairs
/// pairs = [ pair ] *( "&" [ pair ] )     ; empty pairs are dropped
/// pair  = name [ "=" value ]             ; "+" is a space, %XX a byte, a bad % itself
/// ```
///
/// Invalid UTF-8 becomes U+FFFD. No text is refused, so there is no error. Names and values that
/// need no decoding view the input, which must outlive the result; others are owned. Up to 64 pairs
/// and 512 decoded bytes are stored in place; more are allocated.
class query_string {
public:
    query_string() = default;
    query_string(query_string&& other) noexcept
        : pairs_(std::move(other.pairs_)), owned_(std::move(other.owned_)) {
        follow(other);
    }
    query_string& operator=(query_string&& other) noexcept {
        pairs_ = std::move(other.pairs_);
        owned_ = std::move(other.owned_);
        follow(other);
        return *this;
    }
    query_string(const query_string&) = delete;
    query_string& operator=(const query_string&) = delete;
    ~query_string() = default;

    /// Returns the pairs, which view the query string and its text.
    [[nodiscard]] std::span<const name_value> pairs() const& noexcept { return pairs_.view(); }
    std::span<const name_value> pairs() const&& = delete;

private:
    friend query_string parse_query_string(std::string_view text);

    /// A pair whose end hasn't been read yet. Positions are those of the text.
    struct open_pair {
        std::size_t begin = 0;
        std::size_t equals = std::string_view::npos;  ///< position of its first `=`
        bool needs_decoding = false;                  ///< any byte may need decoding

        /// Adds the marks of the pair's bytes in the block that begins at `block`.
        void add_marks(std::uint64_t equals_marks, std::uint64_t encoded_marks,
                       std::size_t block) noexcept {
            if (equals_marks != 0 && equals == std::string_view::npos) {
                equals = block + detail::first_mark(equals_marks);
            }
            needs_decoding = needs_decoding || encoded_marks != 0;
        }
    };

    /// Adds the pairs of a text without its `?`. The object is empty before.
    void read(std::string_view text) {
        open_pair pair;
        // The end of the text ends a pair like an `&` does, even if it begins a block.
        for (std::size_t block = 0; block <= text.size(); block += 64) {
            const detail::form_marks marks = detail::mark_block(text, block);
            std::uint64_t left = ~std::uint64_t{0};  // bytes of the block that are in no pair yet
            for (std::uint64_t ends = marks.ends; ends != 0; ends &= ends - 1) {
                const std::uint64_t bytes = left & (ends ^ (ends - 1));  // up to the first end
                pair.add_marks(marks.equals & bytes, marks.encoded & bytes, block);
                add(text.data(), pair, block + detail::first_mark(ends));
                left &= ~bytes;
            }
            pair.add_marks(marks.equals & left, marks.encoded & left, block);
        }
    }

    /// Adds the pair that ends at `end` and begins the next.
    void add(const char* text, open_pair& pair, std::size_t end) {
        const std::size_t begin = std::exchange(pair.begin, end + 1);
        const std::size_t equals =
            std::min(std::exchange(pair.equals, std::string_view::npos), end);
        const bool needs_decoding = std::exchange(pair.needs_decoding, false);
        if (begin == end) return;
        const std::size_t value = std::min(equals + 1, end);
        const std::string_view name{text + begin, equals - begin};
        const std::string_view assigned{text + value, end - value};
        if (needs_decoding) return add_decoded(name, assigned);
        pairs_.push_back({name, assigned});
    }
    /// Outlined, since most pairs need no decoding.
    [[gnu::noinline]] void add_decoded(std::string_view name, std::string_view value) {
        pairs_.push_back({decoded(name), decoded(value)});
    }
    /// Returns the text, or its decoded form in owned_.
    std::string_view decoded(std::string_view text) {
        return detail::needs_form_decoding(text) ? owned_.add(text) : text;
    }

    /// Points the pairs, which were moved from `other`, to the texts that moved with them.
    void follow(const query_string& other) noexcept {
        for (name_value& pair : pairs_) {
            pair = {owned_.moved(pair.name, other.owned_), owned_.moved(pair.value, other.owned_)};
        }
    }

    detail::inline_list<name_value, 64> pairs_{};
    detail::decoded_texts owned_{};
};

/// Parses a query string; one `?` before it is skipped.
///
/// ```
/// auto query = sluice::parse_query_string("?city=S%C3%A3o+Paulo&page=2");
/// query.pairs()[0];  // {"city", "São Paulo"}
/// ```
[[nodiscard]] inline query_string parse_query_string(std::string_view text) {
    query_string query;
    query.read(text.substr(text.starts_with('?') ? 1 : 0));
    return query;
}
/// Deleted: the pairs would view a text that is gone.
template <std::same_as<std::string> Text>
query_string parse_query_string(Text&& temporary) = delete;

/// Returns pairs as a query string without `?`, which parses back to them.
[[nodiscard]] inline std::string to_query_string(std::span<const name_value> pairs) {
    std::size_t size_max = 0;
    for (const name_value& pair : pairs) size_max += detail::pair_size_max(pair);
    std::string text;
    detail::append_written(text, size_max, [&](char* at) {
        char* const begin = at;
        for (const name_value& pair : pairs) {
            if (at != begin) *at++ = '&';
            at = detail::write_pair(at, pair);
        }
        return at;
    });
    return text;
}

}  // namespace sluice

#endif
