// SPDX-License-Identifier: MIT
#include <array>
#include <optional>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/params/bind.hpp>
#include <sluice/params/named_values.hpp>
#include <sluice/params/pattern.hpp>

using namespace sluice;

namespace {

constexpr std::array<std::string_view, 6> odd{"in-transit", "-", "a,b", "c\\d", "x.y|z", "(1)"};
constexpr std::array<std::string_view, 3> names{"created", "total", "a.b"};

struct shipments {
    filter exact, any_case, region, even, number;
    std::optional<std::string> reference;
    std::optional<decimal_number> weight;
    sort_choices order;
};

constexpr bool is_even(std::string_view value) noexcept { return value.size() % 2 == 0; }

constexpr schema columns{column{.name = "id"},
                         column{.name = "exact"},
                         column{.name = "anyCase", .how = collation::ignore_case},
                         column{.name = "region", .how = collation::subdivision},
                         column{.name = "created", .type = column_type::time},
                         column{.name = "total", .type = column_type::decimal},
                         column{.name = "a.b"}};
constexpr param_table table{
    columns,
    filter_param<&shipments::exact, odd>({.name = "exact", .column = "exact"}),
    filter_param<&shipments::any_case, odd>({.name = "anyCase", .column = "anyCase"}),
    filter_param<&shipments::region, odd>({.name = "region", .column = "region"}),
    filter_param<&shipments::even>({.name = "even",
                                    .column = "exact",
                                    .accepts_value = is_even,
                                    .accepts = "expected an even number of bytes"}),
    filter_param<&shipments::number>({.name = "number",
                                      .column = "exact",
                                      .accepts_value = detail::is_plain_integer,
                                      .accepts = "expected whole numbers",
                                      .pattern = detail::plain_integer_pattern}),
    text_param<&shipments::reference>(
        {.name = "reference", .column = "id", .prefix = "r.(", .accepts = "it starts with r.("}),
    value_param<&shipments::weight>({.name = "weight", .column = "total"}),
    sort_param<&shipments::order, names>({.name = "order"}),
};

bool parses(const param<shipments>& row, std::string_view text) {
    shipments query;
    return row.assign(query, row.info, text, {}).has_value();
}

/// A text of a few pieces, such as filters, amounts and sort keys are made of.
std::string random_text(std::mt19937& random) {
    static constexpr std::array<std::string_view, 22> pieces{
        "in-transit", "In\\-Transit", "-",     "\\-",   ",",   "\\,",    "a\\,b", "a,b",
        "c\\\\d",     "\\",           "x.y|z", "XxY|z", "(1)", "r.(",    "rx(",   "1",
        "0.5",        "e+",           "1E3",   "total", "a.b", "created"};
    std::string text;
    for (auto count = random() % 5; count > 0; --count)
        text.append(pieces[random() % pieces.size()]);
    return text;
}

}  // namespace

TEST_CASE("a pattern takes what the parser takes, whatever the choices have in them") {
    for (const std::string_view name : {"exact", "anyCase", "number", "reference", "weight"}) {
        CAPTURE(name);
        const param<shipments>& row = table[table.find(name)];
        const std::regex pattern(pattern_of(row.info));
        std::mt19937 random(5);
        int accepted = 0;
        for (int round = 0; round < 5'000; ++round) {
            const std::string text = random_text(random);
            CAPTURE(text);
            REQUIRE(std::regex_search(text, pattern) == parses(row, text));
            accepted += parses(row, text);
        }
        CHECK(accepted > 100);
    }
}

TEST_CASE("a pattern takes all that the parser takes, and more where only words tell") {
    for (const std::string_view name : {"region", "even", "order"}) {
        CAPTURE(name);
        const param<shipments>& row = table[table.find(name)];
        const std::regex pattern(pattern_of(row.info));
        std::mt19937 random(6);
        for (int round = 0; round < 5'000; ++round) {
            const std::string text = random_text(random);
            CAPTURE(text);
            if (parses(row, text)) REQUIRE(std::regex_search(text, pattern));
        }
    }
}

TEST_CASE("a sort's pattern has the columns, with or without a dash, no more than there are") {
    const param_info& info = table[table.find("order")].info;
    const std::regex pattern(pattern_of(info));
    for (const std::string text : {"total", "-a.b", "created,-total", "a.b,created,total"}) {
        CAPTURE(text);
        CHECK(std::regex_search(text, pattern));
        CHECK(parses(table[table.find("order")], text));
    }
    for (const std::string text :
         {"", "--total", "total,", "axb", "Total", "a.b,created,total,-total"}) {
        CAPTURE(text);
        CHECK_FALSE(std::regex_search(text, pattern));
        CHECK_FALSE(parses(table[table.find("order")], text));
    }
}

TEST_CASE("a cursor's pattern takes as few digits as the shortest cursor has") {
    const std::string shortest = to_string(cursor{}).value();
    REQUIRE(parse_cursor(shortest));
    CHECK(pattern_of({.type = param_type::cursor})
              .starts_with("^[A-Za-z0-9_-]{" + std::to_string(shortest.size()) + ","));
}

TEST_CASE("a type that says all, or takes any text, has no pattern") {
    for (const param_type type :
         {param_type::list, param_type::text, param_type::choice, param_type::boolean,
          param_type::integer, param_type::value, param_type::expression}) {
        CHECK(pattern_of({.type = type}).empty());
    }
}

TEST_CASE("the words of a time are in any case") {
    const std::regex pattern("^(?:" + detail::time_pattern() + ")$");
    for (const char* const text : {"now", "NOW", "Yesterday", "3 Days Ago", "LAST week"}) {
        CAPTURE(text);
        CHECK(std::regex_match(text, pattern));
    }
}
