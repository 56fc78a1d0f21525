// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_DOCUMENTATION_URL_HPP
#define SLUICE_API_SERVICE_DOCUMENTATION_URL_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/api/service/call.hpp>
#include <sluice/detail/ascii.hpp>
#include <sluice/detail/hex.hpp>

namespace sluice::api {

namespace detail {

constexpr bool is_name_byte(char byte) noexcept {
    return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) || byte == '-' ||
           byte == '.' || byte == '_';
}
constexpr bool is_address_byte(char byte) noexcept {
    return sluice::detail::hex_digit(byte) >= 0 || byte == ':' || byte == '.';
}

}  // namespace detail

/// Whether a Host header is one that a URL may have.
///
/// ```
/// authority = host [ ":" 1*5DIGIT ]
/// host      = 1*( ALPHA / DIGIT / "-" / "." / "_" )         ; a name or an IPv4 address
///           / "[" 2*( HEXDIG / ":" / "." ) "]"              ; an IPv6 address
/// ```
[[nodiscard]] constexpr bool is_authority(std::string_view text) noexcept {
    constexpr std::size_t longest_name = 253;  // of the domain name system
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

/// What `doc_url` in the errors of a request starts with: the address of the documentation that the
/// server was told, or of this server, which has a page of errors. Where neither is known, not even
/// from the request, it is empty: a path on the server that was asked.
[[nodiscard]] inline std::string documentation_url(const request& asked,
                                                   const handler_options& options) {
    if (!options.docs_url.empty()) return options.docs_url;
    if (!options.base_url.empty()) return options.base_url;
    const auto host = asked.header_value("host");
    if (!host || !is_authority(*host)) return {};
    return "https://" + std::string(*host);  // whatever this request came by: nothing else answers
}

}  // namespace sluice::api

#endif
