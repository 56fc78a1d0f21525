// SPDX-License-Identifier: MIT
#ifndef SLUICE_CURSOR_HPP
#define SLUICE_CURSOR_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/detail/base64url.hpp>
#include <sluice/detail/text_hasher.hpp>
#include <sluice/error.hpp>

namespace sluice {

/// The longest text of a cursor, in bytes.
inline constexpr std::size_t cursor_max_length = 256;

/// A place in an ordered list, just after or just before a row: where a page goes on, whatever was
/// added to the list meanwhile.
struct cursor {
    bool is_before = false;  ///< the page ends there, rather than begins
    std::uint32_t
        query_mark{};        ///< of the order and the filters that it was made for; query_mark()
    std::uint32_t repeat{};  ///< how many rows with the same keys come before the row
    std::vector<std::optional<std::string>> keys{};  ///< the row's sort keys; nullopt: null

    /// A key by its place; empty where it is null or missing.
    [[nodiscard]] std::string_view key(std::size_t at) const noexcept {
        return at < keys.size() && keys[at] ? std::string_view(*keys[at]) : std::string_view();
    }

    friend bool operator==(const cursor&, const cursor&) = default;
};

namespace detail {

/// The bytes of a cursor:
///
/// ```
/// cursor  = base64url( version flags mark repeat *key check )
/// version = %x01       flags = %x00 after / %x01 before       mark, repeat, check = 4 bytes
/// key     = %x00 null / size bytes                            size = 1 byte, 1 and the key's size
/// ```
/// Numbers have their lowest byte first. The check is of all before it: it tells a damaged text.
inline constexpr char cursor_version = 1;
inline constexpr std::size_t cursor_head = 10;
inline constexpr std::size_t cursor_key_max = 254;
inline constexpr std::size_t cursor_check = 4;

/// The most bytes that so many keys may have together, in a text of cursor_max_length.
constexpr std::size_t cursor_keys_max(std::size_t count) noexcept {
    const std::size_t bytes = cursor_max_length / 4 * 3 - cursor_head - cursor_check;
    return count < bytes ? bytes - count : 0;
}

inline void append_number(std::string& to, std::uint32_t number) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        to.push_back(static_cast<char>(number >> shift & 0xFFU));
    }
}
inline std::uint32_t number_at(std::string_view bytes, std::size_t at) noexcept {
    std::uint32_t number = 0;
    for (unsigned i = 0; i < 4; ++i) {
        number |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return number;
}
/// A hash that is the same in each process: a cursor outlives the one that made it.
inline std::uint32_t lasting_hash(std::string_view bytes) noexcept {
    return static_cast<std::uint32_t>(text_hasher(hash_seed{0x5C1D'CE00})(bytes));
}

/// The bytes of the first of some keys, of which there are as many unless it is torn.
inline std::size_t cursor_key_size(std::string_view keys) noexcept {
    return std::max<std::size_t>(1, static_cast<unsigned char>(keys[0]));
}
/// Whether the bytes between head and check are whole keys.
inline bool are_cursor_keys(std::string_view bytes) noexcept {
    while (!bytes.empty() && cursor_key_size(bytes) <= bytes.size()) {
        bytes.remove_prefix(cursor_key_size(bytes));
    }
    return bytes.empty();
}
inline std::vector<std::optional<std::string>> read_cursor_keys(std::string_view bytes) {
    std::size_t count = 0;
    for (std::string_view rest = bytes; !rest.empty(); ++count) {
        rest.remove_prefix(cursor_key_size(rest));
    }
    std::vector<std::optional<std::string>> keys(count);
    for (std::optional<std::string>& key : keys) {
        if (bytes[0] != '\0') key = bytes.substr(1, cursor_key_size(bytes) - 1);
        bytes.remove_prefix(cursor_key_size(bytes));
    }
    return keys;
}

}  // namespace detail

/// The text of a cursor; nothing where its keys are too long for one.
[[nodiscard]] inline std::optional<std::string> to_string(const cursor& place) {
    std::string bytes{detail::cursor_version, place.is_before ? '\1' : '\0'};
    bytes.reserve(cursor_max_length);
    detail::append_number(bytes, place.query_mark);
    detail::append_number(bytes, place.repeat);
    for (const auto& key : place.keys) {
        if (key && key->size() > detail::cursor_key_max) return std::nullopt;
        bytes.push_back(key ? static_cast<char>(key->size() + 1) : '\0');
        if (key) bytes.append(*key);
    }
    detail::append_number(bytes, detail::lasting_hash(bytes));
    std::string text = detail::to_base64url(bytes);
    if (text.size() > cursor_max_length) return std::nullopt;
    return text;
}

/// Reads a cursor's text: cursor_malformed.
template <std::same_as<cursor> Cursor = cursor>
[[nodiscard]] result<Cursor> parse_cursor(std::string_view text) {
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
    const std::string_view keys = checked.substr(detail::cursor_head);
    if (!detail::are_cursor_keys(keys)) return malformed;
    return Cursor{checked[1] == '\1', detail::number_at(checked, 2), detail::number_at(checked, 6),
                  detail::read_cursor_keys(keys)};
}

}  // namespace sluice

#endif
