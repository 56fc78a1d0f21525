// SPDX-License-Identifier: MIT
#include "listener.hpp"

#include <utility>

namespace server {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

/// A socket bound to one address, or the system's error.
tl::expected<tcp::acceptor, error_code> bind_to(boost::asio::io_context& io,
                                                const tcp::endpoint& place) {
    tcp::acceptor bound(io);
    error_code failed;
    bound.open(place.protocol(), failed);
    // A restart doesn't have to wait for old connections to time out; two servers still can't share
    // a port.
    if (!failed) bound.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) bound.bind(place, failed);
    if (failed) return tl::unexpected(failed);
    return bound;
}

}  // namespace

tl::expected<tcp::acceptor, std::string> bind_listener(boost::asio::io_context& io,
                                                       const std::string& host,
                                                       std::uint16_t port) {
    error_code failed;
    const auto places =
        tcp::resolver(io).resolve(host, std::to_string(port), tcp::resolver::passive, failed);
    for (const auto& place : places) {
        auto bound = bind_to(io, place.endpoint());
        if (bound) return std::move(*bound);
        failed = bound.error();
    }
    return tl::unexpected(failed.message());
}

tl::expected<void, std::string> listen(tcp::acceptor& bound) {
    error_code failed;
    bound.listen(tcp::acceptor::max_listen_connections, failed);
    if (failed) return tl::unexpected(failed.message());
    return {};
}

}  // namespace server
