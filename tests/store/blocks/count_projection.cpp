// SPDX-License-Identifier: MIT
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/plan/scan.hpp>
#include <sluice/store/projection/count_unit_builder.hpp>

using namespace sluice::store;

namespace {

constexpr std::size_t columns = 8;

/// A table whose column c has c + 1 codes in turn, and a projection of chosen columns.
struct projected_table {
    explicit projected_table(std::size_t rows) { append(rows, 0); }

    void append(std::size_t rows, std::int64_t time) {
        row_buffer added(table.columns());
        for (std::size_t row = 0; row < rows; ++row) {
            const auto codes = added.codes(added.add(time + std::int64_t(row)));
            for (std::size_t c = 1; c < columns; ++c) codes[c] = static_cast<code>(row % (c + 1));
            codes[0] = id;
        }
        table.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    [[nodiscard]] std::vector<row_span> units() const {
        std::vector<row_span> all;
        const snapshot now = table.current();
        for (const auto& unit : now.projection().units_in({0, now.size()})) {
            all.push_back(unit->rows());
        }
        return all;
    }
    void maintain() {
        while (table.maintain()) {
        }
    }

    dictionary ids;
    code id = ids.encode(std::string_view("row"));
    sluice::store::table table{sluice::store::schema{columns, 0, 0, &ids}};
};

std::vector<condition> on(std::initializer_list<std::size_t> numbers) {
    std::vector<condition> all;
    for (const std::size_t column : numbers) all.push_back({column, code_set({1})});
    return all;
}

projected_columns learned(
    std::initializer_list<std::pair<std::initializer_list<std::size_t>, int>> counts,
    const projected_columns& in_use = {}) {
    column_usage usage;
    for (const auto& [set, times] : counts) {
        for (int i = 0; i < times; ++i) usage.record(on(set));
    }
    return usage.choose(in_use);
}

}  // namespace

TEST_CASE("units are as large as the rows allow, and small ones become larger") {
    projected_table sample(2 * 262'144 + 65'536 + 3 * 4'096 + 4'095);
    sample.table.project_counts({{1, 2}, {}});
    CHECK(sample.table.maintain());  // one a step
    CHECK(sample.units() == std::vector<row_span>{{0, 262'144}});
    sample.maintain();
    const std::vector<row_span> large{{0, 262'144}, {262'144, 524'288}, {524'288, 589'824}};
    std::vector<row_span> expected = large;
    for (std::size_t at = 589'824; at < 602'112; at += 4'096) expected.push_back({at, at + 4'096});
    CHECK(sample.units() == expected);
    sample.append(1, 1'000'000);
    sample.maintain();
    expected = large;
    expected.push_back({589'824, 606'208});
    CHECK(sample.units() == expected);
}

TEST_CASE("a row that is late takes the units of the rows that it moves") {
    projected_table sample(262'144 + 2 * 65'536 + 4'096);
    sample.table.project_counts({{1, 2}, {}});
    sample.maintain();
    const snapshot before = sample.table.current();
    sample.append(1, 262'144 + 70'000);
    CHECK(sample.units() == std::vector<row_span>{{0, 262'144}, {262'144, 327'680}});
    CHECK(before.projection().rows() == before.size());
    sample.maintain();
    CHECK(sample.units().size() == 4);
    sample.append(1, -1);
    CHECK(sample.units().empty());
}

TEST_CASE("other columns take the place of those before unit by unit; none leave none") {
    projected_table sample(2 * 262'144);
    sample.table.project_counts({{1, 2}, {}});
    sample.maintain();
    sample.table.project_counts({{3}, {4}});
    CHECK(sample.table.maintain());
    const snapshot now = sample.table.current();
    const auto units = now.projection().units_in({0, now.size()});
    REQUIRE(units.size() == 2);
    CHECK(units[0]->columns() == projected_columns{{3}, {4}});
    CHECK(units[1]->columns() == projected_columns{{1, 2}, {}});
    CHECK(sample.table.maintain());
    CHECK_FALSE(sample.table.maintain());
    CHECK(sample.table.stats().projection > 0);
    sample.table.project_counts({});
    CHECK(sample.units().empty());
    CHECK_FALSE(sample.table.maintain());
    CHECK(sample.table.stats().projection == 0);
}

TEST_CASE("units that lie in a span as a whole") {
    projected_table sample(262'144 + 65'536);
    sample.table.project_counts({{1}, {}});
    sample.maintain();
    const snapshot now = sample.table.current();
    const auto size = [&](std::size_t begin, std::size_t end) {
        return now.projection().units_in({begin, end}).size();
    };
    CHECK(size(0, now.size()) == 2);
    CHECK(size(0, now.size() - 1) == 1);
    CHECK(size(1, now.size()) == 1);
    CHECK(size(1, now.size() - 1) == 0);
    CHECK(size(262'144, 262'144) == 0);
}

TEST_CASE("a key is learned from the columns that counts have conditions on together") {
    CHECK(learned({}) == projected_columns{});
    CHECK(learned({{{1, 2}, 31}}) == projected_columns{});  // too few yet
    CHECK(learned({{{1}, 1'000}}) == projected_columns{});  // of one condition
    const auto three = learned({{{5, 2, 7}, 100}, {{2, 5}, 30}, {{1, 3}, 2}});
    CHECK(three.key == std::vector<std::size_t>{2, 5, 7});
    CHECK(three.beside == std::vector<std::size_t>{});  // 1 and 3 are never asked with them
    const auto beside = learned({{{2, 5}, 1'000}, {{2, 4}, 20}});
    CHECK(beside.key == std::vector<std::size_t>{2, 5});
    CHECK(beside.beside == std::vector<std::size_t>{4});
    CHECK(learned({{{2, 2, 2}, 100}}) == projected_columns{});
    CHECK(learned({{{1, 2, 3, 4, 5, 6, 7}, 100}}) == projected_columns{});  // not recorded
}

TEST_CASE("columns in use stay unless others are much better") {
    const projected_columns in_use{{1, 2}, {}};
    CHECK(learned({{{1, 2}, 100}, {{3, 4}, 110}}, in_use).key.size() == 4);
    CHECK(learned({{{1, 2}, 100}, {{1, 3}, 4}}, in_use) == in_use);
    CHECK(learned({{{3, 4}, 100}}, in_use) == projected_columns{{3, 4}, {}});
}

TEST_CASE("what is asked often stays known however many other columns are asked together") {
    column_usage usage;
    for (std::size_t i = 0; i < 20'000; ++i) {
        usage.record(on({1, 2, 3}));
        usage.record(on({10 + i % 900, 11 + i * 7 % 900}));
    }
    const auto chosen = usage.choose({});
    REQUIRE(chosen.key.size() >= 3);
    CHECK(std::vector(chosen.key.begin(), chosen.key.begin() + 3) ==
          std::vector<std::size_t>{1, 2, 3});
}

TEST_CASE("what was asked long ago counts for less than what is asked now") {
    column_usage usage;
    for (int i = 0; i < 70'000; ++i) usage.record(on({1, 2}));
    const auto before = usage.choose({});
    CHECK(before.key == std::vector<std::size_t>{1, 2});
    for (int i = 0; i < 60'000; ++i) usage.record(on({3, 4}));
    CHECK(usage.choose(before).key == std::vector<std::size_t>{3, 4, 1, 2});
}

TEST_CASE("counts that are asked make the table count by units, and say so") {
    projected_table sample(262'144 + 10'000);
    const selection wanted{.conditions = on({2, 3, 5})};
    const snapshot before = sample.table.current();
    const auto expected = scan(before, wanted).count().value();
    CHECK_FALSE(sample.table.maintain());  // one count is no habit
    for (int i = 0; i < 40; ++i) CHECK(scan(before, wanted).count() == expected);
    for (int i = 0; i < 90; ++i) {  // neither of these counts
        static_cast<void>(scan(before, {.conditions = on({1})}).count());
        CHECK(scan(before, {.conditions = on({6, 7})}).explain());
    }
    sample.maintain();
    const snapshot now = sample.table.current();
    CHECK(now.projection().units_in({0, 262'144}).front()->columns().key ==
          std::vector<std::size_t>{2, 3, 5});
    const auto work = scan(now, wanted).analyze().value();
    CHECK(work.matching == expected);
    CHECK(work[access_path::projection].blocks == 3);  // of 262,144 and twice 4,096 rows
    CHECK(work[access_path::code_scan].blocks == 1);
    CHECK(to_string(work).find("projection 3/") != std::string::npos);
    const auto other = scan(now, wanted, {.forced = access_path::code_scan}).analyze().value();
    CHECK(other.matching == expected);
    CHECK(other[access_path::projection].blocks == 0);
    std::size_t bytes = 0;
    for (const condition_use& use : work.conditions) bytes += use.bytes;
    CHECK(bytes == work[access_path::projection].bytes + work[access_path::code_scan].bytes);
}

TEST_CASE("units that keep no value of a column are counted beside those that keep all") {
    projected_table sample(0);
    row_buffer added(sample.table.columns());
    std::size_t expected = 0;
    for (std::size_t row = 0; row < 2 * 262'144; ++row) {
        const auto codes = added.codes(added.add(std::int64_t(row)));
        codes[0] = sample.id;
        codes[1] = static_cast<code>(row % (row < 262'144 ? 7 : 2'000));
        codes[2] = static_cast<code>(row % (row < 262'144 ? 5 : 3'001));
        expected += codes[1] == 1 && codes[2] == 1 ? 1 : 0;
    }
    sample.table.append(std::move(added), [](std::size_t, std::span<code>) {});
    sample.table.project_counts({{1, 2}, {}});
    sample.maintain();
    const snapshot now = sample.table.current();
    for (const auto forced :
         {std::optional<access_path>(), std::optional(access_path::projection)}) {
        CHECK(scan(now, {.conditions = on({1, 2})}, {.forced = forced}).count() ==
              static_cast<std::int64_t>(expected));
    }
}
