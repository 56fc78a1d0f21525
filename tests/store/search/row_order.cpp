// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/search/row_order.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;
using sluice::cursor;
using sluice::sort_order;

namespace {

constexpr std::size_t rows = 100;  // of which three share a time and the id

row_key key_of(const snapshot& now, std::size_t row) { return {now.time(row), "row"}; }

}  // namespace

TEST_CASE("a cursor finds its row among rows of the same time and id") {
    sample_table table(61);
    table.append(rows);
    const snapshot now = table.current();
    for (std::size_t row = 0; row < rows; ++row) {
        CAPTURE(row);
        const row_key key = key_of(now, row);
        const std::uint32_t repeat = repeats_before(now, row, key);
        CHECK(repeat == row % 3);
        for (const bool is_before : {false, true}) {
            const row_place place = find_place(now, cursor{is_before, 0, repeat, {}}, key);
            CHECK(place.is_before == is_before);
            CHECK(place.ends == row);
            CHECK(place.begins == row + 1);
        }
    }
    const struct {
        row_key key;
        std::uint32_t repeat;
        std::size_t ends, begins;
    } others[] = {
        {{10, "row"}, 3, 33, 33},              // a row that is gone, after those that are left
        {{10, "row"}, 4'000'000'000, 33, 33},  // as a forged cursor has it
        {{10, "a"}, 0, 30, 30},                // between two keys
        {{10, "z"}, 1, 33, 33},
        {{-1, "row"}, 0, 0, 0},
        {{34, "row"}, 2, rows, rows},
    };
    for (const auto& [key, repeat, ends, begins] : others) {
        CAPTURE(key.time);
        CAPTURE(key.id);
        const row_place place = find_place(now, cursor{false, 0, repeat, {}}, key);
        CHECK(place.ends == ends);
        CHECK(place.begins == begins);
    }
}

TEST_CASE("pages at cursors have each row once, also of those that share a time and the id") {
    sample_table table(62);
    table.append(rows);
    const snapshot now = table.current();
    const auto walk = [&](sort_order order, bool is_before, std::size_t size) {
        std::size_t row = (order == sort_order::ascending) == is_before ? rows - 1 : 0;
        std::vector<std::size_t> walked{row};
        for (bool goes_on = true; goes_on;) {
            const row_key key = key_of(now, row);
            const cursor from{is_before, 0, repeats_before(now, row, key), {}};
            const auto page = page_at(find_place(now, from, key), {}, order,
                                      [&](const selection& part, sort_order direction) {
                                          return scan(now, part).page(
                                              direction, 0, static_cast<std::int64_t>(size));
                                      });
            REQUIRE(page);
            REQUIRE(walked.size() <= rows);
            std::vector<std::size_t> numbers = page->rows;
            if (is_before) std::ranges::reverse(numbers);
            walked.insert(walked.end(), numbers.begin(), numbers.end());
            goes_on = is_before ? page->has_previous : page->has_next;
            if (goes_on) row = walked.back();
        }
        return walked;
    };
    std::vector<std::size_t> ascending(rows);
    for (std::size_t row = 0; row < rows; ++row) ascending[row] = row;
    const std::vector<std::size_t> descending(ascending.rbegin(), ascending.rend());
    for (const std::size_t size : {1U, 2U, 3U, 7U}) {
        CAPTURE(size);
        CHECK(walk(sort_order::ascending, false, size) == ascending);
        CHECK(walk(sort_order::ascending, true, size) == descending);
        CHECK(walk(sort_order::descending, false, size) == descending);
        CHECK(walk(sort_order::descending, true, size) == ascending);
    }
}
