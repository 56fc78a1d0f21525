// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_REQUEST_HEAD_HPP
#define SLUICE_EXAMPLES_SERVER_REQUEST_HEAD_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <sluice/detail/ascii.hpp>
#include <sluice/query_string.hpp>

namespace server {

inline constexpr std::size_t max_method = 32;  ///< bytes
/// Bytes of path and query: filters of 10,000 bytes and expressions of 10,000 characters fit,
/// percent-encoded.
inline constexpr std::size_t max_target = 65'536;
/// Bytes of all header fields together; cpp-httplib takes no longer field.
inline constexpr std::size_t max_fields = 8'192;
inline constexpr std::size_t max_field_count = 64;

/// The line that ends a head follows the end of the line before.
inline constexpr std::string_view head_end = "\r\n\r\n";

/// Why a head is not looked into.
struct refusal {
    int status = 400;
    std::string message;
};

/// A request without its body. Views the text that it was read from.
///
/// ```
/// head         = request-line *field CRLF
/// request-line = method SP target SP "HTTP/1." ( "0" / "1" ) CRLF
/// field        = name ":" *byte CRLF                              ; without CR, LF and NUL
/// method, name = 1*tchar
/// target       = 1*byte                                           ; above SP, but not DEL
/// ```
struct request_head {
    std::string_view method;
    std::string_view target;
    std::string_view version;
    std::string_view fields;
};

namespace detail {

inline constexpr std::string_view line_end = "\r\n";

/// RFC 9110's tchar.
constexpr bool is_token_byte(char byte) noexcept {
    return sluice::detail::is_letter(byte) || (byte >= '0' && byte <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(byte) != std::string_view::npos;
}
constexpr bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, is_token_byte);
}
constexpr bool is_target_byte(char byte) noexcept {
    return static_cast<unsigned char>(byte) > ' ' && byte != '\x7F';
}

constexpr bool is_request_line(const request_head& head) noexcept {
    return is_token(head.method) && head.method.size() <= max_method && !head.target.empty() &&
           std::ranges::all_of(head.target, is_target_byte) &&
           (head.version == "HTTP/1.1" || head.version == "HTTP/1.0");
}
constexpr bool is_field(std::string_view line) noexcept {
    constexpr std::string_view forbidden("\r\n\0", 3);
    const std::size_t colon = line.find(':');
    return colon != std::string_view::npos && is_token(line.substr(0, colon)) &&
           line.find_first_of(forbidden) == std::string_view::npos;
}
/// How many fields there are; nothing where one is malformed.
constexpr std::optional<std::size_t> count_fields(std::string_view fields) noexcept {
    std::size_t count = 0;
    for (; !fields.empty(); ++count) {
        const std::string_view line = fields.substr(0, fields.find(line_end));
        if (!is_field(line)) return std::nullopt;
        fields.remove_prefix(line.size() + line_end.size());
    }
    return count;
}

/// A field's value without the white space around it.
constexpr std::string_view trim(std::string_view value) noexcept {
    const std::size_t begin = std::min(value.find_first_not_of(" \t"), value.size());
    value.remove_prefix(begin);
    return value.substr(0, value.find_last_not_of(" \t") + 1);
}

/// The parts of a whole head, whatever is in them.
constexpr request_head split_head(std::string_view text) noexcept {
    const std::size_t end = text.find(line_end);
    const std::string_view line = text.substr(0, end);
    const std::size_t method = std::min(line.find(' '), line.size());
    const std::size_t version = line.rfind(' ') + 1;  // 0 where there is no space
    const bool has_target = version > method + 1;
    const std::size_t fields = end + line_end.size();
    return {line.substr(0, method),
            has_target ? line.substr(method + 1, version - method - 2) : std::string_view{},
            line.substr(version), text.substr(fields, text.size() - fields - line_end.size())};
}

inline refusal malformed() { return {400, "malformed HTTP, expected an HTTP/1.1 request"}; }
inline refusal target_too_long() {
    return {414, "target: too long, expected at most " + std::to_string(max_target) + " bytes"};
}
inline refusal fields_too_large() {
    return {431, "headers: too large, expected at most " + std::to_string(max_field_count) +
                     " of together " + std::to_string(max_fields) + " bytes"};
}

}  // namespace detail

/// Refuses the beginning of a head, or a whole one, whose parts are too large.
[[nodiscard]] inline std::optional<refusal> check_size(std::string_view text) {
    constexpr std::size_t beside_target = max_method + std::string_view("  HTTP/1.1").size();
    const std::size_t line = std::min(text.find(detail::line_end), text.size());
    if (line > beside_target + max_target) return detail::target_too_long();
    if (text.size() - line > max_fields + head_end.size()) return detail::fields_too_large();
    return std::nullopt;
}

/// Reads a whole head, the line that ends it included.
[[nodiscard]] inline tl::expected<request_head, refusal> parse_head(std::string_view text) {
    if (const auto refused = check_size(text)) return tl::unexpected(*refused);
    const request_head head = detail::split_head(text);
    if (head.target.size() > max_target) return tl::unexpected(detail::target_too_long());
    if (!detail::is_request_line(head)) return tl::unexpected(detail::malformed());
    const auto count = detail::count_fields(head.fields);
    if (!count) return tl::unexpected(detail::malformed());
    if (*count > max_field_count) return tl::unexpected(detail::fields_too_large());
    return head;
}

/// The header fields of a head that was read, as they were sent. (cpp-httplib decodes %XX in them.)
[[nodiscard]] inline std::vector<sluice::name_value> fields_of(const request_head& head) {
    std::vector<sluice::name_value> all;
    for (std::string_view rest = head.fields; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find(detail::line_end));
        const std::size_t colon = line.find(':');
        all.push_back({line.substr(0, colon), detail::trim(line.substr(colon + 1))});
        rest.remove_prefix(line.size() + detail::line_end.size());
    }
    return all;
}

}  // namespace server

#endif
