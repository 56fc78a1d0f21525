// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_CURSOR_HPP
#define SLUICE_QUERY_CURSOR_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/text_hasher.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>

/// Cursors: the position in a list as an opaque text.
namespace sluice {

namespace detail {

inline constexpr std::string_view base64url_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Encodes bytes as URL-safe text (RFC 4648, section 5) without padding.
///
/// ```
/// bytes   |   24 bits    |   16 bits    |   8 bits     |
/// digits  | 6 | 6 | 6 | 6 | 6 | 6 | 4..  | 6 | 2....    |  missing bits are 0
/// ```
[[nodiscard]] inline std::string to_base64url(std::string_view bytes) {
    std::string text((bytes.size() * 4 + 2) / 3, '\0');
    auto next = text.begin();
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char byte : bytes) {
        bits = bits << 8U | static_cast<unsigned char>(byte);
        for (held += 8; held >= 6; held -= 6) {
            *next++ = base64url_digits[bits >> (held - 6) & 63U];
        }
    }
    if (held > 0) *next = base64url_digits[bits << (6 - held) & 63U];
    return text;
}

/// The value of each digit of base64url; not_a_digit for other bytes.
inline constexpr std::uint8_t not_a_digit = 0xFF;
inline constexpr auto base64url_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(not_a_digit);
    for (std::size_t digit = 0; digit < base64url_digits.size(); ++digit) {
        values[static_cast<unsigned char>(base64url_digits[digit])] =
            static_cast<std::uint8_t>(digit);
    }
    return values;
}();
static_assert(base64url_values['A'] == 0 && base64url_values['_'] == 63);

/// Returns the bytes that to_base64url() encoded; nullopt if it can't have written the text.
[[nodiscard]] inline std::optional<std::string> from_base64url(std::string_view text) {
    std::string bytes(text.size() * 3 / 4, '\0');
    char* next = bytes.data();
    std::uint32_t bits = 0, seen = 0;
    unsigned held = 0;
    for (const char digit : text) {
        const std::uint32_t value = base64url_values[static_cast<unsigned char>(digit)];
        seen |= value;
        bits = bits << 6U | value;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        *next++ = static_cast<char>(bits >> held & 0xFFU);
    }
    const bool has_rest = held == 6 || (bits & ((1U << held) - 1)) != 0;
    if (seen == not_a_digit || has_rest) return std::nullopt;
    return bytes;
}

}  // namespace detail

/// Maximum size of a cursor's text, in bytes.
inline constexpr std::size_t cursor_max_length = 1'024;

/// A sort key that was too long for a cursor, which holds only its beginning.
struct cut_key {
    std::size_t at{};      ///< its index among the cursor's keys; never the last
    std::uint64_t hash{};  ///< of the whole key

    friend auto operator<=>(const cut_key&, const cut_key&) = default;
};

/// A position in an ordered list, just after or just before a row. A page continues there, whatever
/// rows were added to the list meanwhile.
struct cursor {
    bool is_before = false;      ///< the page ends there instead of beginning there
    std::uint32_t query_mark{};  ///< of its order and filters; see query_mark()
    std::uint32_t repeat{};      ///< number of rows with the same keys before the row
    std::vector<std::optional<std::string>> keys{};  ///< the row's sort keys; nullopt is null
    std::vector<cut_key> cuts{};                     ///< the keys that were cut, by index

    /// Returns the key at an index; empty if it is null or missing.
    [[nodiscard]] std::string_view key(std::size_t at) const noexcept {
        return at < keys.size() && keys[at] ? std::string_view(*keys[at]) : std::string_view();
    }
    /// Returns the cut of a key; null if the key is whole.
    [[nodiscard]] const cut_key* cut_of(std::size_t at) const noexcept {
        const auto match = std::find_if(cuts.begin(), cuts.end(),
                                        [at](const cut_key& cut) { return cut.at == at; });
        return match == cuts.end() ? nullptr : &*match;
    }

    friend auto operator<=>(const cursor&, const cursor&) = default;
};

namespace detail {

/// The bytes of a cursor:
///
/// ```
/// cursor  = base64url( version flags mark repeat *key check )
/// version = %x01       flags = %x00 after / %x01 before       mark, repeat, check = 4 bytes
/// key     = %x00                       ; null
///         / %x01-FD bytes              ; 1 and the number of bytes, of which there are up to 252
///         / %xFE size bytes            ; more of them; size = 2 bytes
///         / %xFF size hash bytes       ; the first bytes of a key; hash = 8 bytes, of all of it
/// ```
/// Numbers are little-endian. The check is a hash of all bytes before it, to detect damaged texts.
inline constexpr char cursor_version = 1;
inline constexpr std::size_t cursor_head = 10;
inline constexpr std::size_t cursor_check = 4;
inline constexpr std::size_t cursor_keys_max =
    cursor_max_length / 4 * 3 - cursor_head - cursor_check;  ///< bytes of all keys together
inline constexpr unsigned char key_is_long = 0xFE, key_is_cut = 0xFF;
inline constexpr std::size_t key_short_max = key_is_long - 2;
inline constexpr std::size_t key_size_head = 3, key_cut_head = 11;

/// Appends the lowest `bytes` bytes of a number in little-endian order.
inline void append_number(std::string& output, std::uint64_t number, unsigned bytes = 4) {
    for (unsigned i = 0; i < bytes; ++i)
        output.push_back(static_cast<char>(number >> 8 * i & 0xFFU));
}
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, unsigned size = 4) noexcept {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < size; ++i) {
        number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
    }
    return number;
}
/// Returns a hash that is the same in each process and on each machine, since a cursor outlives the
/// process that wrote it.
inline std::uint64_t lasting_hash_64(std::string_view bytes) noexcept {
    return text_hasher(hash_seed{0x5C1D'CE00})(bytes);
}
/// Returns the lower half of lasting_hash_64().
inline std::uint32_t lasting_hash(std::string_view bytes) noexcept {
    return static_cast<std::uint32_t>(lasting_hash_64(bytes));
}

/// Returns the encoded size of a whole key, in bytes.
inline std::size_t size_of_key(const std::optional<std::string>& key) noexcept {
    if (!key) return 1;
    return key->size() + (key->size() > key_short_max ? key_size_head : 1);
}

inline void append_key(std::string& output, const std::optional<std::string>& key,
                       const cut_key* cut) {
    if (!key) return output.push_back('\0');
    const bool is_short = cut == nullptr && key->size() <= key_short_max;
    if (is_short) {
        append_number(output, key->size() + 1, 1);
    } else {
        append_number(output, cut != nullptr ? key_is_cut : key_is_long, 1);
        append_number(output, key->size(), 2);
    }
    if (cut != nullptr) append_number(output, cut->hash, 8);
    output.append(*key);
}

/// Parses the keys of a cursor. read() returns false if the bytes aren't what to_string() writes.
class cursor_key_reader {
public:
    /// Views the bytes.
    explicit cursor_key_reader(std::string_view bytes) noexcept : left_(bytes) {}

    [[nodiscard]] bool read(cursor& place) {
        while (!left_.empty()) {
            if (!read_key(place)) return false;
        }
        return place.cuts.empty() || place.cuts.back().at + 1 < place.keys.size();
    }

private:
    [[nodiscard]] bool read_key(cursor& place) {
        const auto first = static_cast<unsigned char>(left_[0]);
        if (first == 0) {
            left_.remove_prefix(1);
            place.keys.emplace_back();
            return true;
        }
        if (first < key_is_long) return take(place, 1, first - 1U);
        const std::size_t head = first == key_is_cut ? key_cut_head : key_size_head;
        if (left_.size() < head) return false;
        const std::size_t size = number_at(left_, 1, 2);  // of two bytes
        if (first == key_is_long && size <= key_short_max) return false;
        if (first == key_is_cut) {
            place.cuts.push_back({place.keys.size(), number_at(left_, key_size_head, 8)});
        }
        return take(place, head, size);
    }
    [[nodiscard]] bool take(cursor& place, std::size_t head, std::size_t size) {
        if (left_.size() < head + size) return false;
        place.keys.emplace_back(left_.substr(head, size));
        left_.remove_prefix(head + size);
        return true;
    }

    std::string_view left_;
};

/// Returns true if a byte is inside of a UTF-8 character, after its first one.
[[nodiscard]] constexpr bool continues_utf8(char byte) noexcept { return (byte & 0xC0) == 0x80; }

/// Returns the first `size` bytes of a longer text, or up to 3 fewer so that no UTF-8 character is
/// split.
[[nodiscard]] inline std::string_view cut_text(std::string_view text, std::size_t size) noexcept {
    std::size_t end = size;
    while (end > 0 && size - end < 3 && continues_utf8(text[end])) --end;
    return text.substr(0, end);
}

/// Returns a text that comes after all texts with a prefix, in byte order: the prefix with its last
/// code point replaced by the next one. It is UTF-8 if the prefix is.
///
/// ```
/// text_after("ab")           // ac
/// text_after("a\u{10FFFF}")  // b
/// ```
[[nodiscard]] inline std::string text_after(std::string_view prefix) {
    std::string text(prefix);
    while (!text.empty()) {
        std::size_t at = text.size() - 1;
        while (at > 0 && continues_utf8(text[at])) --at;
        const decoded_utf8 last = decode_utf8(text, at);
        text.resize(at);
        if (!last.is_well_formed || last.code_point == 0x10FFFF) continue;
        append_utf8(text, last.code_point == 0xD7FF ? 0xE000 : last.code_point + 1);
        return text;
    }
    text.assign(prefix);  // only U+10FFFF, or no UTF-8
    append_utf8(text, 0x10FFFF);
    return text;
}

}  // namespace detail

/// Cuts texts among a cursor's keys if they are too long for a cursor: those for which
/// `is_text(index)` returns true, but never the last key, which identifies the row. The cut texts
/// share the room that is left equally and keep their first bytes.
template <std::predicate<std::size_t> IsText>
void cut_long_keys(cursor& place, const IsText& is_text) {
    std::size_t size = 0, whole = 0;
    std::vector<std::size_t> texts;
    for (std::size_t at = 0; at < place.keys.size(); ++at) {
        const std::size_t key_size = detail::size_of_key(place.keys[at]);
        size += key_size;
        if (at + 1 < place.keys.size() && place.keys[at] && is_text(at)) {
            texts.push_back(at);
        } else {
            whole += key_size;
        }
    }
    if (size <= detail::cursor_keys_max || whole >= detail::cursor_keys_max) return;
    const std::size_t share = (detail::cursor_keys_max - whole) / texts.size();
    if (share <= detail::key_cut_head) return;
    for (const std::size_t at : texts) {
        std::string& key = *place.keys[at];
        if (detail::size_of_key(key) <= share) continue;
        place.cuts.push_back({at, detail::lasting_hash_64(key)});
        key.resize(detail::cut_text(key, share - detail::key_cut_head).size());
    }
}

namespace detail {

/// Returns true if a row's keys have the whole key of a cut.
[[nodiscard]] inline bool has_cut_key(const std::vector<std::optional<std::string>>& keys,
                                      const cursor& place, const cut_key& cut) noexcept {
    return cut.at < keys.size() && keys[cut.at] && keys[cut.at]->starts_with(place.key(cut.at)) &&
           lasting_hash_64(*keys[cut.at]) == cut.hash;
}

}  // namespace detail

/// Returns a cursor with whole keys. Keys that were cut are replaced by those of the row that the
/// last key identifies, if these match the cut. If that row is gone or has other keys, the position
/// moves so that no row whose keys begin like the cut ones is skipped; some may repeat.
///
/// `ascends(index)` returns true if a key ascends; `keys_of(last key)` returns the row's keys,
/// empty if there is no such row.
template <std::predicate<std::size_t> Ascends, class KeysOf>
[[nodiscard]] cursor with_whole_keys(cursor place, const Ascends& ascends, const KeysOf& keys_of) {
    if (place.cuts.empty()) return place;
    const std::vector<std::optional<std::string>> keys = keys_of(place.keys.back());
    for (const cut_key& cut : std::exchange(place.cuts, {})) {
        std::string& key = *place.keys[cut.at];
        if (detail::has_cut_key(keys, place, cut)) {
            key = *keys[cut.at];
        } else if (ascends(cut.at) == place.is_before) {
            key = detail::text_after(key);
        }
    }
    return place;
}

/// Returns the text of a cursor; nullopt if its keys are too long, even after cut_long_keys().
[[nodiscard]] inline std::optional<std::string> to_string(const cursor& place) {
    std::string bytes{detail::cursor_version, place.is_before ? '\1' : '\0'};
    detail::append_number(bytes, place.query_mark);
    detail::append_number(bytes, place.repeat);
    for (std::size_t at = 0; at < place.keys.size(); ++at) {
        detail::append_key(bytes, place.keys[at], place.cut_of(at));
    }
    if (bytes.size() > detail::cursor_head + detail::cursor_keys_max) return std::nullopt;
    detail::append_number(bytes, detail::lasting_hash(bytes));
    return detail::to_base64url(bytes);
}

/// Parses a cursor's text, whose bytes are described at detail::cursor_version. Error:
/// cursor_malformed. The keys may still be no values of the order's columns.
[[nodiscard]] inline result<cursor> parse_cursor(std::string_view text) {
    const auto malformed = fail(rule::cursor_malformed, 0, text.size());
    if (text.size() > cursor_max_length) return malformed;
    const auto bytes = detail::from_base64url(text);
    if (!bytes || bytes->size() < detail::cursor_head + detail::cursor_check) return malformed;
    const std::string_view all = *bytes;
    const std::string_view checked = all.substr(0, all.size() - detail::cursor_check);
    if (detail::number_at(all, checked.size()) != detail::lasting_hash(checked)) return malformed;
    if (checked[0] != detail::cursor_version || static_cast<unsigned char>(checked[1]) > 1) {
        return malformed;
    }
    cursor place{.is_before = checked[1] == '\1',
                 .query_mark = static_cast<std::uint32_t>(detail::number_at(checked, 2)),
                 .repeat = static_cast<std::uint32_t>(detail::number_at(checked, 6))};
    place.keys.reserve(2);  // most orders have a column and the id
    if (!detail::cursor_key_reader(checked.substr(detail::cursor_head)).read(place)) {
        return malformed;
    }
    return place;
}

/// Returns the text of a cursor; empty if its keys are too long.
[[nodiscard]] inline std::string print_text(const cursor& place) {
    return to_string(place).value_or(std::string());
}
template <>
inline constexpr bool is_value<cursor> = true;

}  // namespace sluice

#endif
