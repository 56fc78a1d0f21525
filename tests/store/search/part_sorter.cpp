// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/search/part_sorter.hpp>

using namespace sluice::store;

namespace {

const scan_limits unlimited;

using numbers = std::vector<std::pair<std::size_t, std::size_t>>;  // a key, and a place

/// Numbers whose keys are ascending, descending, random or of three values.
numbers make_numbers(std::size_t size, unsigned kind) {
    std::mt19937 random(size + kind);
    numbers items;
    for (std::size_t at = 0; at < size; ++at) {
        const std::array<std::size_t, 4> keys{at, size - at, random(), random() % 3};
        items.emplace_back(keys[kind], at);
    }
    return items;
}

}  // namespace

TEST_CASE("the items of a page are those of a sort of all, and the others are all there") {
    for (const std::size_t size : {0U, 1U, 2U, 1'024U, 1'025U, 20'000U}) {
        for (unsigned kind = 0; kind < 4; ++kind) {
            const numbers all = make_numbers(size, kind);
            numbers sorted = all;
            std::ranges::sort(sorted);
            const std::size_t half = size / 2;
            const std::pair<std::size_t, std::size_t> pages[] = {
                {0, std::min<std::size_t>(size, 7)},
                {half, std::min(size, half + 100)},
                {size - size / 10, size},
                {0, size},
                {half, half},
                {size, size}};
            for (const auto& [begin, end] : pages) {
                CAPTURE(size);
                CAPTURE(kind);
                CAPTURE(begin);
                numbers items = all;
                scan_budget budget(unlimited);
                const auto before = [](const auto& a, const auto& b) { return a < b; };
                REQUIRE(part_sorter(std::span(items), before, budget).sort(begin, end));
                const auto first = static_cast<std::ptrdiff_t>(begin),
                           last = static_cast<std::ptrdiff_t>(end);
                CHECK(std::equal(items.begin() + first, items.begin() + last,
                                 sorted.begin() + first));
                std::ranges::sort(items);
                CHECK(items == sorted);
            }
        }
    }
}

TEST_CASE("a page takes a few comparisons an item, wherever it is and however items come") {
    constexpr std::size_t size = 100'000;
    for (unsigned kind = 0; kind < 4; ++kind) {
        for (const std::size_t begin : {std::size_t{0}, size / 2, size - 100}) {
            numbers items = make_numbers(size, kind);
            scan_budget budget(unlimited);
            std::size_t comparisons = 0;
            const auto before = [&](const auto& a, const auto& b) { return ++comparisons, a < b; };
            REQUIRE(part_sorter(std::span(items), before, budget).sort(begin, begin + 100));
            CAPTURE(kind);
            CHECK(comparisons < 6 * size);
        }
    }
}

TEST_CASE("a sort ends soon after its deadline, or once nobody waits for it") {
    constexpr std::size_t size = 100'000;
    std::size_t looks = 0;
    const auto before = [](const auto& a, const auto& b) { return a < b; };
    const auto run = [&](std::size_t begin, std::size_t end, int deadline) {
        numbers items = make_numbers(size, 2);
        looks = 0;
        const scan_limits limits{.cpu_time = [&]() -> std::chrono::nanoseconds {
                                     return std::chrono::milliseconds(++looks);
                                 },
                                 .deadline = std::chrono::milliseconds(deadline)};
        scan_budget budget(limits);
        const bool is_done = part_sorter(std::span(items), before, budget).sort(begin, end);
        CHECK(budget.broken() ==
              (is_done ? std::nullopt : std::optional(sluice::rule::query_too_costly)));
        return is_done;
    };
    for (const auto& [begin, end] :
         {std::pair<std::size_t, std::size_t>{size / 2, size / 2 + 10}, {0, size}}) {
        REQUIRE(run(begin, end, 1'000'000));
        const std::size_t all = looks;
        CHECK(all > size / 1'024);
        for (const std::size_t deadline : {std::size_t{1}, all / 2, all}) {
            CHECK_FALSE(run(begin, end, static_cast<int>(deadline)));
            CHECK(looks == deadline);
        }
    }
    std::stop_source client;
    client.request_stop();
    const scan_limits limits{.stop = client.get_token()};
    scan_budget budget(limits);
    numbers items = make_numbers(size, 2);
    CHECK_FALSE(part_sorter(std::span(items), before, budget).sort(0, 10));
    CHECK(budget.broken() == sluice::rule::request_cancelled);
}
