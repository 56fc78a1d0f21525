// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_REQUEST_HPP
#define SLUICE_REFERENCE_SERVICE_REQUEST_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/query_string.hpp>

/// HTTP requests as the handler reads them, independent of the server.
namespace sluice::reference {

namespace detail {

/// Returns true for a byte of a host name or IPv4 address in a request.
constexpr bool is_name_byte(char byte) noexcept {
    return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) || byte == '-' ||
           byte == '.' || byte == '_';
}
/// Returns true for a byte of an IPv6 address.
constexpr bool is_address_byte(char byte) noexcept {
    return sluice::detail::hex_digit(byte) >= 0 || byte == ':' || byte == '.';
}

}  // namespace detail

/// Returns true if a text is a host with an optional port, as in a request's Host header and in
/// URLs.
///
/// ```
/// authority = host [ ":" 1*5DIGIT ]
/// host      = 1*( ALPHA / DIGIT / "-" / "." / "_" )         ; a name or an IPv4 address
///           / "[" 2*( HEXDIG / ":" / "." ) "]"              ; an IPv6 address
/// ```
[[nodiscard]] constexpr bool is_authority(std::string_view text) noexcept {
    constexpr std::size_t longest_name = 253;  // limit of the domain name system
    const bool is_address = text.starts_with('[');
    const std::size_t end = std::min(is_address ? text.find(']') : text.find(':'), text.size());
    const std::string_view host = text.substr(is_address ? 1 : 0, is_address ? end - 1 : end);
    std::string_view port = text.substr(std::min(end + (is_address ? 1 : 0), text.size()));
    if (is_address && (end == text.size() || host.size() < 2)) return false;
    if (host.empty() || host.size() > longest_name) return false;
    if (!std::ranges::all_of(host, is_address ? detail::is_address_byte : detail::is_name_byte)) {
        return false;
    }
    if (port.empty()) return true;
    port.remove_prefix(1);
    return text[text.size() - port.size() - 1] == ':' && !port.empty() && port.size() <= 5 &&
           std::ranges::all_of(port, sluice::detail::is_digit);
}

/// A request, independent of the transport. Its views must be valid while it is handled.
struct request {
    std::string_view method = "GET";
    std::string_view target;                ///< path and query, as on the request line
    std::span<const name_value> headers{};  ///< names in any case
    std::string_view scheme = "https";      ///< scheme of the connection
    /// The path that the handler is mounted at, percent-encoded. It precedes the target, and links
    /// to this service start with it.
    std::string_view mount{};

    /// The value of a header that occurs exactly once; nullopt otherwise.
    [[nodiscard]] std::optional<std::string_view> header_value(
        std::string_view name) const noexcept {
        std::optional<std::string_view> value;
        for (const name_value& field : headers) {
            if (!sluice::detail::equal_ignoring_case(field.name, name)) continue;
            if (value) return std::nullopt;
            value = field.value;
        }
        return value;
    }
    [[nodiscard]] std::string_view path() const noexcept {
        return target.substr(0, target.find('?'));
    }
    [[nodiscard]] std::string_view query() const noexcept {
        const std::size_t mark = target.find('?');
        return mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
    }
    /// Returns true for GET and HEAD.
    [[nodiscard]] bool is_get() const noexcept { return method == "GET" || method == "HEAD"; }
    /// Returns true for a CORS preflight, of any origin.
    [[nodiscard]] bool is_preflight() const noexcept {
        return method == "OPTIONS" && header_value("access-control-request-method");
    }
};

}  // namespace sluice::reference

#endif
