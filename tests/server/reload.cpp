// SPDX-License-Identifier: MIT
#include "../../examples/server/reload.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

TEST_CASE("a reload that has begun ends before what it uses") {
    boost::asio::io_context io(1);
    server::reload_signal hangups(io);
    std::promise<void> begun;
    std::atomic<bool> is_done = false;
    hangups.start([&] {
        begun.set_value();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        is_done = true;
    });
    REQUIRE(std::raise(SIGHUP) == 0);
    std::thread stopping([&] {
        begun.get_future().wait();
        io.stop();
    });
    io.run();
    hangups.finish();
    CHECK(is_done);
    stopping.join();
}
