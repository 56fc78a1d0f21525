// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/random.hpp>

using namespace sluice::detail;

TEST_CASE("random numbers are those of SplitMix64") {
    // The widely published first outputs for these seeds.
    random_source a(1234567);
    for (const std::uint64_t expected :
         {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
          16408922859458223821U}) {
        CHECK(a.next() == expected);
    }
    CHECK(random_source(0).next() == 0xE220A8397B1DCDAF);
}

TEST_CASE("numbers below a bound take every value and no other") {
    random_source random(1);
    for (const std::uint32_t bound : {1U, 2U, 3U, 10U, 64U}) {
        std::set<std::uint32_t> seen;
        for (int i = 0; i < 2'000; ++i) seen.insert(random.below(bound));
        CHECK(seen.size() == bound);
        CHECK(*seen.rbegin() == bound - 1);
    }
}

TEST_CASE("chances come true as often as they say") {
    random_source random(2);
    for (const std::uint32_t percent : {0U, 1U, 25U, 99U, 100U}) {
        std::uint32_t hits = 0;
        for (int i = 0; i < 100'000; ++i) hits += random.chance(percent) ? 1 : 0;
        CHECK(hits == doctest::Approx(1'000.0 * percent).epsilon(0.1));
    }
}

TEST_CASE("ranks are drawn in proportion to one over their number") {
    constexpr std::size_t n = 20;
    constexpr int draws = 200'000;
    const zipf ranks(n);
    random_source random(3);
    std::array<int, n> hits{};
    for (int i = 0; i < draws; ++i) ++hits.at(ranks.draw(random));
    double harmonic = 0;
    for (std::size_t rank = 0; rank < n; ++rank) harmonic += 1.0 / static_cast<double>(rank + 1);
    for (std::size_t rank = 0; rank < n; ++rank) {
        CAPTURE(rank);
        const double expected = draws / harmonic / static_cast<double>(rank + 1);
        CHECK(hits[rank] == doctest::Approx(expected).epsilon(0.06));
    }
}

TEST_CASE("a single rank is always drawn") {
    const zipf one(1);
    random_source random(4);
    for (int i = 0; i < 100; ++i) CHECK(one.draw(random) == 0);
}

TEST_CASE("mixing keeps different numbers different") {
    std::set<std::uint64_t> mixed;
    for (std::uint64_t number = 0; number < 10'000; ++number) mixed.insert(mix64(number));
    CHECK(mixed.size() == 10'000);
}
