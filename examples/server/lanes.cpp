// SPDX-License-Identifier: MIT
#include "lanes.hpp"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace server {

asio::awaitable<lanes::answer> lanes::run(std::uint64_t number,
                                          std::function<sluice::response()> work) {
    lane& own = lanes_[number];
    if (own.waiting.size() == max_waiting) co_return std::nullopt;
    if (own.running == max_running) {
        co_await await_turn(own);
    } else {
        ++own.running;
    }
    auto on_thread = [&work]() -> asio::awaitable<sluice::response> { co_return work(); };
    sluice::response done = co_await asio::co_spawn(threads_, on_thread, asio::use_awaitable);
    leave(number);
    co_return done;
}

asio::awaitable<void> lanes::await_turn(lane& own) {
    const auto here = co_await asio::this_coro::executor;
    asio::steady_timer turn(here, asio::steady_timer::time_point::max());
    own.waiting.push_back(&turn);
    co_await turn.async_wait(asio::as_tuple(asio::use_awaitable));
}

void lanes::leave(std::uint64_t number) {
    lane& own = lanes_.at(number);
    if (!own.waiting.empty()) {  // who waited longest takes this one's place
        own.waiting.front()->cancel();
        own.waiting.pop_front();
    } else if (--own.running == 0) {
        lanes_.erase(number);
    }
}

}  // namespace server
