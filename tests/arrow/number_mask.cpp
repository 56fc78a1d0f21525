// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
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
using sluice::decimal_number;

namespace {

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();

bounds<std::int64_t> bound(comparison op, std::int64_t value) {
    bounds<std::int64_t> range;
    range.narrow(op, value);
    return range;
}

/// A test and what it is to say of a row's number, or of a row without one.
using number = std::optional<std::int64_t>;
struct integer_case {
    integer_test test;
    bool (*holds)(number);
};

const std::vector<integer_case>& all_tests() {
    static const std::vector<integer_case> all{
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

namespace {

/// Compares a number with a bound, whatever the types of both.
template <class T>
bool compares(T value, comparison op, std::int64_t with) {
    switch (op) {
        case comparison::equal: return std::cmp_equal(value, with);
        case comparison::at_least: return std::cmp_greater_equal(value, with);
        case comparison::more_than: return std::cmp_greater(value, with);
        case comparison::at_most: return std::cmp_less_equal(value, with);
        case comparison::less_than: return std::cmp_less(value, with);
    }
    return false;
}

/// Checks masks of values around the ends of a type, and of random ones, between any two bounds.
template <class T>
void check_ends(const std::string& format) {
    CAPTURE(format);
    using limits = std::numeric_limits<T>;
    std::vector<std::optional<T>> rows{limits::min(), limits::max(), T{0}, T{1}, std::nullopt};
    rows.push_back(static_cast<T>(limits::min() + 1));
    rows.push_back(static_cast<T>(limits::max() - 1));
    std::mt19937_64 random(11);
    while (rows.size() < 1'100) rows.push_back(static_cast<T>(random()));
    const auto array = make_values<T>(format, rows, T{}, 1);
    std::vector<std::int64_t> ends{least, least + 1, -1, 0, 1, most - 1, most};
    for (const std::int64_t step : {-1, 0, 1}) {
        const auto low =
            static_cast<std::uint64_t>(limits::min()) + static_cast<std::uint64_t>(step);
        const auto high =
            static_cast<std::uint64_t>(limits::max()) + static_cast<std::uint64_t>(step);
        ends.insert(ends.end(), {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)});
    }
    constexpr comparison lower[] = {comparison::at_least, comparison::more_than};
    constexpr comparison upper[] = {comparison::at_most, comparison::less_than, comparison::equal};
    for (std::size_t at = 0; at < 60; ++at) {
        const std::int64_t first = ends[random() % ends.size()];
        const std::int64_t last = ends[random() % ends.size()];
        const comparison from = lower[random() % 2], to = upper[random() % 3];
        bounds<std::int64_t> wanted = bound(from, first);
        wanted.narrow(to, last);
        const bool is_equal = to == comparison::equal;  // it replaces the other bound
        std::vector<bool> expected;
        for (const auto& row : rows) {
            expected.push_back(row && compares(*row, to, last) &&
                               (is_equal || compares(*row, from, first)));
        }
        const auto mask =
            integer_mask(array->type(), array->array, {0, rows.size()}, integer_test(wanted));
        REQUIRE(mask);
        CHECK(to_bools(*mask) == expected);
    }
}

}  // namespace

TEST_CASE("integers lie between any two bounds as they compare with both, at every level") {
    at_every_level([] {
        check_ends<std::int8_t>("c");
        check_ends<std::int16_t>("s");
        check_ends<std::int32_t>("i");
        check_ends<std::int64_t>("l");
        check_ends<std::uint8_t>("C");
        check_ends<std::uint16_t>("S");
        check_ends<std::uint32_t>("I");
        check_ends<std::uint64_t>("L");
    });
}

TEST_CASE("whole floats meet what their integers meet") {
    const codes rows{5, -2, 6, -3, std::nullopt, 0, std::nullopt, 100};
    std::vector<std::optional<double>> doubles;
    std::vector<std::optional<float>> floats;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const bool is_nan = row == 6;
        const auto value = is_nan ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double>(rows[row].value_or(0));
        const bool has_value = is_nan || rows[row];
        doubles.push_back(has_value ? std::optional(value) : std::nullopt);
        floats.push_back(has_value ? std::optional(static_cast<float>(value)) : std::nullopt);
    }
    check_masks(*make_values<double>("g", doubles, 0.5), rows);
    check_masks(*make_values<double>("g", doubles, 0.5, 3), rows);
    check_masks(*make_values<float>("f", floats, 0.5F), rows);
    check_masks(*make_coded("c", {0, 1, std::nullopt}, make_values<double>("g", {5, -2})),
                {5, -2, std::nullopt});
    for (const double inexact :
         {0.5, -1e-300, 0x1p53, -0x1p60, 1e300, std::numeric_limits<double>::infinity()}) {
        const auto array = make_values<double>("g", {1, std::nullopt, inexact}, 0.5);
        const auto refused =
            integer_mask(array->type(), array->array, {0, 3}, integer_test({1}, false));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == fault::malformed);
        CHECK(refused.error().row == 2);
    }
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
        const auto filter = table_filter::make(table->type(), {{"size[gte]", "size", test}});
        REQUIRE(filter);
        return to_bools(filter->mask(table->array).value());
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

namespace {

decimal_number decimal_of(const std::string& text) { return *sluice::parse_decimal_number(text); }

bounds<decimal_number> bound(comparison op, const std::string& text) {
    bounds<decimal_number> range;
    range.narrow(op, decimal_of(text));
    return range;
}

/// The units of a text such as "-1.50", as little-endian bytes.
std::string units_of(std::string text, std::size_t width) {
    const bool is_negative = text.starts_with('-');
    std::erase_if(text, [](char c) { return c == '-' || c == '.'; });
    std::string bytes(width, '\0');
    for (const char digit : text) {
        int carry = digit - '0';
        for (char& byte : bytes) {
            carry += static_cast<unsigned char>(byte) * 10;
            byte = static_cast<char>(carry & 0xFF);
            carry >>= 8;
        }
    }
    int carry = is_negative ? 1 : 0;
    for (char& byte : bytes) {
        carry += is_negative ? 0xFF - static_cast<unsigned char>(byte)
                             : static_cast<unsigned char>(byte);
        byte = static_cast<char>(carry & 0xFF);
        carry >>= 8;
    }
    return bytes;
}

/// Decimals whose texts all have as many digits after the point as the format says.
column_ptr make_decimals(const std::string& format, const cells& rows, std::size_t offset = 0) {
    auto decimals = std::make_unique<arrow_test::column>(format, rows.size(), offset);
    const cells all = with_lead(rows, offset);
    decimals->wire();
    const std::size_t width = decimals->type().width;
    std::string bytes;
    for (std::size_t at = 0; at < all.size(); ++at) {
        bytes += units_of(at < offset ? "7" : all[at].value_or("-1"), width);
    }
    decimals->add_validity(valid_of(all));
    decimals->add_bytes(bytes.data(), bytes.size());
    decimals->wire();
    return decimals;
}

const std::string huge(74, '9');
const std::vector<std::string> texts_of_bounds{"0",
                                               "0.00",
                                               "-0",
                                               "1",
                                               "1.0",
                                               "1.004",
                                               "1.005",
                                               "-1.005",
                                               "1.00500",
                                               "0.001",
                                               "1e400",
                                               "-1e400",
                                               "1e-400",
                                               "-1e-400",
                                               "1e99999999999999999999",
                                               "-1.5e0",
                                               "99.99",
                                               "1e2",
                                               huge + ".99",
                                               "-" + huge + ".99",
                                               "1" + huge + "0",
                                               "9" + huge + "9.5"};

void check_decimals(const arrow_test::column& array, const cells& rows) {
    for (const std::string& text : texts_of_bounds) {
        for (const comparison op : {comparison::equal, comparison::at_least, comparison::more_than,
                                    comparison::at_most, comparison::less_than}) {
            CAPTURE(text);
            CAPTURE(to_string(op));
            const auto wanted = bound(op, text);
            const auto mask = decimal_mask(array.type(), array.array, {0, rows.size()}, wanted);
            REQUIRE(mask);
            std::vector<bool> expected;
            for (const cell& row : rows)
                expected.push_back(row && wanted.contains(decimal_of(*row)));
            CHECK(to_bools(*mask) == expected);
        }
    }
}

const cells prices{"0.00", "1.00", "1.01", "-1.00", "-1.01", std::nullopt, "99.99", "-1.50"};

}  // namespace

TEST_CASE("decimals of any width are compared exactly") {
    for (const std::string format :
         {"d:9,2,32", "d:18,2,64", "d:38,2", "d:38,2,128", "d:76,2,256"}) {
        CAPTURE(format);
        cells rows = prices;
        if (format == "d:38,2") rows.push_back("123456789012345678901234567890.12");
        if (format == "d:76,2,256") rows.insert(rows.end(), {huge + ".99", "-" + huge + ".99"});
        check_decimals(*make_decimals(format, rows), rows);
        check_decimals(*make_decimals(format, rows, 3), rows);
    }
}

TEST_CASE("integers and texts are decimals too") {
    check_decimals(*make_integers("l", {0, 1, -1, 99, 100, std::nullopt}),
                   {"0", "1", "-1", "99", "100", std::nullopt});
    check_decimals(*make_integers("L", {0, 100, -1}), {"0", "100", "18446744073709551615"});
    check_decimals(*make_integers("c", {0, 1, -1}), {"0", "1", "-1"});
    const cells texts{"1.0", "1e2", "-0.00", std::nullopt, "1e400", "1.005"};
    for (const std::string format : {"u", "U", "vu"})
        check_decimals(*make_text(format, texts), texts);
    cells others = texts;
    others[0] = others[4] = std::nullopt;
    check_decimals(*make_text("u", {"1,0", "1e2", "-0.00", std::nullopt, " 7", "1.005"}), others);
    check_decimals(*make_nulls(3), cells(3));
}

TEST_CASE("a scale below zero leaves zeros out") {
    const auto thousands = make_decimals("d:9,-3,32", {"2", "-1"});
    check_decimals(*thousands, {"2000", "-1000"});
}

TEST_CASE("a dictionary's decimals are asked about once") {
    const codes rows{0, 1, std::nullopt, 0};
    check_decimals(*make_coded("c", rows, make_decimals("d:9,2,32", {"1.00", "-1.50"})),
                   {"1.00", "-1.50", std::nullopt, "1.00"});
    check_decimals(*make_coded("c", rows, make_text("u", {"1.00", "x"})),
                   {"1.00", std::nullopt, std::nullopt, "1.00"});
}

TEST_CASE("whole floats are compared as decimals") {
    check_decimals(*make_values<double>("g", {1, -2, std::nullopt, 1e15}, 0.5),
                   {"1", "-2", std::nullopt, "1000000000000000"});
}

TEST_CASE("what is not exact is refused, as is an array that breaks the rules") {
    const auto refused = [](const arrow_test::column& array) {
        const auto mask =
            decimal_mask(array.type(), array.array, {0, 1}, bound(comparison::at_least, "1"));
        REQUIRE_FALSE(mask);
        return message(mask.error());
    };
    const std::string expected =
        "expected decimals, integers, text of numbers or a dictionary of any, not ";
    CHECK(refused(*make_integers("e", {1})) == expected + "float16");
    CHECK(refused(*make_booleans({1})) == expected + "bool");
    CHECK(refused(*make_coded("c", {0}, make_booleans({1}))) == expected + "dictionary of bool");
    CHECK(refused(*make_decimals("d:9,2,32", {})) == "a child array that is too short");
}

TEST_CASE("booleans are true, false, or neither") {
    for (const std::size_t offset : {0U, 3U, 64U, 70U}) {
        codes rows;
        for (int row = 0; row < 150; ++row) {
            rows.push_back(row % 7 == 0 ? std::nullopt : std::optional<std::int64_t>(row % 3 == 0));
        }
        const auto array = make_booleans(rows, offset);
        for (const bool wanted : {true, false}) {
            const auto mask = boolean_mask(array->type(), array->array, {0, rows.size()}, wanted);
            REQUIRE(mask);
            for (std::size_t row = 0; row < rows.size(); ++row) {
                CHECK((*mask)[row] == (rows[row] && (*rows[row] != 0) == wanted));
            }
        }
    }
    CHECK(boolean_mask(make_nulls(3)->type(), make_nulls(3)->array, {0, 3}, true)->count() == 0);
    const auto numbers = make_integers("c", {1});
    CHECK(message(boolean_mask(numbers->type(), numbers->array, {0, 1}, true).error()) ==
          "expected booleans or a dictionary of booleans, not int8");
}

TEST_CASE("codes of booleans are those of their dictionary, or missing") {
    const std::vector<std::optional<int>> values{1, 0, std::nullopt, 1};
    const codes rows{0, 1, std::nullopt, 2, 3, 0, 1, 1};
    for (const std::size_t offset : {0U, 3U}) {
        const auto array = make_coded("c", rows, make_booleans({1, 0, std::nullopt, 1}), offset);
        for (const bool wanted : {true, false}) {
            const auto mask = boolean_mask(array->type(), array->array, {0, rows.size()}, wanted);
            REQUIRE(mask);
            for (std::size_t row = 0; row < rows.size(); ++row) {
                const auto value =
                    rows[row] ? values[static_cast<std::size_t>(*rows[row])] : std::nullopt;
                CHECK((*mask)[row] == (value && (*value != 0) == wanted));
            }
        }
    }
    const auto numbers = make_coded("c", {0}, make_integers("i", {1}));
    CHECK(check_boolean_type(numbers->type()));  // an empty dictionary may have any type
    CHECK(message(boolean_mask(numbers->type(), numbers->array, {0, 1}, true).error()) ==
          "expected booleans or a dictionary of booleans, not dictionary of int32");
}
