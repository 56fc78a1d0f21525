// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/simd_level.hpp>
#include <sluice/store/plan/scan.hpp>

#include "row_loop.hpp"

// Whatever way a query takes through the store, it finds the rows that a loop
// over rows finds.

using namespace row_loop;
using sluice::simd_level;
using sluice::sort_order;
using sluice::store::access_path;
using sluice::store::row_page;
using sluice::store::scan;
using sluice::store::scan_options;
using sluice::store::selection;
using sluice::store::snapshot;

namespace {

/// The number of random queries in all, each run on every path at every level: 10,000, or as
/// many as the variable SLUICE_SAMENESS_QUERIES of the environment says.
const std::size_t queries_in_all = [] {
    const char* const count = std::getenv("SLUICE_SAMENESS_QUERIES");
    return count == nullptr ? 10'000 : static_cast<std::size_t>(std::strtoul(count, nullptr, 10));
}();

constexpr std::array<std::optional<access_path>, 6> paths{
    std::nullopt,         access_path::counts,    access_path::postings,
    access_path::bitmaps, access_path::code_scan, access_path::projection};

/// Forces a level for as long as it lives.
class forced_level {
public:
    explicit forced_level(simd_level level) { REQUIRE(sluice::force_simd_level(level)); }
    ~forced_level() { sluice::force_simd_level(std::nullopt); }
    forced_level(const forced_level&) = delete;
    forced_level& operator=(const forced_level&) = delete;
};

/// A route to an answer, for the message of a failure.
struct route {
    std::optional<access_path> path;
    simd_level level;
};

std::string to_string(const route& taken) {
    const auto name = [](access_path path) {
        return sluice::store::access_path_names[static_cast<std::size_t>(path)];
    };
    return "path " + std::string(taken.path ? name(*taken.path) : "chosen") + ", level " +
           std::string(sluice::to_string(taken.level));
}

/// The order, offset and limit of a page.
struct cut {
    sort_order order = sort_order::ascending;
    std::int64_t offset = 0, limit = 0;
};

row_page slice(const row_list& all, const cut& wanted) {
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t begin = std::min(wanted.offset, size);
    const std::int64_t end = begin + std::min(wanted.limit, size - begin);
    row_page page{{}, end < size};
    for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = wanted.order == sort_order::ascending ? i : size - 1 - i;
        page.rows.push_back(all[static_cast<std::size_t>(at)]);
    }
    return page;
}

/// All rows or some page of them, in either order.
cut random_cut(source& random, std::size_t matching) {
    const auto size = static_cast<std::int64_t>(matching);
    const auto up_to = [&](std::int64_t most) {
        return static_cast<std::int64_t>(below(random, static_cast<std::uint64_t>(most) + 1));
    };
    cut drawn{chance(random, 0.5) ? sort_order::ascending : sort_order::descending, 0, size + 1};
    if (chance(random, size < 300 ? 0.5 : 0.02)) return drawn;
    constexpr std::array<std::int64_t, 6> limits{1, 2, 10, 100, 999, 1'000};
    drawn.limit = limits[below(random, limits.size())];
    drawn.offset = chance(random, 0.3) ? 0 : up_to(size + 2);
    if (chance(random, 0.3)) drawn.offset = std::max(std::int64_t{0}, size - drawn.limit);
    return drawn;
}

/// Runs a query by every route, and fails if a result differs from that of the loop.
class check {
public:
    check(const moment& now, const query& wanted, source& random)
        : now_(now),
          wanted_(wanted),
          selection_(selection_of(wanted)),
          expected_(matching(*now.expected, wanted)),
          cut_(random_cut(random, expected_.size())),
          page_(slice(expected_, cut_)) {
        for (const simd_level level : sluice::supported_simd_levels()) {
            const forced_level forced(level);
            for (const auto& path : paths) run({path, level});
        }
    }

private:
    void run(const route& taken) const {
        scan rows(now_.rows, selection_, {.forced = taken.path});
        const std::int64_t count = rows.count().value();
        if (count != static_cast<std::int64_t>(expected_.size())) {
            fail(taken, "counts " + std::to_string(count));
        }
        const row_page page = rows.page(cut_.order, cut_.offset, cut_.limit).value();
        if (page.rows != page_.rows) fail(taken, "finds other rows on " + text_of(cut_));
        if (page.has_next != page_.has_next) fail(taken, "has_next is wrong on " + text_of(cut_));
    }
    [[noreturn]] void fail(const route& taken, const std::string& what) const {
        FAIL(row_loop::to_string(wanted_)
             << " over " << now_.rows.size() << " rows, " << to_string(taken) << ": " << what
             << ", expected " << expected_.size() << " rows");
        std::abort();  // FAIL throws
    }
    static std::string text_of(const cut& wanted) {
        return std::to_string(wanted.limit) + " from " + std::to_string(wanted.offset) +
               (wanted.order == sort_order::ascending ? " ascending" : " descending");
    }

    const moment& now_;
    const query& wanted_;
    selection selection_;
    row_list expected_;
    cut cut_;
    row_page page_;
};

void check_queries(const moment& now, std::size_t count, std::uint64_t seed) {
    query_source queries(*now.expected, seed);
    for (std::size_t i = 0; i < count; ++i) {
        CAPTURE(seed);
        CAPTURE(i);
        const query wanted = queries.next();
        check(now, wanted, queries.random());
    }
}

/// A key and columns beside it, any of those that have frequent values.
sluice::store::projected_columns random_columns(source& random) {
    std::vector<std::size_t> all{skewed, many, clustered, pair, constant, sparse, blockwise, edge};
    std::ranges::shuffle(all, random);
    const auto key = all.begin() + static_cast<std::ptrdiff_t>(1 + below(random, 4));
    return {{all.begin(), key}, {key, key + 2}};
}

/// The table of a shape, its rows appended in a random order in a few batches, and its counts
/// projected in between.
moment table_of(const shape& wanted) {
    row_source generator(wanted);
    row_loop::rows all;
    for (std::size_t i = 0; i < wanted.size; ++i) all.push_back(generator.next(i));
    source random(wanted.seed);
    twin_table twins;
    if (wanted.size < 1'000) std::ranges::shuffle(all, random);
    const std::size_t half = wanted.size / 2;
    twins.append({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(half)});
    twins.table().project_counts(random_columns(random));
    while (twins.table().maintain()) {
    }
    twins.append({all.begin() + static_cast<std::ptrdiff_t>(half), all.end()});
    while (twins.table().maintain()) {
    }
    return twins.current();
}

/// Tables whose sizes lie around the edges of blocks, and the codes around
/// those of bytes.
constexpr std::array big_shapes{
    shape{65'535, 1, {0, 254, 255}, 1},
    shape{65'536, 1, {0, 255, 256}, 2},
    shape{65'537, 1, {65'534, 65'535, 1}, 3},
    shape{65'536, 500, {65'535, 65'536, 0}, 4},
    shape{65'537, 70'000, {255, 255, 255}, 5},
    shape{131'071, 1, {254, 255, 256}, 6},
    shape{131'072, 7, {0, 0, 1}, 7},
    shape{131'073, 1, {1, 65'535, 65'536}, 8},
    shape{131'073, 40'000, {256, 257, 300}, 9},
    shape{200'000, 1, {0, 65'535, 65'537}, 10},
};

/// Returns the table of a shape, built once: that takes longer than most cases.
const moment& big_table(const shape& wanted) {
    static std::map<unsigned, moment> tables;
    const auto known = tables.find(wanted.seed);
    return known != tables.end() ? known->second
                                 : tables.emplace(wanted.seed, table_of(wanted)).first->second;
}

}  // namespace

TEST_CASE("a snapshot holds the rows that were appended, by column and row by row") {
    for (const shape& shape : big_shapes) {
        CAPTURE(shape.seed);
        const moment& now = big_table(shape);
        REQUIRE(now.rows.size() == now.expected->size());
        std::array<code, columns> codes{};
        std::size_t wrong = 0;
        for (std::size_t at = 0; at < now.rows.size(); ++at) {
            const row& expected = (*now.expected)[at];
            now.rows.read_codes(at, codes);
            wrong += codes == expected.codes ? 0 : 1;
            wrong += now.rows.time(at) == expected.time ? 0 : 1;
            wrong += now.rows.integer_at(at, 0) == expected.number ? 0 : 1;
            for (std::size_t c = 0; c < columns; ++c) {
                wrong += now.rows.code_at(at, c) == expected.codes[c] ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("every path at every level finds the loop's rows in small tables") {
    constexpr std::size_t tables = 100;
    for (unsigned seed = 0; seed < tables; ++seed) {
        source random(seed);
        const std::size_t size = seed < 4 ? seed : below(random, 400);
        const moment now = table_of({size, 1 + std::int64_t(seed % 3) * 20, {0, 255, 256}, seed});
        check_queries(now, queries_in_all * 3 / 10 / tables, seed);
    }
}

TEST_CASE("every path at every level finds the loop's rows at the edges of blocks") {
    // Where most rows share a time every window is wide, and a query takes many
    // times longer.
    const std::size_t count = queries_in_all * 8 / 10 / big_shapes.size();
    for (const shape& shape : big_shapes) {
        check_queries(big_table(shape), shape.rows_a_moment < 1'000 ? count : count / 20,
                      shape.seed);
    }
}

TEST_CASE(
    "every path at every level finds the loop's rows in old and new "
    "snapshots of a table "
    "that grows by late rows, too") {
    constexpr std::size_t generations = 80;
    twin_table twins;
    row_source generator({.rows_a_moment = 2, .edge_codes = {0, 255, 256}, .seed = 11});
    source random(11);
    row_loop::rows first;
    std::size_t place = 0;
    while (place < 64'000) first.push_back(generator.next(place++));
    twins.append(first);
    std::vector<moment> kept;
    for (std::size_t generation = 0; generation < generations; ++generation) {
        row_loop::rows batch;
        for (std::uint64_t i = below(random, 2'000); i > 0; --i) {
            const std::size_t late = chance(random, 0.02) ? 5'000 : 20;
            const bool is_late = chance(random, 0.1) && generation % 4 == 0;
            batch.push_back(generator.next(is_late ? place - below(random, late) : place++));
        }
        twins.append(batch);
        if (chance(random, 0.1)) twins.table().project_counts(random_columns(random));
        for (std::uint64_t i = below(random, 3); i > 0; --i) twins.table().maintain();
        const moment now = twins.current();
        const std::size_t count = queries_in_all / 20 / generations;
        check_queries(now, count, generation);
        if (generation % 10 == 0) kept.push_back(now);
        check_queries(kept[below(random, kept.size())], count, generations + generation);
    }
    CHECK(twins.current().rows.size() > 2 * sluice::store::block_rows);
}

TEST_CASE(
    "a path that is forced is taken where it is possible, and the index "
    "stays small") {
    for (const shape& shape : big_shapes) {
        CAPTURE(shape.seed);
        const moment& now = big_table(shape);
        const std::size_t open = shape.size % sluice::store::block_rows;
        for (const auto& column : now.rows.stats().columns) {
            CHECK(column.index <= 2 * (shape.size - open) + 4 * open);
        }
        if (shape.size != 131'073 || shape.rows_a_moment > 1) continue;
        query wanted;
        wanted.conditions.push_back({.what = tree::kind::leaf, .of = skewed, .listed = {30}});
        const selection taken = selection_of(wanted);
        for (const auto& path : paths) {
            if (!path || path == access_path::projection) continue;  // of several conditions
            const auto work = scan(now.rows, taken, {.forced = path}).analyze().value();
            CHECK(work.rows == shape.size);
            CHECK(work[*path].blocks >= 2);
            CHECK(work[*path].blocks + work[access_path::code_scan].blocks + work.skipped >= 3);
        }
    }
}

TEST_CASE("the pages of every path hold as many rows as it counts, each once") {
    const moment& now = big_table(big_shapes[7]);
    query_source queries(*now.expected, 12);
    for (std::size_t i = 0; i < queries_in_all / 2'000; ++i) {
        CAPTURE(i);
        const query wanted = queries.next();
        const selection taken = selection_of(wanted);
        const row_list expected = matching(*now.expected, wanted);
        const auto limit = static_cast<std::int64_t>(expected.size() / 7 + 1);
        for (const auto& path : paths) {
            for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
                scan rows(now.rows, taken, {.forced = path});
                row_list all;
                bool has_next = true;
                for (std::int64_t offset = 0; has_next; offset += limit) {
                    const row_page page = rows.page(order, offset, limit).value();
                    all.insert(all.end(), page.rows.begin(), page.rows.end());
                    has_next = page.has_next;
                    REQUIRE((!has_next || page.rows.size() == static_cast<std::size_t>(limit)));
                }
                if (order == sort_order::descending) std::ranges::reverse(all);
                REQUIRE(all == expected);
                REQUIRE(rows.count().value() == static_cast<std::int64_t>(all.size()));
            }
        }
    }
}

namespace {

/// A count that units may answer: conditions on columns that are projected, mostly of values that
/// are frequent, over all rows or most of them.
query random_count(const moment& now, source& random) {
    const auto units = now.rows.projection().units_in({0, now.rows.size()});
    std::vector<std::size_t> known = units.front()->columns().key;
    const auto& beside = units.front()->columns().beside;
    known.insert(known.end(), beside.begin(), beside.end());
    const row_loop::rows& rows = *now.expected;
    const auto any_row = [&]() -> const row& { return rows[below(random, rows.size())]; };
    query drawn;
    if (chance(random, 0.3)) drawn.first = any_row().time;
    if (chance(random, 0.3)) drawn.last = any_row().time;
    for (std::uint64_t left = 2 + below(random, 3); left > 0; --left) {
        tree leaf{.what = tree::kind::leaf, .of = known[below(random, known.size())]};
        while (leaf.listed.empty() || chance(random, 0.3)) {
            leaf.listed.push_back(any_row().codes[leaf.of]);
        }
        std::ranges::sort(leaf.listed);
        leaf.yes = chance(random, 0.8);
        drawn.conditions.push_back(leaf);
    }
    return drawn;
}

}  // namespace

TEST_CASE("counts of several conditions are the loop's whatever a projection knows of them") {
    std::size_t runs = 0, by_units = 0, by_choice = 0;
    for (const shape& shape : big_shapes) {
        const moment& now = big_table(shape);
        source random(shape.seed);
        for (std::size_t i = 0; i < 5 + queries_in_all / 2'000; ++i) {
            const query wanted = random_count(now, random);
            CAPTURE(row_loop::to_string(wanted));
            const selection taken = selection_of(wanted);
            const auto expected = std::ssize(matching(*now.expected, wanted));
            for (const simd_level level : sluice::supported_simd_levels()) {
                const forced_level forced(level);
                ++runs;
                for (const auto& path : {paths.front(), paths.back()}) {
                    const auto work = scan(now.rows, taken, {.forced = path}).analyze().value();
                    REQUIRE(work.matching == expected);
                    const auto planned = scan(now.rows, taken, {.forced = path}).explain().value();
                    const auto& use = work[access_path::projection];
                    REQUIRE(planned[access_path::projection].blocks == use.blocks);
                    REQUIRE(planned[access_path::projection].bytes == use.bytes);
                    (path ? by_units : by_choice) += use.blocks > 0 ? 1 : 0;
                }
            }
        }
    }
    CHECK(by_units > runs / 4);
    CHECK(by_choice > runs / 8);
    CHECK(by_choice <= by_units);
}
