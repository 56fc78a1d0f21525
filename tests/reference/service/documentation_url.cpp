// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/reference/service/documentation_url.hpp>

using sluice::reference::is_authority;

static_assert(is_authority("a.example"));

TEST_CASE("an authority is a host that may stand in a URL, and maybe a port") {
    for (const std::string_view good :
         {"localhost", "a.example", "A.Example", "a-b_c.example", "127.0.0.1", "a.example:8443",
          "a:1", "a:65535", "[::1]", "[::1]:443", "[2001:db8::192.0.2.1]", "[::]"}) {
        CAPTURE(good);
        CHECK(is_authority(good));
    }
    CHECK(is_authority(std::string(253, 'a')));
    CHECK(is_authority(std::string(253, 'a') + ":12345"));
    for (const std::string_view bad : {"",        ":",        ":443",     "a:",
                                       "a:b",     "a:123456", "a:443:1",  "a b",
                                       " a",      "a ",       "a/b",      "a?b",
                                       "a#b",     "user@a",   "a\"b",     "<a>",
                                       "a\\b",    "a,b",      "a%41",     "\u00E9.example",
                                       "[",       "[]",       "[:]",      "[::1",
                                       "::1",     "[::1]x",   "[::1]443", "[::1]:",
                                       "[::1]:x", "[::g]",    "a[::1]",   "[fe80::1%25eth0]"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_authority(bad));
    }
    CHECK_FALSE(is_authority(std::string(254, 'a')));
    CHECK_FALSE(is_authority(std::string_view("a\0b", 3)));
}
