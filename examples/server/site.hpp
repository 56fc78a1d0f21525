// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SITE_HPP
#define SLUICE_EXAMPLES_SERVER_SITE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "admission.hpp"
#include "http_session.hpp"
#include "sessions.hpp"

namespace server {

/// A listening socket and the sessions of its clients:
///
/// ```
/// accept -> admission -> session ... work_queues
///             |    \-> closed
///             |--> the session that waits longest is cut off for it
///             \-> session that answers 429
/// ```
class site {
public:
    site(boost::asio::io_context& io, boost::asio::ip::tcp::acceptor listening,
         const connection_limits& limits, service& shared);

    /// The port that clients connect to.
    [[nodiscard]] std::uint16_t port() const { return listening_.local_endpoint().port(); }
    /// Returns true if there are no sessions.
    [[nodiscard]] bool is_empty() const noexcept { return sessions_.empty(); }

    /// Starts accepting clients.
    void open();
    /// Accepts the clients that the kernel has already connected, then closes, and notifies all
    /// sessions.
    void close();
    /// Waits until the last session has ended, or for `at_most`.
    [[nodiscard]] boost::asio::awaitable<void> await_last_session(
        std::chrono::milliseconds at_most);

private:
    /// Accepts clients until close().
    [[nodiscard]] boost::asio::awaitable<void> accept_clients();
    /// Starts the session of a client, or closes the connection if admission refuses it.
    void start_session(boost::asio::ip::tcp::socket client);
    /// Starts sessions of the clients in the kernel's queue, without waiting for others.
    void accept_waiting_clients();
    /// Returns memory to the system after a peak of connections, once half of them have ended.
    void give_memory_back();

    boost::asio::io_context& io_;
    boost::asio::ip::tcp::acceptor listening_;
    boost::asio::steady_timer last_session_;  // cancelled when the last session ends
    admission admission_;
    std::size_t most_served_ = 0;  // peak of connections since memory was returned
    service& shared_;
    session_lists sessions_;
};

}  // namespace server

#endif
