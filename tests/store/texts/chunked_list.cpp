// SPDX-License-Identifier: MIT
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/texts/chunked_list.hpp>

using sluice::store::chunked_list;

TEST_CASE("a chunked list holds what was appended, in order") {
    chunked_list<std::string> list;
    CHECK(list.size() == 0);
    for (std::size_t i = 0; i < 20'000; ++i) {
        list.push_back(std::to_string(i));
        REQUIRE(list.size() == i + 1);
        REQUIRE(list[i] == std::to_string(i));
    }
    for (std::size_t i = 0; i < list.size(); ++i) REQUIRE(list[i] == std::to_string(i));
}

TEST_CASE("elements of a chunked list never move") {
    chunked_list<int> list;
    std::vector<const int*> places;
    for (int i = 0; i < 20'000; ++i) {
        list.push_back(i);
        places.push_back(&list[static_cast<std::size_t>(i)]);
    }
    for (std::size_t i = 0; i < places.size(); ++i) REQUIRE(&list[i] == places[i]);
}

TEST_CASE("a chunked list takes elements that can only be moved") {
    chunked_list<std::unique_ptr<int>> list;
    for (int i = 0; i < 200; ++i) list.push_back(std::make_unique<int>(i));
    CHECK(*list[0] == 0);
    CHECK(*list[63] == 63);
    CHECK(*list[64] == 64);
    CHECK(*list[191] == 191);
    CHECK(*list[192] == 192);
}
