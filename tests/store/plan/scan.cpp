// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/plan/scan.hpp>

using sluice::sort_order;
using sluice::store::code;
using sluice::store::code_set;
using sluice::store::dictionary;
using sluice::store::row_buffer;
using sluice::store::row_page;
using sluice::store::scan;
using sluice::store::schema;
using sluice::store::selection;
using sluice::store::snapshot;
using sluice::store::table;
using row_list = std::vector<std::size_t>;

namespace {

constexpr std::size_t code_columns = 4;  // the first is the id
constexpr code codes_in_use = 6;

/// Rows with random codes and times that many rows share.
class random_table {
public:
    random_table(std::size_t size, unsigned seed) {
        std::mt19937 random(seed);
        row_buffer added(rows_.columns());
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t row = added.add(static_cast<std::int64_t>(random() % (size / 3 + 1)));
            added.codes(row)[0] = ids_.encode(std::string_view(std::to_string(random())));
            for (std::size_t c = 1; c < code_columns; ++c) {
                added.codes(row)[c] = static_cast<code>(random() % codes_in_use);
            }
        }
        rows_.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    [[nodiscard]] snapshot current() const { return rows_.current(); }

private:
    dictionary ids_;
    table rows_{schema{code_columns, 0, 0, &ids_}};
};

/// Returns the rows that a selection takes, by a loop.
row_list naive(const snapshot& rows, const selection& wanted) {
    row_list all;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.time(row) < wanted.first_time || rows.time(row) > wanted.last_time) continue;
        const bool meets_all = std::ranges::all_of(wanted.conditions, [&](const auto& condition) {
            return condition.accepted.contains(rows.code_at(row, condition.column));
        });
        if (meets_all && (!wanted.test || wanted.test(row))) all.push_back(row);
    }
    return all;
}

row_list reversed(row_list rows) {
    std::ranges::reverse(rows);
    return rows;
}

row_page slice(const row_list& all, std::int64_t offset, std::int64_t limit) {
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t begin = std::min(offset, size);
    const std::int64_t end = begin + std::min(limit, size - begin);
    return {row_list(all.begin() + begin, all.begin() + end), end < size};
}

selection random_selection(std::mt19937& random, std::size_t size) {
    selection wanted;
    const auto some_time = [&] { return static_cast<std::int64_t>(random() % (size / 3 + 3)) - 1; };
    if (random() % 2 == 0) wanted.first_time = some_time();
    if (random() % 2 == 0) wanted.last_time = some_time();
    for (std::size_t i = random() % 4; i > 0; --i) {
        std::vector<code> listed;
        for (code c = 0; c < codes_in_use; ++c) {
            if (random() % 4 != 0) listed.push_back(c);
        }
        code_set accepted(std::move(listed));
        if (random() % 2 == 0) accepted.flip();
        wanted.conditions.push_back({1 + random() % 3, std::move(accepted)});
    }
    if (random() % 3 == 0) wanted.test = [](std::size_t row) { return row % 3 != 1; };
    return wanted;
}

void check_page(const snapshot& rows, const selection& wanted, const row_list& matching,
                std::int64_t offset, std::int64_t limit) {
    for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        const bool ascending = order == sort_order::ascending;
        const auto page = scan(rows, wanted).page(order, offset, limit).value();
        const auto expected = slice(ascending ? matching : reversed(matching), offset, limit);
        REQUIRE(page.rows == expected.rows);
        REQUIRE(page.has_next == expected.has_next);
    }
}

/// Returns the rows of all pages of a scan.
row_list concatenated(const snapshot& rows, const selection& wanted, sort_order order,
                      std::int64_t limit) {
    row_list all;
    for (std::int64_t offset = 0;; offset += limit) {
        const row_page page = scan(rows, wanted).page(order, offset, limit).value();
        all.insert(all.end(), page.rows.begin(), page.rows.end());
        if (!page.has_next) return all;
        REQUIRE(page.rows.size() == static_cast<std::size_t>(limit));
    }
}

}  // namespace

TEST_CASE("a scan of small tables agrees with a loop over rows at every offset and limit") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const std::size_t size = random() % 18;
        const random_table rows(size, seed);
        const snapshot now = rows.current();
        const selection wanted = random_selection(random, size);
        const row_list matching = naive(now, wanted);
        REQUIRE(scan(now, wanted).count() == static_cast<std::int64_t>(matching.size()));
        const auto end = static_cast<std::int64_t>(matching.size()) + 2;
        for (std::int64_t offset = 0; offset <= end; ++offset) {
            for (std::int64_t limit = 1; limit <= end; ++limit) {
                check_page(now, wanted, matching, offset, limit);
            }
        }
    }
}

TEST_CASE("a scan agrees with a loop over rows at the edges of chunks and blocks") {
    std::mt19937 random(8);
    for (const std::size_t size : {4'095U, 4'096U, 4'097U, 8'192U, 65'535U, 65'537U, 70'000U}) {
        CAPTURE(size);
        const random_table rows(size, static_cast<unsigned>(size));
        const snapshot now = rows.current();
        for (int i = 0; i < 12; ++i) {
            const selection wanted = random_selection(random, size);
            const row_list matching = naive(now, wanted);
            const auto count = static_cast<std::int64_t>(matching.size());
            REQUIRE(scan(now, wanted).count() == count);
            for (const std::int64_t limit : {1, 100, 1'000, 100'000}) {
                for (const std::int64_t offset :
                     {std::int64_t{0}, count / 2, count - limit, count - 1, count, count + 1}) {
                    if (offset >= 0) check_page(now, wanted, matching, offset, limit);
                }
            }
        }
    }
}

TEST_CASE("pages of a scan concatenate to all matching rows in both orders") {
    std::mt19937 random(9);
    const random_table rows(20'000, 9);
    const snapshot now = rows.current();
    for (int i = 0; i < 20; ++i) {
        const selection wanted = random_selection(random, now.size());
        const row_list matching = naive(now, wanted);
        const auto limit = static_cast<std::int64_t>(500 + random() % 4'000);
        CHECK(concatenated(now, wanted, sort_order::ascending, limit) == matching);
        CHECK(concatenated(now, wanted, sort_order::descending, limit) == reversed(matching));
    }
}

TEST_CASE("no offset is too large") {
    const random_table rows(100, 10);
    const snapshot now = rows.current();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const selection all;
    for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        const row_page page = scan(now, all).page(order, most, 1'000).value();
        CHECK(page.rows.empty());
        CHECK_FALSE(page.has_next);
    }
}

TEST_CASE("a window that is empty, reversed or elsewhere holds no rows") {
    const random_table rows(1'000, 11);
    const snapshot now = rows.current();
    struct window {
        std::int64_t first, last;
    };
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const auto& [first, last] :
         {window{least, -1}, {5'000, most}, {200, 100}, {most, least}}) {
        selection wanted{.first_time = first, .last_time = last};
        CHECK(scan(now, wanted).count() == 0);
        CHECK(scan(now, wanted).page(sort_order::descending, 0, 10)->rows.empty());
        wanted.test = [](std::size_t) { return true; };
        CHECK(scan(now, wanted).count() == 0);
        CHECK(scan(now, wanted).page(sort_order::ascending, 0, 10)->rows.empty());
    }
    CHECK(scan(snapshot(), selection()).count() == 0);
    CHECK(scan(snapshot(), selection()).page(sort_order::descending, 0, 10)->rows.empty());
}

TEST_CASE("the test is asked only of rows in the window that meet all conditions") {
    const random_table rows(9'000, 12);
    const snapshot now = rows.current();
    selection wanted{.first_time = 100, .last_time = 2'000};
    wanted.conditions.push_back({2, code_set({3})});
    const row_list candidates = naive(now, wanted);
    row_list tested;
    wanted.test = [&](std::size_t row) {
        tested.push_back(row);
        return false;
    };
    CHECK(scan(now, wanted).count() == 0);
    CHECK(tested == candidates);
}

TEST_CASE("a page reads no further than the chunk of its last row") {
    const random_table rows(150'000, 13);  // three blocks
    const snapshot now = rows.current();
    std::size_t tested = 0;
    selection wanted;
    wanted.test = [&](std::size_t) { return ++tested > 0; };
    CHECK(scan(now, wanted).page(sort_order::ascending, 0, 10)->rows.size() == 10);
    CHECK(scan(now, wanted).page(sort_order::descending, 0, 10)->rows.size() == 10);
    CHECK(tested <= 2 * 4'096);
}

TEST_CASE("what a count of one condition reads is said of the condition") {
    const random_table rows(150'000, 13);
    const snapshot now = rows.current();
    for (const std::size_t column : {1U, 2U, 3U}) {
        selection wanted;
        wanted.conditions.push_back({column, code_set({2})});
        const auto work = scan(now, wanted).analyze().value();
        std::size_t bytes = 0;
        for (const auto& path : work.paths) bytes += path.bytes;
        CHECK(work[sluice::store::access_path::counts].blocks == 2);
        CHECK(bytes > 0);
        CHECK(work.conditions.front().bytes == bytes);
    }
}
