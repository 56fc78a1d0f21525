// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include <doctest/doctest.h>

#include <sluice/store/plan/where_filter.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;

namespace {

/// Returns how many of the chosen rows are read with codes other than the snapshot's.
std::size_t wrong_codes(column_codes& codes, const snapshot& now, std::size_t column,
                        std::size_t first_row, const bits_range& chosen) {
    const auto read = codes.read(chosen);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < chosen.words * 64; ++i) {
        if ((chosen.bits[i / 64] >> (i % 64) & 1) == 0) continue;
        const std::size_t row = first_row + chosen.first_word * 64 + i;
        wrong += i >= read.size() || read[i] != now.code_at(row, column) ? 1 : 0;
    }
    return wrong;
}

}  // namespace

TEST_CASE(
    "codes are those of the rows, however a block spells them and however many are asked for") {
    sample_table table(8);
    table.append(2 * block_rows + 5'000);
    const snapshot now = table.current();
    std::mt19937_64 random(3);
    std::array<std::uint64_t, 64> bits{};
    for (std::size_t column = 0; column < sample_columns; ++column) {
        CAPTURE(column);
        column_codes codes;
        for (std::size_t turn = 0; turn < 30; ++turn) {
            const std::size_t block = turn % 2;
            codes.enter(now.sealed(block).column(column));
            const std::size_t words = turn % 3 == 0 ? 1 : 64;
            for (std::uint64_t& word : bits) {
                word = turn < 10 ? random() : std::uint64_t{random() % 50 == 0} << (random() % 64);
            }
            const bits_range chosen{random() % (1'024 / words) * words, words, bits.data()};
            CHECK(wrong_codes(codes, now, column, block * block_rows, chosen) == 0);
            const bits_range again{0, 64, bits.data()};
            CHECK(wrong_codes(codes, now, column, block * block_rows, again) == 0);
        }
    }
}

TEST_CASE("of the open block only the rows that may be read are") {
    sample_table table(9);
    table.append(block_rows + 100);
    const snapshot now = table.current();
    std::array<std::uint64_t, 64> bits{};
    bits[0] = ~std::uint64_t{0};
    bits[1] = (std::uint64_t{1} << 36) - 1;
    column_codes codes;
    codes.enter(now.open()->codes(sample_scattered), 100);
    CHECK(codes.read({0, 64, bits.data()}).size() == 100);
    CHECK(codes.read({1, 1, bits.data() + 1}).size() == 36);
    CHECK(wrong_codes(codes, now, sample_scattered, block_rows, {0, 64, bits.data()}) == 0);
    CHECK(wrong_codes(codes, now, sample_scattered, block_rows, {1, 1, bits.data() + 1}) == 0);
}
