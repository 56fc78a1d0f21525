// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_RELOAD_HPP
#define SLUICE_EXAMPLES_SERVER_RELOAD_HPP

#include <csignal>
#include <functional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>

#include "as_result.hpp"

namespace server {

/// Reloads the keys and the certificate on SIGHUP, one reload at a time, on its own thread:
///
/// ```
/// SIGHUP -> files -> read and checked whole -> replaced: later requests have the new keys, later
///                          |                             connections the new certificate
///                          \-> a mistake: the log says which, the old ones stay
/// ```
class reload_signal {
public:
    /// Replaces the signal's default action, which is to end the program. A signal before start()
    /// is remembered.
    explicit reload_signal(boost::asio::io_context& io) : io_(io), hangups_(io, SIGHUP) {}

    /// Calls `reload` on each signal.
    void start(std::function<void()> reload) {
        boost::asio::co_spawn(io_, run(std::move(reload)), boost::asio::detached);
    }
    /// Waits for the reloads in progress, which use what the caller is about to destroy. Call it
    /// once the io_context has ended.
    void finish() { thread_.join(); }

private:
    [[nodiscard]] boost::asio::awaitable<void> run(std::function<void()> reload) {
        for (;;) {
            const auto [failed, number] = co_await hangups_.async_wait(as_result);
            if (failed) co_return;
            boost::asio::post(thread_, reload);
        }
    }

    boost::asio::io_context& io_;
    boost::asio::signal_set hangups_;
    boost::asio::thread_pool thread_{1};
};

}  // namespace server

#endif
