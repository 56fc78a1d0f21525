// SPDX-License-Identifier: MIT
#include "http_server.hpp"

#include <chrono>
#include <csignal>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "as_result.hpp"

namespace server {

http_server::http_server(asio::io_context& io, asio::ip::tcp::acceptor listening,
                         const connection_limits& limits, service& shared)
    : io_(io),
      signals_(io, SIGINT, SIGTERM),
      served_(io, std::move(listening), limits, shared),
      shared_(shared) {
    shared_.cancelled = cancelled_.get_token();
}

void http_server::run() {
    served_.open();
    asio::co_spawn(io_, stop_on_signal(), asio::detached);
    io_.run();
}

asio::awaitable<void> http_server::stop_on_signal() {
    co_await signals_.async_wait(as_result);
    signals_.clear();  // a second signal has its default action
    shared_.end = std::chrono::steady_clock::now() + shared_.times.last_words;
    shared_.stopping();
    served_.close();
    co_await served_.await_last_session(shared_.times.grace);
    cancelled_.request_stop();
    co_await served_.await_last_session(shared_.times.cancelled);
    io_.stop();
}

}  // namespace server
