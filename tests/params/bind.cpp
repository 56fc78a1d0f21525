// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/openapi.hpp>

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

constexpr schema columns{
    column{.name = "color", .how = collation::ignore_case},
    column{.name = "owner"},
};
constexpr param_table table{
    columns,
    filter_param<&search::color, colors>({.name = "color", .column = "color", .help = "a color"}),
    text_param<&search::owner>({.name = "owner",
                                .column = "owner",
                                .help = "who owns it",
                                .required = true,
                                .prefix = "o-",
                                .accepts = "expected o- and a name"}),
    list_param<&search::ids>({.name = "ids", .help = "ids"}),
    choice_param<&search::speed, pace_names>({.name = "speed", .help = "how fast"}),
    boolean_param<&search::deep>({.name = "deep", .help = "look below"}),
    integer_param<&search::depth, -3, 9>({.name = "depth", .help = "levels"}),
    time_param<&search::since>({.name = "since", .help = "not before", .deprecated = true}),
    time_zone_param<&search::zone>({.name = "zone", .help = "a zone"}),
    expression_param<&search::where>({.name = "where", .help = "a condition"}),
};

#ifdef __clang__  // to others what isn't constant is an error wherever it stands: see mistakes.cpp
/// A table with one parameter, on a column of texts or on another.
template <int Case>
struct declared_colors {
    static constexpr schema typed{column{.name = "color"},
                                  column{.name = "size", .type = column_type::decimal}};
    static constexpr std::array<std::string_view, 3> names{"color", "size", "colour"};
    static constexpr auto make() {
        return param_table{typed,
                           filter_param<&search::color>({.name = "color", .column = names[Case]})};
    }
};
template <class Table>
concept is_accepted_table =
    requires { typename std::bool_constant<(static_cast<void>(Table::make()), true)>; };
static_assert(is_accepted_table<declared_colors<0>>);
static_assert(!is_accepted_table<declared_colors<1>>);
static_assert(!is_accepted_table<declared_colors<2>>);
#endif

using options_type = bind_options_for<decltype(table)>;
constexpr options_type without_zones{.zones = nullptr};
constexpr options_type lenient{.zones = nullptr, .strict = false};

auto bound(std::string_view text, const options_type& options = without_zones) {
    const query_string pairs = parse_query_string(text);
    return bind_all(table, pairs.pairs(), options);
}

}  // namespace

TEST_CASE("each type of parameter is bound to its member") {
    const time_zone_database zones({time_zone::utc()});
    const auto query = bound(
        "color=RED&owner=o-me&ids=a,b&ids[]=c&speed=fast&deep=TRUE&depth=-3&since=today&"
        "zone=utc&where=metadata['a']:1",
        {.zones = &zones});
    REQUIRE(query);
    CHECK(query->color == filter({"RED"}));
    CHECK(query->owner == "me");
    CHECK(query->ids == std::vector<std::string>{"a", "b", "c"});
    CHECK(query->speed == pace::fast);
    CHECK(query->deep);
    CHECK(query->depth == -3);
    CHECK(query->since == *parse_time_expression("today"));
    CHECK(query->zone.name() == "UTC");
    CHECK(query->where == *parse_metadata_query("metadata['a']:1"));
}

TEST_CASE("absent parameters keep the defaults of the struct") {
    const auto query = bound("owner=o-");
    REQUIRE(query);
    CHECK(query->owner == "");
    CHECK(query->depth == 7);
    CHECK(!query->speed);
}

TEST_CASE("a prefix alone is a text that no row has") {
    for (const auto& [text, takes_me, takes_missing] :
         {std::tuple("owner=o-me", true, false), std::tuple("owner=o-", false, false),
          std::tuple("owner=o-&color=-red", false, false)}) {
        const list_query list = to_list_query(table, *bound(text));
        const auto takes = [&](const cell& value) {
            return list.rows.matches(
                [&](const column& of) { return of.name == "owner" ? value : cell(); });
        };
        CHECK(takes("me") == takes_me);
        CHECK(takes(cell()) == takes_missing);
    }
}

TEST_CASE("what is missing, unknown or impossible is an error of its parameter") {
    struct row {
        std::string_view text;
        rule broken;
        std::size_t offset, length;
        std::uint32_t pair;
        std::string_view param, accepts;
    };
    const row cases[] = {
        {"", rule::parameter_missing, 0, 0, error::no_pair, "owner", {}},
        {"owner=x", rule::prefix_missing, 0, 1, 0, "owner", "expected o- and a name"},
        {"owner=o-&color=red,blue", rule::filter_value, 4, 4, 1, "color", "expected red or green"},
        {"owner=o-&color=red&x=1&color=blue", rule::filter_value, 0, 4, 3, "color",
         "expected red or green"},
        {"owner=o-&color=red&color=-red&color=green", rule::filter_exclusion, 0, 0, 2, "color", {}},
        {"owner=o-&depth=10", rule::number_too_large, 0, 2, 1, "depth",
         "expected a whole number from -3 to 9"},
        {"owner=o-&zone=UTC", rule::time_zone_data, 0, 3, 1, "zone", {}},
        {"owner=o-&owner=o-x", rule::parameter_repeated, 0, 3, 1, "owner", {}},
    };
    for (const row& entry : cases) {
        CAPTURE(entry.text);
        const query_string pairs = parse_query_string(entry.text);
        const auto query = bind_all(table, pairs.pairs(), lenient);
        REQUIRE(!query);
        REQUIRE(query.error().size() == 1);
        const error& e = query.error().front();
        CHECK(e.broken == entry.broken);
        CHECK(e.code == code_of(entry.broken));
        CHECK(e.offset == entry.offset);
        CHECK(e.length == entry.length);
        CHECK(e.pair == entry.pair);
        CHECK(e.param == entry.param);
        CHECK(e.accepts == entry.accepts);
        CHECK(e.offset + e.length <= text_at_fault(pairs.pairs(), e).size());
        CHECK(bind(table, pairs.pairs(), lenient).error() == e);
    }
}

TEST_CASE("unknown names are errors unless binding is lenient, each one of its own") {
    constexpr std::string_view text = "owner=o-&Owner=x&other=y&ides[]=1&depht=1&other=2&%5C%00=";
    CHECK(bound(text, lenient));
    const query_string pairs = parse_query_string(text);
    const auto query = bind_all(table, pairs.pairs(), without_zones);
    REQUIRE(!query);
    std::string shown;
    for (const error& e : query.error()) {
        CHECK(e.broken == rule::parameter_unknown);
        CHECK(e.param.empty());
        shown.append(message(e, text_at_fault(pairs.pairs(), e))).append("\n");
    }
    CHECK(shown ==
          "Owner: unknown parameter (did you mean 'owner'?), expected one of the documented names\n"
          "other: unknown parameter, expected one of the documented names\n"
          "ides[]: unknown parameter, expected one of the documented names\n"
          "depht: unknown parameter (did you mean 'depth'?), expected one of the documented names\n"
          "\\x5C\\x00: unknown parameter, expected one of the documented names\n");
}

TEST_CASE("one error or all of them: the first is the same") {
    for (const std::string_view text :
         {"", "owner=x&depth=99&zzz=1", "zzz=1&yyy=2&owner=o-", "depth=x&owner=o-&color=blue,-red",
          "zzz=1", "owner=o-&owner=o-"}) {
        for (const bool strict : {false, true}) {
            CAPTURE(text);
            CAPTURE(strict);
            const query_string pairs = parse_query_string(text);
            const options_type options{.zones = nullptr, .strict = strict};
            const auto all = bind_all(table, pairs.pairs(), options);
            const auto one = bind(table, pairs.pairs(), options);
            REQUIRE(one.has_value() == all.has_value());
            if (!one) CHECK(one.error() == all.error().front());
        }
    }
}

TEST_CASE("a binding tells what was given and what was refused, each parameter once") {
    search query;
    binding request(table, query, lenient);
    const name_value pairs[] = {{"color", "red,blue"}, {"deep", "true"}, {"other", "1"}};
    request.take(pairs);
    CHECK(request.has("deep"));
    CHECK(!request.is_refused("deep"));
    CHECK(query.deep);
    CHECK(!request.has("color"));
    CHECK(request.is_refused("color"));
    CHECK(query.color == filter());
    for (const std::string_view name : {"speed", "other"}) {
        CHECK(!request.has(name));
        CHECK(!request.is_refused(name));
    }
    for (const std::string_view name : {"deep", "color", "other"}) {
        request.refuse(name, fail_in(rule::not_applicable, name).value());
    }
    CHECK(!request.has("deep"));
    std::vector<any_rule> broken;
    for (const error& problem : request.all_errors()) broken.push_back(problem.broken);
    CHECK(broken ==
          std::vector<any_rule>{rule::filter_value, rule::parameter_missing, rule::not_applicable});
}

TEST_CASE("a parameter's type is that of its declaration") {
    using enum param_type;
    std::vector<param_type> types;
    for (const auto& row : table) types.push_back(row.info.type);
    CHECK(types == std::vector{param_type::filter, text, list, choice, boolean, integer,
                               param_type::time, param_type::time_zone, expression});
}

TEST_CASE("a near miss of a choice, a boolean or a zone is told") {
    const time_zone_database zones({time_zone::utc()});
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"speed=Fast", "fast"},
        {"speed=fas", "fast"},
        {"speed=x", ""},
        {"deep=ture", "true"},
        {"deep=1", ""},
        {"zone=UCT", "UTC"},
        {"zone=Mars", ""},
        {"color=red,grean", "green"},
        {"color=red&color=rod", "red"},
        {"color=blue", ""},
    };
    for (const auto& [text, suggestion] : cases) {
        CAPTURE(text);
        const auto query = bound("owner=o-&" + std::string(text), {.zones = &zones});
        REQUIRE(!query);
        CHECK(query.error().front().suggestion == suggestion);
    }
}

TEST_CASE("a table with an index finds the rows that a walk finds") {
    struct many {
        std::optional<std::string> value;
        std::vector<std::string> items;
    };
    // Names of one length that differ in a byte that the index may not look at.
    constexpr param_table indexed{
        text_param<&many::value>({.name = "name_a_1"}),
        text_param<&many::value>({.name = "name_b_1"}),
        list_param<&many::items>({.name = "name_c_1"}),
        text_param<&many::value>({.name = "name_d_1"}),
        list_param<&many::items>({.name = "ids"}),
        text_param<&many::value>({.name = "a"}),
    };
    for (const std::string_view name :
         {"name_a_1", "name_b_1", "name_c_1", "name_d_1", "name_e_1", "name_c_1[]", "ids", "ids[]",
          "ids[", "[]", "", "a", "a[]", "b", "name_a_1[]", "IDS"}) {
        CAPTURE(name);
        const auto walked = std::ranges::find_if(indexed, [&](const auto& row) {
            return row.info.name == name ||
                   (row.repeatable() && std::string(row.info.name) + "[]" == name);
        });
        CHECK(indexed.find(name) == static_cast<std::size_t>(walked - indexed.begin()));
    }
}

TEST_CASE("the first error is that of the first row, not of the first pair") {
    const query_string pairs = parse_query_string("depth=x&color=blue&owner=o-");
    CHECK(bind(table, pairs.pairs(), without_zones).error().param == "color");
}

TEST_CASE("a table describes itself to OpenAPI") {
    const std::string text = openapi_parameters(table);
    CHECK(text.starts_with(
        R"([{"name":"color","in":"query","description":"a color; expected red or green; a value, )"
        R"(a list `a,b`, or all but `-a,b`","required":false,"schema":{"type":"string",)"
        R"("maxLength":10000,"pattern":"^-?)"));
    CHECK(text.find(R"({"name":"depth","in":"query","description":"levels","required":false,)"
                    R"("schema":{"type":"integer","minimum":-3,"maximum":9,"default":7}})") !=
          std::string::npos);
    CHECK(text.find(R"("schema":{"type":"string","enum":["slow","fast"]}})") != std::string::npos);
    CHECK(text.find(R"("required":false,"deprecated":true)") != std::string::npos);
}

TEST_CASE("queries that mean the same have one canonical query string") {
    const time_zone_database zones({time_zone::utc()});
    const auto canonical = [&](std::string_view text) {
        const auto query = bound(text, {.zones = &zones, .strict = false});
        REQUIRE(query);
        return canonical_query_string(table, *query);
    };
    struct row {
        std::string_view text, same_as;
    };
    const std::vector<row> same{
        {"owner=o-me", "depth=7&deep=false&owner=o-me&other=1"},
        {"owner=o-me&color=red,green", "color=GREEN,,Red,green&owner=o-me"},
        {"owner=o-me&color=red,green", "color=green&owner=o-me&color[]=red"},
        {"owner=o-me&color=-red,green", "color=-green,red&owner=o-me"},
        {"owner=o-me&depth=9", "owner=o-me&depth=9.0"},
        {"owner=o-me&where=metadata['a']:'1'", "owner=o-me&where= metadata[\"a\"] : 1"},
    };
    for (const auto& [text, same_as] : same) {
        CAPTURE(text);
        CHECK(canonical(text) == canonical(same_as));
    }
    constexpr std::array<std::string_view, 2> left_out{"depth", "color"};
    CHECK(canonical_query_string(table, *bound("owner=o-me&depth=8&color=red"), left_out) ==
          canonical("owner=o-me"));
    const std::vector<std::string_view> different{"owner=o-me",
                                                  "owner=o-ME",
                                                  "owner=o-me,you",
                                                  "owner=o-me&color=red",
                                                  "owner=o-me&color=-red",
                                                  "owner=o-me&color=red,green",
                                                  "owner=o-me&depth=8",
                                                  "owner=o-me&deep=true",
                                                  "owner=o-me&ids=a",
                                                  "owner=o-me&ids=a,b",
                                                  "owner=o-me&speed=slow",
                                                  "owner=o-me&since=2026-08-01",
                                                  "owner=o-me%26depth=8",
                                                  "owner=o-me&where=metadata['a']:1"};
    for (const std::string_view a : different) {
        for (const std::string_view b : different) {
            CAPTURE(a);
            CAPTURE(b);
            CHECK((canonical(a) == canonical(b)) == (a == b));
        }
    }
}
