// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/table_mask.hpp>

#include "make_array.hpp"

using namespace arrow_test;
using namespace sluice::arrow;
using sluice::bounds;
using sluice::comparison;

namespace {

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();

bounds<std::int64_t> bound(comparison op, std::int64_t value) {
    bounds<std::int64_t> made;
    made.narrow(op, value);
    return made;
}

/// A test and what it is to say of a row's number, or of a row without one.
using number = std::optional<std::int64_t>;
struct asked {
    integer_test test;
    bool (*holds)(number);
};

const std::vector<asked>& all_tests() {
    static const std::vector<asked> all{
        {integer_test(bounds<std::int64_t>{}), [](number n) { return n.has_value(); }},
        {integer_test(bound(comparison::at_least, -2)), [](number n) { return n && *n >= -2; }},
        {integer_test(bound(comparison::more_than, 5)), [](number n) { return n && *n > 5; }},
        {integer_test(bound(comparison::at_most, 5)), [](number n) { return n && *n <= 5; }},
        {integer_test(bound(comparison::less_than, -2)), [](number n) { return n && *n < -2; }},
        {integer_test(bound(comparison::equal, 5)), [](number n) { return n && *n == 5; }},
        {integer_test(bound(comparison::more_than, most)), [](number) { return false; }},
        {integer_test(bound(comparison::less_than, least)), [](number) { return false; }},
        {integer_test(bound(comparison::at_least, most)), [](number n) { return n == most; }},
        {integer_test(bound(comparison::at_most, least)), [](number n) { return n == least; }},
        {integer_test({5, -2, 5}, false), [](number n) { return n == 5 || n == -2; }},
        {integer_test({5, -2}, true), [](number n) { return n != 5 && n != -2; }},
        {integer_test({}, true), [](number) { return true; }},
    };
    return all;
}

void check_masks(const arrow_test::column& array, const codes& rows) {
    for (std::size_t at = 0; at < all_tests().size(); ++at) {
        CAPTURE(at);
        const auto& [test, holds] = all_tests()[at];
        const auto mask = integer_mask(array.type(), array.array, {0, rows.size()}, test);
        REQUIRE(mask);
        REQUIRE(mask->size() == rows.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            CAPTURE(row);
            CHECK((*mask)[row] == holds(rows[row]));
        }
    }
}

}  // namespace

TEST_CASE("integers of any width meet what each of them meets") {
    const codes small{5, -2, 6, -3, std::nullopt, 0, 100};
    const codes positive{5, 6, std::nullopt, 0, 100};
    for (const std::string format : {"c", "s", "i", "l"}) {
        CAPTURE(format);
        codes rows = small;
        if (format == "l") rows.insert(rows.end(), {least, most, least + 1, most - 1});
        check_masks(*make_integers(format, rows), rows);
        check_masks(*make_integers(format, rows, 3), rows);
    }
    for (const std::string format : {"C", "S", "I", "L"}) {
        CAPTURE(format);
        check_masks(*make_integers(format, positive), positive);
    }
    codes many;
    for (std::int64_t row = 0; row < 2'500; ++row) {
        many.push_back(row % 7 == 0 ? std::nullopt : number(row % 13 - 6));
    }
    check_masks(*make_integers("l", many), many);
}

TEST_CASE("a number beyond 63 bits lies above every bound") {
    const auto array = make_integers("L", {-1});  // as it is read without its sign
    const auto holds = [&](const integer_test& test) {
        return (*integer_mask(array->type(), array->array, {0, 1}, test))[0];
    };
    CHECK(holds(integer_test(bound(comparison::more_than, most))));
    CHECK_FALSE(holds(integer_test(bound(comparison::at_most, most))));
    CHECK_FALSE(holds(integer_test(bound(comparison::equal, -1))));
    CHECK_FALSE(holds(integer_test({-1}, false)));
    CHECK(holds(integer_test({-1}, true)));
}

TEST_CASE("a dictionary's numbers are asked about once, and its missing ones are missing") {
    const codes rows{0, 1, 2, std::nullopt, 1};
    const codes values{5, -2, std::nullopt};
    check_masks(*make_coded("C", rows, make_integers("i", values)),
                {5, -2, std::nullopt, std::nullopt, -2});
    check_masks(*make_coded("c", {std::nullopt, std::nullopt}, make_text("u", {})),
                {std::nullopt, std::nullopt});
    check_masks(*make_nulls(3), codes(3));
}

TEST_CASE("what holds no integers is refused, as is an array that breaks the rules") {
    const integer_test test(bound(comparison::at_least, 1));
    const auto refused = [&](const arrow_test::column& array) {
        const auto mask = integer_mask(array.type(), array.array, {0, 1}, test);
        REQUIRE_FALSE(mask);
        return message(mask.error());
    };
    CHECK(refused(*make_text("u", {"1"})) ==
          "expected integers or a dictionary of integers, not text");
    CHECK(refused(*make_integers("tsm:", {1})) ==
          "expected integers or a dictionary of integers, not timestamp[ms]");
    CHECK(refused(*make_coded("c", {0}, make_text("u", {"1"}))) ==
          "expected integers or a dictionary of integers, not dictionary of text");
    CHECK(refused(*make_coded("c", {1}, make_integers("i", {1}))) ==
          "a code outside of its dictionary");
    CHECK(refused(*make_integers("l", {})) == "a child array that is too short");
}

TEST_CASE("a table's rows meet tests of its integers") {
    std::vector<std::pair<std::string, column_ptr>> columns;
    columns.emplace_back("size", make_integers("i", {5, 6, std::nullopt, -2}));
    const auto table = make_table(std::move(columns), 4);
    const auto mask = [&](const integer_test& test) {
        const auto made = table_filter::make(table->type(), {{"size[gte]", "size", test}});
        REQUIRE(made);
        return to_bools(made->mask(table->array).value());
    };
    CHECK(mask(integer_test(bound(comparison::at_least, 5))) ==
          std::vector{true, true, false, false});
    CHECK(mask(integer_test({5}, true)) == std::vector{false, true, true, true});
    const condition of_text{"size[gte]", "size", integer_test({5}, true)};
    const auto refused = check_type(of_text, make_text("u", {"5"})->type());
    REQUIRE_FALSE(refused);
    CHECK(message(refused.error()) ==
          "size[gte]: column 'size': expected integers or a dictionary of integers, not text");
    CHECK(holds_absent(of_text));
}
