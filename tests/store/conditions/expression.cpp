// SPDX-License-Identifier: MIT
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/decimal.hpp>
#include <sluice/store/numbers/number_ranges.hpp>
#include <sluice/store/plan/scan.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;
using sluice::sort_order;
using kind = expression::kind;

namespace {

expression leaf(std::size_t column, std::vector<code> listed) {
    return expression::leaf({column, code_set(std::move(listed))});
}

std::vector<kind> kinds(const expression& where) {
    std::vector<kind> all;
    for (const expression::node& node : where.nodes()) all.push_back(node.what);
    return all;
}

}  // namespace

TEST_CASE("nodes come after their operands; groups of one kind are one") {
    const expression nested =
        expression::all({leaf(1, {1}), expression::all({leaf(2, {1}), leaf(3, {1})}),
                         expression::any({leaf(4, {1}), leaf(5, {1})})});
    CHECK(kinds(nested) == std::vector{kind::condition, kind::condition, kind::condition,
                                       kind::condition, kind::condition, kind::any, kind::all});
    CHECK(nested.nodes().back().operands == 4);
    CHECK(nested.nodes().back().nodes == 7);
    CHECK(kinds(expression::all({leaf(1, {1})})) == std::vector{kind::condition});
    CHECK(expression::all({}).nodes().back().value);
    CHECK_FALSE(expression::any({}).nodes().back().value);
}

TEST_CASE("ranges of one column are one condition") {
    const std::vector<double> known{1, 5, 9};  // by code
    const code_numbers numbers{known, [](code) { return *sluice::detail::parse_decimal("0"); }};
    const auto range = [&](std::size_t column, std::string_view bound, bool is_above) {
        const auto number = *sluice::detail::parse_decimal(bound);
        return expression::leaf(
            {column, code_set(number_ranges(numbers, number, false, is_above))});
    };
    const expression between = expression::all(
        {range(1, "2", true), leaf(2, {1}), range(1, "8", false), range(3, "2", true)});
    CHECK(kinds(between) ==
          std::vector{kind::condition, kind::condition, kind::condition, kind::all});
    const code_set& both = between.nodes()[0].rows.accepted;
    CHECK(std::vector{both.contains(0), both.contains(1), both.contains(2)} ==
          std::vector{false, true, false});
    const expression outside = expression::any({range(1, "8", true), range(1, "2", false)});
    CHECK(kinds(outside) == std::vector{kind::condition});
    CHECK_FALSE(outside.nodes()[0].rows.accepted.contains(1));
}

TEST_CASE("negations are carried to the leaves") {
    const expression negated = expression::negation(
        expression::all({leaf(1, {1}), expression::test([](std::size_t) { return true; }),
                         expression::any({leaf(3, {4}), expression::negation(leaf(2, {3}))})}));
    const auto nodes = negated.nodes();
    CHECK(kinds(negated) == std::vector{kind::condition, kind::test, kind::condition,
                                        kind::condition, kind::all, kind::any});
    CHECK(nodes[0].rows.accepted.is_complement());
    CHECK_FALSE(nodes[1].value);
    CHECK(nodes[2].rows.accepted.is_complement());
    CHECK_FALSE(nodes[3].rows.accepted.is_complement());
}

TEST_CASE("a constant decides its group or drops out of it") {
    const expression yes = expression::constant(true), no = expression::constant(false);
    CHECK(kinds(expression::all({leaf(1, {1}), yes})) == std::vector{kind::condition});
    CHECK(kinds(expression::any({no, leaf(1, {1}), no})) == std::vector{kind::condition});
    CHECK(kinds(expression::any({no, no})) == std::vector{kind::constant});
    CHECK_FALSE(expression::any({no, no}).nodes().back().value);
    CHECK(expression::all({yes, yes}).nodes().back().value);
    const expression decided = expression::any({leaf(1, {1}), leaf(2, {1}), yes, leaf(3, {1})});
    CHECK(kinds(decided) == std::vector{kind::constant});
    CHECK(decided.nodes().back().value);
    CHECK_FALSE(expression::all({leaf(1, {1}), expression::negation(yes)}).nodes().back().value);
}

TEST_CASE("a test is asked only of rows that the operands before it leave undecided") {
    sample_table table(31);
    table.append(block_rows + 300);
    const snapshot now = table.current();
    std::size_t calls = 0, wrong = 0;
    const auto is_one = [&](std::size_t row) { return now.code_at(row, sample_flag) == 1; };
    const auto counted = [&](bool of_ones) {
        return expression::test([&, of_ones](std::size_t row) {
            ++calls;
            wrong += is_one(row) == of_ones ? 0 : 1;
            return row % 2 == 0;
        });
    };
    selection ones;
    ones.where =
        expression::all({leaf(sample_flag, {1}), expression::constant(true), counted(true)});
    static_cast<void>(scan(now, ones).count());
    const std::size_t flagged = std::exchange(calls, 0);
    CHECK(flagged > now.size() / 20);
    CHECK(flagged < now.size() / 5);
    selection others;
    others.where = expression::any({leaf(sample_flag, {1}), counted(false)});
    static_cast<void>(scan(now, others).count());
    CHECK(std::exchange(calls, 0) == now.size() - flagged);
    others.where = expression::any({expression::constant(true), counted(false)});
    CHECK(scan(now, others).count() == static_cast<std::int64_t>(now.size()));
    CHECK(calls == 0);
    CHECK(wrong == 0);
}

TEST_CASE("no expression is too deep") {
    sample_table table(32);
    table.append(100);
    const snapshot now = table.current();
    expression deep = leaf(sample_flag, {1});
    for (int i = 0; i < 50'000; ++i) {
        std::vector<expression> operands;
        operands.push_back(std::move(deep));
        operands.push_back(leaf(sample_uniform, {i % 2 == 0 ? code{6} : code{0}}));
        deep = i % 2 == 0 ? expression::any(std::move(operands))
                          : expression::all(std::move(operands));
    }
    selection wanted;
    wanted.where = std::move(deep);
    std::int64_t expected = 0;
    for (std::size_t row = 0; row < now.size(); ++row) {
        expected += now.code_at(row, sample_flag) == 1 && now.code_at(row, sample_uniform) == 0;
    }
    CHECK(scan(now, wanted).count() == expected);
    wanted.where = expression::negation(*std::move(wanted.where));
    CHECK(scan(now, wanted).count() == static_cast<std::int64_t>(now.size()) - expected);
}
