// SPDX-License-Identifier: MIT
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include "../../examples/server/name_lookup.hpp"
#include "../../examples/server/semaphore.hpp"
#include "../../examples/server/store_place.hpp"
#include "../../examples/server/store_servers.hpp"

namespace {

std::string read(std::string_view url) {
    const auto place = server::parse_store_place(url, "pass%word");
    if (!place) {
        CHECK(place.error().starts_with("expected clickhouse://"));
        return "refused";
    }
    std::string text;
    for (const auto& [name, port] : place->hosts) {
        text.append(text.empty() ? "" : ",").append(name + ':' + std::to_string(port));
    }
    for (const std::string& part : {place->database, place->user, place->password}) {
        text.append(" ").append(part);
    }
    return text + (place->is_secure ? " tls" : " plain");
}

}  // namespace

// The same as tests/python/test_clickhouse.py reads.
TEST_CASE("a store's URL says where it is, and an error says nothing of a URL") {
    std::ifstream file(SLUICE_TEST_DATA "/store_urls.txt");
    REQUIRE(file.is_open());
    int count = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        CAPTURE(line);
        const std::size_t end = line.find(' ');
        REQUIRE(end != std::string::npos);
        CHECK(read(line.substr(0, end)) == line.substr(line.find_first_not_of(' ', end)));
        ++count;
    }
    CHECK(count > 30);
}

TEST_CASE("authorities are those of a file of certificates, for TLS") {
    const auto reason = [](const std::string& url, const std::string& file) {
        const auto context =
            server::ask_store({.url = url, .password = {}, .ca_file = file}, [](const auto&) {});
        return context ? "" : context.error();
    };
    CHECK(reason("clickhouses://127.0.0.1:1", "") == "");
    CHECK(reason("clickhouse://h", "ca.pem") ==
          "--store-ca: expected a URL of clickhouses:// with it");
    CHECK(
        reason("clickhouses://h", "/nowhere/ca.pem").starts_with("--store-ca: /nowhere/ca.pem: "));
    CHECK(reason("clickhouses://h", "/dev/null").starts_with("--store-ca: /dev/null: "));
    CHECK(reason("clickhouses://u:secret@h:x", "").find("secret") == std::string::npos);
}

namespace {

using permit = server::semaphore::permit;

/// Returns a deadline that ends after `time`.
server::deadline within(std::chrono::milliseconds time, std::stop_token stop = {}) {
    return {std::chrono::steady_clock::now() + time, std::move(stop)};
}

bool enters(server::semaphore& semaphore, const server::deadline& until) {
    return static_cast<bool>(permit(semaphore, until));
}

}  // namespace

TEST_CASE("a look-up that hangs ends for who waits, and is shared by those who come meanwhile") {
    struct {
        std::mutex mutex;
        std::condition_variable changed;
        int begun = 0;
        bool goes_on = false;
    } hanging;
    const auto hang = [&hanging](const server::store_host&) -> server::name_lookup::answer {
        std::unique_lock lock(hanging.mutex);
        ++hanging.begun;
        hanging.changed.notify_all();
        hanging.changed.wait(lock, [&] { return hanging.goes_on; });
        return tl::unexpected(boost::asio::error::make_error_code(boost::asio::error::no_data));
    };
    server::name_lookup names({"store.example", 8123}, hang);
    const auto failed = [&](const server::deadline& until) { return names.find(until).error(); };
    for (int round = 0; round < 3; ++round) {
        CHECK(failed(within(std::chrono::milliseconds(5))) == boost::asio::error::timed_out);
    }
    std::stop_source gone;
    gone.request_stop();
    CHECK(failed(within(std::chrono::hours(1), gone.get_token())) == boost::asio::error::timed_out);
    std::jthread patient(
        [&] { CHECK(failed(within(std::chrono::hours(1))) == boost::asio::error::no_data); });
    {
        std::unique_lock lock(hanging.mutex);
        hanging.changed.wait(lock, [&] { return hanging.begun != 0; });
        CHECK(hanging.begun == 1);
        hanging.goes_on = true;
        hanging.changed.notify_all();
    }
    patient.join();
    const int before = hanging.begun;  // 1, or 2 where the patient one came late
    CHECK(failed(within(std::chrono::hours(1))) == boost::asio::error::no_data);
    CHECK(hanging.begun == before + 1);
}

TEST_CASE("an address is found by itself") {
    server::name_lookup names({"127.0.0.1", 8123});
    const auto address = names.find(within(std::chrono::hours(1)));
    REQUIRE(address.has_value());
    CHECK(address->begin()->endpoint().port() == 8123);
}

TEST_CASE("a semaphore grants its permits, and waiting for one ends at the deadline") {
    server::semaphore semaphore(2);
    const permit first(semaphore, within(std::chrono::hours(1)));
    std::optional<permit> second(std::in_place, semaphore, within(std::chrono::hours(1)));
    CHECK((first && *second));
    CHECK(!enters(semaphore, within(std::chrono::milliseconds(1))));
    CHECK(!enters(semaphore, within(std::chrono::milliseconds(-1))));
    second.reset();
    CHECK(enters(semaphore, within(std::chrono::milliseconds(-1))));  // none has to wait
    CHECK(enters(semaphore, within(std::chrono::milliseconds(-1))));  // one that was left is free
}

TEST_CASE("waiting for a permit ends once one is free, or when it is stopped") {
    server::semaphore semaphore(1);
    std::optional<permit> first(std::in_place, semaphore, within(std::chrono::hours(1)));
    std::stop_source gone;
    std::jthread impatient([&] {
        CHECK(!enters(semaphore, within(std::chrono::hours(1), gone.get_token())));
        first.reset();
    });
    std::jthread patient([&] { CHECK(enters(semaphore, within(std::chrono::hours(1)))); });
    gone.request_stop();
}
