// SPDX-License-Identifier: MIT
#include "../../examples/server/http_server.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

using boost::asio::ip::tcp;

namespace {

/// A server whose work goes on until it is asked to stop, but for that of `/soon`.
class running_server {
public:
    running_server() : thread_([this] { server_.run(); }) {}
    running_server(const running_server&) = delete;
    running_server& operator=(const running_server&) = delete;
    ~running_server() { stop(); }

    void stop() {
        if (!thread_.joinable()) return;
        std::raise(SIGTERM);
        thread_.join();
        queues_.join();
    }

    /// A client that has sent a request for a path.
    tcp::socket ask(const std::string& path) {
        tcp::socket client(client_io_);
        client.connect({boost::asio::ip::address_v4::loopback(), server_.port()});
        const std::string sent =
            "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        boost::asio::write(client, boost::asio::buffer(sent));
        return client;
    }
    static std::string read(tcp::socket& client) {
        std::string received;
        boost::system::error_code end;
        boost::asio::read(client, boost::asio::dynamic_buffer(received), end);
        return received.substr(0, received.find("\r\n"));
    }

    std::counting_semaphore<> begun{0};
    std::atomic<int> ended = 0;

private:
    static tcp::acceptor listen(boost::asio::io_context& io) {
        return {io, {boost::asio::ip::address_v4::loopback(), 0}};
    }
    sluice::response work(const sluice::reference::request& question, const std::stop_token& stop) {
        if (question.path() == "/soon") return {};
        begun.release();
        std::binary_semaphore asked_to_stop{0};
        const std::stop_callback callback(stop, [&] { asked_to_stop.release(); });
        asked_to_stop.acquire();
        ++ended;
        return {};
    }

    boost::asio::io_context client_io_;
    boost::asio::io_context io_;
    server::work_queues queues_{4};
    server::service shared_{
        .prepare = [this](const sluice::reference::request& received) -> server::prepared_request {
            return {.queue = 1, .answer = [this, received](auto, const auto& stop) {
                        return work(received, stop);
                    }};
        },
        .tls = nullptr,
        .work = queues_,
        .times = {.grace = std::chrono::milliseconds(100)}};
    server::http_server server_{io_, listen(io_), {}, shared_};
    std::thread thread_;
};

}  // namespace

TEST_CASE("work for a client that has gone ends, and others of its key are answered") {
    running_server server;
    for (int round = 0; round < 3; ++round) {
        {
            auto one = server.ask("/long");
            auto other = server.ask("/long");
            server.begun.acquire();
            server.begun.acquire();
        }
        auto next = server.ask("/soon");
        CHECK(running_server::read(next) == "HTTP/1.1 200 OK");
        CHECK(server.ended >= 1 + 2 * round);
    }
}

TEST_CASE("work that goes on when the server stops ends with the grace") {
    running_server server;
    auto patient = server.ask("/long");
    server.begun.acquire();
    server.stop();
    CHECK(running_server::read(patient) == "HTTP/1.1 200 OK");
    CHECK(server.ended == 1);
}
