// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/blocks/block_numbers.hpp>

using namespace sluice::store;
using sluice::column;
using sluice::column_type;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// A full block of codes from 0 to `distinct`, and the numbers of codes.
struct numbered_block {
    explicit numbered_block(const column& of, std::size_t distinct)
        : numbers(of), codes(block_rows) {
        std::mt19937 random(3);
        for (code& row : codes) row = static_cast<code>(random() % (distinct + 1));
    }

    number_list numbers;
    std::vector<code> codes;
};

/// Returns the rows whose bits are set by a block's numbers for a set of codes.
std::vector<bool> matching(const block_numbers& block, const number_ranges& set) {
    const auto ranges = block.distances(set.key_ranges(block.scale()));
    std::vector<std::uint64_t> bits(block_rows / 64);
    block.match(ranges, {0, bits.size(), bits.data()}, sluice::detail::simd::active_kernels());
    std::vector<bool> rows(block_rows);
    std::size_t in_ranges = 0;
    for (std::size_t row = 0; row < block_rows; ++row) {
        const bool is_in = ((bits[row / 64] >> (row % 64)) & 1) != 0;
        if (row % 999 == 0) CHECK(block.is_in(row, ranges) == is_in);
        rows[row] = is_in != set.takes_others();
        in_ranges += is_in ? 1 : 0;
    }
    CHECK((!block.are_in(ranges) || in_ranges == block_rows));
    return rows;
}

void check_set(const numbered_block& in, const block_numbers& block, number_ranges set) {
    for (const bool is_flipped : {false, true}) {
        if (is_flipped) set.flip();
        std::vector<bool> expected;
        for (const code row : in.codes) expected.push_back(set.contains(row));
        CHECK((matching(block, set) == expected));
    }
}

}  // namespace

TEST_CASE("integers of a block are in the ranges that their codes are in, in any width") {
    const struct {
        std::int64_t first, step;
        std::size_t width;
    } table[] = {{-5, 1, 2},         {least, 3, 2},          {0, 70'000, 4},
                 {most - 900, 2, 2}, {-4'000'000, 9'999, 4}, {least, most / 200, 8}};
    for (const auto& [first, step, width] : table) {
        CAPTURE(first);
        CAPTURE(step);
        const column of{.name = "count", .type = column_type::integer};
        numbered_block in(of, 400);
        std::vector<std::int64_t> values;
        for (std::int64_t at = 0; at < 400; ++at) {
            values.push_back(at == 0 ? first : values.back() + step);
            in.numbers.push_back(values.back(), {});
        }
        const block_numbers block(in.codes.data(), in.numbers);
        REQUIRE_FALSE(block.empty());
        CHECK(block.width() == width);
        CHECK(block.least() == values.front());
        CHECK(block.most() == values.back());
        const auto keys = in.numbers.keys();
        for (const std::int64_t low : {least, values[0], values[7] + 1, values[399], most}) {
            for (const std::int64_t high : {least, values[0], values[8], values[399], most}) {
                check_set(in, block, number_ranges(keys, {low, high}));
            }
        }
        number_ranges two(keys, {values[3], values[9]});
        two.merge(number_ranges(keys, {values[20], most}));
        check_set(in, block, two);
    }
}

TEST_CASE("numbers of a block that are too far apart aren't stored") {
    numbered_block in({.name = "count", .type = column_type::integer}, 2);
    in.numbers.push_back(least, {});
    in.numbers.push_back(most, {});
    CHECK(block_numbers(in.codes.data(), in.numbers).empty());
    std::ranges::fill(in.codes, absent);
    CHECK(block_numbers(in.codes.data(), in.numbers).empty());
}

TEST_CASE("decimals of a block have one scale, or aren't stored") {
    constexpr std::array<std::string_view, 9> texts{"0",    "-0.5",   "19.90", "7",  "1e3",
                                                    "-1e3", "12.125", "1e-3",  "7.0"};
    numbered_block in({.name = "total", .type = column_type::decimal}, texts.size());
    for (const std::string_view text : texts) in.numbers.push_back(text, text);
    const block_numbers block(in.codes.data(), in.numbers);
    REQUIRE_FALSE(block.empty());
    CHECK(block.scale() == 3);
    CHECK(block.least() == -1'000'000);
    CHECK(block.most() == 1'000'000);
    const code_numbers numbers{in.numbers.approximations(), [&](code of) {
                                   return *sluice::detail::parse_decimal(texts[of - 1]);
                               }};
    for (const std::string_view bound :
         {"-1e400", "-1e3", "-1000.0001", "-0.5", "-0.4999999999999999999999", "-1e-400", "0",
          "1e-400", "0.001", "0.0009999", "7", "7.00000000000000000000001", "12.125", "12.1254",
          "1e3", "1000.5", "9223372036854775.807", "9223372036854775.8071", "1e400"}) {
        CAPTURE(bound);
        for (const bool is_after : {false, true}) {
            for (const bool takes_above : {false, true}) {
                check_set(in, block,
                          {numbers, *sluice::detail::parse_decimal(bound), is_after, takes_above});
            }
        }
    }
    for (const std::string_view odd : {"1e30", "1e-19", "123456789012345678"}) {
        CAPTURE(odd);
        numbered_block other({.name = "total", .type = column_type::decimal}, 2);
        other.numbers.push_back("1.5", "1.5");
        other.numbers.push_back(odd, odd);
        CHECK(block_numbers(other.codes.data(), other.numbers).empty());
    }
    numbered_block wide({.name = "total", .type = column_type::decimal}, 2);
    for (const std::string_view text : {"12345678901234567", "1e-18"})
        wide.numbers.push_back(text, text);
    CHECK(block_numbers(wide.codes.data(), wide.numbers).empty());  // 35 digits together
}
