// SPDX-License-Identifier: MIT
#include "../../examples/server/work_queues.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

namespace {

/// Counts a queue's work that runs at a time, and records the order in which it begins.
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

TEST_CASE("two requests of a queue run at a time, others wait in order, more are turned away") {
    constexpr std::size_t room =
        server::work_queues::max_running + server::work_queues::max_waiting;
    boost::asio::io_context io;
    server::work_queues queues(8);
    watched_work work;
    std::size_t answered = 0;
    std::vector<std::size_t> refused;
    for (std::size_t number = 0; number < room + 3; ++number) {
        boost::asio::co_spawn(
            io, queues.run(1, work.make(number)),
            [&, number](std::exception_ptr,
                        const std::optional<server::work_queues::answer>& response) {
                response ? void(++answered) : refused.push_back(number);
            });
    }
    // The work of queue 1 goes on only once that of another queue is done.
    boost::asio::co_spawn(
        io,
        queues.run(2,
                   [&work] {
                       work.await_two();
                       return sluice::response{};
                   }),
        [&](std::exception_ptr, const std::optional<server::work_queues::answer>&) {
            work.open_gate();
        });
    io.run();
    queues.join();
    CHECK(answered == room);
    CHECK(refused == std::vector<std::size_t>{room, room + 1, room + 2});
    CHECK(work.most_running() == 2);
    REQUIRE(work.begun().size() == room);
    // When one begins, all before it have begun but the one that holds the other place.
    for (auto begin = work.begun().begin(); begin != work.begun().end(); ++begin) {
        CHECK(std::count_if(begin, work.begun().end(),
                            [&](auto later) { return later < *begin; }) <= 1);
    }
}

TEST_CASE("work runs here only where its queue has nothing that waits or is unread") {
    boost::asio::io_context io;
    server::work_queues queues(4, 1'000);
    const auto work = [](std::size_t bytes) {
        return [bytes] { return sluice::response{200, {}, std::string(bytes, 'x')}; };
    };
    {
        const auto few = queues.run_here(1, work(999));
        REQUIRE(few.has_value());
        CHECK(few->response.body.size() == 999);
        const auto more = queues.run_here(1, work(1));
        REQUIRE(more.has_value());
        CHECK_FALSE(queues.run_here(1, work(0)).has_value());  // 1,000 are unread
        CHECK(queues.run_here(2, work(0)).has_value());
    }
    CHECK(queues.run_here(1, work(0)).has_value());
    watched_work waited;
    for (std::size_t number = 0; number < 3; ++number) {
        boost::asio::co_spawn(
            io, queues.run(1, waited.make(number)),
            [](std::exception_ptr, const std::optional<server::work_queues::answer>&) {});
    }
    boost::asio::co_spawn(
        io,
        queues.run(2,
                   [&waited] {
                       waited.await_two();
                       return sluice::response{};
                   }),
        [&](std::exception_ptr, const std::optional<server::work_queues::answer>&) {
            CHECK_FALSE(queues.run_here(1, work(0)).has_value());  // two run, one waits
            CHECK(queues.run_here(3, work(0)).has_value());
            waited.open_gate();
        });
    io.run();
    queues.join();
    CHECK(queues.run_here(1, work(0)).has_value());
}

TEST_CASE("a queue begins nothing while its answers are unread, and other queues do") {
    constexpr std::size_t size = 1'000;
    boost::asio::io_context io;
    server::work_queues queues(4, 2 * size);
    std::deque<server::work_queues::answer> unread;
    std::size_t empty = 0;
    const auto ask = [&](std::uint64_t queue, std::size_t bytes) {
        boost::asio::co_spawn(
            io,
            queues.run(queue,
                       [bytes] { return sluice::response{200, {}, std::string(bytes, 'x')}; }),
            [&](std::exception_ptr, std::optional<server::work_queues::answer> response) {
                REQUIRE(response.has_value());
                if (response->response.body.empty()) ++empty;
                unread.push_back(*std::move(response));
            });
    };
    const auto run = [&] {
        while (io.run_for(std::chrono::milliseconds(50)) != 0) io.restart();
        io.restart();
    };
    for (int i = 0; i < 6; ++i) ask(1, size);
    run();
    // Each of two that run at a time may be the one that is too much.
    REQUIRE((unread.size() == 2 || unread.size() == 3));
    const std::size_t begun = unread.size();
    ask(2, size);
    run();
    CHECK(unread.size() == begun + 1);
    unread.pop_back();
    while (unread.size() > 1) unread.pop_front();  // 1,000 bytes are left
    run();
    CHECK(unread.size() >= 2);
    unread.clear();
    run();
    unread.clear();
    run();
    for (int i = 0; i < 3; ++i) ask(1, 0);
    run();
    CHECK(empty == 3);
}

TEST_CASE("bytes of queues that are gone count nowhere") {
    boost::asio::io_context io;
    std::optional<server::work_queues::answer> kept;
    {
        server::work_queues queues(1);
        boost::asio::co_spawn(
            io, queues.run(1, [] { return sluice::response{200, {}, "x"}; }),
            [&](std::exception_ptr, std::optional<server::work_queues::answer> response) {
                kept = std::move(response);
            });
        io.run();
        queues.join();
    }
    REQUIRE(kept.has_value());
    kept.reset();
}

TEST_CASE("a queue that was full takes requests again") {
    boost::asio::io_context io;
    server::work_queues queues(2);
    int answered = 0;
    for (int round = 0; round < 3; ++round) {
        for (std::size_t number = 0; number < server::work_queues::max_waiting; ++number) {
            boost::asio::co_spawn(io, queues.run(7, [] { return sluice::response{}; }),
                                  [&](std::exception_ptr,
                                      const std::optional<server::work_queues::answer>& response) {
                                      answered += response.has_value();
                                  });
        }
        io.run();
        io.restart();
    }
    CHECK(answered == 3 * int{server::work_queues::max_waiting});
}

TEST_CASE("work that throws takes no place for good") {
    boost::asio::io_context io;
    server::work_queues queues(4);
    std::size_t failed = 0, answered = 0;
    for (std::size_t i = 0; i < 2 * server::work_queues::max_running; ++i) {
        boost::asio::co_spawn(io,
                              queues.run(1, []() -> sluice::response { throw std::bad_alloc(); }),
                              [&](std::exception_ptr why, const auto&) { failed += why ? 1 : 0; });
    }
    boost::asio::co_spawn(
        io, queues.run(1, [] { return sluice::response{}; }),
        [&](std::exception_ptr, const auto& response) { answered += response ? 1 : 0; });
    io.run();
    CHECK(failed == 2 * server::work_queues::max_running);
    CHECK(answered == 1);
}
