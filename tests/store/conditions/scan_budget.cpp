// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <optional>
#include <stop_token>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/plan/scan.hpp>

#include "../make_rows.hpp"

using namespace sluice::store;
using sluice::error;
using sluice::rule;
using sluice::sort_order;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

/// Limits on a clock that goes on by a millisecond each time it is looked at.
scan_limits limits_of(std::size_t& looks, milliseconds deadline) {
    return {.cpu_time = [&looks]() -> nanoseconds { return milliseconds(++looks); },
            .deadline = deadline};
}

constexpr std::array<std::optional<access_path>, 5> all_paths{
    std::nullopt, access_path::counts, access_path::postings, access_path::bitmaps,
    access_path::code_scan};

/// Conditions that no counts answer, and a test.
selection tested_rows(std::size_t& calls) {
    selection wanted;
    wanted.where =
        expression::any({expression::leaf({sample_flag, code_set({1}), {.param = "flag"}}),
                         expression::test([&calls](std::size_t) { return ++calls > 0; },
                                          {.param = "query", .offset = 7, .length = 21})});
    return wanted;
}

}  // namespace

TEST_CASE("limits that don't end a scan change nothing") {
    sample_table table(51);
    table.append(2 * block_rows + 500);
    const snapshot now = table.current();
    std::size_t calls = 0, looks = 0;
    const selection wanted = tested_rows(calls);
    const scan_options limited{.limits = limits_of(looks, std::chrono::hours(1))};
    CHECK(scan(now, wanted, limited).count() == static_cast<std::int64_t>(now.size()));
    CHECK(looks > now.size() / 100);
    const auto page = scan(now, wanted, limited).page(sort_order::ascending, 70'000, 10);
    CHECK(page->rows == scan(now, wanted).page(sort_order::ascending, 70'000, 10)->rows);
}

TEST_CASE("a scan ends soon after its deadline, whatever it does in between") {
    sample_table table(52);
    table.append(3 * block_rows + 500);
    const snapshot now = table.current();
    for (const auto& forced : all_paths) {
        for (const int deadline : {1, 2, 9, 40}) {
            CAPTURE(deadline);
            std::size_t calls = 0, looks = 0;
            const selection wanted = tested_rows(calls);
            const scan_options options{.forced = forced,
                                       .limits = limits_of(looks, milliseconds(deadline))};
            const auto count = scan(now, wanted, options).count();
            REQUIRE_FALSE(count);
            CHECK(count.error().broken == rule::query_too_costly);
            CHECK(looks == static_cast<std::size_t>(deadline));
            CHECK(calls <= 64 * static_cast<std::size_t>(deadline));
            looks = 0;
            const auto page =
                scan(now, wanted, options).page(sort_order::descending, 100'000, 1'000);
            REQUIRE_FALSE(page);
            CHECK(page.error().broken == rule::query_too_costly);
        }
    }
}

TEST_CASE("the conditions of many columns are looked at between strips too") {
    sample_table table(53);
    table.append(block_rows);
    const snapshot now = table.current();
    selection wanted;
    std::vector<expression> operands;
    for (code c = 0; c < 100; ++c) {
        operands.push_back(expression::leaf({sample_hundred, code_set({c})}));
        operands.push_back(expression::leaf({sample_uniform, code_set({9})}));
    }
    wanted.where = expression::any(std::move(operands));
    std::size_t looks = 0;
    CHECK(scan(now, wanted, {.limits = limits_of(looks, std::chrono::hours(1))}).count() ==
          static_cast<std::int64_t>(block_rows));
    CHECK(looks >= 4);  // 16 strips of a block
}

TEST_CASE("a scan that nobody waits for any longer ends at its next look") {
    sample_table table(54);
    table.append(70 * block_rows);
    const snapshot now = table.current();
    std::stop_source client;
    std::size_t calls = 0;
    selection wanted;
    wanted.test = [&](std::size_t) {
        if (++calls == 1'000) client.request_stop();
        return true;
    };
    const scan_options options{.limits = {.stop = client.get_token()}};
    CHECK(scan(now, wanted, options).count().error().broken == rule::request_cancelled);
    CHECK(calls < 1'000 + 64);
    const selection untested{.conditions = {{sample_many, code_set({5}, true)}}};
    CHECK(scan(now, untested, options).count().error().broken == rule::request_cancelled);
    CHECK(scan(now, untested, options).page(sort_order::ascending, 0, 1).error().broken ==
          rule::request_cancelled);
    CHECK(scan(now, untested, options).explain().error().broken == rule::request_cancelled);
}

TEST_CASE("the error points at the condition that read the most") {
    sample_table table(55);
    table.append(4 * block_rows);
    const snapshot now = table.current();
    std::vector<code> most(90);
    std::iota(most.begin(), most.end(), code{0});
    const condition wide{sample_hundred, code_set(most), {.param = "wide", .offset = 3}};
    const condition narrow{sample_uniform, code_set({2, 3}), {.param = "narrow", .length = 9}};
    std::size_t calls = 0;
    const auto error_of = [&](const selection& wanted) {
        std::size_t looks = 0;
        return scan(now, wanted, {.limits = limits_of(looks, milliseconds(3))}).count().error();
    };
    for (const bool wide_first : {false, true}) {
        selection plain;
        plain.conditions = {wide_first ? wide : narrow, wide_first ? narrow : wide};
        const error why = error_of(plain);
        CHECK(why.param == "wide");
        CHECK(why.offset == 3);
        selection tested = tested_rows(calls);
        tested.conditions = plain.conditions;
        tested.conditions.push_back({sample_flag, code_set({0})});
        const error of_test = error_of(tested);
        CHECK(of_test.param == "query");
        CHECK(of_test.offset == 7);
        CHECK(of_test.length == 21);
    }
    selection within;
    within.where = expression::any({expression::leaf(narrow), expression::leaf(wide)});
    CHECK(error_of(within).param == "wide");
}
