// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_LISTENER_HPP
#define SLUICE_EXAMPLES_SERVER_LISTENER_HPP

#include <cstdint>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <tl/expected.hpp>

namespace server {

/// A socket bound to the first address of a host that can be, and a port (0: a free one); or why
/// there is none. Clients are turned away until it listens.
[[nodiscard]] tl::expected<boost::asio::ip::tcp::acceptor, std::string> bind_listener(
    boost::asio::io_context& io, const std::string& host, std::uint16_t port);

/// Lets clients connect, or says why not.
[[nodiscard]] tl::expected<void, std::string> listen(boost::asio::ip::tcp::acceptor& bound);

}  // namespace server

#endif
