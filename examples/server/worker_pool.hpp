// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_WORKER_POOL_HPP
#define SLUICE_EXAMPLES_SERVER_WORKER_POOL_HPP

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace server {

/// Threads that work items off. A bounded number of items is worked on and waits; more are turned
/// away. When it goes, what is being worked on is finished, and what waits is dropped.
template <class Item>
class worker_pool {
public:
    worker_pool(std::size_t threads, std::size_t max_waiting, std::function<void(Item)> work)
        : max_held_(threads + max_waiting), work_(std::move(work)) {
        for (std::size_t started = 0; started < threads; ++started) {
            threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
        }
    }
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    ~worker_pool() {
        for (std::jthread& each : threads_) each.request_stop();
    }

    /// Hands an item to the next free thread; false where there are too many already.
    [[nodiscard]] bool offer(Item item) {
        {
            const std::lock_guard lock(mutex_);
            if (held_ == max_held_) return false;
            waiting_.push_back(std::move(item));
            ++held_;
        }
        arrived_.notify_one();
        return true;
    }

private:
    void run(const std::stop_token& stop) {
        while (auto item = next(stop)) {
            work_(std::move(*item));
            const std::lock_guard lock(mutex_);
            --held_;
        }
    }
    std::optional<Item> next(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        const bool has_come = arrived_.wait(lock, stop, [this] { return !waiting_.empty(); });
        if (!has_come || stop.stop_requested()) return std::nullopt;
        std::optional<Item> item(std::move(waiting_.front()));
        waiting_.pop_front();
        return item;
    }

    std::size_t max_held_;
    std::function<void(Item)> work_;
    std::mutex mutex_;  // guards held_ and waiting_
    std::condition_variable_any arrived_;
    std::size_t held_ = 0;  // waiting and worked on
    std::deque<Item> waiting_;
    std::vector<std::jthread> threads_;  // the first to go
};

}  // namespace server

#endif
