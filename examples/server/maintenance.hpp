// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_MAINTENANCE_HPP
#define SLUICE_EXAMPLES_SERVER_MAINTENANCE_HPP

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include <sluice/reference/store/event_store.hpp>

namespace server {

/// Runs the store's background indexing on its own thread, each second until nothing is left to do.
class maintenance {
public:
    explicit maintenance(sluice::reference::event_store& store)
        : thread_([&store](const std::stop_token& stop) { run(store, stop); }) {}

private:
    /// Works until the stop request, which the destructor makes.
    static void run(sluice::reference::event_store& store, const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any end;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            while (!stop.stop_requested() && store.maintain()) {
            }
            // Sleeps for a second, or until the stop request.
            end.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
        }
    }

    std::jthread thread_;
};

}  // namespace server

#endif
