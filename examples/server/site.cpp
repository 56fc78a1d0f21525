// SPDX-License-Identifier: MIT
#include "site.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <malloc.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "as_result.hpp"

namespace server {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Limits the unsent bytes that the kernel buffers, so that answers a client leaves unread are
/// counted by this server.
void limit_unsent(tcp::socket& client) {
    constexpr int most = 128 << 10;  // bytes
    ::setsockopt(client.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most, sizeof most);
}

}  // namespace

site::site(asio::io_context& io, tcp::acceptor listening, const connection_limits& limits,
           service& shared)
    : io_(io),
      listening_(std::move(listening)),
      last_session_(io),
      admission_(limits),
      shared_(shared),
      sessions_(limits.unread) {}

void site::open() { asio::co_spawn(io_, accept_clients(), asio::detached); }

void site::close() {
    accept_waiting_clients();
    error_code ignored;
    listening_.close(ignored);
    sessions_.notice_stop();
}

asio::awaitable<void> site::accept_clients() {
    while (listening_.is_open()) {
        auto [failed, client] = co_await listening_.async_accept(as_result);
        if (!failed) {
            start_session(std::move(client));
        } else {  // perhaps out of file descriptors or memory
            asio::steady_timer pause(io_, std::chrono::milliseconds(10));
            co_await pause.async_wait(as_result);
        }
    }
}

void site::start_session(tcp::socket client) {
    error_code failed;
    const auto address = client.remote_endpoint(failed).address();
    if (!failed) client.set_option(tcp::no_delay(true), failed);
    if (!failed) limit_unsent(client);
    const verdict decision =
        failed ? verdict::close : admission_.admit(address, sessions_.any_waits());
    if (decision == verdict::close) return;
    if (decision == verdict::serve && admission_.is_over()) sessions_.cut_off_longest_waiting();
    auto session = make_session(std::move(client), shared_, sessions_, decision);
    http_session& started = *session;
    sessions_.put(started, activity::working);
    auto end = [this, address, decision,
                ended = std::move(session)](std::exception_ptr why) mutable {
        if (why) shared_.report("server: a connection failed unexpectedly");
        sessions_.remove(*ended);
        ended.reset();
        admission_.release(address, decision);
        give_memory_back();
        if (sessions_.empty()) last_session_.cancel();
    };
    asio::co_spawn(io_, started.run(), std::move(end));
}

void site::give_memory_back() {
    constexpr std::size_t worth_it = 1'000;  // connections
    most_served_ = std::max(most_served_, admission_.served());
    if (most_served_ < worth_it || admission_.served() > most_served_ / 2) return;
    ::malloc_trim(0);
    most_served_ = admission_.served();
}

void site::accept_waiting_clients() {
    error_code failed;
    listening_.cancel(failed);
    listening_.non_blocking(true, failed);
    while (!failed) {
        tcp::socket client(io_);
        listening_.accept(client, failed);
        if (!failed) start_session(std::move(client));
    }
}

asio::awaitable<void> site::await_last_session(std::chrono::milliseconds at_most) {
    if (sessions_.empty()) co_return;
    last_session_.expires_after(at_most);
    co_await last_session_.async_wait(as_result);
}

}  // namespace server
