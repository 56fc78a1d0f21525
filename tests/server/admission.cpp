// SPDX-License-Identifier: MIT
#include "../../examples/server/admission.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using server::admission;
using server::verdict;

namespace {

boost::asio::ip::address address(const char* text) { return boost::asio::ip::make_address(text); }

}  // namespace

TEST_CASE("clients are served up to the limits, and what is released counts no more") {
    admission counted({.in_all = 4, .per_address = 2});
    struct {
        const char* client;
        verdict expected;
    } const cases[]{
        {"192.0.2.1", verdict::serve},
        {"192.0.2.1", verdict::serve},
        {"192.0.2.1", verdict::refuse},
        {"2001:db8::1", verdict::serve},
        {"2001:db8:0:0:ffff::2", verdict::serve},  // of the same /64 network
        {"2001:db8::3", verdict::refuse},
        {"192.0.2.2", verdict::refuse},
    };
    for (const auto& entry : cases) {
        CAPTURE(entry.client);
        CHECK(counted.admit(address(entry.client)) == entry.expected);
    }
    counted.release(address("192.0.2.1"), verdict::serve);
    CHECK(counted.admit(address("2001:db8:1::")) == verdict::serve);  // another network
    CHECK(counted.admit(address("192.0.2.1")) == verdict::refuse);
    counted.release(address("2001:db8::1"), verdict::serve);
    CHECK(counted.admit(address("192.0.2.1")) == verdict::serve);
}

TEST_CASE("IPv4 clients of an IPv6 socket are counted each by its own address") {
    admission counted({.in_all = 4, .per_address = 1, .trusted = {{address("192.0.2.9"), 32}}});
    CHECK(counted.admit(address("::ffff:192.0.2.1")) == verdict::serve);
    CHECK(counted.admit(address("::ffff:192.0.2.1")) == verdict::refuse);
    CHECK(counted.admit(address("192.0.2.1")) == verdict::refuse);
    CHECK(counted.admit(address("::ffff:192.0.2.2")) == verdict::serve);
    CHECK(counted.admit(address("::ffff:192.0.2.9")) == verdict::serve);
    CHECK(counted.admit(address("::ffff:192.0.2.9")) == verdict::serve);  // a proxy
    counted.release(address("::ffff:192.0.2.1"), verdict::serve);
    CHECK(counted.admit(address("192.0.2.1")) == verdict::serve);
}

TEST_CASE("where another can be cut off for it a client is served beyond the limit in all") {
    admission counted({.in_all = 1, .per_address = 2});
    CHECK(counted.admit(address("192.0.2.1"), true) == verdict::serve);
    CHECK(!counted.is_over());
    CHECK(counted.admit(address("192.0.2.2"), false) == verdict::refuse);
    CHECK(counted.admit(address("192.0.2.2"), true) == verdict::serve);
    CHECK(counted.is_over());
    CHECK(counted.admit(address("192.0.2.2"), true) == verdict::serve);
    CHECK(counted.admit(address("192.0.2.2"), true) == verdict::refuse);  // its own limit stays
    counted.release(address("192.0.2.1"), verdict::serve);
    counted.release(address("192.0.2.2"), verdict::serve);
    CHECK(!counted.is_over());
}

TEST_CASE("so many clients are told at a time that they are not served, and no more") {
    admission counted({.in_all = 1, .per_address = 1});
    const auto client = address("192.0.2.1");
    REQUIRE(counted.admit(client) == verdict::serve);
    for (std::size_t refused = 0; refused < admission::max_refused; ++refused) {
        REQUIRE(counted.admit(client) == verdict::refuse);
    }
    CHECK(counted.admit(client) == verdict::close);
    counted.release(client, verdict::refuse);
    CHECK(counted.admit(client) == verdict::refuse);
    CHECK(counted.admit(client) == verdict::close);
}
