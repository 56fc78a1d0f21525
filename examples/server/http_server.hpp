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

/// Serves clients until SIGINT or SIGTERM. One thread does all I/O and a thread pool answers
/// requests, so that a connection only costs memory.
class http_server {
public:
    /// Replaces the default action of the two signals.
    http_server(boost::asio::io_context& io, boost::asio::ip::tcp::acceptor listening,
                const connection_limits& limits, service& shared);

    /// The port that clients connect to.
    [[nodiscard]] std::uint16_t port() const { return served_.port(); }

    /// Serves until a signal, which also ends everything else on the io_context:
    ///
    /// ```
    /// signal -> no new clients -> what was sent already is answered -> all are gone
    ///             a second one        \-> grace is over: cancelled, then cut off
    ///             ends the program
    /// ```
    void run();

private:
    /// Waits for a signal, then stops as run() shows.
    [[nodiscard]] boost::asio::awaitable<void> stop_on_signal();

    boost::asio::io_context& io_;
    boost::asio::signal_set signals_;
    site served_;
    service& shared_;
    std::stop_source cancelled_;
};

}  // namespace server

#endif
