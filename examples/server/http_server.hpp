// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_HTTP_SERVER_HPP
#define SLUICE_EXAMPLES_SERVER_HTTP_SERVER_HPP

#include <cstdint>
#include <stop_token>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>

#include "http_session.hpp"
#include "site.hpp"

namespace server {

/// Serves clients until SIGINT or SIGTERM. One thread does all reading and writing, and lanes do
/// the work, so that a connection costs memory only.
class http_server {
public:
    /// Takes the place of what a signal does from here on.
    http_server(boost::asio::io_context& io, boost::asio::ip::tcp::acceptor listening,
                const connection_limits& limits, service& shared);

    /// The port that clients connect to.
    [[nodiscard]] std::uint16_t port() const { return served_.port(); }

    /// Serves; a signal ends it, and all else that the context runs:
    ///
    /// ```
    /// signal -> no new clients -> what was sent already is answered -> all are gone
    ///             a second one        \-> grace is over: cancelled, then cut off
    ///             ends the program
    /// ```
    void run();

private:
    [[nodiscard]] boost::asio::awaitable<void> stop_on_signal();

    boost::asio::io_context& io_;
    boost::asio::signal_set signals_;
    site served_;
    service& shared_;
    std::stop_source cancelled_;
};

}  // namespace server

#endif
