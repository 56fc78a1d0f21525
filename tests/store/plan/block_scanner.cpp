// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/plan/scan.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;
using sluice::sort_order;
using row_list = std::vector<std::size_t>;

namespace {

constexpr std::array<std::optional<access_path>, 5> all_paths{
    std::nullopt, access_path::counts, access_path::postings, access_path::bitmaps,
    access_path::code_scan};

/// The codes of a snapshot, row by row, so that the loop over rows is quick.
class row_matrix {
public:
    explicit row_matrix(const snapshot& rows) : rows_(rows), codes_(rows.size() * sample_columns) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            for (std::size_t c = 0; c < sample_columns; ++c) {
                codes_[row * sample_columns + c] = rows.code_at(row, c);
            }
        }
    }
    [[nodiscard]] const snapshot& rows() const { return rows_; }
    [[nodiscard]] bool meets(std::size_t row, const condition& condition) const {
        const code value = codes_[row * sample_columns + condition.column];
        const bool is_listed = std::ranges::find(condition.accepted.listed(), value) !=
                               condition.accepted.listed().end();
        return is_listed != condition.accepted.is_complement();
    }
    [[nodiscard]] code at(std::size_t row, std::size_t column) const {
        return codes_[row * sample_columns + column];
    }

    /// Returns the rows that a selection takes, by a loop.
    [[nodiscard]] row_list naive(const selection& wanted) const {
        row_list all;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            if (rows_.time(row) < wanted.first_time || rows_.time(row) > wanted.last_time) continue;
            if (!std::ranges::all_of(wanted.conditions, [&](const auto& condition) {
                    return meets(row, condition);
                })) {
                continue;
            }
            if (wanted.where && !holds(*wanted.where, row)) continue;
            if (!wanted.test || wanted.test(row)) all.push_back(row);
        }
        return all;
    }

private:
    /// The nodes of an expression, evaluated one by one.
    [[nodiscard]] bool holds(const expression& where, std::size_t row) const {
        std::vector<bool> values;
        for (const expression::node& node : where.nodes()) {
            std::size_t passed = 0;
            for (std::size_t i = 0; i < node.operands; ++i) {
                passed += values.back() ? 1 : 0;
                values.pop_back();
            }
            switch (node.what) {
                case expression::kind::constant: values.push_back(node.value); break;
                case expression::kind::condition: values.push_back(meets(row, node.rows)); break;
                case expression::kind::test: values.push_back(node.test(row) == node.value); break;
                case expression::kind::all: values.push_back(passed == node.operands); break;
                case expression::kind::any: values.push_back(passed > 0); break;
            }
        }
        return values.back();
    }

    const snapshot& rows_;
    std::vector<code> codes_;
};

/// Random selections over the columns of a sample_table.
class selection_source {
public:
    selection_source(const row_matrix& rows, unsigned seed) : rows_(rows), random_(seed) {}

    [[nodiscard]] selection next() {
        selection wanted;
        const auto some_time = [&] {
            return static_cast<std::int64_t>(random_() % (rows_.rows().size() / 3 + 3)) - 1;
        };
        if (below(3) == 0) wanted.first_time = some_time();
        if (below(3) == 0) wanted.last_time = some_time();
        for (std::size_t i = below(4); i > 0; --i) wanted.conditions.push_back(some_condition());
        if (below(3) == 0) wanted.where = some_expression(3);
        if (below(6) == 0) wanted.test = [](std::size_t row) { return row % 3 != 1; };
        return wanted;
    }

private:
    unsigned below(unsigned size) { return static_cast<unsigned>(random_() % size); }

    /// Mostly codes that are there, also absent ones, short lists and long ones.
    condition some_condition() {
        const std::size_t column = 1 + below(sample_columns - 1);
        const unsigned sizes[] = {0, 1, 1, 1, 2, 4, 20, 150, 3'000};
        std::vector<code> listed(sizes[below(std::size(sizes))]);
        for (code& value : listed) {
            const std::size_t row = random_() % (rows_.rows().size() + 1);
            value = row == rows_.rows().size() ? code{900} : rows_.at(row, column);
        }
        return {column, code_set(std::move(listed), below(4) == 0)};
    }
    expression some_expression(unsigned depth) {
        switch (depth == 0 ? below(2) : below(6)) {
            case 0: return expression::leaf(some_condition());
            case 1:
                return below(4) == 0 ? expression::constant(below(2) == 0)
                       : below(3) == 0
                           ? expression::test([](std::size_t row) { return row % 5 != 2; })
                           : expression::leaf(some_condition());
            case 2: return expression::negation(some_expression(depth - 1));
            default: break;
        }
        std::vector<expression> operands;
        for (unsigned i = below(4); i > 0; --i) operands.push_back(some_expression(depth - 1));
        return below(2) == 0 ? expression::all(std::move(operands))
                             : expression::any(std::move(operands));
    }

    const row_matrix& rows_;
    std::mt19937 random_;
};

row_page slice(row_list all, sort_order order, std::size_t offset, std::size_t limit) {
    if (order == sort_order::descending) std::ranges::reverse(all);
    const std::size_t begin = std::min(offset, all.size());
    const std::size_t end = begin + std::min(limit, all.size() - begin);
    return {row_list(all.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.begin() + static_cast<std::ptrdiff_t>(end)),
            end < all.size()};
}

void check(const snapshot& now, const selection& wanted, const row_list& matching,
           std::optional<access_path> forced, std::size_t offset, std::size_t limit) {
    scan rows(now, wanted, {.forced = forced});
    REQUIRE(rows.count() == static_cast<std::int64_t>(matching.size()));
    for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        const row_page page =
            rows.page(order, static_cast<std::int64_t>(offset), static_cast<std::int64_t>(limit))
                .value();
        const row_page expected = slice(matching, order, offset, limit);
        REQUIRE(page.rows == expected.rows);
        REQUIRE(page.has_next == expected.has_next);
    }
}

}  // namespace

TEST_CASE("every access path finds the rows of a loop, at the edges of blocks and between them") {
    for (const std::size_t size : {65'535U, 65'536U, 65'537U, 150'000U}) {
        CAPTURE(size);
        sample_table table(static_cast<unsigned>(size));
        table.append(size);
        const snapshot now = table.current();
        const row_matrix matrix(now);
        selection_source selections(matrix, static_cast<unsigned>(size) + 1);
        std::mt19937 random(static_cast<unsigned>(size) + 2);
        for (int i = 0; i < 15; ++i) {
            CAPTURE(i);
            const selection wanted = selections.next();
            const row_list matching = matrix.naive(wanted);
            const std::size_t limits[] = {1, 100, matching.size(), 1'000'000};
            for (const auto& forced : all_paths) {
                const std::size_t offset = random() % 2 * (random() % (matching.size() + 2));
                check(now, wanted, matching, forced, offset, limits[random() % 4]);
            }
        }
    }
}

TEST_CASE("each code of each column is counted and paged as a loop has it") {
    sample_table table(3);
    table.append(140'000);
    const snapshot now = table.current();
    const row_matrix matrix(now);
    for (std::size_t column = 1; column < sample_columns; ++column) {
        CAPTURE(column);
        for (std::size_t row = 0; row < now.size(); row += 14'001) {
            for (const bool excludes : {false, true}) {
                selection wanted;
                wanted.conditions = {{column, code_set({matrix.at(row, column)}, excludes)}};
                const row_list matching = matrix.naive(wanted);
                for (const auto& forced : all_paths) {
                    check(now, wanted, matching, forced, matching.size() / 2, 100);
                    check(now, wanted, matching, forced, matching.size() - 1, 100);
                }
            }
        }
    }
}

TEST_CASE("conditions on frequent codes combine, whichever of them exclude") {
    sample_table table(6);
    table.append(2 * block_rows + 77);
    const snapshot now = table.current();
    const row_matrix matrix(now);
    for (unsigned excluded = 0; excluded < 8; ++excluded) {
        CAPTURE(excluded);
        selection wanted;
        wanted.conditions = {{sample_skewed, code_set({0}, (excluded & 1) != 0)},
                             {sample_uniform, code_set({2}, (excluded & 2) != 0)},
                             {sample_flag, code_set({0}, (excluded & 4) != 0)}};
        const row_list matching = matrix.naive(wanted);
        for (const auto& forced : all_paths) {
            check(now, wanted, matching, forced, matching.size() / 2, 100);
        }
    }
}

TEST_CASE("any number of bitmaps are counted together, with one that excludes or none") {
    sample_table table(7);
    table.append(block_rows + 5);
    const snapshot now = table.current();
    const row_matrix matrix(now);
    const condition frequent[] = {{sample_flag, code_set({0})}, {sample_skewed, code_set({0})}};
    const condition excluded{sample_skewed, code_set({1}, true)};
    for (std::size_t count = 1; count <= 12; ++count) {
        for (std::size_t place = 0; place <= count + 1; ++place) {
            CAPTURE(count);
            CAPTURE(place);
            selection wanted;
            for (std::size_t i = 0; i < count; ++i) {
                wanted.conditions.push_back(frequent[i == 3 ? 1 : 0]);
            }
            if (place <= count) {
                const auto at = wanted.conditions.begin() + static_cast<std::ptrdiff_t>(place);
                wanted.conditions.insert(at, excluded);
            }
            const row_list matching = matrix.naive(wanted);
            CHECK(matching.size() > 1'000);
            REQUIRE(scan(now, wanted).count() == static_cast<std::int64_t>(matching.size()));
        }
    }
}

TEST_CASE("the pages of rare rows keep to the expression and the test, too") {
    sample_table table(8);
    table.append(2 * block_rows);
    const snapshot now = table.current();
    const row_matrix matrix(now);
    for (const bool has_where : {false, true}) {
        for (const bool has_test : {false, true}) {
            selection wanted;
            wanted.conditions = {{sample_hundred, code_set({7})}};
            if (has_where) {
                wanted.where =
                    expression::any({expression::leaf({sample_flag, code_set({1})}),
                                     expression::leaf({sample_uniform, code_set({2, 3})})});
            }
            if (has_test) wanted.test = [](std::size_t row) { return row % 3 != 1; };
            const row_list matching = matrix.naive(wanted);
            REQUIRE(matching.size() > 300);
            for (const std::size_t limit : {std::size_t{50}, std::size_t{333}}) {
                for (std::size_t offset = 0; offset < matching.size() + limit; offset += limit) {
                    check(now, wanted, matching, access_path::postings, offset, limit);
                }
            }
        }
    }
}

TEST_CASE("a scan chooses the path that reads the fewest bytes") {
    sample_table table(4);
    table.append(3 * block_rows);
    const snapshot now = table.current();
    const auto paths = [&](std::vector<condition> conditions, std::int64_t first = -1) {
        const selection wanted{.first_time = first, .conditions = std::move(conditions)};
        return scan(now, wanted).explain().value();
    };
    const condition common{sample_skewed, code_set({0})};
    const condition frequent{sample_uniform, code_set({2})};
    const condition rare{sample_sequence, code_set({70'000})};
    CHECK(paths({common})[access_path::counts].blocks == 3);
    CHECK(paths({common}, 10)[access_path::counts].blocks == 2);
    CHECK(paths({common}, 10)[access_path::bitmaps].blocks == 1);
    CHECK(paths({common, frequent})[access_path::bitmaps].blocks == 3);
    CHECK(paths({rare, common})[access_path::postings].blocks == 1);
    CHECK(paths({rare, common}).skipped == 2);
    CHECK(paths({{sample_constant, code_set({7})}})[access_path::counts].blocks == 3);
    CHECK(paths({{sample_constant, code_set({8})}, common}).skipped == 3);
    CHECK(paths({common, {sample_constant, code_set({7})}})[access_path::counts].blocks == 3);
    CHECK(paths({}).rows == now.size());
    CHECK(to_string(paths({common, frequent})) ==
          "rows 196608, skipped 0, bitmaps 3/49152 B\ncondition: 24576 B\ncondition: 24576 B");
}

TEST_CASE("what a count would do is told without looking at rows, and is what it does") {
    sample_table table(5);
    table.append(3 * block_rows + 700);
    const snapshot now = table.current();
    const condition_source country{.param = "country"}, query{"query", 4, 9};
    const condition common{sample_skewed, code_set({0}), country};
    const condition rare{sample_sequence, code_set({70'000}), {"id"}};
    std::size_t calls = 0;
    const auto test = expression::test(
        [&](std::size_t row) {
            ++calls;
            return row % 2 == 0;
        },
        query);
    const auto either =
        expression::any({expression::leaf({sample_flag, code_set({1}), {"qr"}}), test});
    const std::vector<selection> table_of{
        {},
        {.conditions = {common}},
        {.first_time = 10, .conditions = {common}},
        {.conditions = {rare, common}},
        {.conditions = {common}, .where = either},
        {.where = expression::all({expression::leaf(common), either})},
        {.conditions = {rare}, .test = [&](std::size_t) { return ++calls > 0; }},
    };
    for (const selection& wanted : table_of) {
        calls = 0;
        const explanation before = scan(now, wanted).explain().value();
        CHECK(calls == 0);
        CHECK_FALSE(before.matching);
        const explanation after = scan(now, wanted).analyze().value();
        CAPTURE(to_string(after));
        CHECK(after.matching == scan(now, wanted).count());
        CHECK(before.rows == after.rows);
        CHECK(before.skipped == after.skipped);
        REQUIRE(before.conditions.size() == after.conditions.size());
        std::size_t tested = 0;
        for (std::size_t i = 0; i < after.conditions.size(); ++i) {
            CHECK(before.conditions[i].from.param == after.conditions[i].from.param);
            CHECK(before.conditions[i].bytes == after.conditions[i].bytes);
            CHECK(before.conditions[i].rows >= after.conditions[i].rows);
            tested += after.conditions[i].rows;
        }
        CHECK(2 * tested == calls);  // by analyze() and count()
        for (const access_path path : {access_path::counts, access_path::postings,
                                       access_path::bitmaps, access_path::code_scan}) {
            CHECK(before[path].blocks == after[path].blocks);
            CHECK(before[path].bytes == after[path].bytes);
        }
    }
    const explanation report = scan(now, table_of[5]).analyze().value();
    CHECK(to_string(report).find("\ncountry: ") != std::string::npos);
    CHECK(to_string(report).find("\nqr: ") != std::string::npos);
    CHECK(to_string(report).find("\nquery at byte 4: tested ") != std::string::npos);
    CHECK(to_string(scan(now, table_of[4]).explain().value()).find("at most") != std::string::npos);
}

TEST_CASE("a snapshot answers as it did before its block was sealed or rewritten by late rows") {
    dictionary ids;
    table rows{schema{2, 0, 0, &ids}};
    const code id = ids.encode(std::string_view("row"));
    const auto append = [&](std::int64_t first, std::int64_t step, std::size_t count) {
        row_buffer added(rows.columns());
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t time = first + step * static_cast<std::int64_t>(i);
            const std::size_t row = added.add(time);
            added.codes(row)[0] = id;
            added.codes(row)[1] = static_cast<code>(time % 7);
        }
        rows.append(std::move(added), [](std::size_t, std::span<code>) {});
    };
    selection wanted;
    wanted.conditions = {{1, code_set({2, 4})}};
    const auto expect = [&](const snapshot& now, std::size_t size) {
        REQUIRE(now.size() == size);
        std::int64_t expected = 0;
        for (std::size_t row = 0; row < size; ++row) {
            const std::int64_t remainder = now.time(row) % 7;
            REQUIRE(now.code_at(row, 1) == static_cast<code>(remainder));
            REQUIRE((row == 0 || now.time(row - 1) <= now.time(row)));
            expected += remainder == 2 || remainder == 4;
        }
        for (const auto& forced : all_paths) {
            REQUIRE(scan(now, wanted, {.forced = forced}).count() == expected);
        }
    };
    append(0, 2, block_rows - 1);
    const snapshot open = rows.current();
    append(1'000'000, 2, 1);
    const snapshot full = rows.current();
    append(1'000'001, 2, 2 * block_rows);
    const snapshot sealed = rows.current();
    append(1, 2, 40'000);  // between the rows of the first block
    const snapshot late = rows.current();
    append(5'000'000, 1, 10);
    expect(open, block_rows - 1);
    expect(full, block_rows);
    expect(sealed, 3 * block_rows);
    expect(late, 3 * block_rows + 40'000);
    expect(rows.current(), 3 * block_rows + 40'010);
    CHECK(open.sealed_blocks() == 0);
    CHECK(full.sealed_blocks() == 1);
    CHECK(full.open() == nullptr);
}
