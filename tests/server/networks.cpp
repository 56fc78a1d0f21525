// SPDX-License-Identifier: MIT
#include "../../examples/server/networks.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "../../examples/server/metrics_host.hpp"

using server::parse_networks;

TEST_CASE("networks have addresses, and a text that is none is refused") {
    const struct {
        const char* networks;
        const char* address;
        bool has;
    } cases[]{
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"10.1.2.3", "10.1.2.3", true},
        {"10.1.2.3", "10.1.2.2", false},
        {"10.1.2.3/31", "10.1.2.2", true},
        {"192.168.128.0/17", "192.168.127.255", false},
        {"192.168.128.0/17", "192.168.255.255", true},
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "::1", false},
        {"::/0", "203.0.113.9", false},
        {"::1", "::1", true},
        {"fd00::/8", "fdff::1", true},
        {"fd00::/8", "fe00::1", false},
        {"2001:db8::/33", "2001:db8:7fff::", true},
        {"2001:db8::/33", "2001:db8:8000::", false},
        {"::ffff:10.0.0.0", "10.0.0.0", true},
        {"10.0.0.0/8", "::ffff:10.0.0.1", true},
        {"10.0.0.0/8", "::ffff:11.0.0.1", false},
        {"::/0", "::ffff:10.0.0.1", false},
        {"10.0.0.0/8,fd00::/8", "fd00::1", true},
        {" 10.0.0.0/8 , fd00::/8", "10.0.0.1", true},
    };
    for (const auto& [list, address, has] : cases) {
        CAPTURE(list);
        CAPTURE(address);
        const auto read = parse_networks(list);
        REQUIRE(read.has_value());
        CHECK(contains(*read, boost::asio::ip::make_address(address)) == has);
    }
    for (const char* const list :
         {"", ",", "10.0.0.0/8,", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8x", "10.0.0/8",
          "10.0.0.0/-1", "10.0.0.0/ 8", "proxy", "fe80::1%eth0", "10.0.0.0/8;fd00::/8"}) {
        CAPTURE(list);
        CHECK(!parse_networks(list).has_value());
    }
}

TEST_CASE("the client is the last address that no trusted proxy has") {
    const auto trusted = *parse_networks("10.0.0.0/8,fd00::/8");
    const struct {
        std::vector<std::string_view> fields;
        const char* peer;
        const char* client;
    } cases[]{
        {{}, "10.0.0.1", "10.0.0.1"},
        {{"203.0.113.9"}, "10.0.0.1", "203.0.113.9"},
        {{"203.0.113.9, 192.0.2.7, 10.0.0.2"}, "10.0.0.1", "192.0.2.7"},
        {{"203.0.113.9", "192.0.2.7", "10.0.0.2"}, "10.0.0.1", "192.0.2.7"},
        {{"10.0.0.3,10.0.0.2"}, "10.0.0.1", "10.0.0.3"},
        {{"203.0.113.9"}, "192.0.2.1", "192.0.2.1"},
        {{"2001:db8::7"}, "fd00::1", "2001:db8::7"},
        {{"::ffff:203.0.113.9"}, "10.0.0.1", "203.0.113.9"},
        {{"203.0.113.9, unknown"}, "10.0.0.1", "10.0.0.1"},
        {{"203.0.113.9, unknown, 10.0.0.2"}, "10.0.0.1", "10.0.0.2"},
        {{""}, "10.0.0.1", "10.0.0.1"},
        {{"203.0.113.9,"}, "10.0.0.1", "10.0.0.1"},
        {{"\t203.0.113.9 "}, "10.0.0.1", "203.0.113.9"},
        {{"203.0.113.9:80"}, "10.0.0.1", "10.0.0.1"},
    };
    for (const auto& [values, peer, client] : cases) {
        CAPTURE(client);
        std::vector<sluice::name_value> fields{{"Host", "x"}};
        for (const std::string_view value : values) fields.push_back({"X-Forwarded-For", value});
        CHECK(server::forwarded_client(fields, boost::asio::ip::make_address(peer), trusted) ==
              client);
    }
}

TEST_CASE("metrics are for those who ask by an address, localhost or a name of the options") {
    const struct {
        std::vector<std::string_view> hosts;
        bool is_allowed;
    } cases[]{
        {{}, true},
        {{"127.0.0.1:9464"}, true},
        {{"10.0.0.1"}, true},
        {{"[::1]:9464"}, true},
        {{"localhost"}, true},
        {{"LOCALHOST:1"}, true},
        {{"Metrics.internal:9464"}, true},
        {{"rebound.example"}, false},
        {{"rebound.example:9464"}, false},
        {{"127.0.0.1.rebound.example"}, false},
        {{"localhost.rebound.example"}, false},
        {{"metrics.internal.example"}, false},
        {{"[rebound.example]"}, false},
        {{""}, false},
    };
    for (const auto& [hosts, is_allowed] : cases) {
        std::vector<sluice::name_value> fields;
        for (const std::string_view host : hosts) fields.push_back({"Host", host});
        CAPTURE((hosts.empty() ? "none" : std::string(hosts.front())));
        CHECK(server::has_known_host({.target = "/metrics", .headers = fields},
                                     {"metrics.internal"}) == is_allowed);
    }
}
