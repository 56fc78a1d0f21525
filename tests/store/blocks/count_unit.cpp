// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/simd_level.hpp>
#include <sluice/store/projection/count_unit_builder.hpp>
#include <sluice/store/projection/unit_counter.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;

namespace {

/// All rows' codes, to loop over.
class plain_rows {
public:
    explicit plain_rows(const snapshot& rows) : codes_(rows.size() * sample_columns) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            rows.read_codes(row, std::span(codes_).subspan(row * sample_columns, sample_columns));
        }
    }
    [[nodiscard]] code at(std::size_t row, std::size_t column) const {
        return codes_[row * sample_columns + column];
    }
    [[nodiscard]] std::size_t count(const row_span& of,
                                    const std::vector<condition>& wanted) const {
        std::size_t matching = 0;
        for (std::size_t row = of.begin; row < of.end; ++row) {
            matching += std::ranges::all_of(wanted, [&](const condition& condition) {
                return condition.accepted.contains(at(row, condition.column));
            });
        }
        return matching;
    }

private:
    std::vector<code> codes_;
};

const snapshot& sample_rows() {
    static const snapshot rows = [] {
        sample_table table(21);
        table.append(4 * block_rows + 30'000);
        return table.current();
    }();
    return rows;
}

condition random_condition(const plain_rows& rows, const std::vector<std::size_t>& columns,
                           std::mt19937& random) {
    const std::size_t column = columns[random() % columns.size()];
    std::vector<code> listed;
    for (std::size_t left = random() % 8 < 5 ? 1 : random() % 4; left > 0; --left) {
        listed.push_back(random() % 8 == 0 ? static_cast<code>(random() % 300)
                                           : rows.at(random() % 4 * block_rows, column));
        if (random() % 3 == 0) listed.back() = rows.at(random() % (4 * block_rows), column);
    }
    return {column, code_set(listed, random() % 4 == 0)};
}

struct tally {
    std::size_t counted = 0, wrong = 0;
};

/// Counts by a unit with random conditions on some of its columns, at each SIMD level.
tally count_at_random(const count_unit& unit, const plain_rows& rows,
                      std::vector<std::size_t> columns, unsigned seed) {
    std::mt19937 random(seed);
    tally total;
    for (int round = 0; round < 60; ++round) {
        selection wanted;
        for (std::size_t left = 2 + random() % 4; left > 0; --left) {
            wanted.conditions.push_back(random_condition(rows, columns, random));
        }
        REQUIRE(unit_counter::may_answer(wanted));
        const std::size_t expected = rows.count(unit.rows(), wanted.conditions);
        for (const sluice::simd_level level : sluice::supported_simd_levels()) {
            REQUIRE(sluice::force_simd_level(level));
            unit_counter counter(wanted.conditions);
            if (!counter.enter(unit)) continue;
            ++total.counted;
            total.wrong += counter.rows() == expected ? 0 : 1;
        }
        sluice::force_simd_level(std::nullopt);
    }
    return total;
}

}  // namespace

TEST_CASE("a unit counts as a loop over its rows does, whatever the columns and their skew") {
    const plain_rows rows(sample_rows());
    count_unit_builder builder;
    const std::vector<projected_columns> keys{
        {{sample_flag, sample_uniform, sample_skewed}, {}},
        {{sample_skewed, sample_thousands}, {sample_hundred, sample_flag}},
        {{sample_clustered, sample_constant, sample_drifting, sample_uniform}, {sample_many}},
        {{sample_optional, sample_scattered}, {sample_sequence}},
        {{sample_hundred}, {sample_uniform, sample_skewed}},
        {{}, {sample_flag, sample_uniform}},
    };
    const std::vector<row_span> spans{{0, count_unit::max_rows},
                                      {block_rows, 2 * block_rows},
                                      {4 * block_rows, 4 * block_rows + 16'384},
                                      {4 * block_rows + 16'384, 4 * block_rows + 20'480},
                                      {3 * block_rows - 4'096, 3 * block_rows}};
    std::size_t counted = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::vector<std::size_t> columns = keys[i].key;
        columns.insert(columns.end(), keys[i].beside.begin(), keys[i].beside.end());
        for (const row_span& span : spans) {
            CAPTURE(i);
            CAPTURE(span.begin);
            const count_unit unit = builder.build(sample_rows(), span, keys[i]);
            CHECK(unit.rows() == span);
            CHECK(unit.columns() == keys[i]);
            const tally result = count_at_random(unit, rows, columns, static_cast<unsigned>(i));
            CHECK(result.wrong == 0);
            counted += result.counted;
        }
    }
    CHECK(counted > 1'000);
}

TEST_CASE("a unit answers for values that it knows, and for no others") {
    const count_unit unit = count_unit_builder().build(
        sample_rows(), {0, count_unit::max_rows}, {{sample_flag, sample_skewed}, {sample_many}});
    std::size_t hint = 0;
    const auto knows = [&](std::size_t column, code c) {
        return unit.find(column, c, hint).is_known;
    };
    CHECK(knows(sample_flag, 0));
    CHECK(knows(sample_flag, 1));
    CHECK(knows(sample_flag, 2));  // which no row has
    CHECK(unit.find(sample_flag, 2, hint).value == nullptr);
    CHECK(knows(sample_skewed, 0));
    CHECK_FALSE(knows(sample_skewed, 199));  // of few rows
    CHECK_FALSE(knows(sample_many, 5));
    CHECK_FALSE(knows(sample_uniform, 1));  // another column
}

TEST_CASE("a unit takes about two bytes a row at most, and reads what its lines come to") {
    const projected_columns wanted{{sample_flag, sample_uniform, sample_skewed},
                                   {sample_hundred, sample_thousands, sample_clustered}};
    const count_unit unit =
        count_unit_builder().build(sample_rows(), {0, count_unit::max_rows}, wanted);
    CHECK(unit.bytes() < 2 * count_unit::max_rows + 4'096);
    selection chosen{.conditions = {{sample_flag, code_set({1})}, {sample_skewed, code_set({0})}}};
    unit_counter counter(chosen.conditions);
    REQUIRE(counter.enter(unit));
    CHECK(counter.cost() < counter.index_cost() / 4);
    counter.record_read();
    CHECK(counter.bytes_read()[0] + counter.bytes_read()[1] == counter.bytes());
}

TEST_CASE("what units may answer") {
    const condition one{sample_flag, code_set({1})};
    CHECK(unit_counter::may_answer({.conditions = {one, one}}));
    CHECK_FALSE(unit_counter::may_answer({.conditions = {one}}));
    CHECK_FALSE(unit_counter::may_answer({.conditions = std::vector(17, one)}));
    selection tested{.conditions = {one, one}};
    tested.test = [](std::size_t) { return true; };
    CHECK_FALSE(unit_counter::may_answer(tested));
    std::vector<code> many(17);
    for (code c = 0; c < 17; ++c) many[c] = c;
    CHECK_FALSE(unit_counter::may_answer({.conditions = {one, {sample_skewed, code_set(many)}}}));
}
