// SPDX-License-Identifier: MIT
#include "lanes.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "as_result.hpp"

namespace server {

asio::awaitable<std::optional<lanes::answer>> lanes::run(std::uint64_t number,
                                                         std::function<sluice::response()> work) {
    lane& mine = table_->of(number);
    if (mine.waiting.size() == max_waiting) co_return std::nullopt;
    if (table_->may_begin(mine)) {
        ++mine.running;
    } else {
        co_await await_turn(mine);
    }
    auto on_thread = [&work]() -> asio::awaitable<sluice::response> { co_return work(); };
    sluice::response done;
    {
        const running_work counted(*table_, number);
        done = co_await asio::co_spawn(threads_, on_thread, asio::use_awaitable);
        mine.unread += done.body.size();
    }
    const std::size_t bytes = done.body.size();
    co_return answer{std::move(done), unread_bytes(bytes == 0 ? nullptr : table_, number, bytes)};
}

asio::awaitable<void> lanes::await_turn(lane& one) {
    const auto here = co_await asio::this_coro::executor;
    asio::steady_timer turn(here, asio::steady_timer::time_point::max());
    one.waiting.push_back(&turn);
    co_await turn.async_wait(as_result);
}

void lanes::table::release(std::uint64_t number, std::size_t bytes) {
    lanes_.at(number).unread -= bytes;
    advance(number);
}

void lanes::table::advance(std::uint64_t number) {
    lane& one = lanes_.at(number);
    while (!one.waiting.empty() && may_begin(one)) {
        one.waiting.front()->cancel();
        one.waiting.pop_front();
        ++one.running;
    }
    if (one.running == 0 && one.unread == 0 && one.waiting.empty()) lanes_.erase(number);
}

}  // namespace server
