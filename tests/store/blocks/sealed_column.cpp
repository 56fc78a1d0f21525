// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/plan/scan.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;

namespace {

/// The rows that a column lists for a code, from its run or bitmap.
std::vector<std::uint16_t> listed(const code_rows& list) {
    if (list.run) return {list.run, list.run + list.count};
    std::vector<std::uint16_t> rows;
    for (std::size_t row = 0; row < block_rows; ++row) {
        if ((list.bitmap[row / 64] >> (row % 64)) & 1) {
            rows.push_back(static_cast<std::uint16_t>(row));
        }
    }
    return rows;
}

/// Returns the number that stands for the code of a row.
std::uint32_t local_at(const sealed_column& column, std::size_t row) {
    switch (column.form()) {
        case code_form::constant: return 0;
        case code_form::bytes: return column.bytes()[row];
        case code_form::shorts: return column.shorts()[row];
        case code_form::words: return column.words()[row];
        case code_form::sequence: return column.least() + static_cast<code>(row);
    }
    return 0;
}

}  // namespace

TEST_CASE("a sealed column finds the rows of each code, and of no other") {
    sample_table table(21);
    table.append(2 * block_rows);
    const snapshot now = table.current();
    for (std::size_t c = 0; c < sample_columns; ++c) {
        CAPTURE(c);
        const sealed_column& column = now.sealed(1).column(c);
        std::map<code, std::vector<std::uint16_t>> expected;
        for (std::size_t row = 0; row < block_rows; ++row) {
            expected[now.code_at(block_rows + row, c)].push_back(static_cast<std::uint16_t>(row));
        }
        CHECK(column.least() == expected.begin()->first);
        CHECK(column.most() == expected.rbegin()->first);
        for (const auto& [value, rows] : expected) {
            const code_rows list = column.find(value);
            REQUIRE(list.count == rows.size());
            if (list.run || list.bitmap) REQUIRE(listed(list) == rows);
            REQUIRE(reinterpret_cast<std::uintptr_t>(list.bitmap) % 64 == 0);  // a cache line
            REQUIRE((list.bitmap != nullptr) ==
                    (rows.size() > max_run && column.form() != code_form::constant));
            REQUIRE(local_at(column, rows.front()) == list.local);
            REQUIRE(local_at(column, rows.back()) == list.local);
            for (const code other : {value - 1, value + 1}) {
                if (!expected.contains(other)) REQUIRE(column.find(other).count == 0);
            }
        }
    }
}

TEST_CASE("columns take the narrowest form that their codes allow") {
    sample_table table(22);
    table.append(block_rows);
    const snapshot now = table.current();
    const auto form = [&](std::size_t c) { return now.sealed(0).column(c).form(); };
    CHECK(form(sample_constant) == code_form::constant);
    for (const auto c : {sample_flag, sample_hundred, sample_skewed, sample_clustered}) {
        CHECK(form(c) == code_form::bytes);
    }
    for (const auto c : {sample_thousands, sample_many, sample_drifting}) {
        CHECK(form(c) == code_form::shorts);
    }
    for (const auto c : {sample_scattered, sample_optional}) CHECK(form(c) == code_form::words);
    CHECK(form(sample_sequence) == code_form::sequence);
}

TEST_CASE(
    "the index takes at most two bytes a row and column, and the codes little more than four") {
    sample_table table(23);
    table.append(5 * block_rows + 1);
    const snapshot now = table.current();
    for (std::size_t c = 0; c < sample_columns; ++c) {
        CAPTURE(c);
        for (std::size_t i = 0; i < now.sealed_blocks(); ++i) {
            const auto stats = now.sealed(i).column(c).stats();
            CHECK(stats.index <= 2 * block_rows);
            CHECK(stats.codes <= 4 * block_rows + 1'024);
        }
    }
    const table_stats all = now.stats();
    CHECK(all.rows == now.size());
    CHECK(all.blocks == 6);
    CHECK(all.columns.size() == sample_columns);
    CHECK(all.times == block_rows * (5 * sizeof(std::uint32_t) + sizeof(std::int64_t)));
    CHECK(all.integers == 0);
    CHECK(all.image > 5 * block_rows * 10);
    CHECK(all.image < 5 * block_rows * sample_columns * 4);
    for (const auto& column : all.columns) CHECK(column.index <= 2 * all.rows);
    CHECK(all.columns[sample_constant].index < 5 * 200);
    CHECK(snapshot().stats().columns.empty());
}

TEST_CASE("running counts are those of the blocks before, while all codes are small") {
    sample_table table(24);
    table.append(4 * block_rows);
    const snapshot now = table.current();
    for (const auto c : {sample_constant, sample_flag, sample_uniform, sample_hundred,
                         sample_skewed, sample_clustered}) {
        CAPTURE(c);
        std::map<code, std::size_t> before;
        for (std::size_t i = 0; i < now.sealed_blocks(); ++i) {
            const sealed_column& column = now.sealed(i).column(c);
            REQUIRE(column.has_counts());
            for (code value = 0; value < 210; ++value) {
                REQUIRE(column.rows_before(value) == before[value]);
                before[value] += column.find(value).count;
                REQUIRE(column.rows_up_to_here(value) == before[value]);
            }
        }
    }
    CHECK_FALSE(now.sealed(0).column(sample_sequence).has_counts());
    CHECK_FALSE(now.sealed(0).column(sample_drifting).has_counts());  // would leave many runs out
}

TEST_CASE("a row's codes are read at once as they are one by one") {
    sample_table table(25);
    table.append(block_rows + 500);
    const snapshot now = table.current();
    std::vector<code> codes(sample_columns);
    for (std::size_t row = 0; row < now.size(); row += row < block_rows - 100 ? 997 : 1) {
        now.read_codes(row, codes);
        for (std::size_t c = 0; c < sample_columns; ++c) REQUIRE(codes[c] == now.code_at(row, c));
        std::vector<code> first(3);
        now.read_codes(row, first);
        REQUIRE(first == std::vector<code>(codes.begin(), codes.begin() + 3));
    }
    CHECK(now.code_at(5, sample_sequence) == 6);
    CHECK(now.code_at(block_rows - 1, sample_sequence) == block_rows);
    CHECK(now.code_at(block_rows + 1, sample_sequence) == block_rows + 2);
}

TEST_CASE("times of a block are as they were, however far apart") {
    const auto check = [](std::int64_t first, std::uint64_t step, std::size_t bytes) {
        open_block rows(schema{.code_columns = 1}, block_rows);
        const auto time = [&](std::size_t row) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + row * step);
        };
        const code codes[] = {1};
        for (std::size_t row = 0; row < block_rows; ++row) rows.write(row, time(row), codes, {});
        const block_times times(rows);
        std::size_t wrong = 0;
        for (std::size_t row = 0; row < block_rows; ++row) wrong += times[row] == time(row) ? 0 : 1;
        CHECK(wrong == 0);
        CHECK(times.bytes() == bytes * block_rows);
    };
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    check(0, 0, 4);
    check(-1'000, 1, 4);
    check(1'787'279'415'123, 65'537, 4);  // 2^32 - 1 in all
    check(1'787'279'415'123, 65'538, 8);
    check(least, 65'537, 4);
    check(least, (std::uint64_t{1} << 48) + 1, 8);
}

TEST_CASE("codes of any range are read from the image of a block") {
    constexpr std::size_t columns = 34;
    open_block rows(schema{.code_columns = columns}, block_rows);
    // Column c has codes of c bits, from a least one on which all of them are possible.
    const auto at = [](std::size_t row, std::size_t column) {
        const std::uint64_t mixed = (row * columns + column) * 0x9E37'79B9'7F4A'7C15U;
        const std::uint64_t size = std::uint64_t{1} << std::min<std::size_t>(column, 32);
        const std::uint64_t least = (std::uint64_t{1} << 32) - size;
        return static_cast<code>((row == 0 ? 0 : row == 1 ? size - 1 : mixed % size) + least);
    };
    std::vector<code> codes(columns);
    for (std::size_t row = 0; row < block_rows; ++row) {
        for (std::size_t c = 0; c < columns; ++c) codes[c] = at(row, c);
        rows.write(row, 0, codes, {});
    }
    const row_image image(rows);
    CHECK(image.size() == block_rows * (31 * 32 / 2 + 2 * 32) / 8 + 8);
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < block_rows; ++row) {
        for (std::size_t c = 0; c < columns; ++c) wrong += image.at(row, c) == at(row, c) ? 0 : 1;
        image.read(row, codes);
        for (std::size_t c = 0; c < columns; ++c) wrong += codes[c] == at(row, c) ? 0 : 1;
    }
    CHECK(wrong == 0);
}
