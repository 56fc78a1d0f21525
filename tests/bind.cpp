// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/bind.hpp>
#include <sluice/openapi.hpp>

using namespace sluice;

// An endpoint that has nothing to do with any other: binding must not care.
namespace {

enum class pace { slow, fast };
constexpr std::array<std::string_view, 2> pace_names{"slow", "fast"};
constexpr std::array<std::string_view, 2> colors{"red", "green"};

struct search {
    filter color;
    std::optional<std::string> owner;
    std::vector<std::string> ids;
    std::optional<pace> speed;
    bool deep = false;
    std::int64_t depth = 7;
    std::optional<time_expression> since;
    time_zone zone = time_zone::utc();
    metadata_query where;
};

constexpr std::array table{
    filter_param<&search::color, colors>(
        {.name = "color", .column = "color", .how = collation::ignore_case, .help = "a color"}),
    text_param<&search::owner>({.name = "owner",
                                .column = "owner",
                                .help = "who owns it",
                                .required = true,
                                .prefix = "o-",
                                .accepts = "expected o- and a name"}),
    list_param<&search::ids>({.name = "ids", .help = "ids"}),
    choice_param<&search::speed, pace_names>({.name = "speed", .help = "how fast"}),
    boolean_param<&search::deep>({.name = "deep", .help = "look below", .default_text = "false"}),
    integer_param<&search::depth, -3, 9>({.name = "depth", .help = "levels", .default_text = "7"}),
    time_param<&search::since>({.name = "since", .help = "not before", .deprecated = true}),
    time_zone_param<&search::zone>({.name = "zone", .help = "a zone"}),
    expression_param<&search::where>({.name = "where", .help = "a condition"}),
};

auto bound(std::string_view text, const bind_options& options = {}) {
    const query_string pairs = parse_query_string(text);
    return bind_all(table, pairs.pairs(), options);
}

}  // namespace

TEST_CASE("each type of parameter is bound to its member") {
    const time_zone_database zones({time_zone::utc()});
    const auto found = bound(
        "color=RED&owner=o-me&ids=a,b&ids[]=c&speed=fast&deep=TRUE&depth=-3&since=today&"
        "zone=utc&where=metadata['a']:1",
        {.zones = &zones});
    REQUIRE(found);
    CHECK(found->color == filter({"RED"}));
    CHECK(found->owner == "me");
    CHECK(found->ids == std::vector<std::string>{"a", "b", "c"});
    CHECK(found->speed == pace::fast);
    CHECK(found->deep);
    CHECK(found->depth == -3);
    CHECK(found->since == *parse_time_expression("today"));
    CHECK(found->zone.name() == "UTC");
    CHECK(found->where == *parse_metadata_query("metadata['a']:1"));
}

TEST_CASE("absent parameters keep the defaults of the struct") {
    const auto found = bound("owner=o-");
    REQUIRE(found);
    CHECK(found->owner == "");
    CHECK(found->depth == 7);
    CHECK(!found->speed);
    CHECK(clauses(table, *found).size() == 1);
}

TEST_CASE("what is missing, unknown or impossible is an error of its parameter") {
    const std::vector<std::pair<std::string, error>> cases{
        {"", {error_code::bad_request, rule::parameter_missing, 0, 0, "owner", {}}},
        {"owner=x",
         {error_code::unprocessable_entity, rule::prefix_missing, 0, 1, "owner",
          "expected o- and a name"}},
        {"owner=o-&color=red,blue",
         {error_code::unprocessable_entity, rule::filter_value, 4, 4, "color",
          "expected red or green"}},
        {"owner=o-&depth=10",
         {error_code::unprocessable_entity, rule::number_too_large, 0, 2, "depth",
          "expected a whole number from -3 to 9"}},
        {"owner=o-&zone=UTC",
         {error_code::internal_server_error, rule::time_zone_data, 0, 3, "zone", {}}},
        {"owner=o-&owner=o-x",
         {error_code::bad_request, rule::parameter_repeated, 0, 3, "owner", {}}},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        const auto found = bound(text);
        REQUIRE(!found);
        CHECK(found.error() == errors{expected});
    }
}

TEST_CASE("unknown names are errors only where binding is strict") {
    CHECK(bound("owner=o-&Owner=x"));
    const auto found = bound("owner=o-&Owner=x&other=y", {.strict = true});
    REQUIRE(!found);
    CHECK(found.error() == errors{make_error(rule::parameter_unknown, 0, 5)});
}

TEST_CASE("a table with an index finds the rows that a walk finds") {
    struct many {
        filter value;
        std::vector<std::string> items;
    };
    // Names of one length that differ in a byte that the index may not look at, and repeats.
    constexpr param_table indexed{
        filter_param<&many::value>({.name = "name_a_1"}),
        filter_param<&many::value>({.name = "name_b_1"}),
        list_param<&many::items>({.name = "name_c_1"}),
        filter_param<&many::value>({.name = "name_d_1"}),
        filter_param<&many::value>({.name = "name_a_1"}),
        list_param<&many::items>({.name = "ids"}),
        filter_param<&many::value>({.name = "a"}),
    };
    for (const std::string_view name :
         {"name_a_1", "name_b_1", "name_c_1", "name_d_1", "name_e_1", "name_c_1[]", "ids", "ids[]",
          "ids[", "[]", "", "a", "a[]", "b", "name_a_1[]", "IDS"}) {
        CAPTURE(name);
        const auto walked =
            std::ranges::find_if(indexed, [&](const auto& row) { return row.is_named(name); });
        CHECK(indexed.find(name) == static_cast<std::size_t>(walked - indexed.begin()));
    }
}

TEST_CASE("the first error is that of the first row, not of the first pair") {
    const query_string pairs = parse_query_string("depth=x&color=blue&owner=o-");
    CHECK(bind(table, pairs.pairs()).error().param == "color");
}

TEST_CASE("a table describes itself to OpenAPI") {
    const std::string text = openapi_parameters(table);
    CHECK(text.starts_with(
        R"([{"name":"color","in":"query","description":"a color; a value, a list `a,b`, or all but)"
        R"( `-a,b`","required":false,"schema":{"type":"string"}},{"name":"owner")"));
    CHECK(text.find(R"({"name":"depth","in":"query","description":"levels","required":false,)"
                    R"("schema":{"type":"integer","minimum":-3,"maximum":9,"default":7}})") !=
          std::string::npos);
    CHECK(text.find(R"("schema":{"type":"string","enum":["slow","fast"]}})") != std::string::npos);
    CHECK(text.find(R"("required":false,"deprecated":true)") != std::string::npos);
}
