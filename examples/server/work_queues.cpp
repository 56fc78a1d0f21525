// SPDX-License-Identifier: MIT
#include "work_queues.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "as_result.hpp"

namespace server {

asio::awaitable<std::optional<work_queues::answer>> work_queues::run(
    std::uint64_t number, std::function<sluice::response()> work) {
    queue& local = table_->of(number);
    if (local.waiting.size() == max_waiting) co_return std::nullopt;
    if (table_->may_begin(local)) {
        ++local.running;
    } else {
        co_await await_permit(local);
    }
    auto on_thread = [&work]() -> asio::awaitable<sluice::response> { co_return work(); };
    sluice::response done;
    {
        const running_work counted(*table_, number);
        done = co_await asio::co_spawn(threads_, on_thread, asio::use_awaitable);
        local.unread += done.body.size();
    }
    co_return unread(number, std::move(done));
}

work_queues::answer work_queues::unread(std::uint64_t number, sluice::response done) const {
    const std::size_t bytes = done.body.size();
    return {std::move(done), unread_bytes(bytes == 0 ? nullptr : table_, number, bytes)};
}

asio::awaitable<void> work_queues::await_permit(queue& waited) {
    const auto here = co_await asio::this_coro::executor;
    asio::steady_timer signal(here, asio::steady_timer::time_point::max());
    waited.waiting.push_back(&signal);
    co_await signal.async_wait(as_result);
}

void work_queues::table::release(std::uint64_t number, std::size_t bytes) {
    queues_.at(number).unread -= bytes;
    advance(number);
}

void work_queues::table::advance(std::uint64_t number) {
    queue& waited = queues_.at(number);
    while (!waited.waiting.empty() && may_begin(waited)) {
        waited.waiting.front()->cancel();
        waited.waiting.pop_front();
        ++waited.running;
    }
    if (waited.running == 0 && waited.unread == 0 && waited.waiting.empty()) queues_.erase(number);
}

}  // namespace server
