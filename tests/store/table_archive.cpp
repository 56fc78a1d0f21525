// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/table.hpp>

#include "make_archive.hpp"

using namespace sluice::store;

namespace {

/// Columns of each form: distinct codes, one, few of which one is rare, thousands, nearly one.
constexpr std::size_t columns = 5;

struct test_table {
    dictionary ids{sluice::hash_seed{7}};
    table rows{schema{columns, 2, 0, &ids}};

    void append(std::size_t count, std::int64_t first, unsigned seed) {
        std::minstd_rand random(seed);
        row_buffer added(rows.columns());
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = added.add(first + static_cast<std::int64_t>(i / 2));
            const std::span<code> codes = added.codes(row);
            const std::string id = std::to_string(first) + "." + std::to_string(i);
            codes[0] = ids.encode(std::string_view(id));
            codes[1] = 3;
            const auto drawn = static_cast<code>(random());
            codes[2] = drawn % 3'000 == 0 ? 200 : drawn % 4;
            codes[3] = 70'000 + drawn % 5'000;
            codes[4] = drawn % 10'000 == 0 ? std::numeric_limits<code>::max() : 1;
            added.integers(row)[0] = -std::int64_t{codes[3]};
            added.integers(row)[1] = first;
        }
        rows.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    [[nodiscard]] std::string archive() {
        return archived([this](archive_writer& to) {
            ids.save(to, ids.size());
            rows.save(to, rows.current());
        });
    }
    /// Opens the table from bytes; false if they are refused.
    bool open(const std::string& bytes) {
        archive_reader from = reader_of(bytes);
        ids.open(from);
        rows.open(from);
        return from.is_done();
    }
};

void check_rows(const snapshot& opened, const snapshot& expected) {
    REQUIRE(opened.size() == expected.size());
    std::size_t differing = 0;
    for (std::size_t row = 0; row < expected.size(); ++row) {
        differing += opened.time(row) != expected.time(row) ? 1 : 0;
        for (std::size_t i = 0; i < columns; ++i) {
            differing += opened.code_at(row, i) != expected.code_at(row, i) ? 1 : 0;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            differing += opened.integer_at(row, i) != expected.integer_at(row, i) ? 1 : 0;
        }
    }
    CHECK(differing == 0);
}

/// Each code's rows, by the index of each block and by the directory.
void check_indexes(const snapshot& opened, const snapshot& expected) {
    for (std::size_t block = 0; block < expected.sealed_blocks(); ++block) {
        for (std::size_t i = 1; i < columns; ++i) {
            const auto& column = opened.sealed(block).column(i);
            const auto& other = expected.sealed(block).column(i);
            const column_directory& directory = opened.group_of(block).column(i);
            const column_directory& known = expected.group_of(block).column(i);
            for (const code c : {0U, 1U, 2U, 3U, 199U, 200U, 70'000U, 74'999U, 75'000U,
                                 std::numeric_limits<code>::max()}) {
                CHECK(column.find(c).count == other.find(c).count);
                CHECK(column.rows_before(c) == other.rows_before(c));
                CHECK(directory.blocks_with(c) == known.blocks_with(c));
                REQUIRE((directory.find(c) == nullptr) == (known.find(c) == nullptr));
                if (directory.find(c) == nullptr) continue;
                CHECK(directory.find(c)->bitmaps[block] == column.find(c).bitmap);
            }
        }
    }
}

}  // namespace

TEST_CASE("a table of an archive is the one that was saved, and goes on as it does") {
    snapshot last;
    for (const std::size_t size : {std::size_t{0}, std::size_t{9}, block_rows + 1'000}) {
        CAPTURE(size);
        test_table original, opened;
        original.append(size, 1'000, 1);
        original.rows.project_counts({.key = {2, 4}, .beside = {3}});
        while (original.rows.maintain()) {
        }
        const std::string saved = original.archive();
        REQUIRE(opened.open(saved));
        last = opened.rows.current();
        check_rows(opened.rows.current(), original.rows.current());
        check_indexes(opened.rows.current(), original.rows.current());
        CHECK((opened.archive() == saved));
        CHECK((opened.rows.stats().mapped > 0) == (size >= block_rows));
        for (test_table* const sample : {&original, &opened}) {
            sample->append(100, 50'000, 2);
            sample->append(700, 30'000, 3);
            while (sample->rows.maintain()) {
            }
        }
        check_rows(opened.rows.current(), original.rows.current());
        CHECK((opened.archive() == original.archive()));
    }
    // A snapshot keeps the archive, though its table has gone.
    REQUIRE(last.sealed(0).is_mapped());
    CHECK(last.sealed(0).column(1).find(3).count == block_rows);
}

TEST_CASE("the last rows of an archive are indexed once the table is maintained") {
    test_table original, opened;
    original.append(2 * chunk_rows + 5, 1'000, 1);
    REQUIRE(opened.open(original.archive()));
    CHECK(opened.rows.current().open()->chunks() == 0);
    CHECK(opened.rows.maintain());
    CHECK_FALSE(opened.rows.maintain());
    CHECK(opened.rows.current().open()->chunks() == 2);
}

TEST_CASE("an archive of other columns is refused") {
    test_table original;
    original.append(10, 1, 5);
    const std::string saved = original.archive();
    archive_reader from = reader_of(saved);
    dictionary ids(sluice::hash_seed{7});
    ids.open(from);
    table other(schema{columns + 1, 2, 0, &ids});
    other.open(from);
    CHECK_FALSE(from.is_done());
}
