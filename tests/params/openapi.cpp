// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/params/bind.hpp>
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

/// What the only row of a table says after its description.
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
