// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_REQUEST_RULES_HPP
#define SLUICE_EXAMPLES_SERVER_REQUEST_RULES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>

#include <sluice/base/ascii.hpp>
#include <sluice/base/query_string.hpp>

/// The rules that a request must meet before the handler sees it: sizes, host and body length.
namespace server {

namespace http = boost::beast::http;

// Limits of a request, in bytes except for the count.
/// Large enough for filters of 10,000 bytes and expressions of 10,000 characters, percent-encoded.
inline constexpr std::size_t max_target = 65'536;
inline constexpr std::size_t max_method = 32;
inline constexpr std::size_t max_fields = 8'192;  ///< all fields, including ": " and line ends
inline constexpr std::size_t max_field_count = 64;
inline constexpr std::size_t max_line =
    max_method + max_target + std::string_view("  HTTP/1.1\r\n").size();
inline constexpr std::size_t max_head = max_line + max_fields + std::string_view("\r\n").size();
inline constexpr std::size_t max_body = 65'536;  ///< read and discarded

using request_head = http::request_header<>;

/// The reason why a request doesn't reach the handler. Its connection is closed, because the end of
/// its body is unknown.
struct refusal {
    int status = 400;
    std::string message;
};

namespace detail {

inline refusal malformed() { return {400, "malformed HTTP, expected an HTTP/1.1 request"}; }
inline refusal host_unclear() {
    return {400, "Host: expected exactly one, a host and perhaps a port"};
}
inline refusal length_unclear() {
    return {400, "Content-Length: expected at most one, of decimal digits"};
}
inline refusal coding_unclear() {
    return {400,
            "Transfer-Encoding: expected nothing but chunked, without Content-Length, in HTTP/1.1"};
}
inline refusal target_too_long() {
    return {414, "target: too long, expected at most " + std::to_string(max_target) + " bytes"};
}
inline refusal fields_too_large() {
    return {431, "headers: too large, expected at most " + std::to_string(max_field_count) +
                     " of together " + std::to_string(max_fields) + " bytes"};
}
inline refusal body_too_large() {
    return {413, "body: too large, expected at most " + std::to_string(max_body) + " bytes"};
}

/// The refusal of a head beyond max_head: because of its first line, or of its fields.
inline refusal too_large(std::string_view received) {
    const bool is_in_line = std::min(received.find("\r\n"), received.size()) >= max_line;
    return is_in_line ? target_too_long() : fields_too_large();
}

/// Returns true if a line begins with white space, which continues the line before. Servers
/// interpret such lines differently (RFC 9112, section 5.2).
constexpr bool has_folded_line(std::string_view head) noexcept {
    return head.find("\r\n ") != head.npos || head.find("\r\n\t") != head.npos;
}

constexpr bool is_space(char byte) noexcept { return byte == ' ' || byte == '\t'; }
constexpr bool is_token_byte(char byte) noexcept {
    return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) ||
           std::string_view("!#$%&'*+-.^_`|~").find(byte) != std::string_view::npos;
}
/// Returns true for a byte of a field's value or of a chunk's extensions.
constexpr bool is_value_byte(char byte) noexcept {
    return is_space(byte) || (static_cast<unsigned char>(byte) > ' ' && byte != '\x7f');
}

/// Returns true if a line is `token ":" value` (RFC 9112, section 5).
constexpr bool is_field(std::string_view line) noexcept {
    const std::size_t colon = line.find(':');
    return colon != 0 && colon != std::string_view::npos &&
           std::ranges::all_of(line.substr(0, colon), is_token_byte) &&
           std::ranges::all_of(line.substr(colon + 1), is_value_byte);
}

/// Returns true if a text may follow the size of a chunk: empty, or `[ white space ] ";" ...`
/// (RFC 9112, section 7.1.1).
constexpr bool are_extensions(std::string_view text) noexcept {
    const auto begin = std::ranges::find_if_not(text, is_space);
    return text.empty() ||
           (begin != text.end() && *begin == ';' && std::ranges::all_of(text, is_value_byte));
}

/// Returns true for a byte of a host name: RFC 3986, section 3.2.2.
constexpr bool is_name_byte(char byte) noexcept {
    return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) ||
           std::string_view("-._~%!$&'()*+,;=").find(byte) != std::string_view::npos;
}
constexpr bool is_address_byte(char byte) noexcept { return byte == ':' || is_name_byte(byte); }

/// Returns true if a text is empty or `host [ ":" port ]`.
constexpr bool is_authority(std::string_view text) noexcept {
    const bool has_brackets = text.starts_with('[');
    const std::size_t closing = has_brackets ? text.find(']') : 0;
    if (closing == std::string_view::npos) return false;
    const std::size_t colon = std::min(text.find(':', closing), text.size());
    const std::string_view name = text.substr(0, colon);
    const std::string_view port = text.substr(std::min(colon + 1, text.size()));
    if (!std::ranges::all_of(port, sluice::detail::is_digit)) return false;
    if (!has_brackets) return std::ranges::all_of(name, is_name_byte);
    return colon == closing + 1 &&
           std::ranges::all_of(name.substr(1, closing - 1), is_address_byte);
}

// Ambiguous hosts and lengths are refused, because a proxy may interpret them differently and take
// one request for two (request smuggling).

/// Returns true if a request of HTTP/1.1 has exactly one valid Host, and an older one at most one.
inline bool has_clear_host(const request_head& head) {
    const std::size_t count = head.count(http::field::host);
    if (count == 0) return head.version() < 11;
    return count == 1 && is_authority(head[http::field::host]);
}
/// Returns true if there is at most one Content-Length, of decimal digits only.
inline bool has_clear_length(const request_head& head) {
    const std::size_t count = head.count(http::field::content_length);
    const std::string_view value = head[http::field::content_length];
    return count == 0 ||
           (count == 1 && !value.empty() && std::ranges::all_of(value, sluice::detail::is_digit));
}
/// Returns true if the only transfer coding is chunked, without a Content-Length.
inline bool has_clear_coding(const request_head& head) {
    const std::size_t count = head.count(http::field::transfer_encoding);
    const std::string_view value = head[http::field::transfer_encoding];
    return count == 0 ||
           (count == 1 && head.version() == 11 && head.count(http::field::content_length) == 0 &&
            sluice::detail::equal_ignoring_case(value, "chunked"));
}

/// Returns true if the header fields are within max_field_count and max_fields.
inline bool has_few_fields(const request_head& head) {
    std::size_t count = 0;
    std::size_t bytes = 0;
    for (const auto& field : head) {
        ++count;
        bytes +=
            field.name_string().size() + field.value().size() + std::string_view(": \r\n").size();
    }
    return count <= max_field_count && bytes <= max_fields;
}

}  // namespace detail

/// Refuses a head with parts that are too large, or whose host or body length is ambiguous (RFC
/// 9112, sections 3.2 and 6).
[[nodiscard]] inline std::optional<refusal> check_head(const request_head& head) {
    if (head.target().size() > max_target) return detail::target_too_long();
    if (!detail::has_few_fields(head)) return detail::fields_too_large();
    if (head.method_string().size() > max_method) return detail::malformed();
    if (!detail::has_clear_host(head)) return detail::host_unclear();
    if (!detail::has_clear_coding(head)) return detail::coding_unclear();
    if (!detail::has_clear_length(head)) return detail::length_unclear();
    return std::nullopt;
}

/// Refuses a head that Beast can't parse.
[[nodiscard]] inline refusal refusal_of(boost::beast::error_code failed) {
    if (failed == http::error::bad_transfer_encoding) return detail::coding_unclear();
    if (failed == http::error::bad_content_length ||
        failed == http::error::multiple_content_length) {
        return detail::length_unclear();
    }
    return detail::malformed();
}

/// The path and query of a target, which may also be in the absolute form for proxies:
///
/// ```
/// origin-form   = "/" path [ "?" query ]
/// absolute-form = ( "http" / "https" ) "://" authority [ "/" path ] [ "?" query ]
/// ```
/// Other targets are returned unchanged and match no route.
[[nodiscard]] inline std::string target_of(const request_head& head) {
    const std::string_view target = head.target();
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!sluice::detail::equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
        const std::size_t end = target.find_first_of("/?", scheme.size());
        if (end == std::string_view::npos) return "/";
        return (target[end] == '?' ? "/" : "") + std::string(target.substr(end));
    }
    return std::string(target);
}

/// The header fields, without white space around their values.
[[nodiscard]] inline std::vector<sluice::name_value> fields_of(const request_head& head) {
    std::vector<sluice::name_value> all;
    for (const auto& field : head) all.push_back({field.name_string(), field.value()});
    return all;
}

/// The size of the empty lines before a request, which a client may send after a body (RFC 9112,
/// section 2.2).
[[nodiscard]] constexpr std::size_t empty_lines_before(std::string_view received) noexcept {
    std::size_t size = 0;
    while (received.substr(size).starts_with("\r\n")) size += 2;
    return size;
}

}  // namespace server

#endif
