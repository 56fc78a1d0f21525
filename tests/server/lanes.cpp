// SPDX-License-Identifier: MIT
#include "../../examples/server/lanes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <mutex>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

namespace {

/// How many of a lane's work run at a time, and in which order it begins.
class watched_work {
public:
    /// Work that ends once the gate is open.
    std::function<sluice::response()> make(std::size_t number) {
        return [this, number] {
            enter(number);
            gate_.wait();
            --running_;
            return sluice::response{};
        };
    }
    /// Waits until two have begun, however busy the machine is; at most as long as a test may hang.
    void await_two() { two_begun_.get_future().wait_for(std::chrono::minutes(1)); }
    void open_gate() { opened_.set_value(); }

    [[nodiscard]] int most_running() const { return most_; }
    [[nodiscard]] const std::vector<std::size_t>& begun() const { return begun_; }

private:
    void enter(std::size_t number) {
        const std::lock_guard lock(mutex_);
        most_ = std::max(most_, ++running_);
        begun_.push_back(number);
        if (begun_.size() == 2) two_begun_.set_value();
    }

    std::promise<void> two_begun_;
    std::promise<void> opened_;
    std::shared_future<void> gate_ = opened_.get_future().share();
    std::mutex mutex_;
    std::atomic<int> running_ = 0;
    int most_ = 0;
    std::vector<std::size_t> begun_;
};

}  // namespace

TEST_CASE("two requests of a lane run at a time, others wait in order, more are turned away") {
    constexpr std::size_t room = server::lanes::max_running + server::lanes::max_waiting;
    boost::asio::io_context io;
    server::lanes lanes(8);
    watched_work work;
    std::size_t answered = 0;
    std::vector<std::size_t> refused;
    for (std::size_t number = 0; number < room + 3; ++number) {
        boost::asio::co_spawn(io, lanes.run(1, work.make(number)),
                              [&, number](std::exception_ptr, const server::lanes::answer& given) {
                                  given ? void(++answered) : refused.push_back(number);
                              });
    }
    // The work of lane 1 goes on only once that of another lane is done.
    boost::asio::co_spawn(
        io,
        lanes.run(2,
                  [&work] {
                      work.await_two();
                      return sluice::response{};
                  }),
        [&](std::exception_ptr, const server::lanes::answer&) { work.open_gate(); });
    io.run();
    lanes.join();
    CHECK(answered == room);
    CHECK(refused == std::vector<std::size_t>{room, room + 1, room + 2});
    CHECK(work.most_running() == 2);
    REQUIRE(work.begun().size() == room);
    // When one begins, all before it have begun but the one that holds the other place.
    for (auto each = work.begun().begin(); each != work.begun().end(); ++each) {
        CHECK(std::count_if(each, work.begun().end(), [&](auto later) { return later < *each; }) <=
              1);
    }
}

TEST_CASE("a lane that was full takes requests again") {
    boost::asio::io_context io;
    server::lanes lanes(2);
    int answered = 0;
    for (int round = 0; round < 3; ++round) {
        for (std::size_t number = 0; number < server::lanes::max_waiting; ++number) {
            boost::asio::co_spawn(io, lanes.run(7, [] { return sluice::response{}; }),
                                  [&](std::exception_ptr, const server::lanes::answer& given) {
                                      answered += given.has_value();
                                  });
        }
        io.run();
        io.restart();
    }
    CHECK(answered == 3 * int{server::lanes::max_waiting});
}
