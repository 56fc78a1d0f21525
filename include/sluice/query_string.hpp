// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_STRING_HPP
#define SLUICE_QUERY_STRING_HPP

#include <forward_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/detail/unicode.hpp>

namespace sluice {

/// One parameter of a request, decoded. Both are valid UTF-8.
struct name_value {
    std::string_view name;
    std::string_view value;

    friend bool operator==(const name_value&, const name_value&) = default;
};

namespace detail {

/// The value of a hexadecimal digit, or -1.
constexpr int hex_digit(char digit) noexcept {
    if (digit >= '0' && digit <= '9') return digit - '0';
    const char lower = static_cast<char>(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The byte that `%XX` at `at` stands for, or -1 where that is no escape.
constexpr int percent_byte(std::string_view text, std::size_t at) noexcept {
    if (text[at] != '%' || text.size() - at < 3) return -1;
    const int high = hex_digit(text[at + 1]);
    const int low = hex_digit(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// Decodes one name or value of `application/x-www-form-urlencoded`.
[[nodiscard]] inline std::string form_decode(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const int byte = percent_byte(text, at); byte >= 0) {
            bytes.push_back(static_cast<char>(byte));
            at += 2;
        } else {
            bytes.push_back(text[at] == '+' ? ' ' : text[at]);
        }
    }
    return is_valid_utf8(bytes) ? bytes : to_valid_utf8(bytes);
}

/// Whether a name or value differs from what it decodes to.
[[nodiscard]] constexpr bool needs_form_decoding(std::string_view text) noexcept {
    return text.find_first_of("%+") != std::string_view::npos || !is_valid_utf8(text);
}

/// Bytes that the form serialiser writes as they are.
constexpr bool is_form_literal(char byte) noexcept {
    const char lower = static_cast<char>(byte | 0x20);
    return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '*' ||
           byte == '-' || byte == '.' || byte == '_';
}

inline void append_form_encoded(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char byte : text) {
        if (is_form_literal(byte)) {
            out.push_back(byte);
        } else if (byte == ' ') {
            out.push_back('+');
        } else {
            const auto value = static_cast<unsigned char>(byte);
            out.push_back('%');
            out.push_back(digits[value >> 4]);
            out.push_back(digits[value & 15]);
        }
    }
}

}  // namespace detail

/// The parameters of a query string in their order, decoded as WHATWG's
/// `application/x-www-form-urlencoded` parser does:
///
/// ```
/// pairs = [ pair ] *( "&" [ pair ] )     ; empty pairs are dropped
/// pair  = name [ "=" value ]             ; "+" is a space, %XX a byte, a bad % itself
/// ```
///
/// Invalid UTF-8 becomes U+FFFD. Nothing is refused, so there is no error. What needs no decoding
/// is a view of the input, which must outlive the result; the rest is owned.
class query_string {
public:
    query_string() = default;
    query_string(query_string&&) noexcept = default;
    query_string& operator=(query_string&&) noexcept = default;
    query_string(const query_string&) = delete;
    query_string& operator=(const query_string&) = delete;

    [[nodiscard]] std::span<const name_value> pairs() const noexcept { return pairs_; }

private:
    friend query_string parse_query_string(std::string_view text);

    std::string_view decoded(std::string_view text) {
        if (!detail::needs_form_decoding(text)) return text;
        return owned_.emplace_front(detail::form_decode(text));
    }
    void add(std::string_view pair) {
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
        pairs_.push_back({decoded(pair.substr(0, equals)), decoded(value)});
    }

    std::vector<name_value> pairs_;
    std::forward_list<std::string> owned_;  // nodes never move, so that views into them stay valid
};

/// Splits and decodes a query string without its `?`.
///
/// ```
/// auto query = sluice::parse_query_string("city=S%C3%A3o+Paulo&page=2");
/// query.pairs()[0];  // {"city", "São Paulo"}
/// ```
[[nodiscard]] inline query_string parse_query_string(std::string_view text) {
    query_string query;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        if (end > 0) query.add(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return query;
}

/// Writes pairs as a query string that parses back to them.
[[nodiscard]] inline std::string to_query_string(std::span<const name_value> pairs) {
    std::string text;
    for (const auto& [name, value] : pairs) {
        if (!text.empty()) text.push_back('&');
        detail::append_form_encoded(text, name);
        text.push_back('=');
        detail::append_form_encoded(text, value);
    }
    return text;
}

}  // namespace sluice

#endif
