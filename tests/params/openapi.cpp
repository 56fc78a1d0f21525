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
#include <sluice/params/openapi.hpp>

using namespace sluice;

namespace {

constexpr std::array<std::string_view, 3> colors{"red", "green", "blue"};

struct library_search {
    filter color;
    filter owner;
    std::optional<std::string> name;
    std::vector<std::string> ids;
    bool deep = false;
    std::int64_t depth = 7;
    std::optional<time_expression> since;
    time_zone zone = time_zone::utc();
    metadata_query where;
};

constexpr schema columns{column{.name = "color"}};

/// Returns the JSON of a table's only parameter, after its description.
template <parameter_table Table>
std::string described(const Table& table) {
    const std::string text = openapi_parameters(table);
    return text.substr(text.find(R"("required")"));
}

}  // namespace

TEST_CASE("a schema has the bounds of its parameter, and an example as the JSON that it is") {
    struct row {
        std::string is, wanted;
    };
    const std::vector<row> rows{
        {described(param_table{
             boolean_param<&library_search::deep>({.name = "deep", .example = "true"})}),
         R"("required":false,"schema":{"type":"boolean","default":false,"examples":[true]}}])"},
        {described(param_table{
             integer_param<&library_search::depth, -3, 9>({.name = "depth", .example = "8"})}),
         R"("required":false,"schema":{"type":"integer","minimum":-3,"maximum":9,"default":7,)"
         R"("examples":[8]}}])"},
        {described(
             param_table{text_param<&library_search::name>({.name = "name", .example = "true"})}),
         R"("required":false,"schema":{"type":"string","examples":["true"]}}])"},
        {described(
             param_table{text_param<&library_search::name>({.name = "name", .required = true})}),
         R"("required":true,"schema":{"type":"string"}}])"},
        {described(
             param_table{text_param<&library_search::name>({.name = "name", .deprecated = true})}),
         R"("required":false,"deprecated":true,"schema":{"type":"string"}}])"},
        {described(param_table{list_param<&library_search::ids>({.name = "ids"})}),
         R"("required":false,"style":"form","explode":false,"schema":{"type":"array",)"
         R"("items":{"type":"string"},"maxItems":1000}}])"},
        {described(
             param_table{list_param<&library_search::ids>({.name = "ids", .example = "a,b"})}),
         R"("required":false,"style":"form","explode":false,"schema":{"type":"array",)"
         R"("items":{"type":"string"},"maxItems":1000,"examples":[["a","b"]]}}])"},
    };
    for (const auto& [is, wanted] : rows) CHECK(is == wanted);
}

TEST_CASE("a type that has examples of its own gives one, which the parameter's own replaces") {
    struct row {
        std::string is, examples;
    };
    const std::vector<row> rows{
        {described(param_table{time_param<&library_search::since>({.name = "since"})}),
         R"("examples":["2026-08-21"])"},
        {described(param_table{
             time_param<&library_search::since>({.name = "since", .example = "today"})}),
         R"("examples":["today"])"},
        {described(param_table{time_zone_param<&library_search::zone>({.name = "zone"})}),
         R"("examples":["Europe/Berlin"])"},
        {described(param_table{expression_param<&library_search::where>({.name = "where"})}),
         R"("examples":["metadata['plan']:'pro'"])"},
        {described(param_table{columns, filter_param<&library_search::color, colors>(
                                            {.name = "color", .column = "color"})}),
         R"("examples":["red,green"])"},
        {described(
             param_table{columns, filter_param<&library_search::owner>(
                                      {.name = "owner", .column = "color", .example = "-a,b"})}),
         R"("examples":["-a,b"])"},
    };
    for (const auto& [is, examples] : rows) {
        CAPTURE(is);
        CHECK(is.ends_with(examples + "}}]"));
    }
}

TEST_CASE("the parameters of a table stand in its order, with a comma between them") {
    constexpr param_table two{
        list_param<&library_search::ids>({.name = "ids", .help = "some"}),
        boolean_param<&library_search::deep>({.name = "deep", .help = "all"})};
    CHECK(openapi_parameters(two) ==
          R"([{"name":"ids","in":"query","description":"some; a list `a,b`, and/or repeated",)"
          R"("required":false,"style":"form","explode":false,"schema":{"type":"array",)"
          R"("items":{"type":"string"},"maxItems":1000}},)"
          R"({"name":"deep","in":"query","description":"all","required":false,)"
          R"("schema":{"type":"boolean","default":false}}])");
}

TEST_CASE("an optional parameter may name the value that its absence stands for") {
    constexpr param_table named{
        text_param<&library_search::name>({.name = "name", .absent = "any of them"})};
    CHECK(named[0].default_text() == "any of them");
    CHECK(described(named).find(R"("default":"any of them")") != std::string::npos);
    CHECK(param_table{text_param<&library_search::name>({.name = "name"})}[0].default_text() == "");
}

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

constexpr schema shipment_columns{column{.name = "id"},
                                  column{.name = "exact"},
                                  column{.name = "anyCase", .how = collation::ignore_case},
                                  column{.name = "region", .how = collation::subdivision},
                                  column{.name = "created", .type = column_type::time},
                                  column{.name = "total", .type = column_type::decimal},
                                  column{.name = "a.b"}};
constexpr param_table table{
    shipment_columns,
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

TEST_CASE(
    "a sort's pattern has the shipment_columns, with or without a dash, no more than there are") {
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
          param_type::integer, param_type::value, param_type::expression, param_type::condition,
          param_type::order}) {
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
