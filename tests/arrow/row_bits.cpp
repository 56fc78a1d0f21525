// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/array_view.hpp>

#include "make_array.hpp"

using namespace sluice::arrow;
using arrow_test::to_bools;

namespace {

row_bits to_bits(const std::vector<bool>& rows) {
    row_bits bits(rows.size(), false);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i]) bits.words()[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return bits;
}

std::vector<bool> random_rows(std::mt19937& random, std::size_t count) {
    std::vector<bool> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back(random() % 2 == 0);
    return rows;
}

}  // namespace

TEST_CASE("blocks of any length are added one after the other") {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<bool> all;
        row_bits bits;
        for (int block = 0; block < 6; ++block) {
            const auto added = random_rows(random, random() % 200);
            all.insert(all.end(), added.begin(), added.end());
            bits.append(to_bits(added).words(), added.size());
        }
        CHECK(to_bools(bits) == all);
        CHECK(bits == to_bits(all));
        CHECK(bits.count() == static_cast<std::size_t>(std::ranges::count(all, true)));
        std::vector<std::uint8_t> bytes(all.size());
        bits.write_bytes(bytes);
        CHECK(std::vector<bool>(bytes.begin(), bytes.end()) == all);
        CHECK(std::ranges::all_of(bytes, [](auto byte) { return byte <= 1; }));
    }
}

TEST_CASE("rows are all set or none, with no bit beyond the last") {
    for (const std::size_t rows : {0U, 1U, 63U, 64U, 65U, 128U}) {
        const row_bits all(rows, true), none(rows, false);
        CHECK(all == to_bits(std::vector<bool>(rows, true)));
        row_bits both = all;
        both.intersect(none);
        CHECK(both == none);
        both.merge(all);
        CHECK(both == all);
    }
}

TEST_CASE("words of validity are read at any bit and not beyond their last byte") {
    std::mt19937 random(2);
    for (std::size_t first = 0; first < 80; ++first) {
        for (std::size_t count = 1; count <= 64; ++count) {
            const auto rows = random_rows(random, first + count);
            arrow_test::column field("u", 0);
            field.add_validity(rows, true);
            const validity valid(field.buffers[0]);
            std::uint64_t expected = 0;
            for (std::size_t i = 0; i < count; ++i) {
                REQUIRE(valid[first + i] == rows[first + i]);
                expected |= std::uint64_t{rows[first + i]} << i;
            }
            REQUIRE(valid.word(first, count) == expected);
        }
    }
    CHECK(validity().word(3, 5) == 31);
}
