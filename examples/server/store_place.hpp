// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_STORE_PLACE_HPP
#define SLUICE_EXAMPLES_SERVER_STORE_PLACE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace server {

/// The address of a ClickHouse server.
struct store_host {
    std::string name;
    std::uint16_t port = 0;
};

/// The location and login of ClickHouse: one server, or several interchangeable ones.
struct store_place {
    std::vector<store_host> hosts;
    std::string database = "default";
    std::string user = "default";
    std::string password;
    bool is_secure = false;
};

/// Parses a URL; `other_password` is used if it has none. Errors don't quote the URL.
///
/// ```
/// url  = ( "clickhouse" / "clickhouses" ) "://" [ user [ ":" password ] "@" ] host *( "," host )
///        [ "/" [ database ] ]             ; user, password and database percent-encoded
/// host = ( name / "[" address "]" ) [ ":" port ]          ; ports are 8123 and 8443 by default
/// ```
[[nodiscard]] tl::expected<store_place, std::string> parse_store_place(
    std::string_view url, std::string_view other_password);

}  // namespace server

#endif
