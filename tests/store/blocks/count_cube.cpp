// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/blocks/count_cube.hpp>
#include <sluice/store/projection/count_cube_builder.hpp>
#include <sluice/store/table.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;

namespace {

using columns = std::vector<std::size_t>;

/// The cells of a cube: codes by column, with the number of rows.
using cell_map = std::map<std::vector<code>, std::size_t>;

cell_map cells_of(const count_cube& cube, std::size_t column_count) {
    cell_map all;
    for (code first = 0; first < cube.first_codes(); ++first) {
        const auto [begin, end] = cube.of_first(first);
        for (std::size_t cell = begin; cell < end; ++cell) {
            std::vector<code> codes{first};
            for (std::size_t at = 1; at < column_count; ++at) codes.push_back(cube.at(cell, at));
            CHECK(all.emplace(std::move(codes), cube.counts()[cell]).second);
        }
    }
    return all;
}
cell_map counted(const snapshot& rows, const row_span& of, const columns& by) {
    cell_map all;
    for (std::size_t row = of.begin; row < of.end; ++row) {
        std::vector<code> codes;
        for (const std::size_t column : by) codes.push_back(rows.code_at(row, column));
        ++all[codes];
    }
    return all;
}

/// A table of two columns with few codes each; its cubes are those of both.
struct cubed_table {
    explicit cubed_table(std::size_t blocks) {
        append(blocks * block_rows, 0);
        use(both);
        maintain();
    }

    void append(std::size_t rows, std::int64_t time) {
        row_buffer added(table.columns());
        for (std::size_t row = 0; row < rows; ++row) {
            const auto codes = added.codes(added.add(time + std::int64_t(row)));
            codes[0] = id;
            codes[1] = static_cast<code>(row % 3);
            codes[2] = static_cast<code>(row % 5);
        }
        table.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    void use(const columns& of) {
        for (std::uint32_t i = 0; i < count_cubes::least_uses; ++i)
            table.current().cubes().usage().record(of);
    }
    void maintain() {
        while (table.maintain()) {
        }
    }
    /// Returns the blocks of each cube that lies in a span of rows.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> blocks_in(row_span of) const {
        std::vector<std::pair<std::size_t, std::size_t>> all;
        for (const auto& cube : table.current().cubes().cubes_in(both, of))
            all.emplace_back(cube->rows().begin / block_rows, cube->rows().end / block_rows);
        return all;
    }
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> blocks() const {
        return blocks_in({0, table.current().size()});
    }

    const columns both{1, 2};
    dictionary ids;
    code id = ids.encode(std::string_view("row"));
    sluice::store::table table{sluice::store::schema{3, 0, 0, &ids}};
};

using blocks = std::vector<std::pair<std::size_t, std::size_t>>;

}  // namespace

TEST_CASE("cubes count the combinations of codes, as a loop does") {
    sample_table sample(5);
    sample.append(3 * block_rows + 100);
    const snapshot rows = sample.current();
    const std::vector<columns> sets{
        {sample_flag, sample_uniform},
        {sample_uniform, sample_constant, sample_flag},
        {sample_thousands, sample_constant},
        {sample_constant, sample_thousands},
        {sample_skewed, sample_flag, sample_hundred},
        {sample_clustered, sample_drifting, sample_flag, sample_constant},
        {sample_hundred, sample_clustered},
    };
    count_cube_builder builder;
    for (const columns& by : sets) {
        for (const row_span of : {row_span{0, block_rows}, {block_rows, 3 * block_rows}}) {
            CAPTURE(by[0]);
            const count_cube cube = builder.build(rows, of, by);
            CHECK(cube.rows() == of);
            REQUIRE_FALSE(cube.empty());
            CHECK(cells_of(cube, by.size()) == counted(rows, of, by));
        }
    }
}

TEST_CASE("cells are found by the codes of their first columns") {
    sample_table sample(6);
    sample.append(block_rows);
    const columns by{sample_uniform, sample_flag, sample_hundred};
    const row_span of{0, block_rows};
    const count_cube cube = count_cube_builder().build(sample.current(), of, by);
    const cell_map expected = counted(sample.current(), of, by);
    for (code a = 0; a < 8; ++a) {
        for (code b = 0; b < 3; ++b) {
            const auto narrowed = cube.narrow(cube.of_first(a), 1, b);
            std::size_t rows = 0, expected_rows = 0;
            for (std::size_t cell = narrowed.begin; cell < narrowed.end; ++cell) {
                CHECK(cube.at(cell, 1) == b);
                rows += cube.counts()[cell];
            }
            for (const auto& [codes, count] : expected) {
                if (codes[0] == a && codes[1] == b) expected_rows += count;
            }
            CHECK(rows == expected_rows);
        }
    }
    const auto one = cube.narrow(cube.narrow(cube.of_first(3), 1, 0), 2, 17);
    CHECK(one.end - one.begin == 1);
    CHECK(cube.counts()[one.begin] == expected.at({3, 0, 17}));
    const auto none = cube.of_first(1'000'000);
    CHECK(none.begin == none.end);
}

TEST_CASE("a cube that doesn't pay is empty") {
    sample_table sample(7);
    sample.append(block_rows);
    const std::vector<columns> sets{
        {sample_uniform, sample_sequence},                  // a cell for each row
        {sample_many, sample_flag},                         // the first codes go up to 12,000,000
        {sample_flag, sample_many, sample_many},            // 48 bits
        {sample_thousands, sample_hundred, sample_skewed},  // too many combinations
        {sample_flag, sample_scattered},
    };
    for (const columns& by : sets) {
        CAPTURE(by[1]);
        const count_cube cube = count_cube_builder().build(sample.current(), {0, block_rows}, by);
        CHECK(cube.empty());
        CHECK(cube.bytes() == 0);
        CHECK(cube.first_codes() == 0);
        CHECK(cube.of_first(1).end == 0);
    }
}

TEST_CASE("four cubes of one size become a larger one") {
    cubed_table sample(6);
    CHECK(sample.blocks() == blocks{{0, 4}, {4, 5}, {5, 6}});
    CHECK(sample.blocks_in({1, 6 * block_rows - 1}) == blocks{{4, 5}});
    sample.append(2 * block_rows + 5, 10'000'000);
    sample.maintain();
    CHECK(sample.blocks() == blocks{{0, 4}, {4, 8}});
    CHECK(sample.table.stats().projection > 0);
}

TEST_CASE("a row that is late takes the cubes of the blocks that it moves") {
    cubed_table sample(6);
    sample.append(1, 4 * std::int64_t(block_rows) + 70'000);
    CHECK(sample.blocks() == blocks{{0, 4}, {4, 5}});
    sample.maintain();
    CHECK(sample.blocks() == blocks{{0, 4}, {4, 5}, {5, 6}});
    sample.append(1, -1);
    CHECK(sample.blocks() == blocks{});
}

TEST_CASE("the sets of columns that are used most often have cubes") {
    cubed_table sample(1);
    const auto has_cubes = [&](const columns& of) {
        return !sample.table.current().cubes().cubes_in(of, {0, block_rows}).empty();
    };
    CHECK(has_cubes({1, 2}));
    CHECK_FALSE(has_cubes({2, 1}));
    sample.use({2, 1});
    sample.use({2});  // one column has counts already
    CHECK(sample.table.maintain());
    CHECK_FALSE(sample.table.maintain());
    CHECK(has_cubes({2, 1}));
    // Six more, then others that are used more often.
    const std::vector<columns> others{{0, 1}, {0, 2}, {1, 0}, {2, 0}, {0, 1, 2}, {0, 2, 1}};
    for (const columns& of : others) sample.use(of);
    sample.maintain();
    for (const columns& of : others) CHECK(has_cubes(of));
    sample.use({1, 0, 2});
    sample.maintain();
    CHECK_FALSE(has_cubes({1, 0, 2}));
    sample.use({1, 0, 2});
    sample.maintain();
    CHECK(has_cubes({1, 0, 2}));
    sample.table.project_counts({});
    CHECK_FALSE(has_cubes({1, 0, 2}));
    CHECK_FALSE(sample.table.maintain());
    CHECK(sample.table.stats().projection == 0);
}
