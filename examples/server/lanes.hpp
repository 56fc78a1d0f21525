// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_LANES_HPP
#define SLUICE_EXAMPLES_SERVER_LANES_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <sluice/envelope.hpp>

namespace server {

namespace asio = boost::asio;

/// Threads that answer requests, shared out by lanes, so that no client takes them all:
///
/// ```
///                    waiting, in order           running
/// lane 17   full <- [64] ... [3] [2] [1] -> [ ] [ ] |
/// lane 23   full <-                      -> [ ]     | threads
/// ```
/// For one thread, but for the work itself.
class lanes {
public:
    static constexpr std::size_t max_running = 2;
    static constexpr std::size_t max_waiting = 64;

    using answer = std::optional<sluice::response>;

    explicit lanes(std::size_t threads) : threads_(threads) {}

    /// What work gives that a thread does when it is its turn in a lane; nothing where the lane is
    /// full.
    [[nodiscard]] asio::awaitable<answer> run(std::uint64_t number,
                                              std::function<sluice::response()> work);

    /// Waits for the work that is being done.
    void join() { threads_.join(); }

private:
    struct lane {
        std::size_t running = 0;
        std::deque<asio::steady_timer*> waiting;  ///< each cancelled when it is its turn
    };

    [[nodiscard]] static asio::awaitable<void> await_turn(lane& own);
    void leave(std::uint64_t number);

    asio::thread_pool threads_;
    std::unordered_map<std::uint64_t, lane> lanes_;  // those with anything in them
};

}  // namespace server

#endif
