// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/plan/scan.hpp>

using namespace sluice::store;
using sluice::sort_order;

namespace {

enum : std::size_t { id_column, fifths, hundreds, sequence, code_columns };

/// Returns the codes of a row: a frequent one, one of which each hundred is at home in one block,
/// and one that no other row has.
std::array<code, code_columns> codes_of(std::size_t row) {
    const std::size_t mixed = row * 2'654'435'761U % 1'000'003;
    const std::size_t home = row / block_rows * 100;
    return {1, static_cast<code>(1 + mixed % 5),
            static_cast<code>(mixed % 1'000 == 0 ? 1 + home + mixed / 1'000 % 100 : 5'000),
            static_cast<code>(row + 7)};
}

/// Rows a second apart, and those that come late a millisecond after another.
class block_table {
public:
    explicit block_table(std::size_t rows) {
        ids_.encode(std::string_view("row"));
        row_buffer added(table_.columns());
        for (std::size_t row = 0; row < rows; ++row) add(added, row, 0);
        table_.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    void add_late(std::size_t row) {
        row_buffer added(table_.columns());
        add(added, row, 1);
        table_.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    [[nodiscard]] snapshot current() const { return table_.current(); }

private:
    static void add(row_buffer& to, std::size_t row, std::int64_t late) {
        const auto codes = to.codes(to.add(static_cast<std::int64_t>(row) * 1'000 + late));
        std::ranges::copy(codes_of(row), codes.begin());
    }

    dictionary ids_;
    table table_{schema{code_columns, 0, id_column, &ids_}};
};

/// The blocks of each code in a column, read row by row.
std::vector<std::set<code>> codes_by_block(const snapshot& rows, std::size_t column) {
    std::vector<std::set<code>> blocks(rows.sealed_blocks());
    for (std::size_t row = 0; row < blocks.size() * block_rows; ++row) {
        blocks[row / block_rows].insert(rows.code_at(row, column));
    }
    return blocks;
}

bool knows(const snapshot& rows, std::size_t block, std::size_t column, code c) {
    const block_mask mask = rows.group_of(block).column(column).blocks_with(c);
    return ((mask >> (block % group_blocks)) & 1) != 0;
}

/// Counts the answers of the directory that differ from the rows: none may be missing, and in
/// `is_exact` columns none may be too many.
std::size_t wrong_masks(const snapshot& rows, std::size_t column, bool is_exact) {
    const auto expected = codes_by_block(rows, column);
    std::set<code> all{0, 4, 999, 4'999, 5'001, ~code{0}};
    for (const auto& codes : expected) {
        if (codes.size() < 2'000) all.insert(codes.begin(), codes.end());
    }
    std::size_t wrong = 0;
    for (std::size_t block = 0; block < expected.size(); ++block) {
        for (const code c : all) {
            const bool is_there = expected[block].contains(c);
            const bool is_known = knows(rows, block, column, c);
            wrong += is_there != is_known && (is_there || is_exact) ? 1 : 0;
        }
    }
    return wrong;
}

std::size_t wrong_bitmaps(const snapshot& rows, std::size_t column, code c) {
    std::size_t wrong = 0;
    for (std::size_t block = 0; block < rows.sealed_blocks(); ++block) {
        const auto* const directory_entry = rows.group_of(block).column(column).find(c);
        const std::uint64_t* const bits =
            directory_entry ? directory_entry->bitmaps[block % group_blocks] : nullptr;
        if (bits == nullptr) return rows.size();
        for (std::size_t row = 0; row < block_rows; ++row) {
            const bool is_set = ((bits[row / 64] >> (row % 64)) & 1) != 0;
            wrong += is_set != (rows.code_at(block * block_rows + row, column) == c) ? 1 : 0;
        }
    }
    return wrong;
}

constexpr std::size_t many_rows = (group_blocks + 2) * block_rows + 100;

selection equal_to(std::size_t column, code c, bool excludes = false) {
    selection wanted;
    wanted.conditions.push_back({column, code_set({c}, excludes)});
    return wanted;
}

}  // namespace

TEST_CASE("a directory knows the blocks and bitmaps of each code") {
    const block_table rows(many_rows);
    const snapshot now = rows.current();
    REQUIRE(now.sealed_blocks() == group_blocks + 2);
    CHECK(wrong_masks(now, id_column, true) == 0);
    CHECK(wrong_masks(now, fifths, true) == 0);
    CHECK(wrong_masks(now, hundreds, true) == 0);
    CHECK(wrong_masks(now, sequence, false) == 0);
    for (const code c : {1U, 3U, 5U}) CHECK(wrong_bitmaps(now, fifths, c) == 0);
    CHECK(wrong_bitmaps(now, hundreds, 5'000) == 0);
    CHECK(now.group_of(0).column(fifths).find(6) == nullptr);
    CHECK(now.group_of(0).column(hundreds).find(1) == nullptr);
    CHECK(now.group_of(0).column(id_column).find(1) == nullptr);
    CHECK(knows(now, 0, sequence, 7));
    CHECK_FALSE(knows(now, 0, sequence, 6));
    CHECK_FALSE(knows(now, group_blocks, sequence, 7));
}

TEST_CASE("a directory's bytes are told, and are at most about half a byte a row and column") {
    const block_table rows(many_rows);
    const std::size_t bytes = rows.current().stats().directory;
    CHECK(bytes > 5'000 * sizeof(block_mask));
    CHECK(bytes < many_rows * code_columns / 2);
    CHECK(block_table(block_rows - 1).current().stats().directory == 0);
}

TEST_CASE(
    "after late rows the directory is that of the new blocks, and old snapshots keep theirs") {
    for (const std::size_t late : {std::size_t{5}, group_blocks * block_rows + 9, many_rows - 1}) {
        CAPTURE(late);
        block_table rows(many_rows);
        const snapshot before = rows.current();
        rows.add_late(late);
        const snapshot now = rows.current();
        CHECK(now.size() == before.size() + 1);
        for (const snapshot& moment : {before, now}) {
            CHECK(wrong_masks(moment, hundreds, true) == 0);
            CHECK(wrong_bitmaps(moment, fifths, 2) == 0);
        }
    }
}

TEST_CASE("blocks without a code are skipped by counts and pages, but not by a scan of codes") {
    const block_table rows(many_rows);
    const snapshot now = rows.current();
    for (const std::size_t home : {std::size_t{0}, group_blocks - 1, group_blocks + 1}) {
        const selection wanted = equal_to(hundreds, static_cast<code>(1 + home * 100 + 50));
        std::vector<std::size_t> expected;
        for (std::size_t row = 0; row < now.size(); ++row) {
            if (codes_of(row)[hundreds] == 1 + home * 100 + 50) expected.push_back(row);
        }
        REQUIRE_FALSE(expected.empty());
        const auto work = scan(now, wanted).analyze().value();
        CHECK(work.matching == static_cast<std::int64_t>(expected.size()));
        CHECK(work.skipped == group_blocks + 1);  // the open block is looked at
        CHECK(scan(now, wanted).page(sort_order::ascending, 0, 1'000)->rows == expected);
        std::ranges::reverse(expected);
        CHECK(scan(now, wanted).page(sort_order::descending, 0, 1'000)->rows == expected);
        const auto all = scan(now, wanted, {.forced = access_path::code_scan}).analyze().value();
        CHECK(all[access_path::code_scan].blocks == group_blocks + 3);
        CHECK(all.matching == work.matching);
    }
}

TEST_CASE("counts by the directory's bitmaps are those of each path, and are explained alike") {
    const block_table rows(many_rows);
    const snapshot now = rows.current();
    struct conjunction {
        bool excludes_fifth, excludes_hundred;
    };
    for (const auto& [first, second] :
         {conjunction{false, false}, {false, true}, {true, false}, {true, true}}) {
        selection wanted = equal_to(fifths, 2, first);
        wanted.conditions.push_back({hundreds, code_set({5'000}, second)});
        wanted.conditions.push_back({id_column, code_set({1})});  // met by all
        std::int64_t expected = 0;
        for (std::size_t row = 0; row < now.size(); ++row) {
            const auto codes = codes_of(row);
            expected += (codes[fifths] == 2) != first && (codes[hundreds] == 5'000) != second;
        }
        for (std::size_t kept : {3U, 2U}) {
            wanted.conditions.resize(kept, condition{0, {}});
            const auto planned = scan(now, wanted).explain().value();
            const auto done = scan(now, wanted).analyze().value();
            CHECK(done.matching == expected);
            CHECK(planned[access_path::bitmaps].bytes == done[access_path::bitmaps].bytes);
            if (second) continue;  // of the few rows that are left postings are listed
            CHECK(done[access_path::bitmaps].blocks == group_blocks + 2);
            CHECK(done.conditions[0].bytes == done.conditions[1].bytes);
            for (const auto path : {access_path::postings, access_path::bitmaps}) {
                CHECK(scan(now, wanted, {.forced = path}).count() == expected);
            }
        }
    }
}
