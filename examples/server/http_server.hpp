// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_HTTP_SERVER_HPP
#define SLUICE_EXAMPLES_SERVER_HTTP_SERVER_HPP

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <utility>

#include <openssl/ssl.h>
#include <poll.h>

#include <sluice/api/handler.hpp>

#include "connection.hpp"
#include "file_descriptor.hpp"
#include "http_session.hpp"
#include "listener.hpp"
#include "worker_pool.hpp"

namespace server {

// Connections: so many are served at once, so many wait for that, and more are closed at once.
inline constexpr std::size_t max_served = 64;
inline constexpr std::size_t max_waiting = 64;

namespace detail {

/// Answers a client's requests. What fails unexpectedly ends this connection only.
inline void serve_client(client accepted, SSL_CTX* tls, sluice::api::handler& handler,
                         int stop) noexcept try {
    connection greeted(std::move(accepted), tls);
    http_session(greeted, handler, tls != nullptr ? "https" : "http", stop).run();
} catch (...) {
    std::fputs("server: a connection failed unexpectedly\n", stderr);
}

}  // namespace detail

/// Serves clients until `stop` can be read; then lets nobody connect any more, and finishes the
/// requests that are under way. `tls` is null for plain HTTP.
inline void serve_clients(file_descriptor listener, SSL_CTX* tls, sluice::api::handler& handler,
                          int stop) {
    worker_pool<client> pool(max_served, max_waiting, [&handler, tls, stop](client accepted) {
        detail::serve_client(std::move(accepted), tls, handler, stop);
    });
    const file_descriptor open_listener = std::move(listener);  // goes before the pool
    std::array<pollfd, 2> waits{pollfd{open_listener.number(), POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    for (;;) {
        const bool woken = ::poll(waits.data(), waits.size(), -1) > 0;
        if (woken && waits[1].revents != 0) return;
        auto accepted = accept_client(open_listener);
        if (accepted) {
            static_cast<void>(pool.offer(std::move(*accepted)));  // one too many is closed
        } else if (errno != EAGAIN) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));  // out of files or memory
        }
    }
}

}  // namespace server

#endif
