// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_NETWORKS_HPP
#define SLUICE_EXAMPLES_SERVER_NETWORKS_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include <sluice/base/ascii.hpp>
#include <sluice/base/query_string.hpp>

/// Networks of trusted proxies, and the client that they name.
namespace server {

/// An address range: all addresses with the same first bits.
struct network {
    boost::asio::ip::address first;
    std::size_t bits = 0;
};

/// The networks of trusted proxies.
using networks = std::vector<network>;

/// Returns an address with an IPv4-mapped IPv6 address replaced by the IPv4 one. A socket that
/// listens on `::` has IPv4 clients by such addresses.
[[nodiscard]] inline boost::asio::ip::address unmapped(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

namespace detail {

/// Returns a text without spaces and tabs around it.
inline std::string_view trimmed(std::string_view text) noexcept {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    return text;
}

/// Parses an address; an IPv4-mapped IPv6 address becomes IPv4. nullopt if it is invalid or has a
/// scope id.
inline std::optional<boost::asio::ip::address> parse_address(std::string_view text) {
    namespace ip = boost::asio::ip;
    boost::system::error_code failed;
    const auto address = ip::make_address(std::string(text), failed);
    if (failed || (address.is_v6() && address.to_v6().scope_id() != 0)) return std::nullopt;
    return unmapped(address);
}

/// Returns true if two addresses of one size have the same first `bits`.
inline bool share_bits(std::span<const unsigned char> one, std::span<const unsigned char> other,
                       std::size_t bits) noexcept {
    const std::size_t whole = bits / 8, rest = bits % 8;
    if (!std::ranges::equal(one.first(whole), other.first(whole))) return false;
    return rest == 0 || (one[whole] ^ other[whole]) >> (8 - rest) == 0;
}

/// Parses `address [ "/" bits ]`; an address alone is a network of its own.
inline std::optional<network> parse_network(std::string_view text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto first = parse_address(text.substr(0, slash));
    if (!first) return std::nullopt;
    const std::size_t most = first->is_v6() ? 128 : 32;
    network read{*first, most};
    if (slash == text.size()) return read;
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), read.bits);
    const bool is_number = failed == std::errc() && end == digits.data() + digits.size();
    return is_number && read.bits <= most ? std::optional(read) : std::nullopt;
}

}  // namespace detail

/// Parses a comma-separated list of `address [ "/" bits ]`; nullopt if an item is invalid.
[[nodiscard]] inline std::optional<networks> parse_networks(std::string_view list) {
    networks all;
    for (bool is_more = true; is_more;) {
        const std::size_t comma = list.find(',');
        const auto one = detail::parse_network(detail::trimmed(list.substr(0, comma)));
        if (!one) return std::nullopt;
        all.push_back(*one);
        is_more = comma != std::string_view::npos;
        list.remove_prefix(is_more ? comma + 1 : list.size());
    }
    return all;
}

/// Returns true if an address is in any of the networks.
[[nodiscard]] inline bool contains(const networks& all, const boost::asio::ip::address& client) {
    const boost::asio::ip::address address = unmapped(client);
    return std::ranges::any_of(all, [&](const network& range) {
        if (address.is_v4() && range.first.is_v4()) {
            return detail::share_bits(address.to_v4().to_bytes(), range.first.to_v4().to_bytes(),
                                      range.bits);
        }
        return address.is_v6() && range.first.is_v6() &&
               detail::share_bits(address.to_v6().to_bytes(), range.first.to_v6().to_bytes(),
                                  range.bits);
    });
}

/// The client of a request from `peer`: the last address in X-Forwarded-For that isn't a trusted
/// proxy. It was added by a trusted proxy; earlier ones may be forged by the client.
///
/// ```
/// X-Forwarded-For: 203.0.113.9, 192.0.2.7, 10.0.0.2        peer 10.0.0.1, trusted 10.0.0.0/8
///                               ^ the client
/// ```
[[nodiscard]] inline std::string forwarded_client(const std::vector<sluice::name_value>& fields,
                                                  const boost::asio::ip::address& peer,
                                                  const networks& trusted) {
    std::string list;
    for (const sluice::name_value& field : fields) {
        if (!sluice::detail::equal_ignoring_case(field.name, "x-forwarded-for")) continue;
        list.append(",").append(field.value);
    }
    boost::asio::ip::address client = peer;
    for (std::string_view rest = list; !rest.empty() && contains(trusted, client);) {
        const std::size_t comma = rest.rfind(',');
        const auto before = detail::parse_address(detail::trimmed(rest.substr(comma + 1)));
        if (!before) break;
        client = *before;
        rest = rest.substr(0, comma);
    }
    return client.to_string();
}

/// Returns true for X-Forwarded fields, in which proxies describe the original request.
[[nodiscard]] inline bool is_forwarded_field(const sluice::name_value& field) noexcept {
    constexpr std::string_view names = "x-forwarded-";
    return field.name.size() >= names.size() &&
           sluice::detail::equal_ignoring_case(field.name.substr(0, names.size()), names);
}

}  // namespace server

#endif
