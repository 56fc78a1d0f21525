// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_LISTENER_HPP
#define SLUICE_EXAMPLES_SERVER_LISTENER_HPP

#include <cstdint>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <tl/expected.hpp>

namespace server {

/// A socket bound to the first usable address of a host and a port (0: a free one), or an error. It
/// accepts no connections until listen().
[[nodiscard]] tl::expected<boost::asio::ip::tcp::acceptor, std::string> bind_listener(
    boost::asio::io_context& io, const std::string& host, std::uint16_t port);

/// Starts accepting connections, or returns an error.
[[nodiscard]] tl::expected<void, std::string> listen(boost::asio::ip::tcp::acceptor& bound);

}  // namespace server

#endif
