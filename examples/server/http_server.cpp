// SPDX-License-Identifier: MIT
#include "http_server.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <malloc.h>

namespace server {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
}

http_server::http_server(asio::io_context& io, tcp::acceptor listening,
                         const connection_limits& limits, service& shared)
    : io_(io),
      listening_(std::move(listening)),
      signals_(io, SIGINT, SIGTERM),
      last_session_(io),
      admission_(limits),
      shared_(shared) {
    shared_.cancelled = cancelled_.get_token();
}

void http_server::run() {
    asio::co_spawn(io_, accept_clients(), asio::detached);
    asio::co_spawn(io_, stop_on_signal(), asio::detached);
    io_.run();
}

asio::awaitable<void> http_server::accept_clients() {
    while (listening_.is_open()) {
        auto [failed, client] = co_await listening_.async_accept(as_result);
        if (!failed) {
            start_session(std::move(client));
        } else {  // out of files or memory, perhaps
            asio::steady_timer pause(io_, std::chrono::milliseconds(10));
            co_await pause.async_wait(as_result);
        }
    }
}

void http_server::start_session(tcp::socket client) {
    error_code failed;
    const auto address = client.remote_endpoint(failed).address();
    if (!failed) client.set_option(tcp::no_delay(true), failed);
    const verdict given = failed ? verdict::close : admission_.admit(address);
    if (given == verdict::close) return;
    auto made = make_session(std::move(client), shared_, given);
    sessions_.push_back(*made);
    http_session& started = *made;
    auto end = [this, address, given, kept = std::move(made)](std::exception_ptr why) mutable {
        if (why) shared_.log.write("server: a connection failed unexpectedly\n");
        kept.reset();
        admission_.release(address, given);
        give_memory_back();
        if (sessions_.empty()) last_session_.cancel();
    };
    asio::co_spawn(io_, started.run(), std::move(end));
}

void http_server::give_memory_back() {
    constexpr std::size_t worth_it = 1'000;
    most_served_ = std::max(most_served_, admission_.served());
    if (most_served_ < worth_it || admission_.served() > most_served_ / 2) return;
    ::malloc_trim(0);
    most_served_ = admission_.served();
}

asio::awaitable<void> http_server::stop_on_signal() {
    co_await signals_.async_wait(as_result);
    signals_.clear();  // a second signal does what it does to any program
    shared_.end = std::chrono::steady_clock::now() + shared_.times.last_words;
    accept_waiting_clients();
    for (http_session& each : sessions_) each.notice_stop();
    co_await await_last_session(shared_.times.grace);
    cancelled_.request_stop();
    co_await await_last_session(shared_.times.cancelled);
    if (!sessions_.empty()) io_.stop();
}

/// Takes the clients that the kernel has connected already, and no more.
void http_server::accept_waiting_clients() {
    error_code failed;
    listening_.cancel(failed);
    listening_.non_blocking(true, failed);
    while (!failed) {
        tcp::socket client(io_);
        listening_.accept(client, failed);
        if (!failed) start_session(std::move(client));
    }
    listening_.close(failed);
}

asio::awaitable<void> http_server::await_last_session(std::chrono::milliseconds at_most) {
    if (sessions_.empty()) co_return;
    last_session_.expires_after(at_most);
    co_await last_session_.async_wait(as_result);
}

}  // namespace server
