// SPDX-License-Identifier: MIT
#include "../../examples/server/store_place.hpp"

#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

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
    for (const std::string& each : {place->database, place->user, place->password}) {
        text.append(" ").append(each);
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
    const auto told = [](const std::string& url, const std::string& file) {
        const auto made = server::ask_store({.url = url, .password = {}, .ca_file = file}, {});
        return made ? "" : made.error();
    };
    CHECK(told("clickhouses://h", "") == "");
    CHECK(told("clickhouse://h", "ca.pem") ==
          "--store-ca: expected a URL of clickhouses:// with it");
    CHECK(told("clickhouses://h", "/nowhere/ca.pem").starts_with("--store-ca: /nowhere/ca.pem: "));
    CHECK(told("clickhouses://h", "/dev/null").starts_with("--store-ca: /dev/null: "));
    CHECK(told("clickhouses://u:secret@h:x", "").find("secret") == std::string::npos);
}
