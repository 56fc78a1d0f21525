// SPDX-License-Identifier: MIT
#include "store_place.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include <sluice/base/query_string.hpp>

namespace server {

namespace {

/// The texts before and after a separator; all of it is before if the separator is missing.
struct halves {
    std::string_view before;
    std::string_view after;
    bool are_two;
};
halves split(std::string_view text, std::string_view separator) {
    const std::size_t position = text.find(separator);
    if (position == std::string_view::npos) return {text, {}, false};
    return {text.substr(0, position), text.substr(position + separator.size()), true};
}

/// Decodes percent-encoded bytes; a `%` without two digits stays as it is.
std::string decode(std::string_view text) {
    std::string decoded;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const int byte = sluice::detail::percent_byte(text, at);
        decoded.push_back(byte < 0 ? text[at] : static_cast<char>(byte));
        if (byte >= 0) at += 2;
    }
    return decoded;
}

/// Parses the port after a name: `:8123`, or the usual one if the text is empty.
std::optional<std::uint16_t> parse_port(std::string_view text, std::uint16_t usual) {
    if (text.empty()) return usual;
    std::uint16_t port = 0;
    const auto [end, failed] = std::from_chars(text.data() + 1, text.data() + text.size(), port);
    const bool is_whole = text.front() == ':' && end == text.data() + text.size();
    return is_whole && failed == std::errc() ? std::optional(port) : std::nullopt;
}

/// Parses `name [ ":" port ]` or `"[" IPv6 address "]" [ ":" port ]`.
std::optional<store_host> parse_host(std::string_view text, std::uint16_t usual_port) {
    constexpr std::string_view of_address = "0123456789ABCDEFabcdef:.";
    const bool is_address = text.starts_with('[');
    const std::size_t end = is_address ? text.find(']') : std::min(text.find(':'), text.size());
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view name = text.substr(is_address, end - is_address);
    const auto port = parse_port(text.substr(end + is_address), usual_port);
    const bool is_name = is_address ? name.find_first_not_of(of_address) == std::string_view::npos
                                    : name.find_first_of("[]@?#") == std::string_view::npos;
    if (!is_name || name.empty() || !port) return std::nullopt;
    return store_host{std::string(name), *port};
}

/// Parses a list of hosts; empty if one is invalid.
std::vector<store_host> parse_hosts(std::string_view list, std::uint16_t usual_port) {
    std::vector<store_host> hosts;
    for (bool is_more = true; is_more;) {
        const auto [first, rest, are_two] = split(list, ",");
        auto host = parse_host(first, usual_port);
        if (!host) return {};
        hosts.push_back(*std::move(host));
        list = rest;
        is_more = are_two;
    }
    return hosts;
}

}  // namespace

tl::expected<store_place, std::string> parse_store_place(std::string_view url,
                                                         std::string_view other_password) {
    const auto [scheme, address, has_scheme] = split(url, "://");
    const auto [authority, database, has_path] = split(address, "/");
    const auto [login, named, has_user] = split(authority, "@");
    const auto [user, password, has_password] = split(has_user ? login : "", ":");
    store_place place;
    place.is_secure = scheme == "clickhouses";
    place.hosts = parse_hosts(has_user ? named : authority, place.is_secure ? 8'443 : 8'123);
    const bool is_known = has_scheme && (place.is_secure || scheme == "clickhouse");
    if (!is_known || place.hosts.empty() || database.find_first_of("/?#") != database.npos) {
        return tl::unexpected(
            std::string("expected clickhouse://[user[:password]@]host[:port][,host[:port]…]"
                        "[/database], or clickhouses:// for TLS"));
    }
    if (!database.empty()) place.database = decode(database);
    if (!user.empty()) place.user = decode(user);
    place.password = has_password ? decode(password) : std::string(other_password);
    return place;
}

}  // namespace server
