// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_HTTP_SERVER_HPP
#define SLUICE_EXAMPLES_SERVER_HTTP_SERVER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include "admission.hpp"
#include "http_session.hpp"

namespace server {

/// Serves clients until SIGINT or SIGTERM. One thread does all reading and writing, and lanes do
/// the work, so that a connection costs memory only.
///
/// ```
/// accept -> admission -> session ... lanes
///             |    \-> closed         ^
///             \-> session that answers 429
/// ```
class http_server {
public:
    /// Takes the place of what a signal does from here on.
    http_server(boost::asio::io_context& io, boost::asio::ip::tcp::acceptor listening,
                const connection_limits& limits, service& shared);

    /// The port that clients connect to.
    [[nodiscard]] std::uint16_t port() const { return listening_.local_endpoint().port(); }

    /// Serves; a signal ends it:
    ///
    /// ```
    /// signal -> no new clients -> what was sent already is answered -> all are gone
    ///             a second one        \-> grace is over: cancelled, then cut off
    ///             ends the program
    /// ```
    void run();

private:
    [[nodiscard]] boost::asio::awaitable<void> accept_clients();
    [[nodiscard]] boost::asio::awaitable<void> stop_on_signal();
    void start_session(boost::asio::ip::tcp::socket client);
    void accept_waiting_clients();
    /// Lets the system have what a crowd of connections took, once half of it has gone.
    void give_memory_back();
    [[nodiscard]] boost::asio::awaitable<void> await_last_session(
        std::chrono::milliseconds at_most);

    boost::asio::io_context& io_;
    boost::asio::ip::tcp::acceptor listening_;
    boost::asio::signal_set signals_;
    boost::asio::steady_timer last_session_;  // cancelled when there is none any more
    admission admission_;
    std::size_t most_served_ = 0;  // at a time, since memory was given back
    service& shared_;
    std::stop_source cancelled_;
    boost::intrusive::list<http_session, boost::intrusive::constant_time_size<false>> sessions_;
};

}  // namespace server

#endif
